/** The brief of a session that nobody supervised, in this process: what `refloat handoff` prints where its agent worked. */
import { join } from "node:path";
import { briefHere, type WrittenBrief } from "../../src/app/handoff/session-brief.ts";
import type { AppPlace } from "../../src/app/place/app-place.ts";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { PlainSession } from "../agents/plain-session.ts";

export async function heardBrief({ place, repo, home }: PlainSession, budget: number): Promise<WrittenBrief> {
  let store: RefloatStore | null = null;
  const open = async (): Promise<RefloatStore> => (store ??= await openStore(place.store, { thread: false }));
  const at: AppPlace = {
    place: () => repo.root,
    env: { PATH: process.env.PATH, HOME: home },
    clock: systemClock,
    storeAddress: async () => place.store,
    home: async () => join(place.home),
    findStore: open,
    openStore: open,
    openOrMakeStore: open,
  };
  try {
    const written = await briefHere(at, { session: null, budget });
    if (!written) throw new Error("there is nothing to tell");
    return written;
  } finally {
    await (store as RefloatStore | null)?.close();
  }
}
