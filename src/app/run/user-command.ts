/** A command the user wrote himself (`--until`, `notify`), by the shell, where he stands and with his environment. */
import { type ProgramOutcome, type RunProgramOptions, runProgram } from "../../platform/run-program.ts";

type Bounds = Pick<RunProgramOptions, "input" | "maxOutputBytes" | "timeoutMs">;

export function runUserCommand(command: string, bounds: Bounds): Promise<ProgramOutcome> {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return runProgram("/bin/sh", ["-c", command], { cwd: process.cwd(), env, ...bounds });
}
