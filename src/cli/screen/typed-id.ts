/**
 * An id as it can be typed (T6): short, and told apart from every session of the store, not only from those on the screen. Programs
 * choose their own ids, and those of one program often begin alike.
 */
import type { RefloatStore } from "../../app/store/open-store.ts";
import { SHORT_CHARS, shortId } from "./short-id.ts";
import { oneLine } from "./words.ts";

/** Sessions looked at that begin alike; where there are more, the whole id is typed. */
const MAX_ALIKE = 1000;

export async function typedId({ raw }: RefloatStore, id: string): Promise<string> {
  const prefix = [...id].slice(0, SHORT_CHARS).join("");
  const alike = await raw.sessions({ prefix, limit: MAX_ALIKE });
  return alike.length < MAX_ALIKE
    ? shortId(
        id,
        alike.map((row) => row.id),
      )
    : oneLine(id);
}
