/** A live session is not settled: what it writes is not over. */
import { RefloatError } from "../../model/errors.ts";
import type { SessionSummary } from "../../session/describe.ts";

export function assertOver({ id, state, agent, started_at }: SessionSummary): void {
  if (state === "live")
    throw new RefloatError("E_HELD", { by: agent ?? "its agent", since: started_at, session: id });
}
