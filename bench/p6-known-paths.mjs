// P6: a durable capture of 20 known paths in a repository of 100,000 files against one of 1,000, and against what
// every shadow-git peer does instead: a copied index, `git add -A`, `git write-tree`. All files have new bytes
// before every single operation.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { takeCapture } from "../dist/workspace/captures/take-capture.js";
import { openWorkspace } from "../dist/workspace/opening/workspace.js";
import { interleave, scratchDirectory } from "./raw.mjs";
import { CHANGED, change, changedPaths, git, repositoryOf } from "./repositories.mjs";

const SMALL = 1000;
const LARGE = 100_000;

export async function run() {
  const dir = scratchDirectory("p6");
  const store = await openStore(join(dir, "store.db"), { thread: false });
  const known = async (name, files) => {
    const root = repositoryOf(files);
    const { id } = await store.begin({ agent: "bench", workspace: root, captures: "off" });
    const options = { env: process.env, session: id, reason: "call-end", paths: changedPaths(files) };
    return {
      name,
      beforeBlock: () => change(root, files),
      run: () => takeCapture(store.raw, openWorkspace(root, { env: process.env }), options),
    };
  };
  const root = repositoryOf(LARGE);
  const index = join(dir, "index");
  const add = {
    name: "add",
    beforeBlock: () => change(root, LARGE),
    run: () => {
      copyFileSync(join(root, ".git", "index"), index);
      git(root, ["add", "-A"], { GIT_INDEX_FILE: index });
      git(root, ["write-tree"], { GIT_INDEX_FILE: index });
    },
  };
  const variants = [await known("small", SMALL), await known("large", LARGE), add];
  const {
    small,
    large,
    add: peers,
  } = (await interleave(variants, 5, 1, { blocksPerRound: 3, warmUpOps: 1 })).variants;
  await store.close();
  rmSync(dir, { recursive: true });
  const ms = (timing) => (timing.p50Us / 1000).toFixed(2);
  return [
    {
      goal: "P6",
      what: `capture of ${CHANGED} known paths in ${LARGE} files against ${SMALL}`,
      value: large.ratio.median,
      target: 1.5,
      want: "at most",
      note: `p50 ${ms(large)} ms against ${ms(small)} ms; rounds ${large.ratio.min.toFixed(2)} to ${large.ratio.max.toFixed(2)}`,
    },
    {
      goal: "P6",
      what: `the same in ${LARGE} files against git add -A + write-tree`,
      value: large.p50Us / peers.p50Us,
      target: 0.02,
      want: "at most",
      note: `p50 ${ms(large)} ms against ${ms(peers)} ms`,
    },
  ];
}
