/**
 * What a session left, as the survivor computes it (S1): the journal, the tree as it is now, HEAD, and the judge. Nothing
 * is asked of the dying session, and it can be had where refloat was never installed: then the session is implied, and
 * every owner unknown. Reads only; the same for `inspect` and for every command that settles.
 */
import { createHash } from "node:crypto";
import { NOW } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/places.ts";
import { describeSession, type SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { globMatcher } from "../../text/glob.ts";
import { analysisHere } from "../../triage/facts/analysis-here.ts";
import { type AnalysisCache, createMemoryCache } from "../../triage/facts/known/kept.ts";
import type {
  HeadTree,
  OperationFact,
  OverrideFact,
  TriageFacts,
  VerifyFact,
} from "../../triage/facts/known/triage-facts.ts";
import { createParsers } from "../../triage/facts/parse/parsers.ts";
import { NO_PATH_RULES, type PathRules } from "../../triage/facts/paths/path-rules.ts";
import { isRecorded } from "../../triage/links/operations.ts";
import type { Group } from "../../triage/verdict/group.ts";
import { type CaptureList, type ListedCapture, listCaptures } from "../../workspace/captures/captures.ts";
import { pathsOf } from "../../workspace/compare/states.ts";
import { lookAt } from "../../workspace/files/read-path.ts";
import { headFiles, NO_HEAD_FILES } from "../../workspace/git/head-files.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { analysisApart } from "../analysis/apart.ts";
import { analysisThreads } from "../analysis/threads.ts";
import { type BytesOf, changeContents } from "../changes/change-contents.ts";
import { endedWork } from "../changes/ended-work.ts";
import { judgedInPart, type OwnedChanges, ownedChanges } from "../changes/owned-changes.ts";
import { type PartOf, sessionParts } from "../changes/session-parts.ts";
import { type Contradiction, contradictions, type WorkEvidence } from "../story/contradictions.ts";
import { type HowFar, howFar, markedOperations } from "../story/operations.ts";
import {
  EMPTY_STORY,
  impliedSession,
  readStory,
  type SessionStory,
  withOutput,
} from "../story/session-story.ts";
import { judgedGroups, worstFirst } from "./judged-groups.ts";
import { triageFacts } from "./triage-facts.ts";

export interface FoundLeftover {
  readonly pid: number;
  readonly command: string;
  readonly startedAt: string | null;
  /** Why refloat does not stop it (S2); null: `--stop-leftovers` does. */
  readonly kept: string | null;
  /** What the user can type about one that is kept; null: nothing. */
  readonly remedy: string | null;
}

export interface SalvageOptions {
  readonly store: Store | null;
  readonly workspace: Workspace;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  /** The session as whoever knows workspaces describes it; left out: without the look at what is unsettled. */
  readonly summary?: SessionSummary;
  readonly env: Environment;
  readonly clock: Clock;
  readonly leftovers?: readonly FoundLeftover[];
  /** `resume` would go on with it. */
  readonly goesOn?: boolean;
  /** What the agent printed last, where that outlived its supervisor and is on no record yet. */
  readonly unkeptOutput?: string | null;
  readonly pathRules?: PathRules;
  /** Globs of changes that judging leaves out: they are in no group. */
  readonly ignore?: readonly string[];
  readonly overrides?: readonly OverrideFact[];
  readonly verify?: VerifyFact | null;
  /** A check is trusted here: then none is proposed. */
  readonly hasCheck?: boolean;
  /** Judges what the ended operations of a session left, though it lives; all else of it is still being written. */
  readonly isOfEnded?: boolean;
  /** What earlier looks found out about contents. */
  readonly cache?: AnalysisCache;
  readonly onProgress?: (done: number, total: number) => void;
  /** Is given what is known before the judging, which takes longest; it waits for the end of this. */
  readonly onTold?: (told: ToldSalvage) => Promise<void>;
}

export interface Salvage {
  readonly session: SessionSummary & { readonly isImplied: boolean };
  readonly goal: string | null;
  readonly story: SessionStory;
  /** Begun by record or marked in text, oldest first. */
  readonly operations: readonly OperationFact[];
  /** Of one that did not end; null: it did. */
  readonly howFar: (operation: OperationFact) => HowFar | null;
  readonly owned: OwnedChanges;
  /** The worst first. */
  readonly groups: readonly Group[];
  readonly leftovers: readonly FoundLeftover[];
  /** `resume` would go on with it. */
  readonly goesOn: boolean;
  readonly isMoving: boolean;
  /** Newest first, of this session. */
  readonly captures: readonly ListedCapture[];
  /** Of those, with what they hold: the newest by status and the newest of an end. */
  readonly wholeCaptures: CaptureList["whole"];
  readonly contradictions: readonly Contradiction[];
  readonly bytesOf: BytesOf;
  readonly partOf: PartOf;
  /** What it was judged by: for judging it again with more evidence. */
  readonly facts: TriageFacts;
}

/** What a session left as far as it is known before anything is judged. */
export type ToldSalvage = Omit<Salvage, "groups" | "isMoving">;

/** Captures a manifest lists. */
const MAX_CAPTURES = 20;

export async function salvage(options: SalvageOptions): Promise<Salvage> {
  const { told, before } = await gather(options);
  await options.onTold?.(told);
  const { facts, owned, session } = told;
  const here = analysisHere(createParsers());
  const analysis = analysisApart(analysisThreads(here, { files: facts.changes.length }));
  const groups = await judgedGroups({ ...facts, analysis }, owned.now.headId).finally(() => analysis.close());
  return {
    ...told,
    session: session.isImplied ? { ...session, unsettled: groups.length > 0 } : session,
    groups: groups.toSorted(worstFirst),
    isMoving: facts.moving !== null || looks(options.workspace.root, owned) !== before,
  };
}

/** Everything but the verdicts, and how the changed paths looked when they had been read. */
async function gather(options: SalvageOptions): Promise<{ told: ToldSalvage; before: string }> {
  const { store, workspace, row, leftovers = [] } = options;
  const session = await summaryOf(options);
  const journal = store && row ? await readStory(store, row) : EMPTY_STORY;
  const story = withOutput(journal, options.unkeptOutput ?? null);
  const owned = withoutIgnored(await ownedChanges(options), options.ignore ?? []);
  const before = looks(workspace.root, owned);
  const { listed: captures, whole: wholeCaptures } =
    store && row ? await listCaptures(store, row, MAX_CAPTURES) : { listed: [], whole: [] };
  const contents = await contentsOf(options, owned);
  const facts = factsOf(options, { session, story, owned, contents });
  const marked = await markedOperations(facts);
  const unrecorded = marked.operations.filter((one) => !isRecorded(one, facts.operations));
  const operations = [...facts.operations, ...unrecorded];
  const told: ToldSalvage = {
    session,
    goal: typeof row?.facts.goal === "string" ? row.facts.goal : null,
    story,
    operations,
    howFar: (operation) => howFar(operation, operations, facts, marked.noteOf),
    owned,
    leftovers,
    goesOn: options.goesOn === true,
    captures,
    wholeCaptures,
    contradictions: contradictions({ ...story, operations }, evidenceOf(owned)),
    bytesOf: contents.bytesOf,
    partOf: contents.partOf,
    facts,
  };
  return { told, before };
}

interface Contents {
  readonly bytesOf: BytesOf;
  readonly partOf: PartOf;
  readonly head: HeadTree;
}

/** The bytes the judge asks for: of each change on either side, and of HEAD. */
async function contentsOf({ store, workspace }: SalvageOptions, owned: OwnedChanges): Promise<Contents> {
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const { headId } = owned.now;
  const partOf = sessionParts({ store, repository, workspace, owned });
  const parts = judgedInPart(owned);
  const headAt = new Map(owned.now.reading.entries.map(({ path, head }) => [path, head]));
  const bytesOf = changeContents({
    store,
    repository,
    root: workspace.root,
    headId,
    changes: owned.changes.map(({ change }) => change),
    headAt: (path) => headAt.get(path),
    partOf: async (change) => {
      if (!parts.has(change)) return null;
      const part = await partOf(change);
      return part.kind === "part" ? part.bytes : null;
    },
  });
  const head = repository && headId !== null ? headFiles(repository, headId) : NO_HEAD_FILES;
  return { bytesOf, partOf, head };
}

interface FoundWork extends Pick<Salvage, "session" | "story" | "owned"> {
  readonly contents: Contents;
}

function factsOf(options: SalvageOptions, { session, story, owned, contents }: FoundWork): TriageFacts {
  const { workspace, leftovers = [] } = options;
  const facts = triageFacts({
    owned,
    story,
    bytesOf: contents.bytesOf,
    head: contents.head,
    pathRules: options.pathRules ?? NO_PATH_RULES,
    overrides: options.overrides ?? [],
    verify: options.verify ?? null,
    isWithoutProposal: options.hasCheck === true || owned.now.headId === null,
    moving: movingOf(session, leftovers),
    // Of a plain folder nobody knows which lines of a journal are new.
    isImplied: session.isImplied && workspace.kind === "git",
    isFinished: session.state === "finished",
    cache: options.cache ?? createMemoryCache(),
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
  if (options.isOfEnded !== true || leftovers.length > 0) return facts;
  const at = (path: PathName): ReturnType<typeof lookAt> => lookAt(workspace.root, path);
  return { ...facts, moving: notEnded(owned, endedWork({ owned, story, facts, at })) };
}

const evidenceOf = ({ track, now, changes, held }: OwnedChanges): WorkEvidence => ({
  headAtBegin: track?.captures.find(({ id }) => id !== NOW)?.headId ?? null,
  headNow: held?.head?.id ?? now.headId,
  hasOwnChanges: changes.some(({ owner }) => owner.owner === "session"),
});

/** A change is left out when all of it is: of a rename both places, of a directory everything in it. */
function withoutIgnored(owned: OwnedChanges, ignore: readonly string[]): OwnedChanges {
  if (ignore.length === 0) return owned;
  const isIgnored = globMatcher(ignore);
  return { ...owned, changes: owned.changes.filter(({ change }) => !pathsOf(change).every(isIgnored)) };
}

/** While somebody may still write, nothing is settled about what he writes (S2). */
function movingOf(session: SessionSummary, leftovers: readonly FoundLeftover[]): TriageFacts["moving"] {
  if (leftovers.length > 0) {
    const [first] = leftovers;
    const more = leftovers.length - 1;
    const why =
      more > 0
        ? `process ${first?.pid} and ${more} more of the session are running`
        : `process ${first?.pid} of the session is running`;
    return { paths: "all", why };
  }
  return session.state === "live" ? { paths: "all", why: "the session is live" } : null;
}

/** S2: what no ended operation explains, the agent may be writing at this moment. */
function notEnded({ changes }: OwnedChanges, ended: ReadonlySet<PathName>): TriageFacts["moving"] {
  const paths = changes.flatMap(({ change }) => pathsOf(change)).filter((path) => !ended.has(path));
  return paths.length === 0 ? null : { paths, why: "no ended operation has it as it is now" };
}

/** What a trailer may speak of. */
export const trailerFacts = ({ session }: Salvage): { session: string | null; agent: string | null } => ({
  session: session.isImplied ? null : session.id,
  agent: session.agent,
});

/** What a look at the changed paths shows; another look that shows something else means that somebody writes. */
function looks(root: string, { changes, held }: OwnedChanges): string {
  // What is held does not move.
  if (held) return "";
  const hash = createHash("sha256");
  for (const { change } of changes) {
    for (const path of pathsOf(change)) hash.update(`${path}\0${lookText(root, path)}\n`);
  }
  return hash.digest("hex");
}

function lookText(root: string, path: PathName): string {
  const stat = lookAt(root, path);
  return stat ? `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "-";
}

async function summaryOf({ store, workspace, row, summary }: SalvageOptions): Promise<Salvage["session"]> {
  if (!store || !row) return { ...impliedSession(workspace.root), isImplied: true };
  return { ...(summary ?? (await describeSession(store, row))), isImplied: false };
}
