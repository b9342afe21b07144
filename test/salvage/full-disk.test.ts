/** The disk is full where git writes for refloat (D6): told as that, exit 75, nothing is changed, and it works when there is room. */
import { describe, expect, it } from "vitest";
import { BIN } from "../support/cli.ts";
import { onSmallDisk } from "../support/small-disk.ts";

/** A repository and a session that left a file in it, by the built program. `refloat` gives the exit code and the error's code. */
const SCENE = `
import { spawnSync } from "node:child_process";
const bin = ${JSON.stringify(BIN)};
const home = disk + "-home";
const root = disk + "/repo";
mkdirSync(root, { recursive: true });
const person = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.org" };
const env = { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home, ...person };
const git = (...args) => execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
let message = "";
const refloat = (...args) => {
  const { status, stdout } = spawnSync(process.execPath, [bin, ...args, "--json"], { cwd: root, env, encoding: "utf8" });
  const told = JSON.parse(stdout);
  message = told.message ?? "";
  return [status, told.code ?? "done"];
};
git("init", "-q", "-b", "main");
const lines = (word) => Array.from({ length: 20_000 }, (_, i) => word + " " + i * 7919).join("\\n") + "\\n";
writeFileSync(root + "/large.txt", lines("old"));
git("add", "-A");
git("commit", "-q", "-m", "base");
const base = git("rev-parse", "HEAD");
execFileSync(process.execPath, [bin, "run", "--", "sh", "-c", "sed -i s/old/new/ large.txt"], { cwd: root, env });
const isSame = () => git("rev-parse", "HEAD") === base && git("--no-optional-locks", "status", "--porcelain") === "M large.txt" && readFileSync(root + "/large.txt", "utf8") === lines("new");
`;

describe("a full disk under git", () => {
  it("is said of a commit whose objects find no room: exit 75, HEAD, index and tree as they were; with room it is made (D6)", () => {
    const said = onSmallDisk(
      "8m",
      `${SCENE}
      fill();
      said.full = refloat("commit", "--all", "--yes");
      said.isNamed = message.includes("The disk of " + root);
      said.isSame = isSame();
      free();
      said.again = refloat("commit", "--all", "--yes");
      said.isUponBase = git("log", "-1", "--format=%P") === base;
      said.status = git("--no-optional-locks", "status", "--porcelain");`,
    );
    expect(said).toEqual({
      full: [75, "E_DISK_FULL"],
      isNamed: true,
      isSame: true,
      again: [0, "done"],
      isUponBase: true,
      status: "",
    });
  }, 300_000);
});
