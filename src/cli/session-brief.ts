/** The brief of a session, about the workspace it worked in, wherever the command was started. */

import { statSync } from "node:fs";
import { isActsSession } from "../acts/is-acts-session.ts";
import type { BriefFacts } from "../handoff/brief-facts.ts";
import { gatherFacts } from "../handoff/gather-facts.ts";
import { redactFacts } from "../handoff/redact-facts.ts";
import type { RefloatStore } from "../library/open-store.ts";
import type { RefloatConfig } from "../model/config.ts";
import { RefloatError } from "../model/errors.ts";
import type { Manifest } from "../model/manifest.ts";
import type { Clock } from "../platform/clock.ts";
import { rulesOf } from "../salvage/judging-rules.ts";
import { manifestOf } from "../salvage/manifest.ts";
import { type Salvage, salvage } from "../salvage/salvage.ts";
import { readVerdicts } from "../salvage/verdict-records.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/driver.ts";
import { isWorkflowSession } from "../workflow/claim-ids.ts";
import { judgingConfig } from "../workspace/judging-config.ts";
import { isTrusted } from "../workspace/trust.ts";
import { openWorkspace, type Workspace } from "../workspace/workspace.ts";
import { sessionsOf } from "../workspace/workspace-sessions.ts";
import { describeFound } from "./describe-found.ts";
import { lastWordsOf } from "./last-words.ts";

export interface SessionBrief {
  readonly workspace: Workspace;
  readonly found: Salvage;
  readonly manifest: Manifest;
  /** Redacted (T4). */
  readonly facts: BriefFacts;
}

export interface SessionSalvage {
  readonly workspace: Workspace;
  /** The sessions of the workspace. */
  readonly rows: readonly SessionRow[];
  readonly summary: SessionSummary;
  readonly found: Salvage;
  /** What it was judged by. */
  readonly config: RefloatConfig;
}

interface Looking {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** Where run folders lie; left out: its recovery has been, and all that was printed is on record. */
  readonly home?: string;
}

export async function sessionSalvage(
  store: RefloatStore,
  row: SessionRow,
  { clock, env, home }: Looking,
): Promise<SessionSalvage> {
  const place = placeOf(row);
  const workspace = openWorkspace(place, {
    env,
    isTrusted: (location, digest) => isTrusted(store.raw, location, digest),
  });
  const rows = (await sessionsOf(store.raw, [workspace.root, place])).filter(
    ({ id }) => !isWorkflowSession(id) && !isActsSession(id),
  );
  const [summary] = await describeFound(store, [row]);
  if (!summary) throw new RefloatError("E_NO_SESSION", { what: row.id });
  const overrides = await readVerdicts(store.raw, workspace);
  const config = await readableConfig(() => judgingConfig(store.raw, row, workspace, env));
  const rules = await rulesOf(config, workspace);
  const about = { store: store.raw, workspace, rows, row, summary, env, clock };
  const lastWords = home === undefined ? null : await lastWordsOf(store, row, home);
  const found = await salvage({ ...about, unkeptOutput: lastWords, overrides, ...rules });
  return { workspace, rows, summary, found, config };
}

/** By rules that nobody can read nothing is safe; what a session left is told all the same. */
async function readableConfig(read: () => Promise<RefloatConfig>): Promise<RefloatConfig> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_BAD_CONFIG") throw thrown;
    return { rules: [{ paths: ["**"], verdict: "unknown", reason: thrown.message }] };
  }
}

export async function sessionBrief(
  store: RefloatStore,
  row: SessionRow,
  looking: Looking,
): Promise<SessionBrief> {
  const { workspace, summary, found } = await sessionSalvage(store, row, looking);
  const manifest = await manifestOf(found);
  const facts = await gatherFacts({ store: store.raw, row, summary, workspace, manifest });
  return { workspace, found, manifest, facts: await redactFacts(facts) };
}

/** A brief without its tree would have to leave out what matters most: what was half done there. */
function placeOf(row: SessionRow): string {
  const place = typeof row.facts.workspace === "string" ? row.facts.workspace : "";
  if (place === "" || !statSync(place, { throwIfNoEntry: false })?.isDirectory())
    throw new RefloatError("E_WORKSPACE_GONE", { session: row.id, path: place });
  return place;
}
