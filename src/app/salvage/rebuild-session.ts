/** `rebuild` of a session: the transcripts its agent left, in the order in which they were begun; or of one file that lies anywhere. */
import { existsSync } from "node:fs";
import { nativeCall } from "../../agents/journal/heard-records.ts";
import { agentNamed } from "../../agents/registry.ts";
import { transcriptNamed } from "../../agents/transcript/find-transcript.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { type RebuildOutcome, type RebuildSource, rebuild } from "../agents/rebuild.ts";
import { transcriptFile } from "../agents/transcript-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { findSession, type NamedSession } from "../sessions/find-session.ts";

export interface RebuildWish {
  /** A session; null with no file: the one that is meant here. */
  readonly session: string | null;
  readonly file: string | null;
  readonly agent: string | null;
  readonly atCall: string | null;
  readonly to: string;
  readonly isDryRun: boolean;
}

export interface RebuiltSession {
  readonly session: string | null;
  readonly sources: readonly RebuildSource[];
  readonly rebuilt: RebuildOutcome;
}

export async function rebuildSession(at: AppPlace, wish: RebuildWish): Promise<RebuiltSession> {
  const { session, sources } = await sourcesOf(at, wish);
  const { to, isDryRun } = wish;
  const rebuilt = await rebuild({ sources, atCall: ownName(sources, wish.atCall), to, isDryRun });
  return { session, sources, rebuilt };
}

async function sourcesOf(
  at: AppPlace,
  { session, file, agent }: RebuildWish,
): Promise<Pick<RebuiltSession, "session" | "sources">> {
  if (file !== null) {
    const { path, agent: adapter } = transcriptFile(at, { file, agent });
    return { session: null, sources: [{ adapter, path, nativeId: session }] };
  }
  const found = await findSession(at, session);
  const sources = await heardOf(at, found);
  if (sources.length === 0)
    throw new RefloatError("E_NOTHING_TO_REBUILD", {
      why: `no transcript of session ${found.row.id} was found where its agent keeps them`,
    });
  return { session: found.row.id, sources };
}

/** Subagents' own are left out: what they did is doubtful in the transcript of whoever began them. */
async function heardOf(at: AppPlace, { store, row }: NamedSession): Promise<readonly RebuildSource[]> {
  const heard = await store.raw.records({ session: row.id, kinds: ["agent.heard"], limit: MAX_READINGS });
  const sources = new Map<string, RebuildSource>();
  for (const { body } of [...heard.map(({ body }) => ({ body })), { body: namedIn(row) }]) {
    const { agent, native_id: nativeId, path, child } = body as Record<string, unknown>;
    const adapter = typeof agent === "string" ? agentNamed(agent) : null;
    if (adapter === null || typeof nativeId !== "string" || child === true) continue;
    const there = typeof path === "string" && existsSync(path) ? path : null;
    const place = there ?? transcriptNamed(adapter, nativeId, at.env, workspaceIn(row))?.path ?? null;
    const key = `${adapter.name} ${nativeId}`;
    if (place !== null && !sources.has(key)) sources.set(key, { adapter, path: place, nativeId });
  }
  return [...sources.values()];
}

/** One is written each time something new was read. */
const MAX_READINGS = 10_000;

const namedIn = ({ facts }: SessionRow): Record<string, unknown> => ({
  agent: facts.agent,
  native_id: facts.native_id,
});

/** A call may be typed as refloat's own lists show it, too. */
function ownName(sources: readonly RebuildSource[], typed: string | null): string | null {
  if (typed === null) return null;
  const native = sources.flatMap(({ adapter, nativeId }) =>
    nativeId === null ? [] : (nativeCall({ agent: adapter.name, nativeId }, typed) ?? []),
  );
  return native[0] ?? typed;
}
