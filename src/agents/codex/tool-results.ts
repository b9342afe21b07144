/**
 * How Codex's calls ended. A command is told twice: as an item with its exit code and whole output, and as the text the model got. A
 * command that outlived its call (`Process running with session ID`) has not ended: its item comes when it does.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import { contentText, listAt, numberAt, objectAt, objectOf, textAt, textOf } from "../words/fields.ts";
import type { HeardAt, HeardResult } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import { editsOfChanges, within } from "./apply-patch.ts";

/** A larger output was cut by Codex itself. */
const WHOLE_OUTPUT_CHARS = 500_000;

/** The text the model got for a call; `runs`: under which number its process goes on. */
export interface ToldResult {
  readonly result: HeardResult;
  readonly runs: string | null;
}

/** Texts of a call that did not come to its end, or was refused. Seen with 0.166.0; `aborted` alone only on the wire. */
const CANCELLED = /^(?:Wall time: [\d.]+ seconds\n)?aborted(?: by user)?\b/;
const FAILED = [
  /^unsupported call: /,
  /^apply_patch verification failed/,
  /^(?:exec_command|write_stdin|shell) failed/,
  /^execution error: /,
  /^failed to parse function arguments/,
];
const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m;
const RUNS = /^Process running with session ID (\d+)$/m;
/** What stands before the output itself; in the output the same words mean nothing. */
const OUTPUT = /(?:^|\n)Output:\n/;

export function toldResult(call: string, value: Json | undefined, at: HeardAt): ToldResult {
  const older = olderResult(call, value, at);
  if (older !== null) return { result: older, runs: null };
  const text = outputText(value);
  const begins = OUTPUT.exec(text)?.index ?? text.length;
  const head = text.slice(0, begins);
  const result = (status: HeardResult["status"], output: string): HeardResult => ({
    ...{ kind: "result", call, status, origin: "real", output, at, edits: [] },
  });
  if (CANCELLED.test(text)) return { result: result("cancelled", text), runs: null };
  const [, exit] = EXIT.exec(head) ?? [];
  const output = begins === text.length ? text : text.slice(text.indexOf("Output:\n", begins) + 8);
  const isFailed = exit === undefined ? FAILED.some((one) => one.test(text)) : exit !== "0";
  return {
    result: result(isFailed ? "failed" : "done", exit === undefined ? text : output),
    runs: RUNS.exec(head)?.[1] ?? null,
  };
}

/** Versions of 2025: a text that is JSON, with the output and the exit code in it. */
function olderResult(call: string, value: Json | undefined, at: HeardAt): HeardResult | null {
  if (typeof value !== "string" || !value.startsWith('{"output":')) return null;
  const told = objectOf(heardJson(value));
  const [output, exit] = [textAt(told, "output"), numberAt(objectAt(told, "metadata"), "exit_code")];
  if (output === null || exit === null) return null;
  return {
    kind: "result",
    call,
    status: exit === 0 ? "done" : "failed",
    origin: "real",
    output,
    at,
    edits: [],
  };
}

/** A text, a list of parts, or an object that has it. */
function outputText(value: Json | undefined): string {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (textOf((value as JsonObject).content) ?? JSON.stringify(value))
    : contentText(value);
}

/** No exit code of its own: Codex ended it, with the turn or at its own end. */
const ENDED_BY_CODEX = -1;

/** The end of a command, as an item. `folder`: the session's, to which names are relative. */
export function commandResult(item: JsonObject, at: HeardAt, folder: string | null): HeardResult {
  const exit = numberAt(item, "exit_code");
  const output = textAt(item, "aggregated_output") ?? "";
  const isDone = exit === 0;
  return {
    kind: "result",
    call: textAt(item, "id") ?? "",
    status: isDone ? "done" : exit === ENDED_BY_CODEX ? "cancelled" : "failed",
    origin: "real",
    output,
    at,
    edits: isDone ? readsOf(item, output, folder) : [],
  };
}

/** The end of a patch, as an item or (older versions) as an event. */
export function patchResult(call: string, item: JsonObject, at: HeardAt): HeardResult {
  const isDone = item.status === "completed" || item.success === true;
  return {
    kind: "result",
    call,
    status: isDone ? "done" : "failed",
    origin: "real",
    output: `${textAt(item, "stdout") ?? ""}${textAt(item, "stderr") ?? ""}`,
    at,
    edits: isDone ? editsOfChanges(objectAt(item, "changes")) : [],
  };
}

const CAT = /^cat (?:-- )?(?:'([^']+)'|([\w./@+-]+))$/;
const SED = /^sed -n '?(\d+),(\d+)p'? (?:'([^']+)'|([\w./@+-]+))$/;

/** What a command that only shows a file showed. A carriage return (a terminal's?) or a lost character: then it is not certain. */
function readsOf(item: JsonObject, output: string, sessions: string | null): readonly RecordedEdit[] {
  const command = listAt(item, "command");
  const script = command.length === 3 ? textOf(command[2]) : null;
  if (script === null || output.length > WHOLE_OUTPUT_CHARS || /[\r\ufffd]/.test(output)) return [];
  const own = folderOf(textAt(item, "cwd"));
  const folder = own === sessions ? null : own;
  const [, quoted, plain] = CAT.exec(script) ?? [];
  const whole = quoted ?? plain;
  if (whole !== undefined)
    return [{ kind: "read", path: within(folder, whole), text: output, isWhole: true, fromLine: 1 }];
  const [, from, , ...names] = SED.exec(script) ?? [];
  const part = names.find((name) => name !== undefined);
  return part === undefined
    ? []
    : [{ kind: "read", path: within(folder, part), text: output, isWhole: false, fromLine: Number(from) }];
}

/** A folder as `file://` has it; null: none we can read. */
function folderOf(uri: string | null): string | null {
  if (uri === null || !uri.startsWith("file:///")) return uri;
  try {
    return decodeURIComponent(uri.slice("file://".length));
  } catch (thrown) {
    if (thrown instanceof URIError) return null;
    throw thrown;
  }
}
