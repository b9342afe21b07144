/** What the processes above this one were started with. Where the system does not tell, nobody is above us. */
import { environmentOf, processRow } from "./process-list.ts";

/** Terminals, multiplexers, agents and their shells nest a dozen deep; longer is a mistake, or somebody's game. */
const MAX_LEVELS = 64;

/** Every value of a variable in the environments of the parent, its parent and so on, the nearest first. */
export function inheritedValues(variable: string): string[] {
  const values: string[] = [];
  let pid = process.ppid;
  for (let level = 0; level < MAX_LEVELS && pid > 1; level++) {
    const found = environmentOf(pid, variable);
    if (found.kind === "is" && found.value !== "") values.push(found.value);
    pid = processRow(pid)?.parent ?? 0;
  }
  return [...new Set(values)];
}
