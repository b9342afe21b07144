/**
 * The brief of a session, about the workspace it worked in, wherever somebody stands; and of a tree that somebody changed where
 * no session was recorded (S1): what git, the journals and the plans tell. One road for the screen, the file that an agent is
 * started with, the bundle and the notice, so that all of them tell the same (S7).
 */

import type { BriefFacts } from "../../handoff/brief-facts.ts";
import { gatherFacts, redactFacts } from "../../handoff/gather-facts.ts";
import { type Brief, writeBrief } from "../../handoff/write-brief.ts";
import { RefloatError } from "../../model/errors.ts";
import { DEFAULT_BUDGET_TOKENS, MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../../model/limits.ts";
import type { Manifest } from "../../model/manifest.ts";
import type { Clock } from "../../platform/clock.ts";
import { manifestOf } from "../../salvage/manifest/manifest.ts";
import { impliedSession } from "../../salvage/story/session-story.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { headConfig } from "../../workspace/opening/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { sessionsWithSay } from "../../workspace/sessions/workspace-sessions.ts";
import { nothingSafe } from "../../workspace/trust/judging-config.ts";
import { type LookedTrees, openTrusted } from "../../workspace/trust/open-trusted.ts";
import { childToolOf } from "../agents/child-tool.ts";
import { type AppPlace, lookingOnce } from "../place/app-place.ts";
import { type JudgedWork, type RunsCheck, salvageOf } from "../salvage/salvage-of.ts";
import { chooseSession } from "../sessions/choose-session.ts";
import { findSession, newestHere, summaryOf } from "../sessions/find-session.ts";
import { sessionTree } from "../sessions/session-tree.ts";
import type { RefloatStore } from "../store/open-store.ts";

/** Whom a brief tells of. */
export type BriefSubject =
  | { readonly kind: "session"; readonly store: RefloatStore; readonly row: SessionRow }
  /** Nobody recorded one here: the tree itself, and the sessions of this workspace that are others'. */
  | {
      readonly kind: "implied";
      readonly store: RefloatStore | null;
      readonly workspace: Workspace;
      readonly rows: readonly SessionRow[];
    };

export interface GatheredBrief {
  readonly workspace: Workspace;
  readonly manifest: Manifest;
  /** Redacted (T4). */
  readonly facts: BriefFacts;
  /** What the manifest tells of, with the way to its bytes. */
  readonly found: JudgedWork["found"];
}

export interface WrittenBrief extends GatheredBrief {
  readonly brief: Brief;
}

export interface SessionSalvage extends JudgedWork {
  readonly workspace: Workspace;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  readonly summary: SessionSummary;
}

export interface BriefSurroundings {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** The store's folder. */
  readonly home: string;
  /** Where somebody stands: work that is held is told about a clone there (W8). */
  readonly stands: string;
  /** It is given to who goes on: he is not told to. */
  readonly isGoingOn?: boolean;
  /** Commands in it as they can be typed where it is printed (T6); left out: in the workspace itself. */
  readonly typed?: (text: string) => string;
  /** Is told the top of the tree it is about, before anything is worded. */
  readonly onWorkspace?: (root: string) => void;
  /** Of one look that only reads (open-trusted.ts). */
  readonly trees?: LookedTrees;
}

/** `budget` in tokens; null: what the config says, else 2,000 (DESIGN 10). Null: an implied session with nothing to tell. */
export async function briefOf(
  subject: BriefSubject,
  looking: BriefSurroundings,
  budget: number | null = null,
): Promise<WrittenBrief | null> {
  const gathered = await gatherBrief(subject, looking);
  if (!gathered) return null;
  const tokens = budget ?? (await usualBudget(gathered.workspace, looking.env));
  return { ...gathered, brief: writeBrief(gathered.facts, tokens) };
}

/** `session`: as it was typed; null: left out. `budget`: as of `briefOf`. */
export interface BriefOrder {
  readonly session: string | null;
  readonly budget: number | null;
}

/**
 * Of the session that is meant; left out, and none was recorded here: what the tree tells (S1). Null: that is nothing, either. Throws
 * E_NO_SESSION where none is called so.
 */
export async function briefHere(
  asked: AppPlace,
  { session, budget }: BriefOrder,
  told: Pick<BriefSurroundings, "typed" | "onWorkspace"> = {},
): Promise<WrittenBrief | null> {
  const at = lookingOnce(asked);
  const { clock, env, trees } = at;
  const looking = {
    clock,
    env,
    home: await at.home(),
    stands: at.place(),
    ...(trees ? { trees } : {}),
    ...told,
  };
  const named = session === null ? await newestHere(at, { isToGoOn: true }) : await findSession(at, session);
  if (named) return briefOf({ kind: "session", ...named }, looking, budget);
  const { store, here, rows } = await chooseSession(at, null);
  return briefOf({ kind: "implied", store, workspace: here.workspace, rows }, looking, budget);
}

/** Its facts alone, for who has other words for them. */
export async function gatherBrief(
  subject: BriefSubject,
  looking: BriefSurroundings,
): Promise<GatheredBrief | null> {
  const { workspace, summary, found } = await judgedFor(subject, looking);
  looking.onWorkspace?.(workspace.root);
  const { typed = (text: string) => text } = looking;
  const salvaged = await manifestOf(looking.isGoingOn ? { ...found, goesOn: false } : found);
  const manifest = { ...salvaged, next: salvaged.next.map(typed) };
  const row = subject.kind === "session" ? subject.row : null;
  const store = subject.store?.raw ?? null;
  const facts = await gatherFacts({
    ...{ store, row, summary, workspace, manifest, typed },
    story: found.story,
    childTool: await childToolOf(row, found.story.calls),
  });
  const isEmpty = manifest.groups.length + manifest.gaps.length + facts.done.length === 0;
  if (subject.kind === "implied" && isEmpty) return null;
  return { workspace, manifest, found, facts: await redactFacts(facts) };
}

async function judgedFor(
  subject: BriefSubject,
  looking: BriefSurroundings,
): Promise<Pick<SessionSalvage, "workspace" | "summary" | "found">> {
  if (subject.kind === "session") return sessionSalvage(subject.store, subject.row, looking, null);
  const { workspace } = subject;
  const { found } = await salvageOf(
    { ...subject, ...looking, row: null, summary: null },
    { check: null, toleratesConfig: true },
  );
  return { workspace, summary: impliedSession(workspace.root), found };
}

/** Within the bounds of `--budget`: a config that any session may commit makes no brief that says nothing, nor keeps it back (T2). */
async function usualBudget(workspace: Workspace, env: NodeJS.ProcessEnv): Promise<number> {
  const { handoff } = await headConfig(workspace, env).catch(nothingSafe);
  return Math.min(MAX_BUDGET_TOKENS, Math.max(MIN_BUDGET_TOKENS, handoff?.budget ?? DEFAULT_BUDGET_TOKENS));
}

/** `check`: null: it is not run (salvage-of.ts). */
export async function sessionSalvage(
  store: RefloatStore,
  row: SessionRow,
  looking: BriefSurroundings,
  check: RunsCheck | null,
): Promise<SessionSalvage> {
  const { env } = looking;
  const { trees = (from, at) => openTrusted(from, at, env) } = looking;
  const found = await sessionTree(row, looking.stands, async (at) => ({ workspace: trees(store.raw, at) }));
  const place = String(row.facts.workspace ?? "");
  // A brief without a tree would have to leave out what matters most: what was half done there.
  if (!found) throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
  const { workspace } = found;
  const rows = usersSessions(await sessionsWithSay(store.raw, [workspace.root, place], row));
  const summary = await summaryOf(store, row, looking.trees);
  const work = { store, workspace, rows, row, summary, ...looking };
  const judged = await salvageOf(work, { check, toleratesConfig: true });
  return { ...judged, workspace, rows, summary };
}
