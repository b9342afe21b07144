/**
 * What agents did in this workspace while it was at another place: which of the transcripts whose folder is gone are its own, and the sessions
 * that were heard of there, which go with the folder. A look that found no proof is remembered: the next need not read the transcript again.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bodyAs } from "../../model/record.ts";
import { type KeptTexts, openKeptTexts } from "../../platform/kept-texts.ts";
import { programBuild } from "../../platform/own-files.ts";
import { placeInside } from "../../platform/places.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { FOLDER_MOVED, workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { ownMark } from "../../workspace/opening/tree-mark.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { GoneTranscript, LeftTranscript, TranscriptsFound } from "./left-transcripts.ts";
import { isHeardAs, type MovedPlace, movedHere } from "./moved-here.ts";

/** A transcript that is longer is read only where a capture already says whose it is. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Bytes of transcripts that one look reads for proof; the rest waits for the next, which remembers these. */
const BYTES_AT_ONCE = 256 * 1024 * 1024;

/** Those that are this workspace's, each with the session it has by now, if it has one. */
export async function movedWork(
  at: AppPlace,
  root: string,
  store: RefloatStore | null,
  { left, gone }: TranscriptsFound,
): Promise<readonly LeftTranscript[]> {
  const workspace = gone.length === 0 ? null : openTrustedOrNull(store?.raw ?? null, root, at.env);
  if (workspace?.kind !== "git") return [];
  const here = store ? await store.raw.sessions({ workspace: root }) : [];
  const lost = store ? await lostRows(store.raw) : [];
  const refused = new RefusedBefore(await at.home(), workspace);
  let bytes = 0;
  const found: LeftTranscript[] = [];
  for (const one of gone) {
    if (lost.some((row) => supervises(row, one))) continue;
    const known = here.find((row) => isOf(row, one));
    if (known && store) {
      found.push({ ...one, ...(await placeKnown(store.raw, known, one)), session: known.id });
      continue;
    }
    if (refused.has(one) || one.bytes > MAX_BYTES || bytes > BYTES_AT_ONCE) continue;
    bytes += one.bytes;
    const place = await movedHere({ workspace, own: left, lost }, one);
    if (place === null) refused.add(one);
    const before = lost.find((row) => isOf(row, one));
    if (place !== null) found.push({ ...one, ...place, ...(before ? { session: before.id } : {}) });
  }
  refused.close();
  return found;
}

/** The session goes with its folder: from here on it is this workspace's. */
export async function followFolder(
  store: Store,
  root: string,
  { session, movedFrom }: Pick<LeftTranscript, "session" | "movedFrom">,
): Promise<void> {
  if (session === undefined || movedFrom === undefined) return;
  const from = workspaceIn(await store.session(session));
  if (from === root) return;
  const body = { from, to: root, reason: FOLDER_MOVED };
  await store.append(session, "anyone", [newRecord(store.clock, "session.moved", body)]);
}

const isOf = (row: SessionRow, { nativeId, adapter }: GoneTranscript): boolean =>
  isHeardAs(row, nativeId) && row.facts.agent === adapter.name;

/** Its supervisor, or its recovery, reads it: the session is told where it was (W8). */
const supervises = ({ facts }: SessionRow, { nativeId }: GoneTranscript): boolean =>
  facts.only_heard !== true && facts.native_id === nativeId;

/** As it was found the first time. */
async function placeKnown(
  store: Store,
  { id, facts }: SessionRow,
  { cwd }: GoneTranscript,
): Promise<MovedPlace> {
  const query = { session: id, kinds: ["agent.heard"] as const, order: "backward" as const, limit: 1 };
  const [heard] = await store.records(query);
  const movedFrom = typeof facts.moved_from === "string" ? facts.moved_from : cwd;
  const inside = (heard && bodyAs(heard, "agent.heard")?.inside) ?? placeInside(movedFrom, cwd) ?? "";
  return { movedFrom, inside };
}

/** Sessions of workspaces that are no more. */
async function lostRows(store: Store): Promise<readonly SessionRow[]> {
  const gone = (await store.workspaces()).filter((place) => place !== "" && !existsSync(place));
  const rows: SessionRow[] = [];
  for (const workspace of gone) rows.push(...(await store.sessions({ workspace })));
  return rows;
}

const NAME = "moved.cache";
const MAX_CACHE_BYTES = 1024 * 1024;

/** Transcripts that were found not to be this tree's, as they were then. Losing them costs the time to look again. */
class RefusedBefore {
  readonly #workspace: GitWorkspace;
  readonly #texts: KeptTexts | null;

  constructor(home: string, workspace: GitWorkspace) {
    this.#workspace = workspace;
    // No folder is made for it: nothing may ever be kept here.
    const options = { build: programBuild(), maxBytes: MAX_CACHE_BYTES };
    this.#texts = existsSync(home) ? openKeptTexts(join(home, NAME), options) : null;
  }

  has(one: GoneTranscript): boolean {
    return this.#texts?.get(this.#key(one)) !== undefined;
  }

  add(one: GoneTranscript): void {
    this.#texts?.set(this.#key(one), "");
  }

  close(): void {
    this.#texts?.close();
  }

  #key({ path, nativeId, bytes, modifiedMs }: GoneTranscript): string {
    const about = [this.#workspace.root, ownMark(this.#workspace), path, nativeId, bytes, modifiedMs];
    return createHash("sha256").update(JSON.stringify(about)).digest("base64url");
  }
}
