/** How far an operation got that never ended, in words: for screens and for the brief. `shown` makes text of others harmless for where it is put (T3). */
import type { Manifest } from "../model/manifest.ts";
import { count } from "./counting.ts";

export type OperationSoFar = NonNullable<Manifest["operations"][number]["so_far"]>;

/** Of each list; JSON has the rest. */
const MAX_NAMED = 5;

export function soFarWords(
  { changed, uncertain, untouched, ended_inside, note }: OperationSoFar,
  shown: (text: string) => string,
): string {
  const changes = uncertain
    ? `${count(changed, "change")} may be of it`
    : `${count(changed, "change")} in it`;
  return [
    // Also where it was settled: then the acts tell what became of it (T1).
    changed === 0 ? "nothing of it is in the tree" : changes,
    ...listed("not touched", untouched, shown),
    ...listed("ended inside it", ended_inside, shown),
    ...(note === null ? [] : [`noted last: ${shown(note)}`]),
  ].join("; ");
}

function listed(what: string, all: readonly string[], shown: (text: string) => string): string[] {
  if (all.length === 0) return [];
  const more = all.length - MAX_NAMED;
  const names = all.slice(0, MAX_NAMED).map(shown).join(", ");
  return [`${what}: ${names}${more > 0 ? ` and ${more} more` : ""}`];
}
