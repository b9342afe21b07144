/** `state export`: what other tools can read: the state in one version, its decisions in one form, the handoff. */
import { RefloatError } from "../../../model/errors.ts";
import { isJsonObject, type Json } from "../../../model/json.ts";
import { redactJson } from "../../../text/redact.ts";
import { decisionsIn } from "../../../workflow/decision-log.ts";
import { isToken, isVersion } from "../../../workflow/definition.ts";
import { own } from "../../../workflow/state-doc.ts";
import { handoffOf } from "../../../workflow/state-paths.ts";
import { upgradeState } from "../../../workflow/upgrade.ts";
import { parseState } from "../../../workflow/validate.ts";
import { readText } from "../../../workflow/validate-files.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { jsonText } from "../../screen/json-text.ts";
import { schemaOf } from "../../screen/output.ts";
import { filesOf } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const to = textOption(input, "to") === "3.0" ? "3.0" : "2.0";
  const states: Json = (await filesOf(context, input)).map((file) => exported(file, to));
  const json: Json = isSet(input, "raw") ? { states, redacted: false } : await redacted(states);
  await context.out.write(`${jsonText({ schema: schemaOf("state-export"), ...(json as object) })}\n`);
  return EXIT.done;
}

async function redacted(states: Json): Promise<Json> {
  const { value, count } = await redactJson(withTokens(states, () => null));
  return { states: withTokens(value, (_, at) => tokenAt(states, at)), redacted: count > 0 };
}

/**
 * The token of a claim is a number of the file's own and no secret in it: a marker in its place would be damage to whoever reads the
 * export, `state import` among them.
 */
function withTokens(
  value: Json,
  token: (known: Json, at: readonly string[]) => Json,
  at: readonly string[] = [],
): Json {
  if (Array.isArray(value))
    return value.map((item, i) => withTokens(item as Json, token, [...at, String(i)]));
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => [
      key,
      withTokens(inner as Json, token, [...at, key]),
    ]);
    return Object.fromEntries(entries);
  }
  return at.at(-1) === "attempt_token" && (value === null || isToken(value)) ? token(value, at) : value;
}

function tokenAt(states: Json, at: readonly string[]): Json {
  const found = at.reduce<Json | undefined>(
    (inner, key) => (Array.isArray(inner) ? (inner[Number(key)] as Json) : own(inner, key)),
    states,
  );
  return isToken(found) ? found : null;
}

function exported(file: string, to: "2.0" | "3.0"): Json {
  const read = readText(file);
  if (read.kind === "failed") throw new RefloatError("E_NO_FILE", { path: file, why: read.why });
  const parsed = parseState(read.text);
  const why = parsed.kind === "broken" ? parsed.why : "It is not a state file.";
  if (
    parsed.kind === "broken" ||
    !isJsonObject(parsed.value) ||
    !isVersion(own(parsed.value, "schema_version"))
  )
    throw new RefloatError("E_STATE_DAMAGED", { path: file, why });
  const doc = parsed.value;
  const companion = readText(handoffOf(file));
  return {
    path: file,
    version: own(doc, "schema_version") ?? null,
    state: upgradeState(doc, to),
    decisions: decisionsIn(doc).flatMap((one) => (one ? [{ ...one }] : [])),
    handoff: companion.kind === "read" ? companion.text : null,
  };
}
