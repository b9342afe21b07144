/** What Mastra asks of a storage and this one does not do: said, never passed over. */
import { RefloatError } from "../../model/errors.ts";

/** Rows older than so much are not taken out of a journal one by one. */
export async function notPruned(policies: Record<string, object>): Promise<never[]> {
  throw new RefloatError("E_UNSUPPORTED", {
    what: `Retention of ${Object.keys(policies).join(", ")}`,
    why: "a journal only grows",
    instead: "Delete threads and runs that are not wanted any more; nothing of them is left.",
  });
}
