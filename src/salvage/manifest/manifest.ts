/**
 * The manifest as the contract has it (DESIGN 10): bounded (T5), and with secrets taken out of every text that came from
 * the agent, its tools or the files (T4). Paths stay as they are: they must be usable.
 */
import type { FoldedCall } from "../../conversation/fold.ts";
import { NOW } from "../../model/ids.ts";
import type { Json } from "../../model/json.ts";
import type { Manifest, ManifestChange, ManifestGroup } from "../../model/manifest.ts";
import { type PathName, pathJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { SessionState } from "../../session/state.ts";
import { redact, redactJson } from "../../text/redact.ts";
import { boundedInputs, redactBeginnings } from "../../text/redact-part.ts";
import type { ChangeFact, OperationFact } from "../../triage/facts/known/triage-facts.ts";
import type { Group } from "../../triage/verdict/group.ts";
import type { Change } from "../../workspace/compare/states.ts";
import { isStaged } from "../../workspace/tree/reading.ts";
import type { OwnedChanges } from "../changes/owned-changes.ts";
import type { Salvage } from "../judging/salvage.ts";
import { firstAbout } from "../story/agent-story.ts";
import { checkOf } from "../story/call-check.ts";
import type { HowFar } from "../story/operations.ts";
import type { SessionStory } from "../story/session-story.ts";
import { lastOutput } from "./last-output.ts";
import { nextCommands } from "./next-commands.ts";

/** Changes a manifest lists one by one; of more, each group says how many it leaves out. */
const MAX_CHANGES = 20_000;
const MAX_MEMBERS = 100;
/** Calls listed: those nobody saw end, and the last ones before. */
const MAX_CALLS = 20;
const MAX_DECISIONS = 100;
const MAX_PLAN = 100;
const MAX_OPERATIONS = 200;
const MAX_EVIDENCE = 20;
/** A sentence the agent said is shown on a line or two. */
const MAX_SAID_CHARS = 200;
/** Of the first request, where it stands for the goal. */
const ASKED_CHARS = 600;
/** Nested repositories and the like: a handful; more of them are one misplaced folder. */
const MAX_GAPS = 200;

export async function manifestOf(found: Salvage): Promise<Manifest> {
  const { session, story, owned } = found;
  const { id, agent, state, unsettled, cause, attempt, last_attempt, dirty_ends, isImplied } = session;
  const why = session.suspended_for;
  const head = owned.held ? owned.held.head : owned.now.reading.head;
  const turn = story.turns.at(-1);
  return {
    session: {
      id,
      agent,
      state,
      unsettled,
      cause,
      attempt,
      last_attempt,
      dirty_ends,
      ...(why === undefined ? {} : { suspended_for: (await redact(why)).text }),
      ...(session.moved_from === undefined ? {} : { moved_from: session.moved_from }),
      ...(isImplied ? { implied: true } : {}),
    },
    ...(await saidIn(found)),
    turn: turn
      ? {
          ...{
            id: turn.id,
            outcome: turn.outcome ?? outcomeFound(state),
            started_at: time(turn.startedAtMs),
          },
          ...(turn.isInferred && state !== "finished" ? { inferred: true as const } : {}),
        }
      : null,
    calls: await callsIn(found),
    base: { head: head?.id ?? null, branch: head?.branch ?? null, ...workedOn(owned) },
    ...heldIn(owned.held),
    groups: await groupsIn(found.groups, stagedIn(found)),
    leftovers: await redacted(
      found.leftovers.map(({ pid, command, startedAt, kept, remedy }) => ({
        ...{ pid, command, started_at: startedAt, kept, remedy },
      })),
    ),
    gaps: gapsIn(found),
    moving: found.isMoving,
    captures: found.captures.map(({ id: capture, atMs, reason, partial }) => ({
      id: capture,
      at: time(atMs),
      reason,
      partial,
    })),
    claims_contradicted: await claimsIn(found),
    next: nextCommands(found),
  };
}

/** By its own captures: HEAD moves on when what it left is settled. */
function workedOn({ track }: OwnedChanges): Pick<Manifest["base"], "began_at" | "worked_on"> {
  const seen = track?.captures.filter(({ id }) => id !== NOW) ?? [];
  const [first, last] = [seen[0], seen.at(-1)];
  const hasCommit = Boolean(first?.headId ?? last?.headId);
  return first && last && hasCommit ? { began_at: first.headId, worked_on: last.headId } : {};
}

/** W8: what is judged is not in this tree, and what of it this clone does not have. */
function heldIn(held: OwnedChanges["held"]): Pick<Manifest, "held"> {
  if (!held) return {};
  const { capture, atMs, path, base, missing } = held;
  return { held: { capture, at: time(atMs), path, base, missing_commits: [...missing] } };
}

/** C8: an open turn whose owner is gone was cut off; its recovery will write that, whoever looks before it. */
const outcomeFound = (state: SessionState): string | null =>
  state === "interrupted" || state === "suspended" ? "interrupted" : null;

function gapsIn(found: Salvage): Manifest["gaps"] {
  return untoldGaps(found)
    .slice(0, MAX_GAPS)
    .map(({ path, why }) => ({ ...pathJson(path), why }));
}

const time = (ms: number): string => new Date(ms).toISOString();

async function saidIn({
  goal,
  story,
  operations,
  howFar,
}: Salvage): Promise<Pick<Manifest, "goal" | "plan" | "last_output" | "operations" | "decisions">> {
  const shown = operations.slice(-MAX_OPERATIONS).map((one) => ({ one, far: howFar(one) }));
  const notes = await redactBeginnings(
    shown.map(({ far }) => ({ text: far?.note ?? "", chars: MAX_SAID_CHARS })),
  );
  return {
    goal: goal === null ? await askedFirst(story) : (await redact(goal)).text,
    ...(story.plan.length > 0
      ? { plan: await redacted(story.plan.slice(0, MAX_PLAN).map((item) => ({ ...item }))) }
      : {}),
    last_output: await lastOutput(story.messages),
    operations: await redacted(
      shown.map(({ one, far }, at) => ({ ...operationIn(one), ...howFarIn(far, notes[at]?.text ?? "") })),
    ),
    decisions: await redacted(story.decisions.slice(-MAX_DECISIONS).map((one) => ({ ...one }))),
  };
}

/** What was asked first stands for a goal that nobody set; pages that were pasted behind it are in the log. */
async function askedFirst({ requests }: SessionStory): Promise<string | null> {
  const text = firstAbout(requests)?.text.trim() ?? "";
  if (text === "") return null;
  const [shown] = await redactBeginnings([{ text, chars: ASKED_CHARS }]);
  return `${(shown?.text ?? "").trimEnd()}${text.length > ASKED_CHARS ? "…" : ""}`;
}

const operationIn = ({ id, label, state, paths }: OperationFact) => ({
  ...{ id, label, state },
  paths: [...(paths ?? [])],
});

function howFarIn(far: HowFar | null, note: string): Pick<Manifest["operations"][number], "so_far"> {
  if (!far) return {};
  const { changed, isUncertain, untouched, endedInside } = far;
  return {
    so_far: {
      changed,
      uncertain: isUncertain,
      untouched: [...untouched],
      ended_inside: [...endedInside],
      note: far.note === null ? null : note,
    },
  };
}

async function callsIn({ story, session }: Salvage): Promise<Manifest["calls"]> {
  const isLive = session.state === "live";
  const isOpen = ({ result }: FoldedCall): boolean => result === null || result.isSynthetic;
  const open = story.calls.filter(isOpen).slice(-MAX_CALLS);
  const room = MAX_CALLS - open.length;
  const ended = room > 0 ? story.calls.filter((call) => !isOpen(call)).slice(-room) : [];
  const shown = [...open, ...ended].sort((a, b) => a.seq - b.seq);
  const inputs = await boundedInputs(shown.map(({ input }) => input));
  return redacted(
    shown.map((call, at) => ({
      id: call.id,
      tool: call.tool,
      input: inputs[at]?.input ?? null,
      status: call.result ? call.result.status : isLive ? ("running" as const) : ("unknown-outcome" as const),
      effect: call.effect,
      check: checkOf(call, { isRunning: isLive && call.result === null }),
      ...(story.before.has(call.id) ? { before: story.before.get(call.id) } : {}),
    })),
  );
}

async function claimsIn({ contradictions }: Salvage): Promise<Manifest["claims_contradicted"]> {
  const isCut = contradictions.map(({ said }) => said.length > MAX_SAID_CHARS);
  const said = await redactBeginnings(
    contradictions.map((one, at) => ({ text: one.said, chars: MAX_SAID_CHARS - (isCut[at] ? 1 : 0) })),
  );
  return redacted(
    contradictions.map((one, at) => ({ ...one, said: `${said[at]?.text ?? ""}${isCut[at] ? "…" : ""}` })),
  );
}

/** What the user, or the session, has put into the index: he is to know what a commit of his own would take. */
const stagedIn = ({ owned }: Salvage): ReadonlySet<PathName> =>
  new Set(owned.now.reading.entries.filter(isStaged).map(({ path }) => path));

async function groupsIn(groups: readonly Group[], staged: ReadonlySet<PathName>): Promise<ManifestGroup[]> {
  let room = MAX_CHANGES;
  const reasons = await redacted(
    groups.map((group) =>
      group.reasons.map(({ rule, message, evidence, remedy }) => ({
        ...{ rule, message, evidence: evidence.slice(0, MAX_EVIDENCE) },
        ...(remedy === undefined ? {} : { remedy }),
      })),
    ),
  );
  const evidence = await ownerEvidence(groups);
  return groups.map(({ id, verdict, changes }, at) => {
    const shown = changes.slice(0, room);
    room -= shown.length;
    const leftOut = changes.length - shown.length;
    return {
      id,
      verdict,
      reasons: reasons[at] ?? [],
      changes: shown.map((fact) => changeIn(fact, { staged, evidence })),
      ...(leftOut > 0 ? { left_out: leftOut } : {}),
    };
  });
}

/** They name tools, which are the agent's own words (T4): many changes share a sentence, so each is searched once. */
async function ownerEvidence(groups: readonly Group[]): Promise<ReadonlyMap<string, string>> {
  const all = groups.flatMap(({ changes }) =>
    changes.flatMap(({ owner }) => owner.evidence.map(({ message }) => message)),
  );
  const messages = [...new Set(all)];
  const shown = await redacted(messages);
  return new Map(messages.map((message, at) => [message, shown[at] ?? ""]));
}

interface ChangeAround {
  readonly staged: ReadonlySet<PathName>;
  /** Its sentences without secrets. */
  readonly evidence: ReadonlyMap<string, string>;
}

function changeIn({ change, owner }: ChangeFact, { staged, evidence }: ChangeAround): ManifestChange {
  const { path, kind, from, to, fromPath, members } = change;
  return {
    ...pathJson(path),
    kind,
    from: stateIn(from, fromPath),
    to: stateIn(to),
    owner: owner.owner,
    ...(owner.ownerSession === null ? {} : { owner_session: owner.ownerSession }),
    owner_evidence: owner.evidence
      .slice(0, MAX_EVIDENCE)
      .map((one) => ({ ...one, message: evidence.get(one.message) ?? "" })),
    ...(members.length > 0 ? membersIn(members) : {}),
    ...(staged.has(path) ? { staged: true as const } : {}),
  };
}

function membersIn(members: readonly Change[]): Pick<ManifestChange, "members" | "members_left_out"> {
  const shown = members.slice(0, MAX_MEMBERS).map(({ path, kind }) => ({ ...pathJson(path), kind }));
  const leftOut = members.length - shown.length;
  return { members: shown, ...(leftOut > 0 ? { members_left_out: leftOut } : {}) };
}

function stateIn(state: PathState, path?: PathName): ManifestChange["from"] {
  return state === null ? null : { ...state, ...(path === undefined ? {} : pathJson(path)) };
}

async function redacted<T>(value: T): Promise<T> {
  return (await redactJson(value as unknown as Json)).value as unknown as T;
}

/**
 * Changed paths that no group tells of: what could not be read in the tree, and what cannot be compared, because the other side is
 * not there. A manifest that left them out would say that nothing differs (W4, T1).
 */
interface UntoldGap {
  readonly path: PathName;
  readonly why: string;
}

export function untoldGaps({ owned, groups }: Pick<Salvage, "owned" | "groups">): UntoldGap[] {
  const told = new Set(groups.flatMap(({ changes }) => changes.map(({ change }) => change.path)));
  const gaps = new Map(owned.unknown.map(({ path, why }) => [path, why]));
  for (const { path, detail } of owned.now.reading.gaps) gaps.set(path, detail);
  return [...gaps].flatMap(([path, why]) => (told.has(path) ? [] : [{ path, why }]));
}
