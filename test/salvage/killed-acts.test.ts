/**
 * Kills inside two acts that are more than one plan's swap: the removal of a work tree (files, git's own notes, folder), and an
 * undo that adds a reversing commit (objects, index, branch). At every point each passes; a sample of them by default (S5, S6).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inParallel, report } from "../chaos/sweep.ts";
import { ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftTwoFiles } from "../support/left-session.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { treeState, treeText } from "../support/tree-state.ts";

const LONG = { timeout: 30 * 60_000 };
/** Of the points a command passes: the ends, and some between. */
const SAMPLE = 4;

/** Each point with which of its hits: "act.swapped#2". */
async function hitsOf(place: Place, args: readonly string[]): Promise<string[]> {
  const log = join(temporaryFolder(), "hits");
  writeFileSync(log, "");
  const ran = await place.refloat(args, { env: { ...ANN, REFLOAT_CRASH_LOG: log } });
  expect(ran.code, ran.stderr).toBe(0);
  const seen = new Map<string, number>();
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((name) => name.startsWith("act."))
    .map((name) => {
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return `${name}#${seen.get(name)}`;
    });
}

/** Where everything is decided and nothing done: the plan is all that a second command finds. */
const ALWAYS = "act.after-plan#1";

function sampled(hits: readonly string[]): string[] {
  if (isFull || hits.length <= SAMPLE) return [...hits];
  const spread = Array.from(
    { length: SAMPLE },
    (_, n) => hits[Math.floor((n * (hits.length - 1)) / (SAMPLE - 1))] as string,
  );
  return [...new Set([ALWAYS, ...spread])];
}

async function killedAt(place: Place, args: readonly string[], at: string): Promise<void> {
  const ran = await place.refloat(args, { env: { ...ANN, REFLOAT_CRASH_AT: at } });
  expect(ran.signal, `${at}: ${ran.stderr}`).toBe("SIGKILL");
}

interface Linked {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly path: string;
}

/** A merged work tree with ignored files in it. */
function linked(): Linked {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f", "1\n");
  repo.write(".gitignore", "built/\n");
  repo.commit();
  const path = join(temporaryFolder(), "feature");
  repo.git("worktree", "add", "-q", "-b", "feature", path);
  writeFileSync(join(path, "new"), "new\n");
  repo.git("-C", path, "add", "-A");
  repo.git("-C", path, "commit", "-q", "-m", "feature");
  repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature");
  mkdirSync(join(path, "built"));
  writeFileSync(join(path, "built/out.js"), "1;\n");
  return { place, repo, path };
}

/** Whoever comes next brings it to its end, and everything is to be had again. */
async function comesHome({ place, repo, path }: Linked, kill: () => Promise<string>): Promise<void> {
  const before = [treeText(path), treeState(repo)];
  const branch = repo.git("rev-parse", "feature");
  const at = await kill();
  const again = existsSync(path)
    ? await place.refloat(["worktrees", "remove", path, "--yes"], { env: ANN })
    : await place.refloat(["doctor", "--fix"], { env: ANN });
  expect([again.code, existsSync(path)], `${at}: ${again.stderr}`).toEqual([0, false]);
  const undone = await place.refloat(["undo", "--yes"], { env: ANN });
  const isWhole = existsSync(path) && treeText(path) === before[0];
  expect(isWhole, `${at}: ${again.stderr} / ${undone.stdout} ${undone.stderr}`).toBe(true);
  expect(repo.git("rev-parse", "feature"), at).toBe(branch);
  expect(treeState(repo), at).toEqual(before[1]);
  expect(repo.git("-C", path, "status", "--porcelain"), at).toBe("");
}

const RANDOM_KILLS = isFull ? 120 : 6;
/** Longer than a removal takes on a busy machine. */
const LONGEST_MS = 2000;

describe("worktrees remove", LONG, () => {
  it(`killed at ${RANDOM_KILLS} random instants loses no byte either`, async () => {
    const random = randomFrom(seed);
    const delays = Array.from({ length: RANDOM_KILLS }, () => random(LONGEST_MS));
    let inFlight = 0;
    await inParallel(delays, async (delayMs) => {
      const scene = linked();
      await comesHome(scene, async () => {
        const child = scene.place.start(["worktrees", "remove", scene.path, "--yes", "--json"], { env: ANN });
        const timer = setTimeout(() => child.kill("SIGKILL"), delayMs);
        child.stdin?.end();
        const { signal, stdout } = await ended(child);
        clearTimeout(timer);
        if (signal === "SIGKILL" && stdout === "") inFlight++;
        return `after ${delayMs} ms`;
      });
    });
    report(`${RANDOM_KILLS} kills of worktrees remove at random (seed ${seed})`, [
      `  in flight    ${inFlight}`,
    ]);
  });

  it("killed at any point loses no byte: the work tree is there whole, or undo brings it back; the branch and the main tree stay", async () => {
    const first = linked();
    const hits = await hitsOf(first.place, ["worktrees", "remove", first.path, "--yes"]);
    expect(existsSync(first.path)).toBe(false);
    const points = sampled(hits);
    await inParallel(points, async (at) => {
      const scene = linked();
      await comesHome(scene, async () => {
        await killedAt(scene.place, ["worktrees", "remove", scene.path, "--yes"], at);
        return at;
      });
    });
    report("Kills inside worktrees remove", [
      `  ${hits.length} points passed, killed at ${points.join(", ")}`,
    ]);
  });
});

interface Reversible {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly users: string;
}

/** A commit of refloat's that the user went on from: its undo is a reversing commit. */
async function reversible(): Promise<Reversible> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  await leftTwoFiles(place, repo);
  const { code } = await place.json(["commit", "--all", "--yes"], { env: ANN });
  expect(code).toBe(0);
  repo.write("other.txt", "the user's\n");
  repo.git("commit", "-qm", "the user's", "--", "other.txt");
  return { place, repo, users: repo.git("rev-parse", "HEAD") };
}

describe("an undo that adds a reversing commit", LONG, () => {
  it("killed at any point is finished or taken back by the next start; the branch never goes back, nothing in the tree changes (W2, W7)", async () => {
    const first = await reversible();
    const hits = await hitsOf(first.place, ["undo", "--yes"]);
    const points = sampled(hits);
    await inParallel(points, async (at) => {
      const { place, repo, users } = await reversible();
      const { tree } = treeState(repo);
      await killedAt(place, ["undo", "--yes"], at);
      expect(repo.git("merge-base", "--is-ancestor", users, "HEAD"), at).toBe("");
      expect(treeState(repo).tree, at).toBe(tree);
      // Nothing happened before the plan: then this one does it; else it settles the plan, and there is nothing more to undo.
      const next = (await place.json(["undo", "--yes"], { env: ANN })) as { code: number; json: JsonObject };
      expect([0, 1], `${at}: ${JSON.stringify(next.json)}`).toContain(next.code);
      expect(repo.git("rev-parse", "HEAD^"), at).toBe(users);
      expect(repo.git("diff", "--name-status", users, "HEAD").split("\n"), at).toEqual([
        "M\tf.txt",
        "D\tnew.md",
      ]);
      expect(repo.git("status", "--porcelain").split("\n"), at).toEqual([" M f.txt", "?? new.md"]);
      expect(treeState(repo).tree, at).toBe(tree);
    });
    report("Kills inside a reversing undo", [
      `  ${hits.length} points passed, killed at ${points.join(", ")}`,
    ]);
  });
});
