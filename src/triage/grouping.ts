/** Changes that must be kept or dropped together (DESIGN 8). */
import type { ChangeFact, TriageFacts } from "./facts.ts";

export function groupChanges(facts: TriageFacts): ChangeFact[][] {
  return facts.changes.map((change) => [change]);
}
