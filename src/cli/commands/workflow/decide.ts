/**
 * `decide`: a decision where it is made. Where the workspace has a workflow's state file (or --file names it), into
 * that file and its journal in one step; else into the session that is meant. Without a value it shows what was decided.
 */

import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { sayHere, unlessUnwritable } from "../../../app/sessions/say-here.ts";
import { newRecord } from "../../../session/new-record.ts";
import { objectOf, own } from "../../../workflow/state-doc.ts";
import { decide } from "../../../workflow/step-acts.ts";
import { decisionsHere } from "../../../workspace/sessions/decisions.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { markerLine, notRecorded } from "../../screen/marker-line.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine } from "../../screen/words.ts";
import { readState } from "./read-state.ts";
import { fileOfWorkflow } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const key = textArgument(input, 0) ?? "";
  if (key.trim() === "") throw usage("A decision needs a key.");
  const value = textArgument(input, 1);
  const file = await stateFileMeant(context, input);
  if (file !== null)
    return value === null ? showInFile(context, file, key) : inFile(context, input, file, key, value);
  return value === null ? showInSession(context, key) : inSession(context, input, key, value);
}

/** Null: no workflow here, so the session is meant. */
export function stateFileMeant(context: Context, input: CommandInput): Promise<string | null> {
  return fileOfWorkflow(context, textOption(input, "file"));
}

async function inFile(
  context: Context,
  input: CommandInput,
  file: string,
  key: string,
  value: string,
): Promise<CommandEnd> {
  const reason = textOption(input, "reason");
  const step = textOption(input, "step");
  const made = await unlessUnwritable(context, async () => {
    const store = await context.openOrMakeStore();
    return decide(store.raw, file, { key, value, reason, step });
  });
  if (made === null) return leftMarker(context, { key, value, reason, step });
  for (const warning of made.warnings) context.out.narrate(`Note: ${oneLine(warning)}`);
  await context.out.result({
    command: "decide",
    json: { file, session: null, recorded: true, ...made, reason },
    text: () => [
      `${oneLine(key)} is ${oneLine(value)}${made.step === null ? "" : `, decided in step ${made.step}`}.`,
    ],
  });
  return EXIT.done;
}

async function inSession(
  context: Context,
  input: CommandInput,
  key: string,
  value: string,
): Promise<CommandEnd> {
  const reason = textOption(input, "reason");
  const step = textOption(input, "step");
  const said = await sayHere(
    context,
    (store) => (_session, from) => newRecord(store.clock, "decided", { key, value, reason, step, from }),
  );
  if (said.kind === "marker") return leftMarker(context, { key, value, reason, step });
  const { session } = said.written;
  const marker = markerOf({ key, value, reason });
  await context.out.result({
    command: "decide",
    json: { file: null, session, recorded: true, key, value, reason, step, marker },
    text: () => [`${oneLine(key)} is ${oneLine(value)}, decided in session ${shortId(session)}.`],
  });
  return EXIT.done;
}

interface TypedDecision {
  readonly key: string;
  readonly value: string;
  readonly reason: string | null;
  readonly step: string | null;
}

const markerOf = ({ key, value, reason }: Omit<TypedDecision, "step">): string =>
  markerLine("DECIDED", `${key} = ${value}${reason === null ? "" : ` (${reason})`}`);

/** Nothing could be recorded: the marker on stdout is what is left of it. */
async function leftMarker(context: Context, decided: TypedDecision): Promise<CommandEnd> {
  const marker = markerOf(decided);
  await context.out.result({
    command: "decide",
    json: { file: null, session: null, recorded: false, ...decided, marker },
    text: () => [marker],
  });
  context.out.narrate(notRecorded());
  return EXIT.done;
}

async function showInFile(context: Context, file: string, key: string): Promise<CommandEnd> {
  const value = own(objectOf(own(readState(file), "decisions")), key) ?? null;
  return show(context, { file, session: null }, key, value);
}

async function showInSession(context: Context, key: string): Promise<CommandEnd> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  const found = store ? await decisionsHere(store.raw, here.workspace.root, here.place, here.env) : null;
  const last = found?.decisions.findLast((one) => one.key === key);
  return show(context, { file: null, session: found?.session ?? null }, key, last?.value ?? null);
}

async function show(
  context: Context,
  where: { readonly file: string | null; readonly session: string | null },
  key: string,
  value: unknown,
): Promise<CommandEnd> {
  await context.out.result({
    command: "decide",
    json: { ...where, key, value },
    text: () => [
      value === null
        ? `${oneLine(key)} is not decided.`
        : oneLine(typeof value === "string" ? value : JSON.stringify(value)),
    ],
  });
  return value === null ? EXIT.failed : EXIT.done;
}
