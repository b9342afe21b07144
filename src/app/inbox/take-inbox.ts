/**
 * What hooks left in the inbox becomes records, each file once (DESIGN 5): an observation in the journal of the session it is about. It
 * claims nothing and renews nothing, so no live session is ever fenced off by it (K1). Whose it is, in this order:
 *  1. the mark of a supervised session that the hook was called under;
 *  2. the agent and its own id: sessions that are known by both, supervised or heard of;
 *  3. a session that nobody supervised, begun now, in the workspace of the event's own folder.
 * A call belongs to the workspace it was made in (a work tree, a folder that the agent has changed to); everything else to all sessions
 * of that conversation. What another process says than the one a session is proved to live in ends nothing there (K1, K2; of-another.ts).
 * A program that was only opened and closed is no session, and what happened in a repository that is left alone (`ignore`) is dropped.
 */
import { realpathSync } from "node:fs";
import { nativeIdOf } from "../../agents/commands/shell-call.ts";
import {
  type DrainedInbox,
  drainInbox,
  type WaitingEvent,
  type WaitingHeld,
} from "../../agents/inbox/drain-inbox.ts";
import type { BeforeImage } from "../../agents/inbox/format.ts";
import { aboutIn, type NoticeAbout } from "../../agents/inbox/notice-file.ts";
import { type ObservedEvent, observedEvent } from "../../agents/inbox/observed-event.ts";
import { TWIN_LOOK, twinOf } from "../../agents/inbox/twin-event.ts";
import { heardSessionId } from "../../agents/journal/heard-records.ts";
import { agentNamed } from "../../agents/registry.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { recordNotice } from "../../handoff/notice.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type JsonObject, parsedOrNull } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { Owner } from "../../model/owner.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { parseMark } from "../../session/leftovers.ts";
import { newRecord } from "../../session/new-record.ts";
import { isTakenElsewhere } from "../../session/taken-elsewhere.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { locateRepository } from "../../workspace/git/locate.ts";
import { leftAloneBy } from "../../workspace/opening/left-alone.ts";
import { manualSession } from "../../workspace/sessions/capture-session.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { beginHeard } from "./begin-heard.ts";
import { hookOwner, lifeByHooks, unknownOwner } from "./hook-process.ts";
import { isOfAnother } from "./of-another.ts";
import { takeHeld } from "./take-held.ts";
import { takeSaid } from "./take-said.ts";

export interface HookedInbox {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Everything that waits, of every workspace. Costs a look into a folder where nothing does; with REFLOAT_OFF=1 it goes on waiting. */
export async function takeInbox(store: Store, { home, env }: HookedInbox): Promise<void> {
  if (env.REFLOAT_OFF === "1") return;
  const taking = new EventTaking(store, env);
  const drain = (): Promise<DrainedInbox> =>
    drainInbox(
      store,
      home,
      (waiting) => taking.take(waiting),
      (held) => taking.takeAlone(held),
    );
  const { later } = await drain();
  // What waited for a session to be begun finds it now.
  if (later > 0 && taking.hasBegun) await drain();
}

/** Whose work it is, as its agent names it. */
interface HookedSource {
  readonly agent: string;
  readonly nativeId: string;
}

const LOST: BeforeImage = { kind: "none", reason: "what was held is not whole" };

interface TakenEvent {
  readonly waiting: WaitingEvent;
  readonly observed: ObservedEvent;
}

class EventTaking {
  readonly #store: Store;
  readonly #env: NodeJS.ProcessEnv;
  /** A session was heard of for the first time. */
  hasBegun = false;
  /** Sessions by agent and the agent's own id (keyOf); null: not asked for yet. */
  #known: Map<string, Set<SessionId>> | null = null;
  /** Events of sessions that nothing was asked of yet, by the same. */
  readonly #opened = new Map<string, TakenEvent[]>();
  /** Workspaces by their top: whether they are left alone. */
  readonly #left = new Map<string, boolean>();

  constructor(store: Store, env: NodeJS.ProcessEnv) {
    this.#store = store;
    this.#env = env;
  }

