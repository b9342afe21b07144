/**
 * Paths in records, as fields of their bodies: names below a workspace, never a way out of it. What refloat writes itself is
 * always so; a record may also come from a bundle or an export that somebody else made (T3).
 */
import { z } from "zod";

const WAY_OUT = /^\/|(?:^|\/)\.{1,2}(?:\/|$)/;
const isInside = (path: string): boolean => !WAY_OUT.test(path) && !path.includes("\0");
const MESSAGE = "a path that leads out of its workspace";

export const insidePath = {
  path: z.string().refine(isInside, MESSAGE),
  /** Its exact bytes, where they are no text. */
  path_b64: z
    .string()
    .refine((text) => isInside(Buffer.from(text, "base64").toString("latin1")), MESSAGE)
    .optional(),
};
