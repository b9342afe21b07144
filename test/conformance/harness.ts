/**
 * What every test of the conformance suite starts from: a place where a store can be opened as often as it
 * is needed, by this process and by others, and a few records. All of it comes from dist/: the very files
 * that users run.
 */
import { createHash, randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { ContentHash, RecordId, SessionId } from "../../dist/model/ids.js";
import type { JsonObject } from "../../dist/model/json.js";
import type { Owner } from "../../dist/model/owner.js";
import type { NewRecord, StoredRecord } from "../../dist/model/record.js";
import { type Clock, systemClock } from "../../dist/platform/clock.js";
import { selfOwner } from "../../dist/platform/identity.js";
import { type OpenStoreOptions, openRawStore } from "../../dist/store/open-raw-store.js";
import type { Store } from "../../dist/store/store.js";
import { type Child, startChild } from "../support/child.ts";

export type { ContentHash, Owner, RecordId, SessionId, Store, StoredRecord };

/** One store, not opened yet. */
export interface Place {
  readonly url: string;
  /** What everybody opens it with; it goes to child processes as JSON. */
  readonly options: Pick<OpenStoreOptions, "schema" | "thread" | "keys">;
  /** What a sealed chunk takes more than it holds; left out: chunks lie open. */
  readonly sealBytes?: number;
  /** Every byte the store has on disk, as far as it is the store's own. */
  rawBytes(): Promise<Buffer>;
  /** Changes a byte of a stored chunk behind the store's back. */
  damageChunk(hash: string): Promise<void>;
  /** Changes the body of a stored record behind the store's back. */
  damageRow(session: string, seq: number): Promise<void>;
}

export type MakePlace = () => Place;

/** What so many bytes take in so many chunks. */
export const takenBy = ({ sealBytes = 0 }: Place, bytes: number, chunks: number): number =>
  bytes + chunks * sealBytes;

export async function open(place: Place, options: OpenStoreOptions = {}): Promise<Store> {
  const store = await openRawStore(place.url, { ...place.options, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** A process of its own that has the same store open as `store`. */
export function child(place: Place, body: string, env: NodeJS.ProcessEnv = {}): Child {
  const text = `
    import { openRawStore } from "./store/open-raw-store.js";
    import { selfOwner } from "./platform/identity.js";
    import { takeClaim } from "./session/claims.js";
    if (process.env.UMASK) process.umask(Number(process.env.UMASK));
    const store = await openRawStore(${JSON.stringify(place.url)}, ${JSON.stringify(place.options)});
    const say = (value) => console.log(JSON.stringify(value));
    const record = (kind, body, id = Math.random().toString(36).slice(2)) => ({ id, kind, atMs: Date.now(), body });
    ${body}`;
  return startChild(text, env);
}

/** A wall clock that a test sets; waiting goes on as usual. */
export function settableClock(startMs: number): Clock & { nowIs(ms: number): void } {
  let nowMs = startMs;
  return {
    ...systemClock,
    nowMs: () => nowMs,
    nowIs: (ms) => {
      nowMs = ms;
    },
  };
}

export const randomName = (): string => randomBytes(8).toString("hex");
export const sessionId = (name = randomName()): SessionId => name as SessionId;
export const hashOf = (bytes: Uint8Array): ContentHash =>
  createHash("sha256").update(bytes).digest("hex") as ContentHash;

export interface Claimed {
  readonly session: SessionId;
  readonly attempt: number;
  readonly owner: Owner;
  /** The authority of an append by the owner. */
  readonly by: { readonly attempt: number };
}

/** A new session, claimed by this process, whose journal begins with one record. */
export async function begun(
  store: Store,
  session = sessionId(),
  facts: JsonObject = {},
  owner: Owner = selfOwner("test"),
): Promise<Claimed> {
  const body = { agent: "test", workspace: "/w", goal: null, name: null, ...facts };
  const outcome = await take(store, session, null, owner, [newRecord("session.began", body)]);
  if (outcome.kind !== "done") throw new Error(`not begun: ${outcome.refusal.kind}`);
  return { session, attempt: outcome.attempt, owner, by: { attempt: outcome.attempt } };
}

export function take(
  store: Store,
  session: SessionId,
  seen: { attempt: number; holder: string | null } | null,
  owner: Owner = selfOwner("test"),
  records: readonly NewRecord[] = [],
): ReturnType<Store["take"]> {
  return store.take({ session, seen, owner, nowMs: store.clock.nowMs(), thresholdMs: 60_000, records });
}

export function newRecord(kind: string, body: JsonObject, id: string = randomName(), atMs = 1): NewRecord {
  return { id: id as RecordId, kind, atMs, body };
}

/** A record of the simplest kind an owner may write. */
export const decided = (value: unknown, id?: string, atMs?: number): NewRecord =>
  newRecord("decided", { key: "k", value: value as JsonObject, reason: null, step: null }, id, atMs);

export const turnBegan = (turn: string): NewRecord =>
  newRecord("turn.began", { turn, parts: null, input: null });

export const callStarted = (call: string, turn: string): NewRecord =>
  newRecord("call.started", { call, turn, tool: "t", input: {}, effect: "unknown" });

export const callEnded = (call: string, output: string): NewRecord =>
  newRecord("call.ended", { call, status: "done", output, synthetic: false });

export const inputQueued = (input: string, id?: string): NewRecord =>
  newRecord("input.queued", { input, parts: [{ type: "text", text: input }], from: null }, id);

export async function journal(store: Store, session: SessionId): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const record of store.journal(session)) records.push(record);
  return records;
}

/** The values of the `decided` records, in order. */
export async function valuesOf(store: Store, session: SessionId): Promise<unknown[]> {
  const records = await journal(store, session);
  return records.filter(({ kind }) => kind === "decided").map(({ body }) => body.value);
}

/** The error's code, or what went through instead. */
export async function codeOf(work: Promise<unknown> | (() => Promise<unknown>)): Promise<string> {
  try {
    const value = await (typeof work === "function" ? work() : work);
    return `no error: ${JSON.stringify(value)}`;
  } catch (thrown) {
    const code = (thrown as { code?: unknown }).code;
    return typeof code === "string" ? code : String(thrown);
  }
}

export async function whole(store: Store, hash: ContentHash): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readContent(hash)) pieces.push(piece);
  return Buffer.concat(pieces);
}
