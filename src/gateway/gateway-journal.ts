/**
 * The gateway's own journal, the session `gateway:<name>`: which instances lived, how they ended, what their
 * starts found. An instance is a record that stays open until it is closed by name, so a clean end is bound to
 * the instance that ended, is consumed once (the store refuses a second closing), and is missing, not stale,
 * after a crash (L1): nothing left over from an earlier life can hide a death or park a new one.
 */
import { type Cause, causeFrom } from "../model/causes.ts";
import { giving } from "../model/errors.ts";
import { GATEWAY_PREFIX, parseId, type SessionId } from "../model/ids.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { owner as ownerSchema, processKey } from "../model/owner.ts";
import { bodyAs, type NewRecord, type StoredRecord } from "../model/record.ts";
import { readExitNote, removeExitNote } from "../platform/exit-note.ts";
import { selfOwner } from "../platform/identity.ts";
import { oomRecordOf } from "../platform/out-of-memory.ts";
import { giveBack, Held, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { OpenRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { harmlessNote, type InstanceEnd, nameInstanceEnd } from "./name-instance-end.ts";

/** An instance on another host shows no sign of life here; after this long it is presumed lost. Its conversations
 * are judged by their claims' heartbeats and never wait for this. */
const LOST_AFTER_MS = 7 * 24 * 60 * 60_000;
/** Starts and ends looked through for the instance that a dead owner belonged to: it was among the last to live. */
const LATEST_INSTANCES = 100;

export interface FoundInstance {
  readonly instance: string;
  readonly verdict: "alive" | "dirty" | "lost" | "elsewhere";
  readonly cause: string;
  /** What the cause rests on, in words; empty for one that is not dead. */
  readonly evidence: readonly string[];
  readonly startedAtMs: number;
  /** It was draining when it died. */
  readonly wasDraining: boolean;
}

export class GatewayJournal {
  readonly session: SessionId;
  readonly owner: Owner;
  readonly #store: Store;
  readonly #liveness: (owner: Owner) => Liveness;
  /** Where instances leave how they ended (exit-note.ts); null: nowhere. */
  readonly #home: string | null;
  readonly #onDead: (found: FoundInstance) => void;
  readonly #ends = new Map<string, Promise<InstanceEnd | null>>();

  constructor(
    store: Store,
    name: string,
    owner: Owner,
    liveness: (owner: Owner) => Liveness,
    { home, onDead }: { home: string | null; onDead: (found: FoundInstance) => void },
  ) {
    this.#home = home;
    this.#onDead = onDead;
    this.session = parseId("session", `${GATEWAY_PREFIX}${name}`);
    this.owner = owner;
    this.#store = store;
    this.#liveness = liveness;
  }

  get instance(): string {
    return this.owner.instance;
  }

  /** Writes that this instance lives. From here on its death is found, however it comes. */
  async start(workspace: string): Promise<void> {
    await this.#create(workspace);
    await this.#append([
      newRecord(
        this.#store.clock,
        "instance.started",
        { instance: this.instance, owner: this.owner },
        `instance:${this.instance}`,
      ),
    ]);
  }

  /** Every earlier instance that did not say it ended; the dead ones are closed here, each by one finder only. */
  async findOthers(): Promise<FoundInstance[]> {
    const open = await this.#store.open(this.session);
    const found: FoundInstance[] = [];
    for (const row of open) {
      if (row.what !== "instance" || row.id === this.instance) continue;
      const [started] = await this.#store.records({
        session: this.session,
        fromSeq: row.seq,
        toSeq: row.seq,
      });
      if (started) found.push(await this.#judge(row, started, open));
    }
    return found;
  }

  /** How the process of a dead owner ended, if it was one of this gateway's; asked once for each process. */
  endOf(owner: Owner): Promise<InstanceEnd | null> {
    const key = processKey(owner);
    const known = this.#ends.get(key) ?? this.#findEnd(key);
    this.#ends.set(key, known);
    // A store that failed may be asked again.
    known.catch(() => this.#ends.delete(key));
    return known;
  }

  async #findEnd(key: string): Promise<InstanceEnd | null> {
    await this.findOthers(); // one that died while this one lives is closed by it
    const newestFirst = await this.#store.records({
      session: this.session,
      order: "backward",
      limit: LATEST_INSTANCES,
      kinds: ["instance.started", "instance.ended"],
    });
    const started = newestFirst
      .map((record) => bodyAs(record, "instance.started"))
      .find((body) => body !== null && processKey(body.owner) === key);
    const ended = newestFirst
      .map((record) => bodyAs(record, "instance.ended"))
      .find((body) => body !== null && body.instance === started?.instance);
    if (!ended || ended.how === "clean") return null;
    return { cause: causeFrom(ended.cause), evidence: ended.evidence ?? [] };
  }

  async planned(plan: { interrupted: number; chain: number; tripped: boolean }): Promise<void> {
    await this.#append([
      newRecord(this.#store.clock, "resume.planned", { instance: this.instance, ...plan }),
    ]);
  }

  /** L3: durable before the first turn is hurried. */
  async drainBegan(
    turns: readonly { session: string; turn: string }[],
    timeoutMs: number,
    reason: string,
  ): Promise<void> {
    const body = { instance: this.instance, turns: [...turns], timeout_ms: timeoutMs, reason };
    await this.#append([newRecord(this.#store.clock, "drain.began", body)]);
  }

  /** The drain's mark is cleared and the instance says that it ended, in one step. */
  async ended(interrupted: readonly string[]): Promise<void> {
    const { clock } = this.#store;
    await this.#append([
      newRecord(clock, "drain.ended", { instance: this.instance, interrupted: [...interrupted] }),
      newRecord(
        clock,
        "instance.ended",
        { instance: this.instance, how: "clean", found_by: null, cause: "clean" },
        `instance-end:${this.instance}`,
      ),
    ]);
  }

  async #judge(row: OpenRow, started: StoredRecord, open: readonly OpenRow[]): Promise<FoundInstance> {
    const wasDraining = open.some(({ what, id }) => what === "drain" && id === row.id);
    const base = { instance: row.id, startedAtMs: started.atMs, wasDraining };
    const end = await this.#endOf(started, { wasDraining });
    if (end.kind === "stays") return { ...base, verdict: end.verdict, cause: "none", evidence: [] };
    await this.#close(row.id, end, { wasDraining });
    const found = { ...base, verdict: end.how, cause: end.cause, evidence: end.evidence };
    this.#onDead(found);
    return found;
  }

  async #endOf(
    started: StoredRecord,
    { wasDraining }: { readonly wasDraining: boolean },
  ): Promise<InstanceVerdict> {
    const owner = ownerSchema.safeParse(started.body.owner);
    const instance = String(started.body.instance);
    // A record nobody can read proves nothing alive: fail closed, count it as a dirty end.
    if (!owner.success) return over("dirty", "unknown", ["the record of its start cannot be read"]);
    const liveness = this.#liveness(owner.data);
    switch (liveness.kind) {
      case "alive":
      case "unreachable":
        return { kind: "stays", verdict: "alive" };
      case "dead": {
        const note = this.#home === null ? null : await harmlessNote(readExitNote(this.#home, instance));
        const oomRecord = liveness.because === "reboot" ? null : oomRecordOf(owner.data);
        const named = nameInstanceEnd({ death: liveness.because, wasDraining, note, oomRecord });
        return over("dirty", named.cause, named.evidence);
      }
      case "elsewhere":
        return this.#store.clock.nowMs() - started.atMs >= LOST_AFTER_MS
          ? over("lost", "lost", ["nothing was heard of it for days, on another machine"])
          : { kind: "stays", verdict: "elsewhere" };
      default:
        return liveness satisfies never;
    }
  }

  async #close(
    instance: string,
    { how, cause, evidence }: InstanceOver,
    { wasDraining }: { readonly wasDraining: boolean },
  ): Promise<void> {
    const { clock } = this.#store;
    const body = { instance, how, found_by: this.instance, cause, evidence: [...evidence] };
    const records = [
      ...(wasDraining ? [newRecord(clock, "drain.ended", { instance, interrupted: null })] : []),
      newRecord(clock, "instance.ended", body),
    ];
    // Another start may be faster: it has consumed this end then, and there is nothing left to do.
    await this.#append(records).catch(giving(undefined, "E_NOT_OPEN"));
    if (this.#home !== null) removeExitNote(this.#home, instance); // on record now
  }

  async #create(workspace: string): Promise<void> {
    const { clock } = this.#store;
    if (await this.#store.session(this.session)) return;
    const owner = selfOwner("gateway");
    const began = { agent: "gateway", workspace, goal: null, name: null };
    try {
      const { attempt } = await takeClaim(this.#store, {
        session: this.session,
        owner,
        records: (seen) => (seen.row ? [] : [newRecord(clock, "session.began", began)]),
      });
      // Nobody needs this claim again: everything in this journal is written by whoever it concerns.
      await giveBack(this.#store, { session: this.session, attempt, owner });
    } catch (thrown) {
      if (!(thrown instanceof Held)) throw thrown; // another instance is making it at this moment
    }
  }

  #append(records: readonly NewRecord[]): Promise<unknown> {
    return this.#store.append(this.session, "anyone", records);
  }
}

type InstanceVerdict = { readonly kind: "stays"; readonly verdict: "alive" | "elsewhere" } | InstanceOver;

interface InstanceOver {
  readonly kind: "over";
  readonly how: "dirty" | "lost";
  readonly cause: Cause;
  readonly evidence: readonly string[];
}

const over = (how: InstanceOver["how"], cause: Cause, evidence: readonly string[]): InstanceOver => ({
  kind: "over",
  how,
  cause,
  evidence,
});
