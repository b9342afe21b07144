/**
 * A tool that is run once for one call, however often a framework comes back to it: its start is on disk before it runs, its
 * result before anybody sees it (C2). A call that was begun and never seen to end is not run again by itself (C4): it throws
 * E_OUTCOME_UNKNOWN, which a framework hands to the model, unless its effect says that running it again does no harm. Another
 * call under an id that is used (some providers count from 0 in every answer) gets E_ID_REUSED: neither a result that is not
 * its own nor a run that could not be told from the first (D4).
 */
import { isDeepStrictEqual } from "node:util";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { Turn } from "../../conversation/turn.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import type { Effect } from "../../model/record.ts";
import { bodyAs } from "../../model/record.ts";
import { isCode } from "./held-sessions.ts";

export interface OnceCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** What running it may do to the world; left out: by refloat's table of tools that only read, else unknown. */
  readonly effect?: Effect;
}

/** More goes at one call than this are no deaths any more. */
const MAX_GOES = 1000;

/** `turn` is open in the session named. The output is what the tool gave as JSON, now or when it was run. */
export async function runOnce(
  store: RefloatStore,
  session: string,
  turn: Turn,
  call: OnceCall,
  run: () => unknown,
): Promise<Json> {
  for (let go = 1; go <= MAX_GOES; go++) {
    const id = go === 1 ? call.id : `${call.id}~${go}`;
    const begun = await began(turn, { ...call, id });
    if (begun) {
      const ended = await Promise.resolve()
        .then(run)
        .then(
          (output) => ({ output }),
          (error: unknown) => ({ error }),
        );
      if ("error" in ended) {
        await begun.failed(wordsOf(ended.error));
        throw ended.error;
      }
      const output = asJson(ended.output);
      await begun.result(output);
      return output;
    }
    const known = await endOf(store, session, { ...call, id });
    if (known?.status === "done") return known.output as Json;
    if (known?.status === "failed") throw new Error(String(known.output));
    const isHarmless = known !== null && (known.effect === "none" || known.effect === "idempotent");
    if (!isHarmless) throw new RefloatError("E_OUTCOME_UNKNOWN", { id: call.id, tool: call.tool });
  }
  throw new RefloatError("E_OUTCOME_UNKNOWN", { id: call.id, tool: call.tool });
}

/** Calls of a turn whose start was written here: the same start again in the same turn is no new record (D4), and no leave to run. */
const BEGUN = new WeakMap<Turn, Map<string, Promise<boolean>>>();

/** Null: there is a call with this id already. */
async function began(turn: Turn, call: OnceCall) {
  const { id, tool, input, effect } = call;
  const calls = BEGUN.get(turn) ?? new Map<string, Promise<boolean>>();
  BEGUN.set(turn, calls);
  for (let earlier = calls.get(id); earlier; earlier = calls.get(id)) {
    if (await earlier) return null;
    if (calls.get(id) === earlier) calls.delete(id); // it could not be written: this one may
  }
  const beginning = turn.call({ id, tool, input: asJson(input), ...(effect ? { effect } : {}) });
  calls.set(
    id,
    beginning.then(
      () => true,
      () => false,
    ),
  );
  try {
    return await beginning;
  } catch (thrown) {
    if (isCode(thrown, "E_ID_REUSED") || isCode(thrown, "E_ALREADY_OPEN")) return null;
    throw thrown;
  }
}

/** From its end backwards: the call that a framework comes back to is one of the last. Null: it runs. */
async function endOf(store: RefloatStore, session: string, { id, tool, input }: OnceCall) {
  let ended: { readonly status: string; readonly output: unknown } | null = null;
  const kinds = ["call.started", "call.ended"];
  for await (const record of store.records(session, { kinds, order: "backward", pageRows: 20 })) {
    const end = bodyAs(record, "call.ended");
    if (end?.call === id) ended = end;
    const start = bodyAs(record, "call.started");
    if (start?.call !== id) continue;
    const isThis = start.tool === tool && isDeepStrictEqual(start.input, asJson(input));
    if (!isThis) throw new RefloatError("E_ID_REUSED", { session, id });
    return ended && { ...ended, effect: start.effect };
  }
  return null;
}

/** As a model would be shown it: what JSON cannot say is left out. */
const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null) ?? "null") as Json;

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
