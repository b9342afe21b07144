/**
 * Every unsettled session of the repository, its work trees included, by one policy, asked once (DESIGN 10). Each is settled as
 * alone; their plans carry one order, which one undo takes back.
 */
import { RefloatError } from "../../model/errors.ts";
import { randomId } from "../../platform/random.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { textOrder } from "../../text/text-order.ts";
import type { Ask } from "../acts/act.ts";
import type { AppPlace } from "../place/app-place.ts";
import { scopeOf } from "../place/scope.ts";
import { sessionsInScope } from "../sessions/sessions-in-scope.ts";
import { type AppNews, type Tell, tellOnce } from "../telling/news.ts";
import { settle } from "./settle.ts";
import type { SettledPart, SettleHow, SettleRequest } from "./settle-order.ts";

export interface SettledSession {
  readonly session: SessionSummary;
  readonly part: SettledPart;
}

export type EndedRepo =
  /** It was only looked at. */
  | { readonly kind: "planned"; readonly sessions: readonly SettledSession[] }
  /** No session of the repository is unsettled. */
  | { readonly kind: "nothing" }
  | { readonly kind: "declined"; readonly sessions: readonly SettledSession[] }
  | { readonly kind: "done"; readonly order: string; readonly sessions: readonly SettledSession[] };

export interface SettleRepoHow {
  /** For each session, the whole order having been agreed to. */
  readonly each: SettleHow;
  readonly ask: Ask<readonly SettledSession[]>;
  /** A session is over with: what is said next is about the whole again. */
  onEach(): void;
}

/** `request`: of each; whose session and what order it is are not its to say. */
export async function settleRepo(
  at: AppPlace,
  how: SettleRepoHow,
  request: SettleRequest,
): Promise<EndedRepo> {
  const sessions = await unsettledHere(at);
  const hows = new Map(sessions.map(({ id }) => [id, { ...how, each: toldOnce(how.each) }]));
  const partFor = ({ id }: SessionSummary, more: Partial<SettleRequest>): Promise<SettledPart> =>
    partOf(at, hows.get(id) ?? how, { ...request, session: id, ...more });
  const planned: SettledSession[] = [];
  for (const session of sessions) planned.push({ session, part: await partFor(session, { isDryRun: true }) });
  if (request.isDryRun) return { kind: "planned", sessions: planned };
  if (sessions.length === 0) return { kind: "nothing" };
  if ((await how.ask(planned)) === "no") return { kind: "declined", sessions: planned };
  const order = randomId();
  const done: SettledSession[] = [];
  for (const { session, part } of planned)
    done.push({
      session,
      part: withShown(part, await partFor(session, { order, agreed: agreedIn(part), isUnlessKept: true })),
    });
  return { kind: "done", order, sessions: done };
}

/** Each is looked at twice, for the plan and to carry it out: what its check and its config say is told of it once. */
function toldOnce(each: SettleHow): SettleHow {
  const once = tellOnce(each.tell);
  const tell: Tell = (news) => (SAID_AGAIN.has(news.kind) ? once : each.tell)(news);
  return { ...each, tell };
}

const SAID_AGAIN: ReadonlySet<AppNews["kind"]> = new Set(["checked", "check-untrusted", "unknown-key"]);

const agreedIn = (part: SettledPart): NonNullable<SettleRequest["agreed"]> =>
  new Map(
    part.kind === "refused" ? [] : part.settled.acts.map(({ group, act, why }) => [group.id, { act, why }]),
  );

/** T1: what the plan left out in conflict is in conflict still: nobody tried it again. */
function withShown(planned: SettledPart, part: SettledPart): SettledPart {
  if (planned.kind === "refused" || part.kind === "refused") return part;
  const known = new Set(part.settled.conflicts.map(({ group }) => group));
  const earlier = planned.settled.conflicts.filter(({ group }) => !known.has(group));
  return { ...part, settled: { ...part.settled, conflicts: [...earlier, ...part.settled.conflicts] } };
}

/** One that fails leaves the others to go on. */
async function partOf(
  at: AppPlace,
  { each, onEach }: SettleRepoHow,
  request: SettleRequest,
): Promise<SettledPart> {
  try {
    // Group by group nobody is asked: the order is one.
    const ended = await settle(at, { ...each, review: null }, request);
    if (ended.kind === "signal") throw new RefloatError("E_INTERNAL", { why: "a review nobody began" });
    return ended;
  } catch (thrown) {
    if (thrown instanceof RefloatError) return { kind: "refused", error: thrown };
    throw thrown;
  } finally {
    onEach();
  }
}

/** Oldest first: what a later one did upon it is settled after it. */
async function unsettledHere(at: AppPlace): Promise<SessionSummary[]> {
  const directory = at.place();
  const store = await at.findStore();
  if (!store) throw new RefloatError("E_NO_SESSION", { what: `of ${directory}` });
  const rows = await sessionsInScope(at, store, scopeOf(directory, "repository"));
  const sessions = (await store.describe(rows)).filter(
    ({ unsettled, state }) => unsettled && state !== "live",
  );
  return sessions.toSorted((a, b) => textOrder(a.started_at ?? "", b.started_at ?? ""));
}
