/**
 * The commits that would be gone with a work tree: of a clone every ref, reflog and stash that no remote outside has; of a linked work
 * tree its HEAD and the log of it, for the branches stay with the repository. And those commits as a bundle that any git can
 * fetch from: git's own writes only what is the tip of a ref, so the pack is git's and the few lines above it are ours.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import type { Repository } from "./repository.ts";
import { listWorktrees } from "./worktrees.ts";

export interface Tip {
  readonly ref: string;
  readonly id: string;
}

export interface GoingCommits {
  /** What would go: a ref, a HEAD, a stash, what only a log still names. */
  readonly tips: readonly Tip[];
  /** Those of them that are no commits, and that no remote is known to have: tags with a text, single files and folders. */
  readonly objects: readonly Tip[];
  /** What stays, by its ids: what these reach is not lost. */
  readonly kept: readonly string[];
  /** The same for a bundle, which holds more: whoever removes a work tree often deletes its branch, too. */
  readonly keptByOthers: readonly string[];
}

/** Names of what only a log has; more of them are in the pack all the same, without a name. */
const MAX_LOGGED = 1000;
const PER_WORKTREE = /^refs\/(?:bisect|worktree|rewritten)\//;
const ID = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g;
const OWN = "refs/refloat";
/** What git notes beside HEAD of commits that no branch may have. */
const NOTED = [
  "ORIG_HEAD",
  "FETCH_HEAD",
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "rebase-merge/orig-head",
  "rebase-merge/onto",
  "rebase-merge/git-rebase-todo",
  "rebase-merge/done",
  "rebase-apply/orig-head",
  "rebase-apply/onto",
] as const;

/** `folder`: what is about to go. `goes`: with its repository, or the work tree alone. */
export async function goingCommits(
  repository: Repository,
  goes: "repository" | "tree",
  folder: string,
): Promise<GoingCommits> {
  const refs = await refsOf(repository);
  return goes === "repository" ? ofRepository(repository, refs, folder) : ofTree(repository, refs);
}

async function ofRepository(
  repository: Repository,
  refs: readonly Ref[],
  folder: string,
): Promise<GoingCommits> {
  const remotes = remotesOutside(repository, folder);
  const isKept = ({ ref }: Tip): boolean => remotes.some((name) => ref.startsWith(`refs/remotes/${name}/`));
  const kept = refs.filter(isKept).map(({ id }) => id);
  const worktrees = (await listWorktrees(repository)).filter(({ head }) => head !== null);
  const heads = worktrees.map(({ path, head }) => ({
    ref: `${OWN}/head/${refName(basename(path))}`,
    id: head as string,
  }));
  const tips = [
    ...refs.filter((one) => !isKept(one)),
    ...heads,
    ...gitFoldersOf(repository.commonDir).flatMap(notedIn),
    ...(await stashesOf(repository)),
    ...(await cutOff(repository)),
  ];
  const logged = await onlyLogged(repository, ["--reflog"], [...tips.map(({ id }) => id), ...kept]);
  const clonedS = clonedAt(repository.commonDir);
  const known = new Set(kept);
  const objects = refs.filter(
    ({ id, type, taggedS }) =>
      type !== "commit" && !known.has(id) && !(taggedS !== null && taggedS < clonedS),
  );
  return { tips: [...tips, ...logged], objects, kept, keptByOthers: kept };
}

async function ofTree(repository: Repository, refs: readonly Ref[]): Promise<GoingCommits> {
  const mine = refs.filter(({ ref }) => PER_WORKTREE.test(ref));
  const kept = refs.filter(({ ref }) => !PER_WORKTREE.test(ref)).map(({ id }) => id);
  const head = text(await repository.run(["rev-parse", "-q", "--verify", "HEAD"], { answers: [1, 128] }));
  const branch = text(await repository.run(["symbolic-ref", "-q", "HEAD"], { answers: [1] }));
  const name = branch === "" ? `${OWN}/head/${refName(basename(repository.root))}` : branch;
  const tips = [...(head === "" ? [] : [{ ref: name, id: head }]), ...mine, ...notedIn(repository.gitDir)];
  const log = await repository.run(["log", "-g", "--format=%H", "HEAD", "--"], { answers: [128] });
  const ids = [
    ...new Set(
      text(log)
        .split("\n")
        .filter((id) => id !== ""),
    ),
  ];
  const logged = await onlyLogged(repository, ids, [...tips.map(({ id }) => id), ...kept]);
  const isShared = ({ ref }: Tip): boolean =>
    ref.startsWith("refs/remotes/") || ref === "refs/heads/main" || ref === "refs/heads/master";
  const keptByOthers = refs.filter((one) => isShared(one) && one.ref !== branch).map(({ id }) => id);
  return { tips: [...tips, ...logged], objects: [], kept, keptByOthers };
}

