/**
 * Whether an event is on record already, told by another entry of ours in the same agent's settings: the user's own and a repository's shared
 * file, a plugin beside either. Each calls the recorder, so each event has a file twice, of one process and within moments (D4). Pure.
 *
 * By the agent's own id of a call two are one. Where an agent gives none, the same call may be made again: then its end stands between the two.
 */
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { isMade } from "../words/made-id.ts";

/** Hundredths of a second between two recorders that were started for one event, on a machine that is busy. */
const TWIN_HUNDREDTHS = 300;

/** How many of a session's newest events are looked through: calls side by side have theirs in between (T5). */
export const TWIN_LOOK = 40;

export interface RecordedEvent {
  /** The file's name. */
  readonly id: string;
  readonly body: JsonObject;
}

/** The one that is on record; null: none. `newestFirst`: of the same session. */
export function twinOf(told: RecordedEvent, newestFirst: readonly RecordedEvent[]): RecordedEvent | null {
  const at = timeIn(told.id);
  if (at === null || !isJsonObject(told.body.process)) return null;
  const own = stepsIn(told.body);
  for (const one of newestFirst) {
    const then = timeIn(one.id);
    const isNear = then?.boot === at.boot && Math.abs(then.uptime - at.uptime) <= TWIN_HUNDREDTHS;
    if (!isNear || one.id === told.id) continue;
    if (likeness(one.body) === likeness(told.body)) return one;
    if (isBetween(stepsIn(one.body), own)) return null;
  }
  return null;
}

/** `BOOT-UPTIME-...`: as the recorder names its files. Null: another writer's name, or of a system that tells neither. */
function timeIn(id: string): { readonly boot: string; readonly uptime: number } | null {
  const [, boot = NO_BOOT, uptime = ""] = /^([0-9a-f]{8})-(\d{10})-/.exec(id) ?? [];
  return boot === NO_BOOT ? null : { boot, uptime: Number(uptime) };
}

const NO_BOOT = "00000000";

const likeness = ({ agent, event, native_id, cwd, child, heard, process }: JsonObject): string =>
  JSON.stringify([agent, event, native_id, cwd, child ?? null, heard, process]);

interface CallStep {
  readonly kind: "call" | "result";
  readonly call: string;
}

/** Of calls that have no id of their agent's. */
function stepsIn({ heard }: JsonObject): readonly CallStep[] {
  const all = (Array.isArray(heard) ? (heard as readonly Json[]) : []).filter(isJsonObject);
  return all.flatMap(({ kind, id, call }) => {
    const named = kind === "call" ? id : kind === "result" ? call : null;
    return typeof named === "string" && isMade(named)
      ? [{ kind: kind === "call" ? "call" : "result", call: named } as const]
      : [];
  });
}

/** The same call's other end: it was made once more. */
const isBetween = (theirs: readonly CallStep[], own: readonly CallStep[]): boolean =>
  own.some((one) => theirs.some(({ kind, call }) => call === one.call && kind !== one.kind));
