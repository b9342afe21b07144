/**
 * Hears an agent that runs under us: its transcript is looked at every second and what is new is taken in, its stream gives its id, its
 * limits and the calls its transcript does not have, its hooks the call that was open and the end record, where nothing else has them. A store that fails, or a transcript that cannot be read, never costs the agent (D6).
 */
import { lstatSync } from "node:fs";
import { GrowingTranscript } from "../../agents/escrow/growing-transcript.ts";
import { keepTranscripts } from "../../agents/escrow/keep-transcript.ts";
import { takeBeside } from "../../agents/journal/take-beside.ts";
import { hookedConversation, hookedWork, takeHooked } from "../../agents/journal/take-hooked.ts";
import { takeIn } from "../../agents/journal/take-in.ts";
import { agentOfCommand } from "../../agents/registry.ts";
import { printedWords } from "../../agents/stream/printed-words.ts";
import { StreamEars } from "../../agents/stream/stream-ears.ts";
import { CLOCK_SLACK_MS, copyNamed } from "../../agents/transcript/copied-conversation.ts";
import { childrenOf, transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import { headOf } from "../../agents/transcript/head-of-transcript.ts";
import type { AgentAdapter, FoundTranscript } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import { ensureError } from "../../model/errors.ts";
import { every } from "../../platform/clock.ts";
import type { Store } from "../../store/store.ts";
import type { Agent, ObservedOutput } from "../../supervise/agent.ts";
import type { HeardEnd, OpenHearing, RunHearing } from "../../supervise/hearing.ts";
import { carryOutIn } from "../inbox/said-in.ts";
import { takeInbox } from "../inbox/take-inbox.ts";
import { tellsNobody } from "../telling/news.ts";

/** How often the transcript is looked at while the agent runs: a kill of both loses nothing, recovery reads the rest. */
const LOOK_MS = 1000;

/** A database is copied whole to be read. */
const DATABASE_LOOK_MS = 15_000;

export interface HeardRun {
  readonly store: Store;
  readonly command: readonly string[];
  readonly place: string;
  readonly env: NodeJS.ProcessEnv;
  /** The store's folder: the inbox lies there. */
  readonly home: string;
}

/** Null: no agent we know. */
export function hearingOf(run: HeardRun): OpenHearing | null {
  const adapter = agentOfCommand(run.command);
  return adapter && ((attempt) => new AgentHearing(adapter, run, attempt));
}

/** The agent as its adapter starts and stops it, by the name and with the limits its user gave. */
export function supervisedAs(given: Agent, command: readonly string[]): Agent {
  const own = agentOfCommand(command)?.launch?.agent();
  if (!own) return given;
  const isNamed = given.name !== "" && !command.some((word) => word.endsWith(given.name));
  return { ...own, limit: given.limit, name: isNamed ? given.name : own.name };
}

class AgentHearing implements RunHearing {
  readonly #adapter: AgentAdapter;
  readonly #run: HeardRun;
  readonly #attempt: Parameters<OpenHearing>[0];
  readonly #stream: StreamEars | null;
  readonly #before: ReadonlySet<string>;
  readonly #startedMs: number;
  #transcript: Pick<FoundTranscript, "path"> | null = null;
  #nativeId: string | null;
  #stamp: string | null = null;
  #isOver = false;
  #records = 0;
  #end: HeardEnd | null = null;
  #timer: { stop(): void } | null = null;
  #looking: Promise<void> = Promise.resolve();
  #growing: GrowingTranscript | null = null;
  #keeping: Promise<void> | null = null;

  constructor(adapter: AgentAdapter, run: HeardRun, attempt: Parameters<OpenHearing>[0]) {
    this.#adapter = adapter;
    this.#run = run;
    this.#attempt = attempt;
    this.#nativeId = attempt.nativeId;
    this.#startedMs = run.store.clock.nowMs();
    const reader = adapter.launch?.stream(run.command) ?? null;
    this.#stream = reader && new StreamEars(reader);
    this.#before = new Set(attempt.nativeId === null ? this.#found().map(nameOf) : []);
  }

  take(piece: Buffer): readonly ObservedOutput[] {
    if (!this.#stream) return [];
    const heard = this.#stream.take(piece);
    this.#nativeId ??= this.#stream.nativeId;
    return heard.flatMap((one) =>
      one.kind === "limit" ? [{ kind: "limit" as const, resetsAtMs: one.resetsAtMs }] : [],
    );
  }

  start(): void {
    const { storage } = this.#adapter.transcript;
    this.#timer = every(storage === "database" ? DATABASE_LOOK_MS : LOOK_MS, () => {
      this.#looking = this.#looking.then(() => this.#look());
      this.#keepGrown();
    });
  }

  async end(): Promise<HeardEnd | null> {
    this.#timer?.stop();
    await Promise.all([this.#looking, this.#keeping]);
    this.#isOver = true;
    this.#stamp = null;
    await this.#guarded(() => this.#hearHooks());
    await this.#look();
    await this.#guarded(() => this.#takeBeside());
    await this.#guarded(() => this.#takeHooked());
    await this.#guarded(() => this.#keep());
    return this.#end;
  }

  words(text: string): string {
    return printedWords(this.#run.command, text);
  }

  #look(): Promise<void> {
    return this.#guarded(async () => {
      this.#transcript ??= this.#mine();
      const found = this.#transcript;
      const nativeId = this.#nativeId;
      if (!found || nativeId === null) return;
      const stamp = stampOf(found.path);
      if (stamp === this.#stamp) return;
      const { session, attempt } = this.#attempt;
      const order = {
        session,
        attempt,
        adapter: this.#adapter,
        path: found.path,
        nativeId,
        isOver: this.#isOver,
        copyOf: this.#original() ?? undefined,
      };
      const { status, records } = await takeIn(this.#run.store, { ...order, turns: "session" });
      this.#records += records;
      const children = childrenOf(this.#found(), nativeId);
      const { copyOf, ...beside } = order;
      for (const child of children)
        await takeIn(this.#run.store, { ...beside, ...child, turns: "session", isChild: true });
      this.#stamp = stamp;
      this.#end = { hasEnded: status === "ended-clean", isSilent: this.#records === 0 };
    });
  }

  /**
   * With a store that outlives this machine, what it wrote so far: nobody may come to see its end (W8). Nothing waits for it, and of two at
   * once there is never a second.
   */
  #keepGrown(): void {
    const { store } = this.#run;
    const nativeId = this.#nativeId;
    if (store.driver.kind !== "postgres" || !this.#transcript || nativeId === null || this.#keeping) return;
    const { path } = this.#transcript;
    const order = { ...this.#attempt, adapter: this.#adapter, path, nativeId };
    this.#growing ??= new GrowingTranscript(store, order);
    const growing = this.#growing;
    if (!growing.isDue) return;
    this.#keeping = this.#guarded(async () => {
      await growing.keep();
    }).finally(() => {
      this.#keeping = null;
    });
  }

  /** What it wrote of itself, byte for byte: its own files may be gone when somebody asks. */
  async #keep(): Promise<void> {
    const nativeId = this.#nativeId;
    if (!this.#transcript || nativeId === null) return;
    const { session, attempt } = this.#attempt;
    const { path } = this.#transcript;
    await keepTranscripts(this.#run.store, {
      ...{ session, attempt, adapter: this.#adapter, path, nativeId },
      children: childrenOf(this.#found(), nativeId),
    });
  }

  /** What the stream alone knows: what was lost with the agent, and its end record (L7). */
  async #takeBeside(): Promise<void> {
    const stream = this.#stream;
    if (!stream) return;
    if (stream.hasEnded) this.#end = { hasEnded: true, isSilent: false };
    const { session, attempt } = this.#attempt;
    const source = { agent: this.#adapter.name, nativeId: this.#nativeId ?? session };
    const isMore = await takeBeside(this.#run.store, { session, attempt, source }, stream);
    if (isMore) this.#end ??= { hasEnded: false, isSilent: false };
  }

  /** Which conversation it is (`--continue` names none), its hooks know: its transcript is found by that. */
  async #hearHooks(): Promise<void> {
    const { store, home, env, place } = this.#run;
    await takeInbox(store, { home, env });
    await carryOutIn(store, place, tellsNobody);
    this.#nativeId ??= await hookedConversation(store, this.#attempt.session, this.#adapter.name);
  }

  /** What its hooks alone know. Last, so that they find what its transcript and its stream told. */
  async #takeHooked(): Promise<void> {
    const { store } = this.#run;
    const { session, attempt } = this.#attempt;
    const agent = this.#adapter.name;
    const work = await hookedWork(store, session, { agent, nativeId: this.#nativeId });
    if (work.last === null) return;
    const source = { agent, nativeId: this.#nativeId ?? session };
    const { status } = await takeHooked(store, { session, attempt, source, turns: "session" }, work);
    if (status === "ended-clean") this.#end = { hasEnded: true, isSilent: false };
    else this.#end ??= { hasEnded: false, isSilent: false };
  }

  /**
   * By the id it was given or has told; a copy by what it says inside of what it was made of; else the one that came with this run, if it
   * is the only one.
   */
  #mine(): Pick<FoundTranscript, "path"> | null {
    const { env, place } = this.#run;
    const { copies, nativeId } = this.#attempt;
    if (copies?.isNamedInside && nativeId === null) {
      const sought = { of: copies.of, folder: place, sinceMs: this.#startedMs };
      const copy = copyNamed(this.#adapter, this.#fresh(), sought);
      this.#nativeId = copy?.nativeId ?? this.#nativeId;
      if (copy !== null || this.#nativeId === null) return copy;
    }
    if (this.#nativeId !== null) return transcriptNamed(this.#adapter, this.#nativeId, env, place);
    const heads = this.#fresh().flatMap((one) => {
      const head = headOf(this.#adapter, one);
      return head?.cwd === this.#run.place ? [{ one, head }] : [];
    });
    const [only, ...others] = heads;
    if (!only || others.length > 0) return null;
    this.#nativeId = only.head.nativeId;
    return only.one;
  }

  #fresh(): readonly FoundTranscript[] {
    return this.#found().filter(
      (one) => one.modifiedMs >= this.#startedMs - CLOCK_SLACK_MS && !this.#before.has(nameOf(one)),
    );
  }

  /** The conversation of this very session that it is a copy of; null: of none, or of another's, which nobody told here. */
  #original(): FoundTranscript | null {
    const { copies, earlier } = this.#attempt;
    if (copies === null) return null;
    const { env, place } = this.#run;
    const own = earlier.filter(({ agent }) => agent === this.#adapter.name);
    for (const { native_id } of own) {
      const found = transcriptNamed(this.#adapter, native_id, env, place);
      if (found && [native_id, found.path].includes(copies.of)) return { ...found, nativeId: native_id };
    }
    return null;
  }

  #found(): readonly FoundTranscript[] {
    return this.#adapter.places.find(agentHome(this.#run.env), this.#run.place);
  }

  async #guarded(look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (thrown) {
      this.#attempt.onFailure(ensureError(thrown));
    }
  }
}

/** Changes whenever something was written, a database's log included; null: it is gone. */
function stampOf(path: string): string | null {
  const stats = [path, `${path}-wal`].map((one) => lstatSync(one, { throwIfNoEntry: false }));
  if (stats[0] === undefined) return null;
  return stats.map((stat) => `${stat?.size ?? 0} ${stat?.mtimeMs ?? 0}`).join(" ");
}

const nameOf = ({ path, nativeId }: FoundTranscript): string => `${nativeId ?? ""} ${path}`;
