/** What is at a path: `from` and `to` of a change (DESIGN 10). Null: nothing is there. */
import { z } from "zod";
import type { ContentHash } from "./ids.ts";
import { hasGitName, pathFromBytes } from "./path-name.ts";

export const pathKind = z.enum(["file", "symlink", "directory", "submodule"]);
export type PathKind = z.infer<typeof pathKind>;

export interface PresentState {
  readonly kind: PathKind;
  /** Permission bits (0o644 and so on), without the kind. */
  readonly mode: number;
  /** Bytes; of a symlink those of its target; 0 of a directory or a submodule. */
  readonly size: number;
  /** SHA-256 of the bytes, or of a symlink's target. Null: of a directory, of a submodule, or not read. */
  readonly hash: ContentHash | null;
  /** Where a symlink leads, for display; the commit a submodule is at. */
  readonly target?: string;
}

export type PathState = PresentState | null;

export const presentState = z.looseObject({
  kind: pathKind,
  mode: z.number().int(),
  size: z.number().int(),
  hash: z.string().nullable(),
  target: z.string().optional(),
});

export const changeKind = z.enum(["added", "modified", "deleted", "renamed", "type", "mode"]);
export type ChangeKind = z.infer<typeof changeKind>;

/** Equal in everything a restore would put back: kind, bytes, permission bits, link target. */
export function isSameState(a: PathState, b: PathState): boolean {
  return stateKey(a) === stateKey(b);
}

/** One text per state: equal states have equal keys. */
export function stateKey(state: PathState): string {
  if (state === null) return "-";
  const { kind, mode, hash, target } = state;
  switch (kind) {
    case "file":
      return `file ${mode.toString(8)} ${hash}`;
    case "symlink":
      return `symlink ${hash ?? target}`; // a link's own permission bits mean nothing
    case "directory":
      return "directory";
    case "submodule":
      return `submodule ${target}`;
    default:
      return kind satisfies never;
  }
}

/**
 * Paths in records, as fields of their bodies: names below a workspace, never a way out of it. What refloat writes itself is
 * always so; a record may also come from a bundle or an export that somebody else made (T3).
 */
const WAY_OUT = /^\/|(?:^|\/)\.{1,2}(?:\/|$)/;
const NO_NAME = /^$|\/\/|\/$/;
const isInside = (path: string): boolean => !WAY_OUT.test(path) && !path.includes("\0");

const isNamed = (path: string): boolean => !NO_NAME.test(path);
const isNotGits = (path: string): boolean => !hasGitName(path);
const inBytes = (text: string): string => pathFromBytes(Buffer.from(text, "base64"));

const OUTSIDE = "a path that leads out of its workspace";
const UNNAMED = "a path with an empty name in it";
const GITS = "a path with a name that git keeps for itself";

const inside = z.string().refine(isInside, OUTSIDE);
const insideBytes = z.string().refine((text) => isInside(inBytes(text)), OUTSIDE);

/** Named: for a gap, a conflict, a folder that was looked through. `path_b64`: its exact bytes, where they are no text. */
export const insidePath = { path: inside, path_b64: insideBytes.optional() };

/** Held, or to be put: what may be written into a tree one day, so never a name that is git's own (W3). */
export const heldPath = {
  path: inside.refine(isNamed, UNNAMED).refine(isNotGits, GITS),
  path_b64: insideBytes
    .refine((text) => isNamed(inBytes(text)), UNNAMED)
    .refine((text) => isNotGits(inBytes(text)), GITS)
    .optional(),
};
