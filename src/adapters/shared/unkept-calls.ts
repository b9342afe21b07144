/** Calls of a session's journal since a framework last kept its list: what it may know nothing of. */
import { createHash } from "node:crypto";
import type { RefloatStore } from "../../app/store/open-store.ts";
import { MAX_ID_BYTES } from "../../model/limits.ts";
import { bodyAs } from "../../model/record.ts";

export interface UnkeptCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  /** Done as far as anybody saw; else it failed, or nobody knows. */
  readonly isDone: boolean;
}

/** In the order they were begun. One that runs now has no end and is left out: its framework will tell of it. */
export async function unkeptCalls(
  store: RefloatStore,
  session: string,
  listKind: string,
): Promise<UnkeptCall[]> {
  const ends = new Map<string, { readonly status: string; readonly output?: unknown }>();
  const calls: UnkeptCall[] = [];
  const kinds = [listKind, "call.started", "call.ended"];
  for await (const record of store.records(session, { kinds, order: "backward", pageRows: 50 })) {
    // What was begun before the list was kept last, it may tell of; what ended since, it cannot.
    if (record.kind === listKind && ends.size === 0) break;
    const end = bodyAs(record, "call.ended");
    if (end) ends.set(end.call, end);
    const start = bodyAs(record, "call.started");
    const ended = start && ends.get(start.call);
    if (!start || !ended) continue;
    ends.delete(start.call);
    const { tool, input } = start;
    const id = firstGo(start.call);
    if (calls.some((later) => later.id === id)) continue; // it was run again, and that is what became of it
    calls.unshift({ id, tool, input, output: ended.output, isDone: ended.status === "done" });
  }
  return calls;
}

/** A harmless call that was run again has an id made of the model's own. */
const firstGo = (id: string): string => id.replace(/~\d+$/, "");

/** A record's id made of somebody's own. */
export function keyed(kind: string, id: string): string {
  const whole = `${kind}:${id}`;
  return Buffer.byteLength(whole) <= MAX_ID_BYTES
    ? whole
    : `${kind}:${createHash("sha256").update(id).digest("hex")}`;
}
