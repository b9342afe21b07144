/**
 * What the records of a session's calls tell of its work: which files its finished calls edited, what it ran and what came of it, and
 * the last test that was seen. Nothing of a call that nobody saw end is told as done (C4). Texts are bounded and without secrets (T4, T5).
 */
import { resolve } from "node:path";
import type { FoldedCall } from "../conversation/fold.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { pathForDisplay } from "../model/path-name.ts";
import { commandOf } from "../salvage/story/call-check.ts";
import { isTestCall } from "../salvage/story/contradictions.ts";
import { hasFailed } from "../salvage/story/session-story.ts";
import { redactBeginnings, redactEnd } from "../text/redact-part.ts";
import { namedPaths } from "../workspace/owning/named-paths.ts";
import type { BriefRan, BriefTest } from "./brief-facts.ts";

/** Files that are counted; a session that edited more has them in its groups, or committed. */
const MAX_FILES = 1000;
const MAX_RAN = 8;
/** Of a command: the script behind it is in the log. */
const COMMAND_CHARS = 300;
/** The end of an output, in which its last word stands, and a test runner's count. */
const OUTPUT_CHARS = 4000;
const SAID_CHARS = 160;

export interface EndedCall extends FoldedCall {
  readonly result: NonNullable<FoldedCall["result"]>;
}

/** Somebody saw its end: not recovery's word, nor one that the agent's program made up. */
export const isEnded = (call: FoldedCall): call is EndedCall =>
  call.result !== null && !call.result.isSynthetic && call.result.status !== "unknown-outcome";

/** What the call was told to run; null: it runs nothing. */
export function ranBy({ input, heard }: FoldedCall): string | null {
  if (heard && heard.does !== null && heard.does !== "execute") return null;
  const command = commandOf(input);
  if (command !== null || heard?.does !== "execute" || !isJsonObject(input)) return command;
  return typeof input.content === "string" ? input.content : null;
}

/** Of finished edits, the file touched last at the end. Inside the workspace by their names there. */
export function editedFiles(calls: readonly FoldedCall[], root: string): readonly string[] {
  const files = new Set<string>();
  for (const call of calls.filter(isEnded)) {
    if (call.heard?.does !== "edit" || call.result.status !== "done" || hasFailed(call)) continue;
    for (const path of call.heard.paths) {
      const name = fileName(root, path);
      files.delete(name);
      files.add(name);
    }
  }
  return [...files].slice(-MAX_FILES);
}

export function fileName(root: string, path: string): string {
  const [inside] = namedPaths(root, root, { path });
  return inside === undefined ? resolve(root, path) : pathForDisplay(inside);
}

/** The last of what it ran and saw end, tests apart; one that was run again stands for the earlier ones. */
export async function ranCommands(calls: readonly FoldedCall[]): Promise<readonly BriefRan[]> {
  const ran = new Map<string, EndedCall>();
  for (const call of calls.filter(isEnded)) {
    const command = ranBy(call);
    if (command === null || isTestCall(call)) continue;
    ran.delete(command);
    ran.set(command, call);
  }
  return Promise.all([...ran].slice(-MAX_RAN).map(([command, call]) => ranFact(command, call)));
}

async function ranFact(command: string, call: EndedCall): Promise<BriefRan> {
  const text = outputText(call.result.output);
  const said = text === "" ? "" : lastSaid((await redactEnd({ text, chars: OUTPUT_CHARS })).text);
  return { command: await shortCommand(command), came: cameOf(call), said: said === "" ? null : said };
}

async function shortCommand(text: string): Promise<string> {
  const [shown] = await redactBeginnings([{ text: text.trim(), chars: COMMAND_CHARS }]);
  return shown?.text ?? "";
}

function cameOf(call: EndedCall): BriefRan["came"] {
  if (call.result.status === "cancelled") return "cancelled";
  return hasFailed(call) ? "failed" : "done";
}

/** The last test call that was seen to end, and whether another was begun after it. */
export async function lastTest(calls: readonly FoldedCall[], root: string): Promise<BriefTest | null> {
  const tests = calls.filter((call) => ranBy(call) !== null && isTestCall(call));
  const ended = tests.findLast((call) => isEnded(call) && call.result.status !== "cancelled");
  const last = tests.at(-1);
  if (!last) return null;
  if (!ended || !isEnded(ended))
    return { ...{ came: "never-seen", said: null, edited_since: [] }, command: await commandIn(last) };
  const { redacted, text } = await outputOf(ended);
  const since = calls.filter(({ seq }) => seq > ended.result.seq);
  return {
    command: await commandIn(ended),
    came: hasFailed(ended) || FAILING.test(text) ? "failed" : "done",
    said: summaryIn(redacted),
    edited_since: editedFiles(since, root),
    ...(last === ended ? {} : { again: await commandIn(last) }),
  };
}

const commandIn = (call: FoldedCall): Promise<string> => shortCommand(ranBy(call) ?? "");

async function outputOf({ result }: EndedCall): Promise<{ text: string; redacted: string }> {
  const whole = outputText(result.output);
  const redacted = whole === "" ? "" : (await redactEnd({ text: whole, chars: OUTPUT_CHARS })).text;
  return { text: summaryIn(redacted) ?? "", redacted };
}

/** A runner's count: a pipe behind it may have hidden its exit code. */
const FAILING = /\b[1-9]\d*\s+(?:failed|failing|failures?|errors?)\b/i;
const COUNT =
  /\b\d+\s+(?:passed|passing|failed|failing|tests?|failures?)\b|\btests?:?\s+\d+|\b(?:FAILED|FAIL|PASSED|PASS|OK)\b/i;

function summaryIn(output: string): string | null {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.findLast((line) => FAILING.test(line)) ?? lines.findLast((line) => COUNT.test(line));
  const said = telling?.trim() ?? lastSaid(output);
  return said === "" ? null : said.slice(0, SAID_CHARS);
}

/** Frames that agents put around an output: the word before them is what the command said. */
const FRAME =
  /^(?:<\/?[\w-]+(?: [^>]*)?>|(?:Error|Signal): \(none\)|Exit Code: 0|(?:Background|Process Group) PG?IDs?: .*|\(no output\)|\(Bash completed with no output\))$/i;

function lastSaid(output: string): string {
  const line = output.split("\n").findLast((one) => one.trim() !== "" && !FRAME.test(one.trim()));
  return (line ?? "")
    .trim()
    .replace(/^Output: /, "")
    .slice(0, SAID_CHARS);
}

/** A tool's output as text: what it printed, where it says so by name. */
export function outputText(output: Json): string {
  if (typeof output === "string") return output;
  if (!isJsonObject(output)) return "";
  const named = [output.stderr, output.stdout, output.output, output.text];
  return named.filter((one): one is string => typeof one === "string").join("\n");
}
