/** What a tool's output says of its call by itself. Pure, and without what json.ts needs: the page has it, too. */
import type { Json, JsonObject } from "./json.ts";

/** Tools put the exit code of what they ran into their output, and their own result says that it is done. */
export function saysFailed(output: Json | undefined): boolean {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return false;
  const { exit_code, exitCode, code, is_error } = output as JsonObject;
  return is_error === true || [exit_code, exitCode, code].some((one) => typeof one === "number" && one !== 0);
}
