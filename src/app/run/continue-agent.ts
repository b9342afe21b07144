/**
 * How an agent goes on: by its own resume where its transcript is there and sound, else as a new conversation that knows; either way its
 * model gets the brief, through the channel that was seen to work for that agent, told apart from the user's words (T3).
 *
 * A damaged transcript is mended first, because some agents lose their whole history behind the damage; what was there stays beside it.
 */
import { agentNamed, agentOfCommand } from "../../agents/registry.ts";
import { headOrNull, transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import type {
  AgentAdapter,
  BriefAround,
  ContinuedCommand,
  FoundTranscript,
} from "../../agents/words/adapter.ts";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { bodyAs } from "../../model/record.ts";
import { linkDurable, replaceDurable } from "../../platform/durable-file.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { movedFromOf } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import type { HandoffFile } from "../../supervise/loop.ts";
import { isGone } from "../agents/left-transcripts.ts";
import { freeName, repairTranscript } from "../agents/repair-transcript.ts";
import { type GivenHandoff, HANDOFF_VARIABLE, wordFiles } from "../handoff/brief-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type BringTranscriptEnd, bringTranscript } from "./bring-transcript.ts";

export interface GoingOn {
  readonly row: SessionRow;
  /** As it was typed the first time. */
  readonly command: readonly string[];
  readonly place: string;
  readonly brief: HandoffFile;
  /** Places of words that are somebody's text; left out: none. */
  readonly verbatim?: ReadonlySet<number>;
  /** False: it is only shown, and nothing is changed. */
  readonly isStarted: boolean;
  /** Its conversation came from another machine, or not; left out: it is of this one. */
  readonly brought?: BringTranscriptEnd | null;
}

/** What is typed to start an agent that somebody named; another word is a program of his. */
export const programOfAgent = (name: string): string => agentNamed(name)?.launch?.program ?? name;

export const isAgent = (command: readonly string[]): boolean => agentOfCommand(command) !== null;

/** Null: no agent we know, one that takes no brief so, or its user says himself where it goes. */
export async function continueAgent(
  at: AppPlace,
  store: Store,
  going: GoingOn,
): Promise<GivenHandoff | null> {
  const { command, brief, row } = going;
  const adapter = agentOfCommand(command);
  if (!adapter?.launch || asksItself(command, going.verbatim) || brief.isEmpty) return null;
  const nativeId = nativeIdOf(row, adapter);
  const found = nativeId === null ? null : foundOf(at, adapter, nativeId, going);
  if (found && found.bytes === null && going.isStarted) await mended(at, adapter, found);
  const around: BriefAround = {
    ...{ file: brief.path, env: at.env },
    hasAllFlags: row.facts.only_heard !== true,
    version: await versionOf(store, row, adapter),
    ...(found?.isMoved ? { moved: { transcript: found.path } } : {}),
  };
  const { launch } = adapter;
  const goneOn = (text: string): ContinuedCommand | null =>
    found && nativeId !== null ? launch.resume(nativeId, command, text, around) : null;
  const withText = (text: string): ContinuedCommand | null =>
    goneOn(text) ?? launch.startWith(command, text, around);
  const [started, shown] = [withText(brief.text), withText("{handoff}")];
  if (!started || !shown) return null;
  const childEnv = { [HANDOFF_VARIABLE]: brief.path, ...started.env };
  const anew = around.moved && goneOn("") === null ? { isAnewAfterMove: true as const } : {};
  const given = { command: started.command, typed: command, shown: shown.command, childEnv, ...anew };
  return going.isStarted ? given : { ...given, wordFiles: wordFiles(given, brief) };
}

/** `bytes`: of one that was put here just now, and is sound; null: it was here. Null: there is none to go on with. */
type GoesOn = Extract<BringTranscriptEnd, { kind: "here" }>;

function foundOf(at: AppPlace, adapter: AgentAdapter, nativeId: string, going: GoingOn): GoesOn | null {
  if (going.brought) return going.brought.kind === "here" ? going.brought : null;
  const found = transcriptNamed(adapter, nativeId, at.env, going.place);
  const isMoved = found !== null && isOfMoved(going.row, adapter, found);
  return found && { kind: "here", path: found.path, isMoved, bytes: null };
}

/**
 * Brings the conversation of a session that worked on another machine, where its agent's own resume would go on with it. Null: it would
 * not, or there is nothing to bring.
 */
export async function broughtFor(
  at: AppPlace,
  store: Store,
  going: Pick<GoingOn, "row" | "command" | "place" | "verbatim"> & { readonly isDone: boolean },
): Promise<(BringTranscriptEnd & { readonly agent: string }) | null> {
  const { row, command, place, isDone } = going;
  const adapter = agentOfCommand(command);
  const nativeId = adapter && nativeIdOf(row, adapter);
  if (!adapter?.launch || nativeId === null || asksItself(command, going.verbatim)) return null;
  const around = { file: "", env: at.env, hasAllFlags: row.facts.only_heard !== true, version: null };
  if (adapter.launch.resume(nativeId, command, "", around) === null) return null;
  const brought = await bringTranscript(at, store, { row, adapter, nativeId, place, isDone });
  return brought && { ...brought, agent: adapter.title };
}

/** It was begun where the folder was then; one that was gone on in since is of where it is now. */
function isOfMoved(row: SessionRow, adapter: AgentAdapter, found: FoundTranscript): boolean {
  const cwd = movedFromOf(row) === null ? null : (headOrNull(adapter, found)?.cwd ?? "");
  return cwd !== null && (cwd === "" || isGone(cwd));
}

/** His command says where the brief goes. */
export const asksItself = (command: readonly string[], verbatim?: ReadonlySet<number>): boolean =>
  command.some((word, at) => !verbatim?.has(at) && /\{handoff(?:-file)?\}/.test(word));

/** The version that last wrote; null: nobody heard it. */
async function versionOf(store: Store, { id }: SessionRow, { name }: AgentAdapter): Promise<string | null> {
  const query = { session: id, kinds: ["agent.heard"] as const, order: "backward" as const, limit: 20 };
  const heard = (await store.records(query)).map((record) => bodyAs(record, "agent.heard"));
  return (
    heard.find((one) => one?.agent === name && one.child !== true && one.version !== null)?.version ?? null
  );
}

/** The id this agent knows the session by; null: another agent had it, or nobody knows. */
function nativeIdOf({ facts }: SessionRow, { name }: AgentAdapter): string | null {
  const { heard, native_id } = facts;
  if (isJsonObject(heard))
    return heard.agent === name && typeof heard.native_id === "string" ? heard.native_id : null;
  return facts.agent === name && typeof native_id === "string" ? native_id : null;
}

/** Only files of lines are mended: a database and a document are the agent's own to repair. */
async function mended(at: AppPlace, adapter: AgentAdapter, { path }: GoesOn): Promise<void> {
  if (adapter.transcript.storage !== "lines") return;
  try {
    const { copy } = await repairTranscript(at, { file: path, agent: adapter.name });
    if (!copy) return;
    linkDurable(path, freeName(path, "before-repair"));
    replaceDurable(copy.path, path);
  } catch (thrown) {
    // A full disk, a folder of somebody else's: the agent reads what is there, as without us.
    if (!(thrown instanceof RefloatError)) throw thrown;
  }
}
