/**
 * What agents did in a workspace without refloat: the newest transcripts they left of it become sessions, and those that are known, by
 * them or by their hooks, get what is new (S1). A store is made only where there is something to keep in it.
 */
import { agentNamed } from "../../agents/registry.ts";
import { CLOCK_SLACK_MS } from "../../agents/transcript/copied-conversation.ts";
import { childrenOf, transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import { placeInside } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { conversationsOf, isSupervisedNow } from "../../store/contract/session-facts.ts";
import { livenessOfHolder } from "../../store/holder.ts";
import type { Store } from "../../store/store.ts";
import { indexEntries } from "../../workspace/git/index-file.ts";
import { leftAloneBy } from "../../workspace/opening/left-alone.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import type { AppPlace } from "../place/app-place.ts";
import { hearRest } from "../recovery/heard-of-dead.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type HearingPlace, hearSession } from "./hear-session.ts";
import { type LeftTranscript, type LeftWork, leftTranscripts, realOrNull } from "./left-transcripts.ts";
import { followFolder, movedWork } from "./moved-work.ts";

/** The sessions that were found or heard of anew. `root`: the workspace's top. */
export async function hearWorkspace(at: AppPlace, root: string): Promise<readonly SessionId[]> {
  const known = await at.findStore();
  const unheard = new Unheard();
  if (known) await hearDead(at, known.raw, root, unheard);
  const heard = await hearLeft(at, root, known, unheard);
  unheard.tell(at);
  return heard;
}

async function hearLeft(
  at: AppPlace,
  root: string,
  known: RefloatStore | null,
  unheard: Unheard,
): Promise<readonly SessionId[]> {
  const rows = known ? await known.raw.sessions({ workspace: root }) : [];
  const supervised = supervisedIn(rows);
  const work = leftTranscripts(at.env, root, at.clock.nowMs());
  const moved = (await unheard.unlessFailed([], () => movedWork(at, root, known, work))) ?? [];
  const found = [...work.left.map((one) => inItsSession(rows, one)), ...moved]
    .filter((one) => !mayBeCopy(rows, one))
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs);
  const left = (await unheard.unlessFailed(found, () => withoutTracked(at, root, found))) ?? [];
  const newest = newestOfEach(left.filter(({ nativeId }) => !supervised.has(nativeId)));
  const named = new Set(newest.map(({ nativeId }) => nativeId));
  const hooked = hookedRows(rows).flatMap((row) => hookedOnly(row, at.env, root));
  const wanted = [...newest, ...hooked.filter(({ nativeId }) => !named.has(nativeId))];
  if (wanted.length === 0) return [];
  if ((await leftAloneBy(openTrusted(null, root, at.env), at.env)) !== null) return [];
  const store = await unheard.unlessFailed(wanted, () => at.openOrMakeStore());
  if (!store) return [];
  const workspace = openTrusted(store.raw, root, at.env);
  const heard: SessionId[] = [];
  for (const one of wanted) {
    const place: HearingPlace = { store: store.raw, workspace, env: at.env };
    const session = await unheard.unlessFailed([one], async () => {
      await followFolder(place.store, root, one);
      return hearSession(place, one);
    });
    if (session !== null) heard.push(session);
  }
  return heard;
}

/** One that came with the repository is the session of whoever committed it: it says nothing of what was done here, and starts nothing (T2). */
async function withoutTracked(
  at: AppPlace,
  root: string,
  left: readonly LeftTranscript[],
): Promise<readonly LeftTranscript[]> {
  const places = left.map(({ path }) =>
    [path, realOrNull(path) ?? path].flatMap((one) => placeInside(root, one) ?? []),
  );
  const inside = places.flat();
  if (inside.length === 0) return left;
  const workspace = openTrusted(null, root, at.env);
  if (workspace.kind !== "git") return left;
  const tracked = await indexEntries(await workspace.repository(), inside as PathName[]);
  return left.filter((_one, which) => !places[which]?.some((path) => tracked.has(path as PathName)));
}

/** Those that died with their supervisor: what nobody took in yet is told before anybody closes their end, and whose it is (S1). */
async function hearDead(at: AppPlace, store: Store, root: string, unheard: Unheard): Promise<void> {
  for (const row of await store.sessions({ workspace: root })) {
    const { liveness } = livenessOfHolder(row);
    if (row.facts.native_id === undefined || liveness?.kind !== "dead") continue;
    const agent = String(row.facts.agent ?? "its agent");
    const onFailure = (thrown: RefloatError): void => unheard.add([agent], thrown);
    await hearRest(store, row, { env: at.env, home: await at.home(), onFailure });
  }
}

