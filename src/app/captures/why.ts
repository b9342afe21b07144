/** Which session, call and operation brought a path, or one of its lines, to what it is. Reads only. */

import { readFileSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathForDisplay } from "../../model/path-name.ts";
import { type BeforeImages, beforeImages, NO_BEFORE_IMAGES } from "../../salvage/story/before-images.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { HeldBefore } from "../../text/before-words.ts";
import { linesOf } from "../../text/diff-lines.ts";
import { textOf } from "../../text/text-of.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import type { FindContent } from "../../workspace/compare/content-finder.ts";
import { contentFinder } from "../../workspace/compare/content-finder.ts";
import { lineOrigin } from "../../workspace/compare/line-origin.ts";
import { nowSide } from "../../workspace/compare/sides.ts";
import { lookAt, pathAt } from "../../workspace/files/read-path.ts";
import { headStates } from "../../workspace/git/head-states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Claim } from "../../workspace/owning/own.ts";
import { CLEAN, claimsOn } from "../../workspace/owning/own.ts";
import { loadTracks, withNow } from "../../workspace/owning/session-tracks.ts";
import type { TrackedCapture } from "../../workspace/owning/track.ts";
import { sessionsWithSay } from "../../workspace/sessions/workspace-sessions.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import { workspaceHere } from "../place/workspace-here.ts";

/** Lines are looked for in files of this size at most. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface PathAndLine {
  readonly path: PathName;
  /** Null: the whole path. */
  readonly line: number | null;
}

export type WhyOutcome =
  | (PathAndLine & { readonly kind: "no-such-line"; readonly lines: number })
  | (PathAndLine & {
      readonly kind: "told";
      /** The line as it is; null: the whole path is meant. */
      readonly text: string | null;
      /** Newest first; labels, tools and sentences without secrets (T4). */
      readonly claims: readonly Claim[];
      readonly rows: readonly SessionRow[];
      /** What hooks held of the tree before the calls, by the call's id. */
      readonly before: BeforeImages;
    });

/** `meant`: what it may be, of which the first that is there is meant, else the last: at least one. */
export async function why(
  at: AppPlace,
  meant: (here: WorkspaceHere) => Iterable<PathAndLine>,
): Promise<WhyOutcome> {
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  const { path, line } = firstThere(here, meant(here));
  const { workspace } = here;
  const rows = store ? await sessionsWithSay(store.raw, [workspace.root, here.place]) : [];
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const loaded = store ? await loadTracks(store.raw, workspace.root, rows) : [];
  const side = await nowSide(workspace, [path], { env: here.env, clock: at.clock });
  const { reading } = side;
  const tracks = reading ? withNow(loaded, rows, { ...side, reading }, at.clock.nowMs()) : loaded;
  const claims = claimsOn(path, tracks).toSorted((a, b) => b.to.atMs - a.to.atMs || b.to.seq - a.to.seq);
  const before = store ? await heldBefore(store.raw, claims, rows) : NO_BEFORE_IMAGES;
  if (line === null)
    return { kind: "told", path, line, text: null, claims: await withSafeLabels(claims), rows, before };
  const now = linesNow(here, path);
  const text = now[line - 1];
  if (text === undefined) return { kind: "no-such-line", path, line, lines: now.length };
  const commits = tracks.flatMap(({ captures }) => captures.map(({ headId }) => headId));
  const find = contentFinder({
    store: store?.raw ?? null,
    repository,
    root: workspace.root,
    commits,
    maxBytes: MAX_BYTES,
  });
  const origin = lineOrigin(text, await stepsOf(claims, path, find, repository));
  const shown = await withSafeLabels(claims.filter((claim) => claim === origin));
  return { kind: "told", path, line, text, claims: shown, rows, before };
}

async function heldBefore(
  store: Store,
  claims: readonly Claim[],
  rows: readonly SessionRow[],
): Promise<BeforeImages> {
  const ids = new Set<string>(claims.flatMap(({ session, calls }) => (calls.length > 0 ? [session] : [])));
  const images: (readonly [string, HeldBefore])[] = [];
  for (const row of rows) if (ids.has(row.id)) images.push(...(await beforeImages(store, row)));
  return new Map(images);
}

function firstThere({ workspace }: WorkspaceHere, meant: Iterable<PathAndLine>): PathAndLine {
  let last: PathAndLine | null = null;
  for (const one of meant) {
    last = one;
    if (lookAt(workspace.root, one.path)) break;
  }
  if (!last) throw new RefloatError("E_INTERNAL", { why: "no path was meant" });
  return last;
}

/** Labels of operations and names of tools are the agent's own words (T4); the line is the user's own file and stays what it is. */
async function withSafeLabels(claims: readonly Claim[]): Promise<Claim[]> {
  const { value: safe } = await withoutSecrets(
    claims.map(({ calls, evidence }) => ({
      said: evidence.message,
      calls: calls.map(({ operations, tool }) => ({ operations, tool })),
    })),
  );
  return claims.map((claim, i) => ({
    ...claim,
    evidence: { ...claim.evidence, message: safe[i]?.said ?? "" },
    calls: claim.calls.map((call, j) => ({
      ...call,
      ...(safe[i]?.calls[j] ?? { operations: [], tool: "" }),
    })),
  }));
}

function linesNow({ workspace }: WorkspaceHere, path: PathName): string[] {
  const stat = lookAt(workspace.root, path);
  if (!stat?.isFile() || stat.size > MAX_BYTES)
    throw new RefloatError("E_NO_FILE", {
      path: pathForDisplay(path),
      why: "it is no file whose lines can be read",
    });
  return linesOf(textOf(readFileSync(pathAt(workspace.root, path))) ?? "");
}

async function stepsOf(
  claims: readonly Claim[],
  path: PathName,
  find: FindContent,
  repository: Repository | null,
) {
  const steps = [];
  for (const claim of claims) {
    const before = await linesAt(claim.fromKey, claim.from);
    steps.push({ step: claim, before, after: await linesAt(claim.toKey, claim.to) });
  }
  return steps;

  async function linesAt(key: string, capture: TrackedCapture): Promise<string[] | null> {
    if (key === "-") return [];
    const hash = key === CLEAN ? await hashInHead(capture) : (/ ([0-9a-f]{64})$/.exec(key)?.[1] ?? null);
    if (hash === "") return [];
    const text = hash === null ? null : textOf(await find(path, hash as ContentHash, 0));
    return text === null ? null : linesOf(text);
  }

  /** "": the commit does not have the path; null: it does, and git does not have the blob. */
  async function hashInHead({ headId }: TrackedCapture): Promise<string | null> {
    if (!repository || headId === null) return "";
    const found = (await headStates(repository, headId, [path])).get(path);
    return found?.kind === "missing" ? null : (found?.state?.hash ?? "");
  }
}
