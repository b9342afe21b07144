/**
 * OpenCode's sessions: rows of a database, a message and its parts, each changed in place. A subagent is a session of its own below
 * the one that started it. Killed, a call stays "running" for ever, and nothing of the text that was being streamed is there.
 */
import type { JsonObject } from "../../model/json.ts";
import { TRANSCRIPT_LINE_BYTES } from "../../model/limits.ts";
import type { DatabaseFormat, Rows } from "../words/adapter.ts";
import { kindAt, numberAt, objectAt, objectOf, textAt, timeOf } from "../words/fields.ts";
import type { Heard, HeardOutcome } from "../words/heard.ts";
import { heardJson } from "../words/heard-json.ts";
import { partsOf, toolPart } from "./parts.ts";

/** What a name, a path or a note of a session may have: a column holds whatever somebody put there (T5). */
const MAX_NAME_BYTES = 64 * 1024;
const bounded = (...names: readonly string[]): string =>
  names
    .map((name) => `CASE WHEN octet_length(${name}) <= ${MAX_NAME_BYTES} THEN ${name} END AS ${name}`)
    .join(", ");

const TABLES = ["project", "session", "message", "part"];

export const opencodeTranscript: DatabaseFormat = {
  storage: "database",
  recognizes: (tables) => TABLES.every((name) => tables.has(name)),
  kept: {
    tables: [
      { table: "session", of: "id", order: "id" },
      { table: "message", of: "session_id", order: "time_created, id" },
      { table: "part", of: "session_id", order: "id" },
      { table: "todo", of: "session_id", order: "position" },
    ],
    parent: "parent_id",
  },
  sessions: (rows) =>
    [
      ...rows(
        `SELECT id, ${bounded("directory")}, CAST(time_updated AS REAL) AS updated, CAST(time_created AS REAL) AS created FROM session
         WHERE parent_id IS NULL OR parent_id NOT IN (SELECT id FROM session) ORDER BY updated DESC, id`,
      ),
    ].flatMap((row) => {
      const nativeId = textAt(row, "id");
      const [at, began] = [timeOf(row.updated), timeOf(row.created)];
      return nativeId === null ? [] : [{ nativeId, cwd: textAt(row, "directory"), at, began }];
    }),
  *read(rows, nativeId) {
    const [row] = rows(
      `SELECT id, ${bounded("directory", "version", "model", "revert")}, parent_id, CAST(time_created AS REAL) AS created,
              CAST(time_updated AS REAL) AS updated FROM session WHERE id = ?`,
      nativeId,
    );
    if (row === undefined) return;
    yield session(row, nativeId);
    const told = new Set([nativeId]);
    const last = yield* conversation(rows, nativeId, null, told);
    // A subagent whose call never got to name it.
    for (const { id } of rows("SELECT id FROM session WHERE parent_id = ? ORDER BY id", nativeId))
      if (typeof id === "string") yield* childOf(rows, id, told);
    yield* takenBack(row, last);
  },
};

function session(row: JsonObject, nativeId: string): Heard {
  const model = objectOf(heardJson(textAt(row, "model") ?? ""));
  return {
    kind: "session",
    nativeId,
    cwd: textAt(row, "directory"),
    version: textAt(row, "version"),
    branch: null,
    model: textAt(model, "id"),
    at: timeOf(row.created),
    parent: textAt(row, "parent_id"),
  };
}

/** The ids of its messages, in order. */
function* conversation(
  rows: Rows,
  nativeId: string,
  child: string | null,
  told: Set<string>,
): Generator<Heard, readonly string[]> {
  const ids = idsOf(
    rows("SELECT id FROM message WHERE session_id = ? ORDER BY CAST(time_created AS REAL), id", nativeId),
  );
  for (const id of ids) {
    const body = dataOf(rows, "message", id);
    if (body === null) continue;
    const parts = idsOf(rows("SELECT id FROM part WHERE message_id = ? ORDER BY id", id)).flatMap((one) => {
      const data = dataOf(rows, "part", one);
      return data === null ? [] : [{ id: one, data }];
    });
    if (body.role === "user") yield* asked(id, body, parts, child);
    else if (body.role === "assistant") {
      for (const heard of answered(id, body, parts, child)) {
        yield heard;
        if (heard.kind === "child") yield* childOf(rows, heard.id, told);
      }
    } else yield { kind: "unknown", type: `message ${kindAt(body, "role")}` };
  }
  return ids;
}

/** Told once, however many calls name it, and never around in a circle. */
function* childOf(rows: Rows, id: string, told: Set<string>): Generator<Heard> {
  if (told.has(id)) return;
  told.add(id);
  yield* conversation(rows, id, id, told);
}

export interface StoredPart {
  readonly id: string;
  readonly data: JsonObject;
}

const idsOf = (found: Iterable<JsonObject>): readonly string[] =>
  [...found].flatMap(({ id }) => (typeof id === "string" ? [id] : []));

