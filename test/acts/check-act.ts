/**
 * What must hold after a kill, and after the next start has settled it (S5, S6). Each check says what is wrong in
 * words; an empty list is a pass. What a draft leads to is computed here from the draft alone, never by the primitive.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PlanDraft } from "../../src/acts/plans/draft.ts";
import { openPlans } from "../../src/acts/plans/plans.ts";
import type { ContentHash } from "../../src/model/ids.ts";
import type { PathState } from "../../src/model/path-state.ts";
import { type WholeState, type World, wholeState } from "./world.ts";

const SLOT = /(?:^|\/)\.refloat-[0-9a-z]+-[0-9a-z]+\.[nor]$/;
const IGNORED = "pkg/__pycache__/m.pyc";

const describe = (state: PathState): string | undefined => {
  if (state === null) return undefined;
  if (state.kind === "symlink") return `link ${state.target}`;
  return state.kind === "file" ? `file ${state.mode.toString(8)} ${state.hash}` : "folder";
};

/** Folders are compared only as a whole state: git knows none. */
const filesOf = (tree: WholeState["tree"]): Map<string, string> =>
  new Map(Object.entries(tree).filter(([, what]) => !what.startsWith("folder")));

/** The whole state a draft leads to from the original one. */
function appliedState({ original }: World, draft: PlanDraft): WholeState {
  const tree = filesOf(original.tree);
  for (const { path, put } of draft.puts) {
    const what = describe(put);
    if (what === undefined || what === "folder") tree.delete(path);
    else tree.set(path, what);
  }
  if (draft.puts.length > 0) tree.delete(IGNORED);
  const lines = new Map(original.index.split("\n").map((line) => [line.split("\t")[1] ?? "", line]));
  for (const { path, put } of draft.index ?? []) {
    lines.delete(path);
    for (const { mode, id, stage } of put)
      lines.set(path, `H ${mode.toString(8).padStart(6, "0")} ${id} ${stage}\t${path}`);
  }
  const refs = (draft.refs ?? []).reduce(
    (text, { expect, put }) => text.replaceAll(expect ?? "", put ?? ""),
    original.refs,
  );
  return { tree: Object.fromEntries(tree), index: [...lines.values()].join("\n"), refs };
}

const sortedLines = (text: string): string => text.split("\n").sort().join("\n");

export function isStateOf(
  now: WholeState,
  wanted: WholeState,
  parts: { readonly isWhole: boolean },
): string[] {
  const wrong: string[] = [];
  const [a, b] = parts.isWhole
    ? [new Map(Object.entries(now.tree)), new Map(Object.entries(wanted.tree))]
    : [filesOf(now.tree), filesOf(wanted.tree)];
  for (const path of new Set([...a.keys(), ...b.keys()]))
    if (a.get(path) !== b.get(path)) wrong.push(`${path}: ${a.get(path)}, not ${b.get(path)}`);
  if (sortedLines(now.index) !== sortedLines(wanted.index)) wrong.push("the index is another");
  if (now.refs !== wanted.refs) wrong.push(`refs: ${now.refs}, not ${wanted.refs}`);
  return wrong.slice(0, 5);
}

/** Right after the kill, before anything else has run (S6). `draft`: what was being applied or undone. */
export async function wrongAfterKill(
  world: World,
  draft: PlanDraft | null,
  spoilt: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const now = wholeState(world.repo);
  const target = draft ? appliedState(world, draft) : world.original;
  return [
    ...wrongPaths(world, now, target, spoilt),
    ...(await lostBytes(world, now, target)),
    ...wrongGit(world, now, target),
  ];
}

/** Every path is as it was, as it shall be, or on its way between the two; nobody else's is touched. */
function wrongPaths(
  { original }: World,
  now: WholeState,
  target: WholeState,
  spoilt: Readonly<Record<string, string>>,
): string[] {
  const [was, is, shall] = [filesOf(original.tree), filesOf(now.tree), filesOf(target.tree)];
  const slots = [...is.keys()].filter((path) => SLOT.test(path));
  const wrong: string[] = [];
  for (const path of new Set([...was.keys(), ...is.keys(), ...shall.keys()])) {
    if (SLOT.test(path)) continue;
    const [before, found, after] = [was.get(path), is.get(path), shall.get(path)];
    const isOnItsWay = found === undefined && before !== after && slots.length > 0;
    if (found !== before && found !== after && !isOnItsWay && found !== spoilt[path])
      wrong.push(`${path} is ${found}: neither ${before} nor ${after}`);
  }
  return wrong.slice(0, 5);
}