/** The same of sessions that were closed: the newest of them, by what hooks told last. */
const CLOSED_AGAIN = 10;

/** Sessions that hooks told of: those that nobody closed yet, and of the others the newest, which their agents may have gone on with since. */
function hookedRows(rows: readonly SessionRow[]): readonly SessionRow[] {
  const told = rows.filter((row) => !isSupervisedNow(row) && lastHookMs(row) !== null);
  const closed = told.filter(({ claim }) => claim.owner === null);
  const newest = closed
    .toSorted((a, b) => (lastHookMs(b) ?? 0) - (lastHookMs(a) ?? 0))
    .slice(0, CLOSED_AGAIN);
  return [...told.filter(({ claim }) => claim.owner !== null), ...newest];
}

/** Null: none told of it, or others than its hooks did. */
const lastHookMs = ({ facts: { only_heard, hooked } }: SessionRow): number | null =>
  only_heard === true && isJsonObject(hooked) ? Number(hooked.at_ms) : null;

/** With its transcript, if it has one. */
function hookedOnly({ facts }: SessionRow, env: NodeJS.ProcessEnv, root: string): readonly LeftWork[] {
  const told = facts.hooked;
  if (!isJsonObject(told)) return [];
  const { agent, native_id: nativeId, at_ms } = told;
  const adapter = typeof agent === "string" ? agentNamed(agent) : null;
  if (!adapter || typeof nativeId !== "string") return [];
  const path = transcriptNamed(adapter, nativeId, env, root)?.path ?? null;
  const children = path === null ? [] : childrenOf(adapter.places.find(agentHome(env), root), nativeId);
  return [
    { adapter, nativeId, cwd: root, inside: "", path, children, modifiedMs: Number(at_ms), beganMs: null },
  ];
}

/** A transcript that cannot be taken in (gone, a store that is full) costs itself: what is held can be read all the same, and it is said (D6). */
class Unheard {
  readonly #agents = new Set<string>();
  #why: string | null = null;

  async unlessFailed<T>(left: readonly LeftWork[], hear: () => Promise<T>): Promise<T | null> {
    try {
      return await hear();
    } catch (thrown) {
      if (!(thrown instanceof RefloatError)) throw thrown;
      const agents = left.map(({ adapter }) => adapter.title);
      this.add(agents, thrown);
      return null;
    }
  }

  add(agents: readonly string[], { code, message }: RefloatError): void {
    // Gone since it was found: nobody will ever take it in.
    if (code === "E_NO_FILE") return;
    for (const agent of agents) this.#agents.add(agent);
    this.#why ??= message;
  }

  tell(at: AppPlace): void {
    if (this.#why !== null) at.tell?.({ kind: "unheard", agents: [...this.#agents], why: this.#why });
  }
}

/** The agents' own ids of sessions that ran under `run`: their supervisor, or their recovery, reads their transcripts. */
const supervisedIn = (rows: readonly SessionRow[]): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) =>
      row.facts.only_heard === true && !isSupervisedNow(row)
        ? []
        : conversationsOf(row).map(({ native_id }) => native_id),
    ),
  );

/** A conversation that a session was gone on with in is that session's, whatever its id is. */
function inItsSession(rows: readonly SessionRow[], left: LeftTranscript): LeftTranscript {
  const row = rows.find(
    (one) =>
      one.facts.only_heard === true &&
      conversationsOf(one).some(
        ({ agent, native_id }) => native_id === left.nativeId && agent === left.adapter.name,
      ),
  );
  return row ? { ...left, session: row.id } : left;
}

/**
 * What an agent began here since a supervisor had it go on in a copy: it may be that copy, which its supervisor will tell. Until it did, or
 * is over, nobody knows whose it is.
 */
function mayBeCopy(rows: readonly SessionRow[], { session, adapter, modifiedMs }: LeftTranscript): boolean {
  if (session !== undefined) return false;
  return rows.some((row) => {
    const { copying, heard } = row.facts;
    if (!isJsonObject(copying) || !isJsonObject(heard) || heard.agent !== adapter.name) return false;
    const isLive = isSupervisedNow(row) && livenessOfHolder(row).liveness?.kind !== "dead";
    return isLive && modifiedMs >= Number(copying.at_ms) - CLOCK_SLACK_MS;
  });
}

/** How many sessions of one agent in one workspace are read at a first look: the last work, and what stood beside it. */
const NEWEST = 3;

function newestOfEach(left: readonly LeftTranscript[]): readonly LeftTranscript[] {
  const taken = new Map<string, number>();
  return left.filter(({ adapter: { name } }) => {
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return count <= NEWEST;
  });
}
