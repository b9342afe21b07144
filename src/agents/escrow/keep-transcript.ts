/**
 * Keeps an agent's own transcript in the store, byte for byte: agents clean up after themselves, and a home may go with its machine. It is
 * cut into pieces of one size, each compressed alone and put as a content: a transcript that has grown, or is kept for a second session, has its
 * beginning in the store already. A record names the pieces, after they are on disk (D1); the agent's file is only read.
 *
 * Of a database the session's own rows are kept, as lines: it holds other sessions, too, and those are not this one's to keep.
 */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, readSync } from "node:fs";
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import type { KeptTranscript } from "../../model/agent-kinds.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { TRANSCRIPT_KEPT_BYTES, TRANSCRIPT_PIECE_BYTES } from "../../model/limits.ts";
import { bodyAs } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import { hashOf } from "../../store/contract/content-hash.ts";
import type { Store } from "../../store/store.ts";
import { heardId } from "../journal/heard-records.ts";
import { openedFile } from "../transcript/opened-file.ts";
import { readingRows } from "../transcript/read-database.ts";
import type { AgentAdapter, DatabaseFormat } from "../words/adapter.ts";

export interface KeepTranscriptOrder {
  readonly session: SessionId;
  /** The attempt that the record belongs to. */
  readonly attempt: number;
  readonly adapter: Pick<AgentAdapter, "name" | "transcript">;
  readonly path: string;
  readonly nativeId: string;
  readonly isChild?: boolean;
}

export type KeptPiece = KeptTranscript["chunks"][number];

/** So many transcripts of a session are looked through for pieces that are there: its own and its subagents'. */
const LOOKED_THROUGH = 20;

/** A session's own transcript and those of its subagents. A store that is full keeps none, and that is no reason to stop. */
export async function keepTranscripts(
  store: Store,
  {
    children,
    ...own
  }: KeepTranscriptOrder & { readonly children: readonly Pick<KeepTranscriptOrder, "path" | "nativeId">[] },
): Promise<void> {
  try {
    await keepTranscript(store, own);
    for (const child of children) await keepTranscript(store, { ...own, ...child, isChild: true });
  } catch (thrown) {
    if (!(thrown instanceof RefloatError && thrown.code === "E_STORE_CAP")) throw thrown;
  }
}

/**
 * Null: it is gone, empty, larger than all that is kept may be, no file of its own, or something of its session was erased. What was kept
 * already is not written again, and what was dropped meanwhile does not come back by the same bytes. Throws E_FENCED, E_STORE_CAP.
 */
export async function keepTranscript(
  store: Store,
  order: KeepTranscriptOrder,
): Promise<KeptTranscript | null> {
  if (await isErased(store, order.session)) return null;
  const known = await piecesKept(store, order.session);
  try {
    return await kept(store, order, known);
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    if (thrown.code === "E_NO_FILE") return null;
    // A piece that was there went with another record meanwhile: then all of them are put.
    if (thrown.code === "E_NO_CONTENT") return kept(store, order, new Map());
    throw thrown;
  }
}

/** The user erased something of this session: what was said and done there does not come back by the whole of it (D2). */
export async function isErased(store: Store, session: SessionId): Promise<boolean> {
  const [erased] = await store.records({ session, kinds: ["forgotten"], limit: 1 });
  return erased !== undefined;
}

async function kept(
  store: Store,
  order: KeepTranscriptOrder,
  known: ReadonlyMap<string, KeptPiece>,
): Promise<KeptTranscript | null> {
  const { adapter, path, nativeId } = order;
  const whole = createHash("sha256");
  const chunks: KeptPiece[] = [];
  let bytes = 0;
  const { transcript } = adapter;
  const isRows = transcript.storage === "database";
  for await (const piece of isRows ? rowPieces(path, transcript, nativeId) : piecesIn(path)) {
    whole.update(piece);
    bytes += piece.byteLength;
    chunks.push(await putPiece(store, piece, known));
  }
  return bytes === 0 ? null : writeKept(store, order, { bytes, sha256: whole.digest("hex"), chunks });
}

