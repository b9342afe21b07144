/**
 * Copilot CLI keeps its list of what is to be done in a table of its session's own database and changes it by statements, so that only
 * these say what is on it. The forms it is told to use are read; whatever else it does to the table is not heard.
 */
import { textAt } from "../words/fields.ts";
import type { Heard, HeardAt, HeardCall, PlanItemState } from "../words/heard.ts";

const STATES: ReadonlyMap<string, PlanItemState> = new Map([
  ["pending", "open"],
  ["blocked", "open"],
  ["in_progress", "doing"],
  ["done", "done"],
]);

/** Longer statements are no list that a person reads. */
const MAX_QUERY_CHARS = 20_000;

const INSERT =
  /\binsert\s+(?:or\s+\w+\s+)?into\s+todos\s*\(([^()]*)\)\s*values\s*((?:[^;']|'(?:[^']|'')*')*)/gi;
const UPDATE =
  /\bupdate\s+todos\s+set\s+((?:[^;']|'(?:[^']|'')*')*?)\s+where\s+id\s*(?:=\s*|in\s*\(\s*)((?:'(?:[^']|'')*'\s*,?\s*)+)/gi;
const DELETE = /\bdelete\s+from\s+todos\s+where\s+id\s*=\s*('(?:[^']|'')*')/gi;
const STATUS = /\bstatus\s*=\s*('(?:[^']|'')*')/i;
const TEXTS = /'((?:[^']|'')*)'/g;

export function todosOf({ tool, input, at: asked }: HeardCall, at: HeardAt): readonly Heard[] {
  const query = textAt(input, "query") ?? "";
  if (tool !== "sql" || query.length > MAX_QUERY_CHARS || !/\btodos\b/i.test(query)) return [];
  const when = at ?? asked;
  return [...inserted(query, when), ...updated(query, when), ...deleted(query, when)];
}

function* inserted(query: string, at: HeardAt): Iterable<Heard> {
  for (const [, names = "", rows = ""] of query.matchAll(INSERT)) {
    const columns = names.split(",").map((name) => name.trim().toLowerCase());
    for (const row of rowsOf(rows)) {
      const id = row[columns.indexOf("id")];
      const text = row[columns.indexOf("title")];
      const state = STATES.get(row[columns.indexOf("status")] ?? "pending");
      const isWhole = row.length === columns.length && id !== undefined && text !== undefined;
      if (isWhole && state !== undefined) yield { kind: "plan-item", id, text, state, at };
    }
  }
}

/** Rows of texts only: what is computed is not known. */
function rowsOf(rows: string): readonly (readonly string[])[] {
  return [...rows.matchAll(/\(\s*((?:'(?:[^']|'')*'\s*,?\s*)*)\)/g)].map(([, values = ""]) =>
    textsIn(values),
  );
}

function* updated(query: string, at: HeardAt): Iterable<Heard> {
  for (const [, changes = "", ids = ""] of query.matchAll(UPDATE)) {
    const [status] = textsIn(STATUS.exec(changes)?.[1] ?? "");
    const state = STATES.get(status ?? "");
    if (state === undefined) continue;
    for (const id of textsIn(ids)) yield { kind: "plan-item", id, text: null, state, at };
  }
}

function* deleted(query: string, at: HeardAt): Iterable<Heard> {
  for (const [, quoted = ""] of query.matchAll(DELETE)) {
    for (const id of textsIn(quoted)) yield { kind: "plan-item", id, text: null, state: "dropped", at };
  }
}

const textsIn = (values: string): readonly string[] =>
  [...values.matchAll(TEXTS)].map(([, text = ""]) => text.replaceAll("''", "'"));