/** Null: too large, or no object. */
function dataOf(rows: Rows, table: "message" | "part", id: string): JsonObject | null {
  const [row] = rows(
    `SELECT CASE WHEN octet_length(data) <= ${TRANSCRIPT_LINE_BYTES} THEN data END AS data FROM ${table} WHERE id = ?`,
    id,
  );
  const text = textAt(row ?? null, "data");
  return text === null ? null : objectOf(heardJson(text));
}

/** What the person wrote, and apart from it what OpenCode put beside (files it read for them, reminders). */
function* asked(
  id: string,
  body: JsonObject,
  parts: readonly StoredPart[],
  child: string | null,
): Generator<Heard> {
  const at = timeOf(objectAt(body, "time")?.created);
  const isMachinery = ({ data }: StoredPart): boolean => data.synthetic === true || data.ignored === true;
  const theirs = partsOf(parts.filter((part) => !isMachinery(part)));
  if (theirs.length > 0)
    yield {
      kind: "message",
      id,
      role: "user",
      parts: theirs,
      at,
      from: child === null ? "person" : "machinery",
      child,
    };
  for (const part of parts.filter(isMachinery)) {
    const own = partsOf([part]);
    if (own.length > 0)
      yield { kind: "message", id: part.id, role: "user", parts: own, at, from: "machinery", child };
  }
  yield* unknownParts(parts);
}

function* answered(
  id: string,
  body: JsonObject,
  parts: readonly StoredPart[],
  child: string | null,
): Generator<Heard> {
  const time = objectAt(body, "time");
  const at = timeOf(time?.created);
  const said = partsOf(parts);
  const isSummary = body.summary === true;
  if (said.length > 0)
    yield {
      kind: "message",
      id,
      role: "assistant",
      parts: said,
      at,
      from: isSummary ? "machinery" : "agent",
      child,
    };
  const tools = parts.filter(({ data }) => data.type === "tool");
  for (const { data } of tools) yield* toolPart(data, child);
  yield* unknownParts(parts);
  const completed = timeOf(time?.completed);
  if (isSummary && completed !== null) {
    const summary = said.flatMap((part) => (part.type === "text" ? [String(part.text)] : [])).join("\n");
    yield { kind: "compacted", summary: summary === "" ? null : summary, at: completed };
    return;
  }
  if (child === null) yield* endOfAnswer(body, completed, tools.length > 0, at);
}

/** `time.completed` is written when an answer ends; the turn goes on after one that called tools. */
function* endOfAnswer(
  body: JsonObject,
  completed: number | null,
  hasCalls: boolean,
  at: number | null,
): Generator<Heard> {
  const error = objectAt(body, "error");
  if (error !== null) {
    if (isLimit(error)) yield { kind: "limit", resetsAtMs: resetOf(error, completed ?? at), at: completed };
    const outcome = error.name === "MessageAbortedError" ? "cancelled" : "failed";
    yield { kind: "turn-ended", outcome, proof: "record", at: completed };
    return;
  }
  if (completed === null) {
    if (!hasCalls) yield { kind: "asked-model", at };
    return;
  }
  const outcome = outcomeOf(textAt(body, "finish"));
  if (outcome !== null && !hasCalls) yield { kind: "turn-ended", outcome, proof: "record", at: completed };
}

/** Why the model stopped, as OpenCode has it. Null: it goes on. */
export function outcomeOf(finish: string | null): HeardOutcome | null {
  if (finish === null || finish === "tool-calls" || finish === "unknown") return null;
  return finish === "stop" ? "completed" : "failed";
}

const TOO_MANY_REQUESTS = 429;

export const isLimit = (error: JsonObject): boolean =>
  numberAt(objectAt(error, "data"), "statusCode") === TOO_MANY_REQUESTS;

export function resetOf(error: JsonObject, at: number | null): number | null {
  const headers = objectAt(objectAt(error, "data"), "responseHeaders");
  const seconds = Number.parseFloat(textAt(headers, "retry-after") ?? "");
  return at === null || !Number.isFinite(seconds) ? null : at + seconds * 1000;
}

const PASSED_OVER = new Set([
  "text",
  "reasoning",
  "file",
  "tool",
  "subtask",
  "agent",
  "snapshot",
  "patch",
  "step-start",
  "step-finish",
  "compaction",
  "retry",
]);

function* unknownParts(parts: readonly StoredPart[]): Generator<Heard> {
  for (const { data } of parts)
    if (!PASSED_OVER.has(kindAt(data))) yield { kind: "unknown", type: `part ${kindAt(data)}` };
}

/** The person went back: the session names the first message that does not count any more. */
function* takenBack(row: JsonObject, ids: readonly string[]): Generator<Heard> {
  const revert = objectOf(heardJson(textAt(row, "revert") ?? ""));
  const first = textAt(revert, "messageID");
  if (first === null) return;
  const at = ids.indexOf(first);
  const to = textAt(revert, "partID") === null ? ids[at - 1] : first;
  if (at >= 0 && to !== undefined) yield { kind: "rewound", to, at: timeOf(row.updated) };
}
