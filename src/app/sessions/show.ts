/** One session as a whole: who tried, what came of it, what is open; without secrets, unless that is asked for (T4). Reads only. */

import type { BriefChild } from "../../handoff/brief-facts.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { beforeHooked, beforeImages } from "../../salvage/story/before-images.ts";
import { firstRequest, readStory } from "../../salvage/story/session-story.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import type { HeldBefore } from "../../text/before-words.ts";
import { childResumeWords } from "../../text/child-resume-words.ts";
import { oneLine } from "../../text/escape.ts";
import { boundedInputs, redactBeginnings } from "../../text/redact-part.ts";
import { tellingText } from "../../text/telling-text.ts";
import type { RedactedValue } from "../../text/without-secrets.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import { keptOf } from "../../workspace/captures/keep-commits.ts";
import { childToolOf } from "../agents/child-tool.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { ClaimView } from "./claim-facts.ts";
import { claimFacts } from "./claim-facts.ts";
import { findSession, summaryOf } from "./find-session.ts";
import { goesOn } from "./goes-on.ts";
import type { Timeline } from "./timeline.ts";
import { readTimeline } from "./timeline.ts";
import type { TimelineCall } from "./timeline-fold.ts";
export interface ShowOptions {
  /** Secrets are left in. */
  readonly isRaw: boolean;
  /** Of each call's input this many characters, as text; null: all of it within its bound, as it is. */
  readonly inputChars: number | null;
}

export interface ShownSession {
  readonly store: RefloatStore;
  readonly session: SessionSummary & { readonly goal: string | null };
  readonly claim: ClaimView;
  readonly timeline: Timeline;
  /** `log` has something to show: an agent without an adapter says nothing under `run`. */
  readonly hasConversation: boolean;
  /** `resume` would go on with it. */
  readonly goesOn: boolean;
  /** A conversation of a gateway: there each message is a claim, and none of them a try. */
  readonly isOfGateway: boolean;
  /** What its hooks told last; null: it has none, or they told nothing. */
  readonly hooks: ShownHooks | null;
  /** Its commits that no remote had, kept in the store; null: nobody looked, or a remote has them all. */
  readonly commits: ShownCommits | null;
  /** Its subagents, each with where it worked and how it is gone on with. */
  readonly children: readonly ShownChild[];
  /** How many secrets were taken out. */
  readonly redacted: number;
}

export interface ShownCommits {
  /** The last one that can be had from the store. */
  readonly head: string | null;
  readonly commits: number;
  readonly bytes: number;
  /** Why those after it are not kept; null: they are. */
  readonly left_out: string | null;
}

export interface ShownChild extends BriefChild {
  /** In words; null: there is nothing to go on with. */
  readonly resume_words: string | null;
}

export interface ShownHooks {
  /** As the agent spells it. */
  readonly last_event: string;
  readonly at: string;
  /** Calls that began and of which no end was told, since the session was last given back; without secrets. */
  readonly in_calls: readonly {
    readonly tool: string;
    readonly input: string;
    /** What is held of the tree as it was before it; left out: it takes nothing away. */
    readonly before?: HeldBefore;
  }[];
}

export async function showSession(
  at: AppPlace,
  typed: string | null,
  options: ShowOptions,
): Promise<ShownSession> {
  const { store, row } = await findSession(at, typed);
  return showRow(store, row, options);
}

export async function showRow(
  store: RefloatStore,
  row: SessionRow,
  { isRaw, inputChars }: ShowOptions,
): Promise<ShownSession> {
  const summary = await summaryOf(store, row);
  const goal = typeof row.facts.goal === "string" ? row.facts.goal : await firstRequest(store.raw, row.id);
  const whole = asEnded(await readTimeline(store.raw, row), summary.state === "live");
  const calls =
    inputChars === null
      ? await boundedCalls(whole.calls, isRaw)
      : await beginningsOfInputs(whole.calls, isRaw, inputChars);
  const { suspended_for: why } = summary;
  const told = { goal, ...(why === undefined ? {} : { suspended_for: why }) };
  const hooks = await hooksOf(store.raw, row, inputChars ?? MAX_HOOKED_CHARS);
  const children = await childrenOf(store.raw, row);
  const images = await beforeImages(store.raw, row);
  const withImages = calls.value.map((call) => {
    const before = images.get(call.id);
    return before === undefined ? call : { ...call, before };
  });
  const timeline = { ...whole, calls: withImages };
  const rest = await withoutSecrets({ told, hooks, children, timeline }, isRaw);
  return {
    store,
    session: { ...summary, ...rest.value.told },
    claim: await claimFacts(store.raw, row),
    timeline: rest.value.timeline,
    hasConversation: await hasConversation(store.raw, row.id),
    goesOn: await goesOn(store, row, summary, () => sameWorkspace(store, row)),
    isOfGateway: typeof row.facts.gateway === "string",
    hooks: rest.value.hooks,
    commits: commitsOf(row),
    children: rest.value.children,
    redacted: rest.count + calls.count,
  };
}

