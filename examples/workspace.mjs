// What somebody left half done in a repository: judged, settled after a look at the plan, and taken back.
//   node examples/workspace.mjs
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "refloat/workspace";

const folder = mkdtempSync(join(tmpdir(), "refloat-example-"));
const repository = join(folder, "repository");
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
git("init", "-q", repository);
writeFileSync(join(repository, "limits.mjs"), "export const limit = 1;\n");
git("-C", repository, "add", ".");
git("-C", repository, "commit", "-qm", "limits");
writeFileSync(join(repository, "limits.mjs"), "export const limit = (2;\n"); // cut off in the middle
writeFileSync(join(repository, "notes.md"), "The limit is to be 2.\n");

const workspace = await openWorkspace(repository, { store: join(folder, "refloat.db") });
try {
  const { groups } = await workspace.inspect(); // changes nothing
  for (const { verdict, changes } of groups)
    console.log(`${verdict}: ${changes.map(({ path }) => path).join(", ")}`);

  const done = await workspace.park({
    isAdopted: true, // no session was recorded here: it is yours all the same
    ask: (plan) => {
      for (const { act, paths } of plan.acts) console.log(`would ${act} ${paths.join(", ")}`);
      return true;
    },
  });
  console.log(
    `${done.kind}; the tree is ${git("-C", repository, "status", "--porcelain") === "" ? "clean" : "not clean"}`,
  );

  const [undone] = await workspace.undo({ ask: () => true });
  console.log(
    `taken back: ${undone.kind}, ${git("-C", repository, "status", "--porcelain").split("\n").length - 1} paths are changed again`,
  );
} finally {
  await workspace.close();
  rmSync(folder, { recursive: true });
}
