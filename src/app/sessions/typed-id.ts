/**
 * Ids as they can be typed (T6): short, and told apart from every session of the store, not only from those on the screen. Programs
 * choose their own ids, and those of one program often begin alike.
 */
import { isByChance, SHORT_CHARS, shortId } from "../../text/short-id.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Sessions looked at that begin alike; where there are more, the whole id is typed. */
const MAX_ALIKE = 1000;

/** As many beginnings as a list has lines: each is a look into the store. */
const MAX_BEGINNINGS = 100;

export async function typedId(store: RefloatStore, id: string): Promise<string> {
  const alike = await alikeIn(store, beginningOf(id));
  return alike.length < MAX_ALIKE ? shortId(id, alike) : shortId(id);
}

/** These, and those of the store that some of these must be told apart from. */
export async function withAlike(store: RefloatStore | null, ids: readonly string[]): Promise<string[]> {
  const chosen = ids.filter((id) => !isByChance(id)).map(beginningOf);
  const beginnings = store ? [...new Set(chosen)].slice(0, MAX_BEGINNINGS) : [];
  const all = new Set(ids);
  const alike = await Promise.all(beginnings.map((one) => alikeIn(store as RefloatStore, one)));
  for (const id of alike.flat()) all.add(id);
  return [...all];
}

const beginningOf = (id: string): string => [...id].slice(0, SHORT_CHARS).join("");

async function alikeIn({ raw }: RefloatStore, prefix: string): Promise<readonly string[]> {
  return (await raw.sessions({ prefix, limit: MAX_ALIKE })).map(({ id }) => id);
}
