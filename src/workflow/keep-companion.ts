/** The handoff is made from the state: where the state was lost or is begun anew, what the old one said is kept beside it. */
import type { OpenedState } from "./change-state.ts";
import { stamp } from "./state-doc.ts";
import { putAside, readStateFile } from "./state-files-on-disk.ts";
import { handoffOf } from "./state-paths.ts";

/** Where it is kept; null: there is none, or the store has it. */
export function keptCompanion({ identity, versions, nowMs }: OpenedState): string | null {
  const companion = handoffOf(identity.path);
  const text = readStateFile(companion);
  if (text === null || versions.some(({ handoff }) => handoff === text)) return null;
  return putAside(companion, "before", stamp(nowMs));
}
