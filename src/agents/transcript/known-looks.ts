/**
 * What a look into a database found, remembered between commands while no byte of it changed: after a kill its rows are in its log, and each
 * look would copy the whole of it again (P9). Kept beside the store, where there is one; losing it costs a copy.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Json, parsedOrNull } from "../../model/json.ts";
import { openKeptTexts } from "../../platform/kept-texts.ts";
import { programBuild } from "../../platform/own-files.ts";
import { type Environment, storeHome } from "../../platform/places.ts";

const NAME = "databases.cache";
/** Names, folders and times of some thousand sessions. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface DatabaseLook {
  readonly env: Environment;
  /** The database as it is; null: it is gone, and nothing is remembered. */
  readonly stamp: string | null;
  /** What was looked for. */
  readonly what: readonly string[];
  /** Left out: this program's own. */
  readonly build?: string;
}

/** `look` null: it could not be read, which is not remembered. */
export function lookOnce<T extends Json>(
  { env, stamp, what, build = programBuild() }: DatabaseLook,
  look: () => T | null,
): T | null {
  const home = storeHome(env);
  if (stamp === null || !existsSync(home)) return look();
  const texts = openKeptTexts(join(home, NAME), { build, maxBytes: MAX_BYTES });
  try {
    const key = createHash("sha256")
      .update(JSON.stringify([stamp, ...what]))
      .digest("base64url");
    const known = texts.get(key);
    // Our own build wrote it, by its checksum (kept 1).
    if (known !== undefined) return parsedOrNull(known) as T | null;
    const found = look();
    if (found !== null) texts.set(key, JSON.stringify(found));
    return found;
  } finally {
    texts.close();
  }
}
