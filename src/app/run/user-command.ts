/** A command the user wrote himself (`--until`, `notify`), by the shell, where he stands and with his environment. */
import { type ProgramOutcome, type RunProgramOptions, runProgram } from "../../platform/run-program.ts";

type Bounds = Pick<RunProgramOptions, "input" | "maxOutputBytes" | "timeoutMs">;

export interface UsersPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export function runUserCommand(
  command: string,
  { cwd, env: given }: UsersPlace,
  bounds: Bounds,
): Promise<ProgramOutcome> {
  const env = Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return runProgram("/bin/sh", ["-c", command], { cwd, env, ...bounds });
}
