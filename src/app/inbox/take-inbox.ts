/**
 * What hooks left in the inbox becomes records, each file once (DESIGN 5): an observation in the journal of the session it is about. It
 * claims nothing and renews nothing, so no live session is ever fenced off by it (K1). Whose it is, in this order:
 *  1. the mark of a supervised session that the hook was called under;
 *  2. the agent's own id: sessions that are known by it, supervised or heard of;
 *  3. a session that nobody supervised, begun now, in the workspace of the event's own folder.
 * A call belongs to the workspace it was made in (a work tree, a folder that the agent has changed to); everything else to all sessions
 * of that conversation. A program that was only opened and closed is no session, and what happened in a repository that is left alone
 * (`ignore`) is dropped.
 */
import { realpathSync } from "node:fs";
import { drainInbox, type WaitingEvent } from "../../agents/inbox/drain-inbox.ts";
import { type ObservedEvent, observedEvent } from "../../agents/inbox/observed-event.ts";
import { heardSessionId } from "../../agents/journal/heard-records.ts";
import { agentNamed } from "../../agents/registry.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import type { Owner } from "../../model/owner.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { parseMark } from "../../session/leftovers.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { locateRepository } from "../../workspace/git/locate.ts";
import { leftAloneBy } from "../../workspace/opening/left-alone.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { beginHeard } from "./begin-heard.ts";
import { hookOwner, lifeByHooks, unknownOwner } from "./hook-process.ts";
import { takeSaid } from "./take-said.ts";

export interface HookedInbox {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Everything that waits, of every workspace. Costs a look into a folder where nothing does; with REFLOAT_OFF=1 it goes on waiting. */
export async function takeInbox(store: Store, { home, env }: HookedInbox): Promise<void> {
  if (env.REFLOAT_OFF === "1") return;
  const taking = new EventTaking(store, env);
  const { later } = await drainInbox(store, home, (waiting) => taking.take(waiting));
  // What waited for a session to be begun finds it now.
  if (later > 0 && taking.hasBegun) await drainInbox(store, home, (waiting) => taking.take(waiting));
}

interface TakenEvent {
  readonly waiting: WaitingEvent;
  readonly observed: ObservedEvent;
}

class EventTaking {
  readonly #store: Store;
  readonly #env: NodeJS.ProcessEnv;
  /** A session was heard of for the first time. */
  hasBegun = false;
  /** Sessions by the agent's own id; null: not asked for yet. */
  #known: Map<string, Set<SessionId>> | null = null;
  /** Events of sessions that nothing was asked of yet, by the agent's own id. */
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
      const { nativeId } = observed.source;
      this.#opened.set(nativeId, [...(this.#opened.get(nativeId) ?? []), { waiting, observed }]);
      return "later";
    }
    for (const session of sessions) {
      await this.#record(session, waiting, observed);
      if (observed.moment === "after-call")
        await takeSaid(this.#store, session, waiting, observed.body.heard);
    }
    return "taken";
  }

  async #record(session: SessionId, { id, atMs }: WaitingEvent, { body }: ObservedEvent): Promise<void> {
    const record = { ...newRecord(this.#store.clock, "agent.observed", body, id), atMs };
    try {
      await this.#store.append(session, "anyone", [record]);
    } catch (thrown) {
      // Taken in before, by an older refloat that had other words for it.
      if (!(thrown instanceof RefloatError && thrown.code === "E_ID_REUSED")) throw thrown;
    }
  }

  async #sessionsOf(
    adapter: AgentAdapter,
    { event, atMs }: WaitingEvent,
    { moment, source, body }: ObservedEvent,
  ): Promise<readonly SessionId[] | "later"> {
    const marked = await this.#marked(event.mark);
    if (marked) return [marked];
    const known = await this.#notLeft((await this.#byNativeId()).get(source.nativeId) ?? []);
    const isWork = moment === "prompt" || moment === "before-call";
    if (known.length > 0 && moment !== "before-call") return known;
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
    const session = heardSessionId({ agent: adapter.name, nativeId: source.nativeId }, root) as SessionId;
    const begun = { agent: adapter.name, nativeId: source.nativeId, root, atMs };
    await beginHeard(this.#store, { session, ...begun, owner: ownerOf(adapter.name, body) });
    this.#remember(source.nativeId, session);
    this.hasBegun = true;
    // In the order they came in; their files are taken by the next look, which finds them recorded (D4).
    for (const { waiting, observed } of this.#opened.get(source.nativeId) ?? [])
      await this.#record(session, waiting, observed);
    return [session];
  }

  async #marked(mark: string | null): Promise<SessionId | null> {
    const session = mark === null ? null : (parseMark(mark)?.session ?? null);
    return session === null ? null : ((await this.#store.session(session as SessionId))?.id ?? null);
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

  async #byNativeId(): Promise<Map<string, Set<SessionId>>> {
    if (this.#known) return this.#known;
    this.#known = new Map();
    for await (const row of this.#store.everySession())
      for (const nativeId of [...namesOf(row), ...(await this.#spokenOver(row))])
        this.#remember(nativeId, row.id);
    return this.#known;
  }

  /** An editor may have several conversations with one agent (ACP), and the row knows the last: the others are no sessions of their own either. */
  async #spokenOver({ id, facts: { heard } }: SessionRow): Promise<readonly string[]> {
    if (!isJsonObject(heard) || heard.channel !== "acp") return [];
    const order = { kinds: ["agent.heard"], order: "backward", limit: READ_PAGE_ROWS } as const;
    const records = await this.#store.records({ session: id, ...order });
    return records.map(({ body }) => String(body.native_id));
  }

  #remember(nativeId: string, session: SessionId): void {
    const ids = this.#known?.get(nativeId) ?? new Set();
    this.#known?.set(nativeId, ids.add(session));
  }
}

/** The agents' own ids that a session is known by. */
const namesOf = ({ facts }: SessionRow): readonly string[] =>
  [facts.native_id, ...[facts.heard, facts.hooked].map((one) => (isJsonObject(one) ? one.native_id : null))]
    .filter((one) => typeof one === "string" && one !== "")
    .map(String);

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
const ownerOf = (name: string, { process, pid_namespace }: ObservedEvent["body"]): Owner =>
  hookOwner({ hook_process: process, hook_namespace: pid_namespace }, name) ?? unknownOwner(name);
