/** A framework's own ids as ids of sessions: readable where they can be, and never two of them the same session. */
import { createHash } from "node:crypto";
import { RefloatError } from "../../model/errors.ts";
import { parseId } from "../../model/ids.ts";

/** What stands for an id that cannot be one of ours: too long, or with control characters. */
export function sessionIdFor(prefix: string, id: string): string {
  const whole = `${prefix}:${id}`;
  // `#` leads what is made of a hash: no id that stands for itself looks like one.
  if (id.startsWith("#")) return hashed(prefix, id);
  try {
    return parseId<string>("session", whole);
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_BAD_ID") return hashed(prefix, id);
    throw thrown;
  }
}

const hashed = (prefix: string, id: string): string =>
  `${prefix}:#${createHash("sha256").update(id).digest("hex")}`;
