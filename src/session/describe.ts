/** Sessions as people and JSON see them (DESIGN 10): the store's rows joined with what the kernel says of their owners. */
import type { SessionId } from "../model/ids.ts";
import { isJsonObject } from "../model/json.ts";
import { livenessOf } from "../platform/liveness.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { movedFromOf, sentAway } from "../store/contract/session-facts.ts";
import { livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { type HeldBefore, heldBeforeIn } from "../text/before-words.ts";
import { textOrder } from "../text/text-order.ts";
import { lastAttempt, needsRecords } from "./last-attempt.ts";
import { type SessionState, stateOf } from "./state.ts";

export interface SessionSummary {
  readonly id: string;
  readonly name: string | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  /** Where that was when the session worked there; left out: where it is. */
  readonly moved_from?: string;
  readonly state: SessionState;
  /** Changes of its own that it left and nobody has settled yet (L6). Without captures nothing is known of them: false. */
  readonly unsettled: boolean;
  readonly supervised: boolean;
  /** How it is, or was, seen; left out: by what its own program writes here. */
  readonly seen_by?: readonly SeenBy[];
  /** What is held of the tree as it was before the last call that its hooks told of; left out: that takes nothing away, or it is over. */
  readonly before?: HeldBefore;
  readonly cause: string | null;
  readonly attempt: number;
  /** The last that somebody began to work in: what screens call a try. */
  readonly last_attempt: number;
  readonly dirty_ends: number;
  /** Why it is suspended; left out: it is not. */
  readonly suspended_for?: string;
  /** The store it goes on in, by the address or the file it was sent to; left out: this one. */
  readonly sent_to?: string;
  /** The session in which the conversation was begun anew; left out: it goes on here. */
  readonly renewed_as?: string;
  /** The session that this one goes on from; left out: it began by itself. */
  readonly continues?: string;
  /** The session whose journal this one's began as, and up to which record; left out: it began by itself. */
  readonly forked_from?: { readonly session: string; readonly at_seq: number };
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** When its last record was written, whoever wrote it; null: that is not known. */
  readonly last_written_at: string | null;
}

/** `supervised`: by a supervisor of ours. `hooks`: by what its agent's hooks tell. `transcript`: by what its agent writes of itself. */
export type SeenBy = "supervised" | "hooks" | "transcript";

/** Suspended, and a lift would have it go on: one that was begun anew, or sent away, goes on elsewhere. */
export const canBeLifted = ({
  state,
  renewed_as,
  sent_to,
}: Pick<SessionSummary, "state" | "renewed_as" | "sent_to">): boolean =>
  state === "suspended" && renewed_as === undefined && sent_to === undefined;

/** Which of these sessions, none of them live, left work that is still unsettled: told by a room that knows workspaces. */
export type FindUnsettled = (rows: readonly SessionRow[]) => Promise<ReadonlySet<string>>;

/** While it is made: what a room that knows workspaces has yet to say. */
type Described = Omit<SessionSummary, "unsettled"> & { unsettled: boolean };

/** Newest first. */
export async function describeRows(
  store: Store,
  rows: readonly SessionRow[],
  findUnsettled: FindUnsettled,
): Promise<SessionSummary[]> {
  // All at once: a store on a server reads what is asked in one tick in one statement. Most need no record read: of ten thousand, a promise each is felt.
  const [among, tries] = await Promise.all([
    store.openAmong(rows.map(({ id }) => id)),
    Promise.all(
      rows.filter(needsRecords).map(async (row) => [row.id, await lastAttempt(store, row)] as const),
    ),
  ]);
  const triesOf = new Map<string, number>(tries);
  const nowMs = store.clock.nowMs();
  const described = rows.map((row) => {
    const last_attempt = triesOf.get(row.id) ?? row.claim.attempt;
    return { row, summary: summaryWith(row, among.get(row.id) ?? [], last_attempt, nowMs) };
  });
  const gone = described.filter(({ summary }) => summary.state !== "live").map(({ row }) => row);
  const unsettled = await findUnsettled(gone);
  for (const { summary } of described) summary.unsettled = unsettled.has(summary.id);
  return described
    .map(({ summary }) => summary)
    .sort((a, b) => textOrder(b.started_at ?? "", a.started_at ?? "") || textOrder(a.id, b.id));
}

/** Without the look at its workspace: `unsettled` is false here. */
export async function describeSession(store: Store, row: SessionRow): Promise<SessionSummary> {
  const [open, last_attempt] = await Promise.all([store.open(row.id), lastAttempt(store, row)]);
  return summaryWith(row, open, last_attempt, store.clock.nowMs());
}

function summaryWith(
  row: SessionRow,
  open: readonly OpenRow[],
  last_attempt: number,
  nowMs: number,
): Described {
  const { facts } = row;
  const held = livenessOfHolder(row, livenessOf);
  const state = stateOf({ row, open, liveness: held.liveness, nowMs });
  return {
    id: row.id,
    name: text(facts.name),
    agent: text(facts.agent),
    workspace: text(facts.workspace),
    ...movedOf(row),
    state,
    unsettled: false,
    supervised: state === "live" && !held.isAgentAlone && facts.only_heard !== true,
    ...seenBy(row),
    ...heldBefore(row, state),
    cause: text(facts.cause),
    attempt: row.claim.attempt,
    last_attempt,
    dirty_ends: Number(facts.dirty_ends ?? 0),
    ...(typeof facts.suspended === "string" ? { suspended_for: facts.suspended } : {}),
    ...leadsOf(row),
    ...sentTo(row),
    ...forkedFrom(row),
    started_at: time(facts.started_at_ms),
    ended_at: time(facts.ended_at_ms),
    last_written_at: time(row.lastAtMs),
  };
}

function movedOf(row: SessionRow): Pick<SessionSummary, "moved_from"> {
  const from = movedFromOf(row);
  return from === null ? {} : { moved_from: from };
}

function seenBy({ facts }: SessionRow): Pick<SessionSummary, "seen_by"> {
  const seen_by: readonly SeenBy[] = [
    ...(facts.native_id === undefined ? [] : (["supervised"] as const)),
    ...(facts.hooked === undefined ? [] : (["hooks"] as const)),
    ...(facts.heard === undefined ? [] : (["transcript"] as const)),
  ];
  return seen_by.length === 0 ? {} : { seen_by };
}

/** The last that its hooks told is that such a call begins: it is in it, or ended there. */
function heldBefore({ facts: { hooked } }: SessionRow, state: SessionState): Pick<SessionSummary, "before"> {
  const before = isJsonObject(hooked) ? heldBeforeIn(hooked.before) : null;
  return before !== null && state !== "finished" ? { before } : {};
}

function leadsOf(row: SessionRow): Pick<SessionSummary, "renewed_as" | "continues"> {
  const [to, from] = [renewedAs(row), continuedBy(row)];
  return { ...(to === null ? {} : { renewed_as: to }), ...(from === null ? {} : { continues: from }) };
}

function sentTo(row: SessionRow): Pick<SessionSummary, "sent_to"> {
  const sent = sentAway(row);
  return sent === null ? {} : { sent_to: sent.to };
}

function forkedFrom({ facts }: SessionRow): Pick<SessionSummary, "forked_from"> {
  const { forked_from: session, forked_at: at_seq } = facts;
  return typeof session === "string" && typeof at_seq === "number"
    ? { forked_from: { session, at_seq } }
    : {};
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
const time = (value: unknown): string | null =>
  typeof value === "number" ? new Date(value).toISOString() : null;

/** A conversation that was begun anew (L2), by the rows: where it goes on, and where it came from. */
type WithFacts = Pick<SessionRow, "facts">;

/** Null: it goes on where it is. From here on nothing goes on in the old one, whatever is lifted there. */
export const renewedAs = (row: WithFacts | null): SessionId | null =>
  typeof row?.facts.renewed === "string" ? (row.facts.renewed as SessionId) : null;

export const continuedBy = ({ facts }: WithFacts): SessionId | null =>
  typeof facts.continues === "string" ? (facts.continues as SessionId) : null;
