/** What a tool's output says of its call by itself. Pure. */
import { isJsonObject, type Json } from "./json.ts";

/** Tools put the exit code of what they ran into their output, and their own result says that it is done. */
export function saysFailed(output: Json | undefined): boolean {
  if (!isJsonObject(output)) return false;
  const { exit_code, exitCode, code, is_error } = output;
  return is_error === true || [exit_code, exitCode, code].some((one) => typeof one === "number" && one !== 0);
}
