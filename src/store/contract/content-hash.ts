import { createHash } from "node:crypto";
import type { ContentHash } from "../../model/ids.ts";

/** What a content, and each chunk of it, is named by. */
export const hashOf = (bytes: Uint8Array): ContentHash =>
  createHash("sha256").update(bytes).digest("hex") as ContentHash;
