/** What a session's captures say of paths: some captures of some paths, and of all paths what they said last. */
import type { Capture } from "../../model/capture.ts";
import type { SessionId } from "../../model/ids.ts";
import { type PathName, pathFromJson } from "../../model/path-name.ts";
import type { Store } from "../../store/store.ts";
import { type ReadEntry, type Reading, readingOf } from "../tree/reading.ts";
import { capturesOf } from "./captures.ts";

/** Undefined: it does not hold that path. */
export type CapturedAt = (capture: string, path: PathName) => ReadEntry | undefined;

/** Read once through, only what is wanted is kept. */
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

/**
 * What a session's captures say of its tree last: the newest that looked everywhere, and on top of it what later ones of
 * known paths saw. A path that came into HEAD between two of them is as HEAD has it, unless a later one says otherwise.
 */
export interface LastCaptured {
  /** The newest of them. */
  readonly id: string;
  readonly atMs: number;
  readonly workspace: Capture["workspace"];
  readonly head: Capture["head"];
  readonly reading: Reading;
}

/** Null: there is none. `upTo`: as if no capture had been taken after this one. */
export async function lastCaptured(
  store: Store,
  session: SessionId,
  upTo: string | null = null,
): Promise<LastCaptured | null> {
  let last: LastCaptured | null = null;
  for await (const { id, atMs, capture } of capturesOf(store, session)) {
    const { workspace, head } = capture;
    last = { id, atMs, workspace, head, reading: onTopOf(last, capture) };
    if (id === upTo) break;
  }
  return last;
}

function onTopOf(last: LastCaptured | null, capture: Capture): Reading {
  const newer = readingOf(capture);
  if (!last || newer.how !== "paths") return newer;
  const committed = capture.moved?.paths.map((one) => pathFromJson(one)) ?? [];
  const named: readonly PathName[] = [...newer.entries, ...newer.gaps].map(({ path }) => path);
  const over = new Set([...committed, ...named]);
  const isLeft = ({ path }: { readonly path: PathName }): boolean => !over.has(path);
  return {
    ...last.reading,
    head: newer.head,
    entries: [...last.reading.entries.filter(isLeft), ...newer.entries],
    gaps: [...last.reading.gaps.filter(isLeft), ...newer.gaps],
  };
}