const hashOf = (what: string): string =>
  what.startsWith("link ")
    ? createHash("sha256").update(what.slice(5)).digest("hex")
    : (what.split(" ")[2] ?? "");

/** Bytes of either side must be in the tree, or whole in the store. */
async function lostBytes(world: World, now: WholeState, target: WholeState): Promise<string[]> {
  const inTree = new Set([...filesOf(now.tree).values()].map(hashOf));
  const sides = [...filesOf(world.original.tree), ...filesOf(target.tree)];
  const missing = new Map(sides.map(([path, what]) => [hashOf(what), path]));
  for (const hash of inTree) missing.delete(hash);
  if (missing.size === 0) return [];
  return world.withStore(async (store) => {
    const lost: string[] = [];
    for (const [hash, path] of missing) {
      const digest = createHash("sha256");
      try {
        for await (const piece of store.readContent(hash as ContentHash)) digest.update(piece);
      } catch (thrown) {
        lost.push(`the bytes of ${path} are lost: ${String(thrown)}`);
        continue;
      }
      if (digest.digest("hex") !== hash) lost.push(`the bytes of ${path} are not whole`);
    }
    return lost.slice(0, 5);
  });
}

/** The user's git works; index and refs are the old or the new, never something between; a lock is ours. */
function wrongGit({ repo, original }: World, now: WholeState, target: WholeState): string[] {
  const wrong: string[] = [];
  const among = (what: "index" | "refs"): boolean =>
    [original, target].some((one) => sortedLines(one[what]) === sortedLines(now[what]));
  if (!among("index")) wrong.push("the index is neither the old nor the new one");
  if (!among("refs")) wrong.push(`the refs are ${now.refs}`);
  for (const args of [
    ["status", "--porcelain"],
    ["fsck", "--no-dangling", "--no-progress"],
  ]) {
    try {
      execFileSync("git", args, { cwd: repo.root, stdio: "pipe", maxBuffer: 2 ** 28 });
    } catch (thrown) {
      wrong.push(`git ${args[0]} fails: ${String(thrown)}`);
    }
  }
  const names = gitFiles(repo.root);
  const ours = names.filter((name) => /^refloat-.*\.index$/.test(name)).map((name) => inode(repo.root, name));
  if (names.includes("index.lock") && !ours.includes(inode(repo.root, "index.lock")))
    wrong.push("index.lock is not proved ours");
  return wrong;
}

const gitFiles = (root: string): string[] => readdirSync(join(root, ".git"));
const inode = (root: string, name: string): number => lstatSync(join(root, ".git", name)).ino;

/** After the next start: nothing open, nothing left over, and one of the two whole states. */
export async function settledAs(
  world: World,
  draft: PlanDraft | null,
): Promise<{ at: "original" | "applied" | "wrong"; wrong: string[] }> {
  const now = wholeState(world.repo);
  const left = [
    ...Object.keys(now.tree).filter((path) => SLOT.test(path)),
    ...gitFiles(world.repo.root).filter((name) => /^refloat-|\.lock$/.test(name)),
  ].map((name) => `${name} is left`);
  const open = await world.withStore((store, workspace) => openPlans(store, workspace));
  const wrong = [...left, ...open.map(({ id }) => `the plan ${id} is still open`)];
  const fromOriginal = isStateOf(now, world.original, { isWhole: true });
  if (fromOriginal.length === 0) return { at: "original", wrong };
  const fromApplied = draft ? isStateOf(now, appliedState(world, draft), { isWhole: false }) : ["no draft"];
  if (fromApplied.length === 0) return { at: "applied", wrong };
  return {
    at: "wrong",
    wrong: [...wrong, "not the original:", ...fromOriginal, "not the new:", ...fromApplied],
  };
}
