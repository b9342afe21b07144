/** Changes as a driver takes them, for tests that talk to one directly. */
import { createHash } from "node:crypto";
import type { ContentHash, RecordId, SessionId } from "../../src/model/ids.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Owner } from "../../src/model/owner.ts";
import type {
  AppendChange,
  Authority,
  ChangeOutcome,
  ContentRow,
  RawNewRecord,
  TakeChange,
} from "../../src/store/contract/driver.ts";

export const asSession = (id: string): SessionId => id as SessionId;

export function rawRecord(id: string, body: JsonObject = {}, more: Partial<RawNewRecord> = {}): RawNewRecord {
  return {
    id: id as RecordId,
    kind: "test.kind",
    atMs: 1_700_000_000_000,
    body: JSON.stringify(body),
    spilled: null,
    opens: null,
    closes: null,
    needs: null,
    within: null,
    contents: [],
    facts: null,
    ...more,
  };
}

export function ownerNamed(instance: string): Owner {
  return { host: "h", boot: "b", pid_namespace: "n", pid: 1, started: 1, instance };
}

/** Takes a session that does not exist yet; `more` for every other case. */
export function takeOf(session: SessionId, instance: string, more: Partial<TakeChange> = {}): TakeChange {
  const owner = ownerNamed(instance);
  return { kind: "take", session, seen: null, owner, nowMs: 1000, thresholdMs: 500, records: [], ...more };
}

export function appendOf(session: SessionId, by: Authority, ...records: RawNewRecord[]): AppendChange {
  return { kind: "append", session, by, records };
}

export function contentOf(text: string): {
  row: ContentRow;
  chunk: { hash: ContentHash; bytes: Uint8Array };
} {
  const bytes = Buffer.from(text);
  const hash = createHash("sha256").update(bytes).digest("hex") as ContentHash;
  return { row: { hash, bytes: bytes.byteLength, chunks: [hash] }, chunk: { hash, bytes } };
}

/** The refusal, or what was done instead. */
export function refusalOf(outcome: ChangeOutcome | undefined): unknown {
  return outcome?.kind === "refused" ? outcome.refusal : outcome;
}