interface Ref extends Tip {
  readonly type: string;
  /** When a tag with a text was made, in seconds. */
  readonly taggedS: number | null;
}

const REF_FIELDS = "--format=%(objectname) %(objecttype) %(taggerdate:unix) %(refname)";

async function refsOf(repository: Repository): Promise<Ref[]> {
  return text(await repository.run(["for-each-ref", REF_FIELDS]))
    .split("\n")
    .flatMap((line) => {
      const [, id, type, tagged, ref] = /^(\S+) (\S+) (\d*) (.+)$/.exec(line) ?? [];
      if (id === undefined || type === undefined || ref === undefined) return [];
      return [{ id, ref, type, taggedS: tagged ? Number(tagged) : null }];
    });
}

/** When it was cloned, in seconds, as its log begins: a tag that is older came with it. 0: nobody knows. */
function clonedAt(commonDir: string): number {
  const [first = ""] = readOrEmpty(join(commonDir, "logs/HEAD")).split("\n", 1);
  return Number(/ (\d+) [+-]\d{4}\tclone: from /.exec(first)?.[1] ?? 0);
}

/** Commits that are here although git was told that history ends above them. */
async function cutOff(repository: Repository): Promise<Tip[]> {
  const ends = readOrEmpty(join(repository.commonDir, "shallow")).match(ID) ?? [];
  const there = [...(await thatAreThere(repository, ends))];
  if (there.length === 0) return [];
  // As they are stored, whatever is cut off: "parent" and an id, in the lines above the text.
  const args = ["cat-file", "--batch"];
  const stored = (await repository.run(args, { input: lines(there) })).toString("latin1");
  const parents = [...stored.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map(([, id]) => id ?? "");
  const left = await thatAreThere(repository, parents);
  return [...left].map((id) => ({ ref: `${OWN}/cut-off/${id.slice(0, 16)}`, id }));
}

/** Of the repository, and of each of its linked work trees. */
function gitFoldersOf(commonDir: string): string[] {
  const folder = join(commonDir, "worktrees");
  const linked = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
  return [commonDir, ...linked.map((name) => join(folder, name))];
}

/** What remotes outside the work tree are known to have. */
export async function idsAtRemotes(repository: Repository): Promise<readonly string[]> {
  const remotes = remotesOutside(repository, repository.root);
  if (remotes.length === 0) return [];
  const args = ["for-each-ref", "--format=%(objectname)", ...remotes.map((name) => `refs/remotes/${name}/`)];
  const ids = text(await repository.run(args)).split("\n");
  return [...new Set(ids.filter((id) => id !== ""))];
}

/**
 * The remotes that are configured, by name: what looks like the branch of another is a ref like any. One that lies in the folder itself
 * goes with it, and what it has is no proof.
 */
function remotesOutside({ config, root }: Repository, folder: string): string[] {
  const remotes = config.flatMap(({ key, value }) => {
    const name = /^remote\.(.+)\.url$/s.exec(key)?.[1];
    if (name === undefined || value === null) return [];
    const path = resolve(root, value.replace(/^file:\/\//, ""));
    const isInside =
      placeInside(folder, path) !== null && statSync(path, { throwIfNoEntry: false }) !== undefined;
    return [{ name, isInside }];
  });
  const lost = new Set(remotes.filter(({ isInside }) => isInside).map(({ name }) => name));
  return [...new Set(remotes.map(({ name }) => name))].filter((name) => !lost.has(name));
}

/** All but the newest, which is `refs/stash` itself. */
async function stashesOf(repository: Repository): Promise<Tip[]> {
  const args = ["log", "-g", "--format=%H", "refs/stash", "--"];
  const ids = text(await repository.run(args, { answers: [128] }))
    .split("\n")
    .filter((id) => id !== "");
  return ids.slice(1).map((id, at) => ({ ref: `${OWN}/stash/${at + 1}`, id }));
}

function notedIn(gitDir: string): Tip[] {
  return NOTED.flatMap((file) => {
    const found = readOrEmpty(join(gitDir, file)).match(ID) ?? [];
    return [...new Set(found)].map((id) => ({ ref: `${OWN}/noted/${refName(file)}/${id.slice(0, 12)}`, id }));
  });
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return "";
    throw thrown;
  }
}

/** The newest of each line of commits that no ref has. */
async function onlyLogged(
  repository: Repository,
  from: readonly string[],
  known: readonly string[],
): Promise<Tip[]> {
  if (from.length === 0) return [];
  const isOption = from[0]?.startsWith("--") ?? false;
  const input = lines([...(isOption ? [] : from), ...known.map((id) => `^${id}`)]);
  const args = ["rev-list", "--ignore-missing", "--parents", ...(isOption ? from : []), "--stdin"];
  const rows = text(await repository.run(args, { input }))
    .split("\n")
    .filter((row) => row !== "");
  const parents = new Set(rows.flatMap((row) => row.split(" ").slice(1)));
  const newest = rows.map((row) => row.split(" ")[0] ?? "").filter((id) => !parents.has(id));
  return newest.slice(0, MAX_LOGGED).map((id) => ({ ref: `${OWN}/log/${id.slice(0, 16)}`, id }));
}

/** How many commits the tips reach that none of the others does. */
export async function commitsBeyond(
  repository: Repository,
  tips: readonly string[],
  others: readonly string[],
): Promise<number> {
  if (tips.length === 0) return 0;
  const input = lines([...tips, ...others.map((id) => `^${id}`)]);
  const output = await repository.run(["rev-list", "--count", "--ignore-missing", "--stdin"], { input });
  return Number(text(output));
}

export interface Bundle {
  readonly bytes: Buffer;
  readonly tips: readonly Tip[];
  /** What whoever fetches from it must have. */
  readonly bases: readonly string[];
}

/** Null: there is nothing in it that the others do not have. `blobs`: single objects that are wanted, too. */
export async function bundleOf(
  repository: Repository,
  { tips, objects, keptByOthers: others }: GoingCommits,
  blobs: readonly string[],
): Promise<Bundle | null> {
  const known = await thatAreThere(repository, [...tips.map(({ id }) => id), ...blobs]);
  const there = tips.filter(({ id }) => known.has(id));
  const wanted = blobs.filter((id) => known.has(id));
  const ids = there.map(({ id }) => id);
  const isNothingNew =
    wanted.length + objects.length === 0 && (await commitsBeyond(repository, ids, others)) === 0;
  if (isNothingNew) return null;
  const not = others.map((id) => `^${id}`);
  const walk = await repository.run(["rev-list", "--boundary", "--stdin"], {
    input: lines([...ids, ...not]),
  });
  const bases = text(walk)
    .split("\n")
    .flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : []));
  const pack = await repository.run(["pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q"], {
    input: lines([...ids, ...wanted, ...not]),
  });
  const named = [...there, ...wanted.map((id) => ({ ref: `${OWN}/staged/${id}`, id }))];
  return { bytes: bundleBytes(bases, named, pack), tips: named, bases };
}

