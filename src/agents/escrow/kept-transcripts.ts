/** What is kept of a session's transcripts, and their bytes as they were: each piece and the whole are hashed again on the way out (T1). */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import type { KeptTranscript } from "../../model/agent-kinds.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { TRANSCRIPT_PIECE_BYTES } from "../../model/limits.ts";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import { readWholeContent } from "../../store/content-store.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import type { Store } from "../../store/store.ts";

export interface KeptRecord {
  readonly record: StoredRecord;
  readonly kept: KeptTranscript;
}

/** In the order they were kept; what was erased or dropped is not among them. */
export async function* keptTranscripts(store: Store, session: SessionId): AsyncGenerator<KeptRecord> {
  for await (const record of store.journal(session, { kinds: ["transcript.kept"], pageRows: AT_ONCE })) {
    const kept = record.isForgotten || record.isDamaged ? null : bodyAs(record, "transcript.kept");
    if (kept) yield { record, kept };
  }
}

/** Each names a piece for every 256 KiB: of a large one that is a megabyte. */
const AT_ONCE = 20;

const unpacked = promisify(inflateRaw);

/** Throws E_STORE_DAMAGED before its end where it is not what was kept, E_NO_CONTENT where a piece did not come with an import. */
export async function* keptBytes(
  store: Store,
  { chunks, sha256, form }: KeptTranscript,
): AsyncGenerator<Buffer> {
  if (form !== "deflate-raw")
    throw new RefloatError("E_UNSUPPORTED", {
      what: `A transcript kept as ${form}`,
      why: "a newer refloat wrote it",
      instead: "Use that one.",
    });
  const whole = createHash("sha256");
  for (const chunk of chunks) {
    const packed = await readWholeContent(store.driver, chunk.hash as ContentHash);
    const piece = await pieceOf(packed, chunk.hash);
    if (hashOf(piece) !== chunk.sha256) throw damaged(chunk.hash);
    whole.update(piece);
    yield piece;
  }
  if (whole.digest("hex") !== sha256) throw damaged(sha256);
}

/** Never more than a piece has: what came by an import may be made to grow. */
async function pieceOf(packed: Buffer, hash: string): Promise<Buffer> {
  try {
    return await unpacked(packed, { maxOutputLength: TRANSCRIPT_PIECE_BYTES });
  } catch (thrown) {
    throw damaged(hash, thrown);
  }
}

const damaged = (hash: string, cause?: unknown): RefloatError =>
  new RefloatError(
    "E_STORE_DAMAGED",
    { path: "a kept transcript", why: `${hash} does not match its hash` },
    cause,
  );
