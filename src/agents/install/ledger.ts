/**
 * What `init` changed, so that `uninstall` can give back the very bytes: one note per file in the store's folder, on disk before the file is
 * changed. A note says what the file was (its bytes are kept beside it, by their hash) and what we made of it; which of the two it is now
 * is seen by looking, so a kill leaves nothing undecided. One command at a time writes here (install-turn.ts).
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { z } from "zod";
import { RefloatError } from "../../model/errors.ts";
import { parsedOrNull } from "../../model/json.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { makePrivateDirectory, removeDurable, writeDurable } from "../../platform/durable-file.ts";
import { removeEmptyFolders } from "../../platform/foreign-file.ts";
import { readOrNull } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { removeTemporary } from "../../platform/private-file.ts";

const FOLDER = "install";
const ORIGINALS = "originals";
const NOTE = /^[0-9a-f]{64}\.json$/;
/** Of a write that a kill cut off (durable-file.ts). */
const TORN = /^\.tmp-/;

/** Names of files are made of them: nothing else may stand there, or a note leads out of our folder. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const place = z.string().refine(isAbsolute);

const note = z.looseObject({
  version: z.literal(1),
  /** As the agent looks for it, and where its bytes are. */
  path: place,
  target: place,
  agent: z.string(),
  scope: z.enum(["user", "repo", "shared", "shell"]),
  form: z.enum(["json", "toml", "own", "block"]),
  /** The hash of what it was; null: it was not there. */
  original: hash.nullable(),
  /** Hashes of what we made of it: as long as it is one of these, nobody else has touched it. */
  ours: z.array(hash),
  mode: z.int().min(0).max(0o7777),
  /** Folders that were made for it, outermost first. */
  folders: z.array(place),
});
export type LedgerNote = z.infer<typeof note>;

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Folders that were made for the store's own, so that they go with it where nothing was kept in it. */
const FOLDERS = "folders.json";

export interface Ledger {
  folders(): readonly string[];
  keepFolders(made: readonly string[]): void;
  forgetFolders(): void;
  notes(): readonly LedgerNote[];
  /** With when each was last written, for people; what cannot be read is left out: whoever changes files by it is told of it. */
  written(): readonly { readonly note: LedgerNote; readonly atMs: number }[];
  noteOf(target: string): LedgerNote | null;
  /** On disk when it returns, with the original's bytes. */
  keep(one: LedgerNote, original: Uint8Array | null): void;
  original(one: LedgerNote): Buffer | null;
  forget(one: LedgerNote): void;
  /** What a killed command left beside the notes, and bytes that none of them is about. For whoever has the turn. */
  tidy(): void;
}

export function openLedger(home: string): Ledger {
  const folder = join(home, FOLDER);
  const originals = join(folder, ORIGINALS);
  const pathOf = (target: string): string => join(folder, `${hashOf(Buffer.from(target))}.json`);
  const names = (): readonly string[] => listed(folder).filter((name) => NOTE.test(name));
  return {
    folders: () => (existsSync(join(folder, FOLDERS)) ? readAs(z.array(place), join(folder, FOLDERS)) : []),
    keepFolders(made) {
      makePrivateDirectory(folder);
      writeDurable(join(folder, FOLDERS), `${JSON.stringify(made)}\n`);
    },
    forgetFolders: () => {
      if (existsSync(join(folder, FOLDERS))) removeDurable(join(folder, FOLDERS));
    },
    notes: () => names().map((name) => readNote(join(folder, name))),
    written: () =>
      names().flatMap((name) => {
        const path = join(folder, name);
        const parsed = note.safeParse(parsedOrNull(readOrNull(() => readFileSync(path, "utf8")) ?? ""));
        const stat = statSync(path, { throwIfNoEntry: false });
        return parsed.success && stat ? [{ note: parsed.data, atMs: stat.mtimeMs }] : [];
      }),
    noteOf: (target) => (existsSync(pathOf(target)) ? readNote(pathOf(target)) : null),
    keep(one, original) {
      makePrivateDirectory(originals);
      if (one.original !== null && original !== null) writeDurable(join(originals, one.original), original);
      writeDurable(pathOf(one.target), `${JSON.stringify(one, null, 2)}\n`);
      crashPoint("install.after-ledger");
    },
    original(one) {
      if (one.original === null) return null;
      const path = join(originals, one.original);
      // What can be moved away is the note.
      if (!existsSync(path))
        throw new RefloatError("E_BAD_LEDGER", { path: pathOf(one.target), why: `${path} is not there` });
      const bytes = readFileSync(path);
      if (hashOf(bytes) === one.original) return bytes;
      throw new RefloatError("E_BAD_LEDGER", { path, why: "its bytes are others" });
    },
    forget(one) {
      crashPoint("install.before-forgotten");
      removeDurable(pathOf(one.target));
      const isUsed = names().some((name) => readNote(join(folder, name)).original === one.original);
      if (one.original !== null && !isUsed) removeDurable(join(originals, one.original));
    },
    tidy() {
      const used = new Set(names().map((name) => readNote(join(folder, name)).original));
      for (const name of listed(originals)) if (!used.has(name)) removeTemporary(join(originals, name));
      for (const name of listed(folder)) if (TORN.test(name)) removeTemporary(join(folder, name));
      removeEmptyFolders([originals]);
    },
  };
}

const listed = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** It is called after the file it is about, and every folder it names is one above that file. */
function readNote(path: string): LedgerNote {
  const one = readAs(note, path);
  const isAbout =
    basename(path) === `${hashOf(Buffer.from(one.target))}.json` &&
    one.folders.every((folder) => placeInside(folder, one.target) !== null);
  if (isAbout) return one;
  throw new RefloatError("E_BAD_LEDGER", { path, why: "it is not about the file that it names" });
}

function readAs<T>(schema: z.ZodType<T>, path: string): T {
  try {
    return schema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (thrown) {
    throw new RefloatError("E_BAD_LEDGER", { path, why: "it is not a note of what was changed" }, thrown);
  }
}