const SHA256_CHARS = 64;

/** As gitformat-bundle has it: each name once. */
export function bundleBytes(bases: readonly string[], tips: readonly Tip[], pack: Buffer): Buffer {
  const isSha256 = tips.some(({ id }) => id.length === SHA256_CHARS);
  const first = isSha256 ? "# v3 git bundle\n@object-format=sha256\n" : "# v2 git bundle\n";
  const names = new Map(tips.map(({ ref, id }) => [ref, id]));
  const refs = [...names].map(([ref, id]) => `${id} ${ref}\n`);
  const head = `${first}${bases.map((id) => `-${id}\n`).join("")}${refs.join("")}\n`;
  return Buffer.concat([Buffer.from(head), pack]);
}

/** Where the pack begins: after the first empty line. */
export function packIn(bundle: Buffer): Buffer {
  const at = bundle.indexOf("\n\nPACK");
  if (at === -1) throw new RefloatError("E_GIT_FAILED", { command: "bundle", why: "it has no pack" });
  return bundle.subarray(at + 2);
}

async function thatAreThere(repository: Repository, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const input = lines([...new Set(ids)]);
  const output = await repository.run(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  const rows = text(output).split("\n");
  return new Set(rows.filter((row) => !row.endsWith(" missing")).map((row) => row.split(" ")[0] ?? ""));
}

const refName = (name: string): string => name.replace(/[^A-Za-z0-9_-]+/g, "-");
const text = (output: Buffer): string => output.toString("utf8").trim();
const lines = (all: readonly string[]): Buffer => Buffer.from(all.map((one) => `${one}\n`).join(""));
