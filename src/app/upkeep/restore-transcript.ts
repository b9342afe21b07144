/** An agent's transcript out of the store, byte for byte as it was when its session ended; and what is kept of a session. */
import { type KeptRecord, keptBytes, keptTranscripts } from "../../agents/escrow/kept-transcripts.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { createDurableFrom } from "../../platform/durable-stream.ts";
import type { AppPlace } from "../place/app-place.ts";
import { findSession } from "../sessions/find-session.ts";

export interface KeptOutline {
  readonly agent: string;
  readonly nativeId: string;
  /** Where it lay. */
  readonly path: string;
  readonly bytes: number;
  /** What its pieces take; some may be others', too. */
  readonly stored: number;
  readonly keptAtMs: number;
  readonly isChild: boolean;
  /** Its rows of the database that lay there, a line of JSON each. */
  readonly isRows: boolean;
}

export interface KeptOfSession {
  readonly session: SessionId;
  /** The newest first. */
  readonly kept: readonly KeptOutline[];
}

export async function keptOf(at: AppPlace, typed: string | null): Promise<KeptOfSession> {
  const { store, row } = await findSession(at, typed);
  const kept: KeptOutline[] = [];
  for await (const one of keptTranscripts(store.raw, row.id)) kept.push(outlineOf(one));
  return { session: row.id, kept: kept.reverse() };
}

export interface RestoreTranscriptOrder {
  /** As it was typed; null: left out. */
  readonly session: string | null;
  /** The agent's own id; null: the newest that is no subagent's. */
  readonly nativeId: string | null;
  /** An absolute path; nothing is there yet. */
  readonly to: string;
}

export interface RestoredTranscript extends KeptOutline {
  readonly session: SessionId;
  readonly to: string;
}

/** Throws E_NOT_KEPT; E_EXISTS, with nothing read, where something has that name; E_STORE_DAMAGED, with nothing written. */
export async function restoreTranscript(
  at: AppPlace,
  { session, nativeId, to }: RestoreTranscriptOrder,
): Promise<RestoredTranscript> {
  const { store, row } = await findSession(at, session);
  let newest: KeptRecord | null = null;
  for await (const one of keptTranscripts(store.raw, row.id))
    if (nativeId === null ? one.kept.child !== true : one.kept.native_id === nativeId) newest = one;
  if (!newest)
    throw new RefloatError("E_NOT_KEPT", {
      session: row.id,
      what: nativeId === null ? "of its agent" : `called ${nativeId}`,
    });
  await createDurableFrom(to, keptBytes(store.raw, newest.kept));
  return { session: row.id, to, ...outlineOf(newest) };
}

const outlineOf = ({ record, kept }: KeptRecord): KeptOutline => ({
  agent: kept.agent,
  nativeId: kept.native_id,
  path: kept.path,
  bytes: kept.bytes,
  stored: kept.chunks.reduce((sum, { stored }) => sum + stored, 0),
  keptAtMs: record.atMs,
  isChild: kept.child === true,
  isRows: kept.rows === true,
});
