/**
 * What an agent's stream told and its transcript never had, taken into the journal when the agent is over: a call or a result that was
 * lost with it, half an answer. What the journal has already is not written again (D4).
 */
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { StreamEars } from "../stream/stream-ears.ts";
import { type HeardSource, nativeCall } from "./heard-records.ts";
import { takeHeard } from "./take-in.ts";

type TakeHeard = Parameters<typeof takeHeard>;

/** Whether there was anything. */
export async function takeBeside(
  store: TakeHeard[0],
  order: TakeHeard[1],
  stream: StreamEars,
): Promise<boolean> {
  const known = await knownCalls(store, order.session, order.source);
  const beside = stream.beside({
    knows: (call) => known.has(call),
    hasResult: (call) => known.get(call) === "ended",
  });
  if (beside.length > 0) await takeHeard(store, order, beside);
  return beside.length > 0;
}

/** The newest calls, by the source's own ids: a stream that is compared with them holds no more. */
async function knownCalls(
  store: TakeHeard[0],
  session: TakeHeard[1]["session"],
  source: HeardSource,
): Promise<ReadonlyMap<string, "started" | "ended">> {
  const kinds = ["call.started", "call.ended"] as const;
  const newest = await store.records({ session, kinds, order: "backward", limit: READ_PAGE_ROWS });
  const known = new Map<string, "started" | "ended">();
  for (const { kind, body } of newest) {
    const call = nativeCall(source, String(body.call));
    if (call !== null && known.get(call) !== "ended")
      known.set(call, kind === "call.ended" ? "ended" : "started");
  }
  return known;
}
