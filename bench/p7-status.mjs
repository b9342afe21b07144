// P7: a durable capture by status of 100,000 files, 20 of them changed, against `git status -uall` alone.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { takeCapture } from "../dist/workspace/captures/take-capture.js";
import { openWorkspace } from "../dist/workspace/opening/workspace.js";
import { interleave, scratchDirectory } from "./raw.mjs";
import { CHANGED, change, git, repositoryOf } from "./repositories.mjs";

const FILES = 100_000;

export async function run() {
  const dir = scratchDirectory("p7");
  const root = repositoryOf(FILES);
  const store = await openStore(join(dir, "store.db"), { thread: false });
  const { id } = await store.begin({ agent: "bench", workspace: root, captures: "off" });
  const env = process.env;
  const beforeBlock = () => change(root, FILES);
  const variants = [
    {
      name: "status",
      beforeBlock,
      run: () => git(root, ["--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall"]),
    },
    {
      name: "capture",
      beforeBlock,
      run: () => takeCapture(store.raw, openWorkspace(root, { env }), { env, session: id, reason: "timer" }),
    },
  ];
  const { status, capture } = (await interleave(variants, 7, 1, { blocksPerRound: 3, warmUpOps: 1 }))
    .variants;
  await store.close();
  rmSync(dir, { recursive: true });
  const { median, min, max } = capture.ratio;
  return [
    {
      goal: "P7",
      what: `capture by status of ${FILES} files, ${CHANGED} changed, against git status -uall alone`,
      value: median,
      target: 1.2,
      want: "at most",
      note: `p50 ${(capture.p50Us / 1000).toFixed(0)} ms against ${(status.p50Us / 1000).toFixed(0)} ms; rounds ${min.toFixed(2)} to ${max.toFixed(2)}`,
    },
  ];
}
