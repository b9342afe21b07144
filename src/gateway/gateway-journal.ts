/**
 * The gateway's own journal, the session `gateway:<name>`: which instances lived, how they ended, what their
 * starts found. An instance is a record that stays open until it is closed by name, so a clean end is bound to
 * the instance that ended, is consumed once (the store refuses a second closing), and is missing, not stale,
 * after a crash (L1): nothing left over from an earlier life can hide a death or park a new one.
 */
import { RefloatError } from "../model/errors.ts";
import { GATEWAY_PREFIX, parseId, type SessionId } from "../model/ids.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { owner as ownerSchema } from "../model/owner.ts";
import type { NewRecord, StoredRecord } from "../model/record.ts";
import { selfOwner } from "../platform/identity.ts";
import { giveBack, Held, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { OpenRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import type { EarlierStart } from "./decide-loop.ts";

/** An instance on another host shows no sign of life here; after this long it is presumed lost. Its conversations
 * are judged by their claims' heartbeats and never wait for this. */
const LOST_AFTER_MS = 7 * 24 * 60 * 60_000;
/** The guard looks at this many earlier starts; its chain is never wanted longer. */
const EARLIER_STARTS = 50;

export interface FoundInstance {
  readonly instance: string;
  readonly verdict: "alive" | "dirty" | "lost" | "elsewhere";
  readonly cause: string;
  readonly startedAtMs: number;
  /** It was draining when it died. */
  readonly wasDraining: boolean;
}

export class GatewayJournal {
  readonly session: SessionId;
  readonly owner: Owner;
  readonly #store: Store;
  readonly #liveness: (owner: Owner) => Liveness;

  constructor(store: Store, name: string, owner: Owner, liveness: (owner: Owner) => Liveness) {
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

  async earlierStarts(): Promise<EarlierStart[]> {
    const records = await this.#store.records({
      session: this.session,
      order: "backward",
      limit: EARLIER_STARTS * 2,
      kinds: ["resume.planned", "resume.settled"],
    });
    const settled = new Set(
      records.filter(({ kind }) => kind === "resume.settled").map(({ body }) => body.instance),
    );
    return records
      .filter(({ kind }) => kind === "resume.planned")
      .map(({ atMs, body }) => ({
        atMs,
        interrupted: Number(body.interrupted ?? 0),
        isSettled: settled.has(body.instance),
      }));
  }

  async planned(plan: { interrupted: number; chain: number; tripped: boolean }): Promise<void> {
    await this.#append([
      newRecord(this.#store.clock, "resume.planned", { instance: this.instance, ...plan }),
    ]);
  }

  async settled(): Promise<void> {
    await this.#append([
      newRecord(
        this.#store.clock,
        "resume.settled",
        { instance: this.instance },
        `resume-settled:${this.instance}`,
      ),
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
    const end = this.#endOf(started);
    if (end.kind === "stays") return { ...base, verdict: end.verdict, cause: "none" };
    await this.#close(row.id, end.how, end.cause, wasDraining);
    return { ...base, verdict: end.how, cause: end.cause };
  }

  #endOf(
    started: StoredRecord,
  ):
    | { kind: "stays"; verdict: "alive" | "elsewhere" }
    | { kind: "over"; how: "dirty" | "lost"; cause: string } {
    const owner = ownerSchema.safeParse(started.body.owner);
    // A record nobody can read proves nothing alive: fail closed, count it as a dirty end.
    if (!owner.success) return { kind: "over", how: "dirty", cause: "unknown" };
    const liveness = this.#liveness(owner.data);
    switch (liveness.kind) {
      case "alive":
      case "unreachable":
        return { kind: "stays", verdict: "alive" };
      case "dead":
        return { kind: "over", how: "dirty", cause: liveness.because === "reboot" ? "reboot" : "unknown" };
      case "elsewhere":
        return this.#store.clock.nowMs() - started.atMs >= LOST_AFTER_MS
          ? { kind: "over", how: "lost", cause: "lost" }
          : { kind: "stays", verdict: "elsewhere" };
      default:
        return liveness satisfies never;
    }
  }

  async #close(instance: string, how: "dirty" | "lost", cause: string, wasDraining: boolean): Promise<void> {
    const { clock } = this.#store;
    const records = [
      ...(wasDraining ? [newRecord(clock, "drain.ended", { instance, interrupted: null })] : []),
      newRecord(clock, "instance.ended", { instance, how, found_by: this.instance, cause }),
    ];
    try {
      await this.#append(records);
    } catch (thrown) {
      // Another start was faster: it has consumed this end, and there is nothing left to do.
      if (!(thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN")) throw thrown;
    }
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
