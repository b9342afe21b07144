/** The brief of a session, about the workspace it worked in, wherever the command was started. */
import type { BriefFacts } from "../../handoff/brief-facts.ts";
import { gatherFacts } from "../../handoff/gather-facts.ts";
import { redactFacts } from "../../handoff/redact-facts.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { manifestOf } from "../../salvage/manifest/manifest.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import { type JudgedWork, type RunsCheck, salvageOf } from "../salvage/salvage-of.ts";
import { summaryOf } from "../sessions/find-session.ts";
import { sessionTree } from "../sessions/session-tree.ts";
import type { RefloatStore } from "../store/open-store.ts";

export interface SessionBrief {
  readonly workspace: Workspace;
  readonly found: Salvage;
  readonly manifest: Manifest;
  /** Redacted (T4). */
  readonly facts: BriefFacts;
}

export interface SessionSalvage extends JudgedWork {
  readonly workspace: Workspace;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  readonly summary: SessionSummary;
}

interface BriefSurroundings {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** The store's folder. */
  readonly home: string;
  /** Commands in it as they can be typed where it is printed (T6); left out: in the workspace itself. */
  readonly typed?: (text: string) => string;
  /** Is told the top of the tree it is about, before anything is worded. */
  readonly onWorkspace?: (root: string) => void;
}

/** `check`: null: it is not run (salvage-of.ts). */
export async function sessionSalvage(
  store: RefloatStore,
  row: SessionRow,
  looking: BriefSurroundings,
  check: RunsCheck | null,
): Promise<SessionSalvage> {
  const { env } = looking;
  const found = await sessionTree(row, process.cwd(), async (at) => ({
    workspace: openTrusted(store.raw, at, env),
  }));
  const place = String(row.facts.workspace ?? "");
  // A brief without a tree would have to leave out what matters most: what was half done there.
  if (!found) throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
  const { workspace } = found;
  const rows = usersSessions(await sessionsOf(store.raw, [workspace.root, place]));
  const summary = await summaryOf(store, row);
  const work = { store, workspace, rows, row, summary, ...looking };
  const judged = await salvageOf(work, { check, toleratesConfig: true });
  return { ...judged, workspace, rows, summary };
}

export async function sessionBrief(
  store: RefloatStore,
  row: SessionRow,
  looking: BriefSurroundings,
): Promise<SessionBrief> {
  const { workspace, summary, found } = await sessionSalvage(store, row, looking, null);
  looking.onWorkspace?.(workspace.root);
  const { typed = (text: string) => text } = looking;
  const salvaged = await manifestOf(found);
  const manifest = { ...salvaged, next: salvaged.next.map(typed) };
  const facts = await gatherFacts({ store: store.raw, row, summary, workspace, manifest, typed });
  return { workspace, found, manifest, facts: await redactFacts(facts) };
}
