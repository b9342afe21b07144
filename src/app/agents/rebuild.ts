/**
 * Files from agents' transcripts alone, written into a folder that is new or empty: for a tree that is gone and was never captured. The
 * transcript is untrusted (T3): no name in it leads out of the folder, through a link or into what git keeps for itself (W3).
 */
import { posix } from "node:path";
import { emptyFolder, NewTree } from "../../acts/compilers/new-tree.ts";
import type { RebuiltFile } from "../../agents/rebuild/rebuilt-file.ts";
import { TranscriptReplay } from "../../agents/rebuild/replay.ts";
import type { DamageKind } from "../../agents/transcript/damage.ts";
import { readTranscript } from "../../agents/transcript/read-transcript.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { RefloatError } from "../../model/errors.ts";
import { hasGitName, type PathName, pathFromText } from "../../model/path-name.ts";
import { placeInside } from "../../platform/places.ts";
import { newFolderMode } from "../../platform/tree-names.ts";
import { isGitFolder } from "../../workspace/git/locate.ts";

/** A transcript of the session's, in the order in which they were written. */
export interface RebuildSource {
  readonly adapter: AgentAdapter;
  readonly path: string;
  /** In a database: which of its sessions; null: the newest. */
  readonly nativeId: string | null;
}

export interface RebuildOrder {
  readonly sources: readonly RebuildSource[];
  /** Nothing behind this call counts; null: all of it does. As the agent calls it. */
  readonly atCall: string | null;
  readonly to: string;
  readonly isDryRun: boolean;
}

/** A file below the folder it was rebuilt in. */
export interface PlacedFile extends RebuiltFile {
  readonly place: PathName;
}

export interface RebuildOutcome {
  /** Where it was written, or would be. */
  readonly to: string;
  /** The folder the agent worked in; null: its transcript does not say. */
  readonly folder: string | null;
  readonly files: readonly PlacedFile[];
  /** Files that were deleted or moved away. */
  readonly gone: readonly PlacedFile[];
  /** What is not written, each with why. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
  readonly filesLeftOut: number;
}

export async function rebuild(order: RebuildOrder): Promise<RebuildOutcome> {
  const replay = replayed(order);
  const { folder } = replay;
  const placed = placeFiles(replay.files(), folder);
  const refused = [...[...replay.refused].map(([path, why]) => ({ path, why })), ...placed.refused];
  const files = placed.files.filter(({ isGone }) => !isGone);
  const gone = placed.files.filter(({ isGone }) => isGone);
  if (files.length + gone.length + refused.length === 0)
    throw new RefloatError("E_NOTHING_TO_REBUILD", {
      why: "no call of the transcript reads or writes a file",
    });
  const to = emptyFolder(order.to, { outside: null, isDryRun: order.isDryRun });
  if (!order.isDryRun) await write(to, files);
  return { to, folder, files, gone, refused, filesLeftOut: replay.filesLeftOut };
}

function replayed(order: RebuildOrder): TranscriptReplay {
  const { atCall, sources } = order;
  const last = sources.at(-1)?.path ?? "";
  if (atCall === null) return heardUntil(order, null).replay;
  const { replay, found } = heardUntil(order, "its result");
  if (found === "its result") return replay;
  // It never ended: what came behind its beginning does not count.
  if (found === "it") return heardUntil(order, "it").replay;
  throw new RefloatError("E_NO_CALL", { what: atCall, path: last });
}

type Until = "it" | "its result";

/** Damage by which a record is lost that may have told of a change. */
const LOSES: ReadonlySet<DamageKind> = new Set([
  "torn",
  "nul",
  "dangling-parent",
  "over-long",
  "gap",
  "glued",
]);

function heardUntil(
  { sources, atCall }: RebuildOrder,
  until: Until | null,
): { replay: TranscriptReplay; found: Until | null } {
  const replay = new TranscriptReplay({
    keepsEnds: sources.some(({ adapter }) => adapter.keepsEnds === true),
  });
  let found: Until | null = null;
  const isOver = (): boolean => until !== null && found === until;
  for (const [i, { adapter, path, nativeId }] of sources.entries()) {
    if (i > 0 && !isOver()) replay.anything("what happened between two transcripts");
    readTranscript({ path, nativeId }, adapter.transcript, {
      hear(heard) {
        if (isOver()) return;
        replay.hear(heard);
        if (heard.kind === "call" && heard.id === atCall) found ??= "it";
        if (heard.kind === "result" && heard.call === atCall && found !== null) found = "its result";
      },
      damaged({ kind }) {
        if (!isOver() && LOSES.has(kind)) replay.anything("a damaged record of the transcript");
      },
    });
  }
  return { replay, found };
}

/** Below which files that lie outside of the agent's folder are put. */
const OUTSIDE = "_outside";

/** Inside its folder as they lay there; others below a folder of their own, by their whole path. */
export function placeFiles(
  all: readonly RebuiltFile[],
  folder: string | null,
): { readonly files: readonly PlacedFile[]; readonly refused: RebuildOutcome["refused"] } {
  const refused: { path: string; why: string }[] = [];
  const root = folder ?? "/";
  const inside = (path: string): string | null => (path === root ? null : placeInside(root, path));
  const top = new Set(all.flatMap(({ path }) => inside(path)?.split("/", 1)[0] ?? []));
  const outside = freeName(top);
  const placed = all.flatMap((file) => {
    if (file.path === root || file.path === "/") return [];
    const place = inside(file.path) ?? posix.join(outside, file.path);
    if (!hasGitName(place)) return [{ ...file, place: pathFromText(place) }];
    refused.push({ path: file.path, why: "its name is git's own" });
    return [];
  });
  const written = new Set(placed.flatMap(({ place, isGone }) => (isGone ? [] : [place])));
  const repositories = repositoriesIn(written);
  const files = placed.filter(({ path, place, isGone }) => {
    const above = isGone ? [] : foldersOf(place);
    const isBelowFile = above.some((one) => written.has(one as PathName));
    const isRepository = above.some((one) => repositories.has(one)) || repositories.has("");
    if (isBelowFile) refused.push({ path, why: "a file has the name of its folder" });
    else if (isRepository) refused.push({ path, why: "its folder would be a git repository" });
    return !isBelowFile && !isRepository;
  });
  return { files: files.toSorted((a, b) => (a.place < b.place ? -1 : 1)), refused };
}

function freeName(taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? OUTSIDE : `${OUTSIDE}-${n}`;
    if (!taken.has(name)) return name;
  }
}

const foldersOf = (place: string): readonly string[] =>
  place
    .split("/")
    .slice(0, -1)
    .map((_, i, names) => names.slice(0, i + 1).join("/"));

/** A folder with what makes one is a repository without being called .git: the next git there would obey its configuration. */
function repositoriesIn(places: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Map<string, Set<string>>();
  for (const place of places) {
    for (const path of [...foldersOf(place), place]) {
      const [folder, name] = [posix.dirname(path), posix.basename(path)];
      const key = folder === "." ? "" : folder;
      const known = names.get(key) ?? new Set();
      names.set(key, known.add(name));
    }
  }
  return new Set([...names].flatMap(([folder, inside]) => (isGitFolder(inside) ? [folder] : [])));
}

async function write(to: string, files: readonly PlacedFile[]): Promise<void> {
  const tree = new NewTree(to);
  try {
    for (const { place, text } of files)
      if (text !== null)
        await tree.put(place, { kind: "file", mode: newFolderMode() & 0o666 }, bytesOf(text));
    tree.sync();
  } finally {
    tree.close();
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