  async take(waiting: WaitingEvent): Promise<"taken" | "later"> {
    const adapter = agentNamed(waiting.event.agent);
    const observed = adapter?.hooks ? observedEvent(waiting.event, adapter.hooks) : null;
    // Of an agent nobody here knows, or of nobody: there is no session to put it into.
    if (!adapter || !observed) return "taken";
    const sessions = await this.#sessionsOf(adapter, waiting, observed);
    if (sessions === "later") {
      const key = keyOf(adapter.name, observed.source.nativeId);
      this.#opened.set(key, [...(this.#opened.get(key) ?? []), { waiting, observed }]);
      return "later";
    }
    const once = await this.#untold(waiting, observed, sessions);
    const told = await this.#withHeld(waiting, observed, once);
    for (const session of once) {
      const isOther = await this.#isOfAnother(session, adapter, waiting, observed);
      await this.#record(session, waiting, told, isOther);
      if (observed.moment === "after-call" && !isOther)
        await takeSaid(this.#store, session, waiting, observed.body.heard);
    }
    for (const session of sessions) await this.#noticed(session, waiting.event);
    return "taken";
  }

  /** The sessions that have it from no other entry of ours yet (D4). One that holds something is kept where the first held nothing. */
  async #untold(
    { id, event, held }: WaitingEvent,
    { body }: ObservedEvent,
    sessions: readonly SessionId[],
  ): Promise<readonly SessionId[]> {
    const isHeld = (held !== null && held !== "lost") || event.before?.kind === "held";
    const untold: SessionId[] = [];
    for (const session of sessions) {
      const look = { kinds: ["agent.observed"], order: "backward", limit: TWIN_LOOK } as const;
      const newest = await this.#store.records({ session, ...look });
      const twin = newest.some((one) => one.id === id)
        ? null
        : twinOf({ id, body: body as JsonObject }, newest);
      const before = twin?.body.before;
      const hasHeld = isJsonObject(before) && before.kind === "held";
      if (twin === null || (isHeld && !hasHeld)) untold.push(session);
    }
    return untold;
  }

  /** The recorder told its agent of an interruption: nobody is told of it again (DESIGN 9). */
  async #noticed(to: SessionId, { others }: WaitingEvent["event"]): Promise<void> {
    const place = (await this.#store.session(to))?.facts.workspace;
    const workspace = typeof place === "string" ? openTrustedOrNull(null, place, this.#env) : null;
    if (workspace === null) return;
    for (const about of await this.#toldOf(others)) await recordNotice(this.#store, workspace, about, to);
  }

  async #toldOf(others: WaitingEvent["event"]["others"]): Promise<readonly NoticeAbout[]> {
    const told: NoticeAbout[] = [];
    for (const [key, value] of others) {
      const [agent = "", nativeId = ""] = key === "noticed-turn" ? value.split(" ") : [];
      const about = key === "noticed-session" ? aboutIn(value) : null;
      const ids = about ? [about.session as SessionId] : agent ? await this.#knownAs(agent, nativeId) : [];
      for (const id of ids) {
        const row = await this.#store.session(id);
        if (row) told.push(about ?? { session: id, attempt: row.claim.attempt });
      }
    }
    return told;
  }

  /** What was held is durable before the event says so (T1). In a session that is left alone nothing is. */
  async #withHeld(
    { event, held }: WaitingEvent,
    observed: ObservedEvent,
    [first]: readonly SessionId[],
  ): Promise<ObservedEvent> {
    if (held === null || first === undefined) return observed;
    const before = held === "lost" ? LOST : await this.#takenHeld(held, observed, event.mark);
    return before === null ? observed : { ...observed, body: { ...observed.body, before } };
  }

