/** What comes between an operation's end and its commit: kills, other writers, other commits (S5, S6, W5, W7). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inParallel } from "../chaos/sweep.ts";
import { ended } from "../support/cli.ts";
import { isFull } from "../support/seed.ts";
import { hook, type OperationsScene, operationsScene, until } from "./operations-scene.ts";

const LONG = { timeout: 20 * 60_000 };

const ONE_OPERATION = [
  ["begin", "One"],
  ["write", "one.md", "One.\n"],
  ["write", "notes.md", "# Notes\n\nThe very first.\n"],
  ["end"],
] as const;

/** In the middle of the commit: a hook that says so, and waits. */
function pausedIn(scene: OperationsScene): void {
  const [at, go] = ["hooked", "unhook"].map((name) => join(scene.notes, name)) as [string, string];
  hook(scene.repo, "pre-commit", `touch ${at}; while [ ! -e ${go} ]; do sleep 0.05; done`);
}

/** Points in the order in which a commit passes them. */
const POINTS = isFull
  ? [
      "act.before-plan",
      "act.after-plan",
      "act.tree-done",
      "act.after-tree",
      "act.index-built",
      "act.index-locked",
      "act.index-published",
      "act.after-index",
      "act.after-refs",
      "act.before-settled",
      "act.after-settled",
    ]
  : ["act.after-plan", "act.index-locked", "act.after-index", "act.after-refs"];

describe("a commit as it goes", LONG, () => {
  it("that is killed at any point costs the agent nothing; the next start finishes it or takes it back, and never is a reversal staged", async () => {
    await inParallel(POINTS, async (point) => {
      const scene = operationsScene();
      const { start, subjects, status, json, repo } = scene;
      const ran = await ended(start(ONE_OPERATION, { REFLOAT_CRASH_AT: point }));
      expect(ran.code, point).toBe(0);
      expect(ran.stderr, point).toContain("the process that commits ended by SIGKILL");
      // Nothing of the index may say that what was committed goes away again.
      expect(repo.git("diff", "--cached", "--diff-filter=D", "--name-only"), point).toBe("");
      expect(await json("settle", "--yes"), point).toMatchObject({ code: 0 });
      expect(subjects(), point).toEqual(["One", "base"]);
      expect(status(), point).toEqual([]);
      expect(await json("undo", "--yes"), point).toMatchObject({ code: 0 });
      expect(subjects(), point).toEqual(["base"]);
      expect(status(), point).toEqual([" M notes.md", "?? one.md"]);
      expect(repo.read("notes.md"), point).toBe("# Notes\n\nThe very first.\n");
    });
  });

  it("goes on to its end when the supervisor is killed in the middle of it, and leaves the agent alone", async () => {
    const scene = operationsScene();
    pausedIn(scene);
    const child = scene.start([...ONE_OPERATION, ["note", "working"], ["await", "stop"]]);
    const over = ended(child);
    await scene.noted("hooked");
    await scene.noted("working");
    child.kill("SIGKILL");
    expect((await over).signal).toBe("SIGKILL");
    scene.note("unhook");
    await until(() => scene.subjects()[0] === "One", "the commit");
    const { json } = await scene.json("sessions");
    expect(json.sessions[0], "its agent still works").toMatchObject({ state: "live", supervised: false });
    scene.note("stop");
    await until(
      () => scene.status().length === 0 && !existsSync(join(scene.repo.root, ".git/index.lock")),
      "git",
    );
    expect(scene.subjects()).toEqual(["One", "base"]);
  });

  it("leaves a file that the agent writes again meanwhile, with all that belongs to it, and loses no byte of it (W5)", async () => {
    const scene = operationsScene();
    pausedIn(scene);
    const over = ended(
      scene.start([
        ...ONE_OPERATION,
        ["await", "hooked"],
        ["append", "one.md", "And more.\n"],
        ["note", "unhook"],
      ]),
    );
    expect((await over).code).toBe(0);
    expect(scene.subjects()).toEqual(["base"]);
    expect(scene.repo.read("one.md")).toBe("One.\nAnd more.\n");
    expect(scene.status()).toEqual([" M notes.md", "?? one.md"]);
  });

  it("waits for the agent's own commit of the same moment and comes on top of it, with nothing lost of either (W2)", async () => {
    const scene = operationsScene();
    pausedIn(scene);
    const own = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "core.hooksPath=/dev/null"];
    const over = ended(
      scene.start([
        ...ONE_OPERATION,
        ["await", "hooked"],
        ["write", "mine.md", "Mine.\n"],
        ["git", "add", "mine.md"],
        ["git", ...own, "commit", "-qm", "my own"],
        ["note", "unhook"],
        ["await", "committed"],
      ]),
    );
    await until(() => scene.subjects()[0] === "One", "the commit on top");
    scene.note("committed");
    expect((await over).code).toBe(0);
    expect(existsSync(join(scene.notes, "failed")) && readFileSync(join(scene.notes, "failed"), "utf8")).toBe(
      false,
    );
    expect(scene.subjects()).toEqual(["One", "my own", "base"]);
    expect(scene.status()).toEqual([]);
  });
});
