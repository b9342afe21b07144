/** What some captures of a session say of some paths: read once through, only what is wanted is kept. */
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Store } from "../../store/store.ts";
import type { ReadEntry } from "../tree/reading.ts";
import { readingOf } from "../tree/reading-json.ts";
import { capturesOf } from "./captures.ts";

/** Undefined: it does not hold that path. */
export type CapturedAt = (capture: string, path: PathName) => ReadEntry | undefined;

export async function capturedStates(
  store: Store,
  session: SessionId,
  wanted: ReadonlyMap<string, readonly PathName[]>,
): Promise<CapturedAt> {
  const found = new Map<string, Map<PathName, ReadEntry>>();
  if (wanted.size > 0) {
    for await (const { id, capture } of capturesOf(store, session)) {
      const paths = new Set(wanted.get(id) ?? []);
      if (paths.size === 0) continue;
      const { entries, gaps } = readingOf(capture);
      const missing = new Set(gaps.map(({ path }) => path));
      const held = entries.filter(({ path }) => paths.has(path) && !missing.has(path));
      found.set(id, new Map(held.map((entry) => [entry.path, entry])));
    }
  }
  return (capture, path) => found.get(capture)?.get(path);
}