function commitsOf(row: SessionRow): ShownCommits | null {
  const { whole: head = null, commits = 0, bytes = 0, leftOut: left_out = null } = keptOf(row) ?? {};
  return commits === 0 && left_out === null ? null : { head, commits, bytes, left_out };
}

/** Only an agent that is heard tells of them. */
async function childrenOf(store: Store, row: SessionRow): Promise<readonly ShownChild[]> {
  if (row.facts.heard === undefined) return [];
  const { childrenTold } = await import("../../handoff/told-facts.ts");
  const story = await readStory(store, row);
  const childTool = await childToolOf(row, story.calls);
  const told = await childrenTold({ store, row, story, root: workspaceIn(row), childTool });
  return told.map((child) => ({ ...child, resume_words: childResumeWords(child, oneLine) }));
}

const sameWorkspace = (store: RefloatStore, row: SessionRow): Promise<readonly SessionRow[]> =>
  store.raw.sessions({ workspace: workspaceIn(row) });

/** Of a call's input, where nobody says how much of it is wanted. */
const MAX_HOOKED_CHARS = 2000;

async function hooksOf(store: Store, row: SessionRow, chars: number): Promise<ShownHooks | null> {
  const { id, facts } = row;
  const { hooked } = facts;
  if (!isJsonObject(hooked)) return null;
  const { hookedWork } = await import("../../agents/journal/take-hooked.ts");
  const [agent, nativeId] = [String(hooked.agent), String(hooked.native_id)];
  const last = (await hookedWork(store, id, { agent, nativeId })).last;
  const open = last?.end == null ? (last?.calls.filter(({ result }) => result === null) ?? []) : [];
  const imageOf = await beforeHooked(store, row);
  return {
    last_event: String(hooked.event),
    at: new Date(Number(hooked.at_ms)).toISOString(),
    in_calls: open.map(({ call: { tool, input } }) => {
      const before = imageOf({ tool, input });
      return { tool, input: tellingText(input).slice(0, chars), ...(before === null ? {} : { before }) };
    }),
  };
}

const hasConversation = async (store: Store, session: SessionId): Promise<boolean> =>
  (await store.records({ session, kinds: SAID, limit: 1 })).length > 0;

const SAID = ["message.added", "message.opened", "input.taken", "call.started"] as const;

/** A call without a result whose owner is gone is running no more; whether it happened nobody knows (C4). */
function asEnded(timeline: Timeline, isLive: boolean): Timeline {
  if (isLive) return timeline;
  const calls = timeline.calls.map((call) =>
    call.ended_at === null ? { ...call, status: "unknown-outcome" } : call,
  );
  return { ...timeline, calls };
}

/** Long ones cut, with `input_cut`; secrets are looked for before the cut (T4). */
async function boundedCalls(
  calls: readonly TimelineCall[],
  isRaw: boolean,
): Promise<RedactedValue<TimelineCall[]>> {
  const inputs = await boundedInputs(
    calls.map(({ input }) => input),
    isRaw,
  );
  const value = calls.map((call, at): TimelineCall => {
    const bounded = inputs[at];
    return bounded?.isCut ? { ...call, input: bounded.input, input_cut: true } : call;
  });
  return { value, count: inputs.reduce((sum, { count }) => sum + count, 0) };
}

/** What a screen says of it; nobody pays for searching what is not shown. */
async function beginningsOfInputs(
  calls: readonly TimelineCall[],
  isRaw: boolean,
  chars: number,
): Promise<RedactedValue<TimelineCall[]>> {
  const texts = calls.map(({ input }) => ({ text: tellingText(input), chars }));
  if (isRaw) return { value: calls.map((call, at) => ({ ...call, input: texts[at]?.text ?? "" })), count: 0 };
  const redacted = await redactBeginnings(texts);
  const value = calls.map((call, at) => ({ ...call, input: redacted[at]?.text ?? "" }));
  return { value, count: redacted.reduce((sum, { found }) => sum + found.length, 0) };
}