  async #takenHeld(
    held: WaitingHeld,
    observed: ObservedEvent,
    mark: string | null,
  ): Promise<BeforeImage | null> {
    const { agent, process, pid_namespace } = observed.body;
    const source = { agent, nativeId: observed.source.nativeId };
    const owner = ownerOf(agent, { process, pid_namespace });
    const sessionIn = async (root: string): Promise<SessionId> =>
      (await this.#lateIn(mark, root)) ??
      (await this.#marked(mark)) ??
      (await this.#sessionIn(source, root, owner, held.atMs));
    return takeHeld({ store: this.#store, env: this.#env, sessionIn }, held);
  }

  /** What was held before a command whose event never came: by its own payload. */
  async takeAlone(held: WaitingHeld): Promise<"taken"> {
    const { agent, body, mark } = held.held;
    const said = parsedOrNull(body);
    const nativeId = isJsonObject(said) ? nativeIdOf(said) : null;
    const sessionIn = async (root: string): Promise<SessionId> => {
      const marked = (await this.#lateIn(mark, root)) ?? (await this.#marked(mark));
      if (marked) return marked;
      if (nativeId === null || !agentNamed(agent)) return manualSession(this.#store, root);
      return this.#sessionIn({ agent, nativeId }, root, unknownOwner(agent), held.atMs);
    };
    await takeHeld({ store: this.#store, env: this.#env, sessionIn }, held);
    return "taken";
  }

  /** The session of that agent's in this work tree, begun where nothing was heard of it yet. */
  async #sessionIn(
    { agent, nativeId }: HookedSource,
    root: string,
    owner: Owner,
    atMs: number,
  ): Promise<SessionId> {
    const there = await this.#knownIn(await this.#knownAs(agent, nativeId), root);
    if (there) return there;
    const session = heardSessionId({ agent, nativeId }, root) as SessionId;
    await beginHeard(this.#store, { session, agent, nativeId, root, atMs, owner });
    this.#remember(keyOf(agent, nativeId), session);
    this.hasBegun = true;
    return session;
  }

  async #isOfAnother(
    session: SessionId,
    adapter: AgentAdapter,
    { event }: WaitingEvent,
    { body }: ObservedEvent,
  ): Promise<boolean> {
    const row = await this.#store.session(session);
    if (row === null) return false;
    const told = { process: body.process, ancestors: event.ancestors };
    return isTakenElsewhere(row, event.mark) || isOfAnother(row, adapter, told);
  }

  async #record(
    session: SessionId,
    { id, atMs }: WaitingEvent,
    { body }: ObservedEvent,
    isOther: boolean,
  ): Promise<void> {
    const told = isOther ? { ...body, other_process: true } : body;
    const record = { ...newRecord(this.#store.clock, "agent.observed", told, id), atMs };
    try {
      await this.#store.append(session, "anyone", [record]);
    } catch (thrown) {
      // Taken in before: by an older refloat that had other words for it, or by one that found its session's process otherwise.
      // Sent away since: what its agent still says here is not the session's any more (K1).
      if (!(thrown instanceof RefloatError && (thrown.code === "E_ID_REUSED" || thrown.code === "E_SENT")))
        throw thrown;
    }
  }

  async #sessionsOf(
    adapter: AgentAdapter,
    waiting: WaitingEvent,
    observed: ObservedEvent,
  ): Promise<readonly SessionId[] | "later"> {
    const { moment, source, body } = observed;
    const marked = await this.#marked(waiting.event.mark);
    if (marked) return [marked];
    const known = await this.#notLeft(await this.#knownAs(adapter.name, source.nativeId));
    const isWork = moment === "prompt" || moment === "before-call";
    // A prompt in a process that none of them lives in begins work of its own, where it was given.
    const isElsewhere = moment === "prompt" && (await this.#isOfNone(known, adapter, waiting, observed));
    if (known.length > 0 && moment !== "before-call" && !isElsewhere) return known;
    const root = workspaceOf(source.cwd);
    if (root !== null && (await this.#isLeft(root))) return [];
    const hasWords = isWork && body.heard.length > 0;
    if (!hasWords || root === null) {
      const isOpened = known.length === 0 && moment === "session-start";
      // Nothing was asked of it yet: it waits for that, as long as its process lives.
      const facts = { hook_process: body.process, hook_namespace: body.pid_namespace };
      return isOpened && lifeByHooks(facts, adapter).kind === "alive" ? "later" : known;
    }
    const there = await this.#knownIn(known, root);
    if (there) return [there];
    const own = { agent: adapter.name, nativeId: source.nativeId };
    const session = await this.#sessionIn(own, root, ownerOf(adapter.name, body), waiting.atMs);
    // In the order they came in; their files are taken by the next look, which finds them recorded (D4).
    for (const one of this.#opened.get(keyOf(adapter.name, source.nativeId)) ?? [])
      for (const untold of await this.#untold(one.waiting, one.observed, [session]))
        await this.#record(untold, one.waiting, one.observed, false);
    return [session];
  }

  async #marked(mark: string | null): Promise<SessionId | null> {
    const session = mark === null ? null : (parseMark(mark)?.session ?? null);
    return session === null ? null : ((await this.#store.session(session as SessionId))?.id ?? null);
  }

  /** What an attempt held here whose session goes on on another machine: nobody's in particular, and not lost (W8). */
  async #lateIn(mark: string | null, root: string): Promise<SessionId | null> {
    const marked = await this.#marked(mark);
    const row = marked === null ? null : await this.#store.session(marked);
    return row && isTakenElsewhere(row, mark) ? manualSession(this.#store, root) : null;
  }

  async #notLeft(sessions: Iterable<SessionId>): Promise<readonly SessionId[]> {
    const kept: SessionId[] = [];
    for (const id of sessions) {
      const root = (await this.#store.session(id))?.facts.workspace;
      if (typeof root !== "string" || !(await this.#isLeft(root))) kept.push(id);
    }
    return kept;
  }

  async #isLeft(root: string): Promise<boolean> {
    const known = this.#left.get(root);
    if (known !== undefined) return known;
    // Without a store, so without trust: only its config is read.
    const workspace = openTrustedOrNull(null, root, this.#env);
    const isLeft = workspace !== null && (await leftAloneBy(workspace, this.#env)) !== null;
    this.#left.set(root, isLeft);
    return isLeft;
  }

  async #knownIn(known: readonly SessionId[], root: string): Promise<SessionId | null> {
    for (const id of known) if ((await this.#store.session(id))?.facts.workspace === root) return id;
    return null;
  }

  async #isOfNone(
    known: readonly SessionId[],
    adapter: AgentAdapter,
    waiting: WaitingEvent,
    observed: ObservedEvent,
  ): Promise<boolean> {
    for (const id of known) if (!(await this.#isOfAnother(id, adapter, waiting, observed))) return false;
    return true;
  }

  async #knownAs(agent: string, nativeId: string): Promise<readonly SessionId[]> {
    const known = await this.#byKey();
    const found = [agent, ANY_AGENT].flatMap((one) => [...(known.get(keyOf(one, nativeId)) ?? [])]);
    return [...new Set(found)];
  }

  async #byKey(): Promise<Map<string, Set<SessionId>>> {
    if (this.#known) return this.#known;
    this.#known = new Map();
    for await (const row of this.#store.everySession())
      for (const key of [...keysOf(row), ...(await this.#spokenOver(row))]) this.#remember(key, row.id);
    return this.#known;
  }

  /** An editor may have several conversations with one agent (ACP), and the row knows the last: the others are no sessions of their own either. */
  async #spokenOver({ id, facts: { heard } }: SessionRow): Promise<readonly string[]> {
    if (!isJsonObject(heard) || heard.channel !== "acp") return [];
    const order = { kinds: ["agent.heard"], order: "backward", limit: READ_PAGE_ROWS } as const;
    const records = await this.#store.records({ session: id, ...order });
    return records.map(({ body }) => keyOf(ANY_AGENT, String(body.native_id)));
  }

  #remember(key: string, session: SessionId): void {
    const ids = this.#known?.get(key) ?? new Set();
    this.#known?.set(key, ids.add(session));
  }
}

/** Of a session whose command was given a name of its own: which agent it is, only its id says. */
const ANY_AGENT = "*";

/** Two agents may have the same id for what they do: theirs are two sessions. */
const keyOf = (agent: string, nativeId: string): string => `${agent} ${nativeId}`;

/** What a session is known by. */
function keysOf({ facts }: SessionRow): readonly string[] {
  const own = typeof facts.agent === "string" && agentNamed(facts.agent) ? facts.agent : ANY_AGENT;
  const told = [facts.heard, facts.hooked].filter((one) => isJsonObject(one));
  const names = [[own, facts.native_id], ...told.map((one) => [one.agent ?? own, one.native_id])];
  return names.flatMap(([agent, id]) =>
    typeof id === "string" && id !== "" ? [keyOf(String(agent), id)] : [],
  );
}

/** The workspace's top; the folder itself where it is gone. Null: it does not say. */
function workspaceOf(cwd: string | null): string | null {
  if (cwd === null || !cwd.startsWith("/") || cwd.startsWith("/proc/")) return null;
  try {
    const folder = realpathSync(cwd);
    return locateRepository(folder)?.root ?? folder;
  } catch (thrown) {
    // A repository that leads elsewhere is looked at as a folder: nothing is entered here.
    if (!(thrown instanceof RefloatError) && errnoOf(thrown) === null) throw thrown;
    return cwd;
  }
}

/** K2: where no process was told it is unreachable, never dead. */
const ownerOf = (
  name: string,
  { process, pid_namespace }: Pick<ObservedEvent["body"], "process" | "pid_namespace">,
): Owner => hookOwner({ hook_process: process, hook_namespace: pid_namespace }, name) ?? unknownOwner(name);
