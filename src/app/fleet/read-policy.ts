/** The policy of a worker, from a file of the user's own. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parsePolicy, USUAL_POLICY, type WorkerPolicy } from "../../fleet/policy.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { AppPlace } from "../place/app-place.ts";

/** Nobody writes more by hand. */
const MAX_POLICY_BYTES = 1024 * 1024;

/** `typed`: as somebody typed it where he stands; null: the usual one. */
export function readPolicy(at: Pick<AppPlace, "place">, typed: string | null): WorkerPolicy {
  if (typed === null) return USUAL_POLICY;
  const path = resolve(at.place(), typed);
  let text: string;
  try {
    if (statSync(path).size > MAX_POLICY_BYTES)
      throw new RefloatError("E_BAD_POLICY", { path: typed, why: "it is too long" });
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    const error = ensureError(thrown);
    throw error instanceof RefloatError
      ? error
      : new RefloatError("E_BAD_POLICY", { path: typed, why: error.message }, error);
  }
  return parsePolicy(typed, text);
}