/** What is there by now, after its pieces are (D1). */
export async function writeKept(
  store: Store,
  { session, attempt, adapter, path, nativeId, isChild }: KeepTranscriptOrder,
  { bytes, sha256, chunks }: Pick<KeptTranscript, "bytes" | "sha256" | "chunks">,
): Promise<KeptTranscript> {
  const isRows = adapter.transcript.storage === "database";
  const body: KeptTranscript = {
    ...{ agent: adapter.name, native_id: nativeId, path, bytes, sha256, form: "deflate-raw", chunks },
    ...(isChild ? { child: true } : {}),
    ...(isRows ? { rows: true } : {}),
  };
  const id = heardId({ agent: adapter.name, nativeId }, "kept", hashOf(Buffer.from(`${sha256} ${path}`)));
  const contents = [...new Set(chunks.map(({ hash }) => hash as ContentHash))].map((hash) => ({ hash }));
  const record = { ...newRecord(store.clock, "transcript.kept", body, id), contents };
  try {
    await store.append(session, { attempt }, [record]);
  } catch (thrown) {
    const isThere = thrown instanceof RefloatError && thrown.code === "E_ID_REUSED";
    if (!isThere) throw thrown;
  }
  return body;
}

const packed = promisify(deflateRaw);

/** One that is `known` is not put again. */
export async function putPiece(
  store: Store,
  piece: Buffer,
  known: ReadonlyMap<string, KeptPiece>,
): Promise<KeptPiece> {
  const sha256 = hashOf(piece);
  return known.get(sha256) ?? put(store, piece, sha256);
}

async function put(store: Store, piece: Buffer, sha256: string): Promise<KeptPiece> {
  const [content] = await store.putContents([await packed(piece)]);
  if (!content) throw new RefloatError("E_NO_CONTENT", { hash: sha256 });
  return { sha256, hash: content.hash, stored: content.bytes };
}

export async function piecesKept(store: Store, session: SessionId): Promise<ReadonlyMap<string, KeptPiece>> {
  const kinds = ["transcript.kept"];
  const records = await store.records({ session, kinds, order: "backward", limit: LOOKED_THROUGH });
  const pieces = records.flatMap((record) =>
    record.isForgotten || record.isDamaged ? [] : (bodyAs(record, "transcript.kept")?.chunks ?? []),
  );
  return new Map(pieces.map((piece) => [piece.sha256, piece]));
}

/** Nothing of them where they are more than all that is kept may be, or the database cannot be read. */
async function* rowPieces(path: string, format: DatabaseFormat, nativeId: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  let all = 0;
  const reading = readingRows(path, format, nativeId, (row) => {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    held.push(line);
    size += line.length;
    all += line.length;
  });
  for (let step = reading.next(); ; step = reading.next()) {
    if (all > TRANSCRIPT_KEPT_BYTES || (step.done && !step.value))
      throw new RefloatError("E_NO_FILE", { path, why: "its rows cannot be kept" });
    if (size >= TRANSCRIPT_PIECE_BYTES || step.done) {
      const bytes = Buffer.concat(held);
      const end = step.done ? size : size - (size % TRANSCRIPT_PIECE_BYTES);
      for (let at = 0; at < end; at += TRANSCRIPT_PIECE_BYTES)
        yield bytes.subarray(at, Math.min(at + TRANSCRIPT_PIECE_BYTES, end));
      held = [bytes.subarray(end)];
      size -= end;
    }
    if (step.done) return;
  }
}

/** As long as it is now: what is added meanwhile is kept the next time. */
async function* piecesIn(path: string): AsyncGenerator<Buffer> {
  const fd = openedFile(path);
  try {
    const { size } = fstatSync(fd);
    if (size > TRANSCRIPT_KEPT_BYTES) return;
    for (let at = 0; at < size; ) {
      const piece = pieceAt(fd, at, Math.min(TRANSCRIPT_PIECE_BYTES, size - at));
      if (piece.byteLength === 0) return;
      yield piece;
      at += piece.byteLength;
    }
  } finally {
    closeSync(fd);
  }
}

export function pieceAt(fd: number, at: number, bytes: number): Buffer {
  const piece = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for (let read = 1; read > 0 && filled < bytes; filled += read)
    read = readSync(fd, piece, filled, bytes - filled, at + filled);
  return piece.subarray(0, filled);
}
