/**
 * Paths in records, as fields of their bodies: names below a workspace, never a way out of it. What refloat writes itself is
 * always so; a record may also come from a bundle or an export that somebody else made (T3).
 */
import { z } from "zod";
import { hasGitName } from "./git-name.ts";
import { pathFromBytes } from "./path-name.ts";

const WAY_OUT = /^\/|(?:^|\/)\.{1,2}(?:\/|$)/;
const NO_NAME = /^$|\/\/|\/$/;
const isInside = (path: string): boolean => !WAY_OUT.test(path) && !path.includes("\0");

type InsideRule = readonly [holds: (path: string) => boolean, message: string];

const fields = (rules: readonly InsideRule[]) => {
  const ruled = (read: (text: string) => string): z.ZodString =>
    rules.reduce((text, [holds, message]) => text.refine((one) => holds(read(one)), message), z.string());
  return {
    path: ruled((text) => text),
    /** Its exact bytes, where they are no text. */
    path_b64: ruled((text) => pathFromBytes(Buffer.from(text, "base64"))).optional(),
  };
};

const INSIDE: InsideRule = [isInside, "a path that leads out of its workspace"];

/** Named: for a gap, a conflict, a folder that was looked through. */
export const insidePath = fields([INSIDE]);

/** Held, or to be put: what may be written into a tree one day, so never a name that is git's own (W3). */
export const heldPath = fields([
  INSIDE,
  [(path) => !NO_NAME.test(path), "a path with an empty name in it"],
  [(path) => !hasGitName(path), "a path with a name that git keeps for itself"],
]);
