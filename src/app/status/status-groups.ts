/**
 * What unsettled sessions left, judged, for the one screen (DESIGN 10), where `inspect` has it judged, too (S7); the user's check
 * is not run for it, and where that leaves something open it is said. Bounded (T5): status is typed to see where things stand, and must not
 * parse ten thousand files for it. What is not judged is said, with the command that judges it. Reads only (W1).
 */

import { RefloatError } from "../../model/errors.ts";
import { AUTO_CAPTURE_STATUS_MS } from "../../model/limits.ts";
import type { ManifestGroup } from "../../model/manifest.ts";
import { manifestOf } from "../../salvage/manifest/manifest.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { readStatus } from "../../workspace/git/status.ts";
import { lastLeftOf } from "../../workspace/sessions/workspace-sessions.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { SalvageFace } from "../salvage/salvage-session.ts";
import { salvageSession } from "../salvage/salvage-session.ts";
import { type ChosenSession, chooseSession } from "../sessions/choose-session.ts";
import { tellOnce } from "../telling/news.ts";

/** Each is a look at its tree and its journal; a screen has no room for the groups of more. */
const MAX_JUDGED_SESSIONS = 3;
/** Changed paths in a work tree: reading and parsing that many takes about a second, and a person waits for the screen. */
export const MAX_JUDGED_PATHS = 200;
/** Changes listed of one group; `inspect` lists them all. */
const MAX_CHANGES = 20;

export interface StatusGroup extends ManifestGroup {
  readonly session: string;
}

export interface NotJudged {
  readonly session: string;
  readonly why: WhyNotJudged;
}

export type WhyNotJudged =
  /** Newer sessions are judged first, and there are enough of them. */
  | { readonly kind: "newer-first" }
  | { readonly kind: "many-paths"; readonly changed: number; readonly from: "HEAD" | "its beginning" }
  /** Its tree is gone, or git fails. */
  | { readonly kind: "failed"; readonly error: RefloatError };

export interface StatusGroups {
  /** Of each session its own, the worst first. */
  readonly groups: readonly StatusGroup[];
  readonly notJudged: readonly NotJudged[];
}

const isToJudge = ({ state, unsettled }: SessionSummary): boolean => unsettled && state !== "live";

/** `sessions`: newest first. */
export async function statusGroups(
  at: AppPlace,
  sessions: readonly SessionSummary[],
  face: SalvageFace,
): Promise<StatusGroups> {
  const once = { ...face, tell: tellOnce(face.tell) };
  const groups: StatusGroup[] = [];
  const notJudged: NotJudged[] = [];
  for (const [index, { id: session }] of sessions.filter(isToJudge).entries()) {
    const found =
      index < MAX_JUDGED_SESSIONS ? await judged(at, session, once) : { kind: "newer-first" as const };
    if ("kind" in found) notJudged.push({ session, why: found });
    else groups.push(...found.map((group) => ({ session, ...group })));
  }
  return { groups, notJudged };
}

async function judged(
  at: AppPlace,
  session: string,
  face: SalvageFace,
): Promise<ManifestGroup[] | WhyNotJudged> {
  try {
    const chosen = await chooseSession(at, session);
    const changed = await changedPaths(chosen);
    const from = chosen.here.workspace.kind === "folder" ? "its beginning" : "HEAD";
    if (changed > MAX_JUDGED_PATHS) return { kind: "many-paths", changed, from };
    const { found } = await salvageSession(at, chosen, { isChecking: false, isOwnOnly: true }, face);
    const { groups, held } = await manifestOf(found);
    return groups
      .filter(({ changes }) => changes.some(({ owner }) => owner === "session"))
      .map(({ changes, left_out = 0, ...group }) => {
        const leftOut = left_out + Math.max(0, changes.length - MAX_CHANGES);
        const shown = { ...group, ...(held ? { held: true } : {}), changes: changes.slice(0, MAX_CHANGES) };
        return leftOut > 0 ? { ...shown, left_out: leftOut } : shown;
      });
  } catch (thrown) {
    // A tree that is gone, or a git that fails, is one session's trouble and not the screen's.
    if (thrown instanceof RefloatError) return { kind: "failed", error: thrown };
    throw thrown;
  }
}

async function changedPaths({ here: { workspace }, chosen }: ChosenSession): Promise<number> {
  // Without git nobody knows before looking; what its end capture found is known.
  if (workspace.kind === "folder") return chosen ? (lastLeftOf(chosen.row)?.changes ?? 0) : 0;
  const read = workspace.asked?.lines ?? readStatus;
  return (await read(await workspace.repository(), AUTO_CAPTURE_STATUS_MS)).length;
}
