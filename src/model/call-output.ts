/** What a tool's output says of its call by itself. Pure, and without what json.ts needs: the page has it, too. */
import type { Json, JsonObject } from "./json.ts";

/** Tools put the exit code of what they ran into their output, and their own result says that it is done. */
export function saysFailed(output: Json | undefined): boolean {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return false;
  const { exit_code, exitCode, code, is_error } = output as JsonObject;
  if (is_error === true || [exit_code, exitCode].some(isNotZero)) return true;
  return isNotZero(code) && (isOfProcess(output as JsonObject) || !isHttpSuccess(code));
}

/** As people read it: a call that was called off was that, whatever code its program ended with. */
export const statusSaid = (status: string, output: Json | undefined): string =>
  status === "done" && saysFailed(output) ? "failed" : status;

const isNotZero = (value: Json | undefined): value is number => typeof value === "number" && value !== 0;

/** `code` is an exit code where a process is told of; a library's result has a server's answer there. */
const isOfProcess = ({ stdout, stderr, signal }: JsonObject): boolean =>
  [stdout, stderr, signal].some((one) => one !== undefined);

const isHttpSuccess = (code: number): boolean => code >= 200 && code < 300;
