/**
 * The kill sweep over settling (issue: S5, S6, W7): settle, commit, park, unpark and undo, as the real program, are killed at
 * every crash point of an act and at random instants. After each kill the next start settles it; then tree, index and refs
 * are as they were or as planned, nothing else, git works, no lock is left and nothing is staged in reverse. Every story
 * comes home: undo brings the original state back.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settlePlans } from "../../src/acts/settle-plans.ts";
import { ACT_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { openWorkspace } from "../../src/workspace/workspace.ts";
import { inParallel, report } from "../chaos/sweep.ts";
import { deadOwner, ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { treeState } from "../support/tree-state.ts";

const KILLS = isFull ? 300 : 40;
const STORIES = isFull ? 6 : 3;
/** Longer than any of these commands takes on a busy machine, so that random kills fall anywhere in it. */
const LONGEST_MS = 2500;
const LEAST_IN_FLIGHT = 0.3;
const LIMIT_MS = 60 * 60_000;

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
}

const lines = (n: number): string => Array.from({ length: n }, (_, i) => `line ${i}\n`).join("");

/** The user's staged work in the same file, in another, and an intended one; a session with safe and risky work. */
async function makeScene(): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["shared.md", "mine.md", "Makefile"]) repo.write(name, lines(12));
  repo.write("journal/day.md", "# Day\n");
  repo.write("real/a", "a\n");
  symlinkSync("real", join(repo.root, "pkg"));
  repo.commit("base");
  repo.write("shared.md", lines(12).replace("line 0", "USER"));
  repo.git("add", "shared.md");
  repo.write("mine.md", `USER\n${lines(12)}`);
  repo.git("add", "mine.md");
  repo.write("mine.md", `USER AGAIN\n${lines(12)}`);
  repo.write("intended.md", "later\n");
  repo.git("add", "-N", "intended.md");
  await place.withStore(async (store) => {
    const session = await store.begin({ id: "swept", agent: "t", workspace: repo.root, owner: deadOwner() });
    const turn = await session.turn("go");
    const edit = async (path: string, write: () => void): Promise<void> => {
      const call = await turn.call({ tool: "edit", input: { path } });
      write();
      await call.result("ok");
    };
    await edit("journal/day.md", () => repo.write("journal/day.md", "# Day\n\nWorked.\n"));
    await edit("shared.md", () =>
      repo.write("shared.md", repo.read("shared.md").replace("line 11", "SESSION")),
    );
    await session.operation("rebuild", { paths: ["Makefile", "pkg/**", "pkg", "fresh.mk"] });
    await edit("Makefile", () => repo.write("Makefile", "all:\n\ttrue\n"));
    await edit("pkg", () => {
      rmSync(join(repo.root, "pkg"));
      mkdirSync(join(repo.root, "pkg"));
      writeFileSync(join(repo.root, "pkg/a"), "copied\n");
    });
    await edit("fresh.mk", () => {
      repo.write("fresh.mk", "x:\n");
      repo.git("add", "fresh.mk");
    });
    await turn.end("completed");
  });
  return { place, repo };
}

/** S5's equality, with the tree of HEAD in place of its id: a commit made again has another time. */
function stateOf({ repo }: Scene): string {
  const { tree, index } = treeState(repo);
  return [tree, index, repo.git("rev-parse", "HEAD^{tree}"), repo.git("rev-list", "--count", "HEAD")].join(
    "\n====\n",
  );
}

const run = ({ place }: Scene, args: readonly string[]): Promise<{ code: number | null; json: JsonObject }> =>
  place.json([...args, "--yes"], { env: ANN });

/** Each act by the state it leads to. */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  settle: ["settle"],
  commit: ["commit", "--safe", "-m", "safe work"],
  park: ["park", "Makefile"],
};

interface Learned {
  readonly states: ReadonlyMap<string, string>;
  /** What `park` parks. */
  readonly parked: string;
}

async function learnStates(scene: Scene, original: string): Promise<Learned> {
  const states = new Map<string, string>();
  let parked = "";
  for (const [name, args] of Object.entries(ACTS)) {
    const done = await run(scene, args);
    expect([done.code, done.json.conflicts], `${name}: ${JSON.stringify(done.json)}`).toEqual([0, []]);
    states.set(name, stateOf(scene));
    if (name === "park") parked = done.json.plan.acts[0].group;
    expect(states.get(name), name).not.toBe(original);
    expect((await run(scene, ["undo"])).code, name).toBe(0);
    expect(stateOf(scene), name).toBe(original);
  }
  return { states, parked };
}

interface Death {
  readonly what: string;
  readonly isInFlight: boolean;
  readonly isKilled: boolean;
}

async function die(
  scene: Scene,
  args: readonly string[],
  kill: { at: string } | { afterMs: number },
): Promise<Death> {
  const env = { ...ANN, ...("at" in kill ? { REFLOAT_CRASH_AT: kill.at } : {}) };
  const child = scene.place.start([...args, "--yes", "--json"], { env });
  child.stdin?.end();
  const timer = "afterMs" in kill ? setTimeout(() => child.kill("SIGKILL"), kill.afterMs) : null;
  const { signal, stdout, code } = await ended(child);
  if (timer) clearTimeout(timer);
  const what = `${args.join(" ")} ${JSON.stringify(kill)} ${signal ?? code} ${stdout.slice(0, 300)}`;
  return { what, isKilled: signal === "SIGKILL", isInFlight: signal === "SIGKILL" && stdout === "" };
}

/** What must hold after the next start, whatever was killed. */
function assertSound({ repo }: Scene, what: string): void {
  const locks = readdirSync(join(repo.root, ".git"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".lock"),
  );
  expect(locks, what).toEqual([]);
  expect(() => repo.git("status", "--porcelain"), what).not.toThrow();
  const staged = repo.git("diff", "--cached");
  expect(staged, `${what}: a staged reversal`).not.toMatch(/^-SESSION$|^-Worked\.$/m);
  expect(staged, `${what}: the user's staged line`).toMatch(/^\+USER$/m);
  expect(existsSync(join(repo.root, "intended.md")), what).toBe(true);
}

test(
  `S5, S6, W7: ${KILLS} kills of settle, commit, park, unpark and undo leave tree, index and refs as they were or as planned, and every story comes home`,
  async () => {
    const points = Object.keys(ACT_CRASH_POINTS);
    const deaths: Death[] = [];
    const landed = new Map<string, number>();
    await inParallel(
      Array.from({ length: STORIES }, (_, i) => i),
      async (story) => {
        const random = randomFrom(seed + 7919 * story);
        const scene = await makeScene();
        const workspace = () => openWorkspace(scene.repo.root, { env: DOOR_ENV });
        // The first command proves the death and takes the end capture: once, before anything is compared.
        expect((await scene.place.json(["settle", "--policy", "leave", "--yes"], { env: ANN })).code).toBe(0);
        const original = stateOf(scene);
        const { states, parked } = await learnStates(scene, original);
        let at = "original";
        for (let i = story; i < KILLS; i += STORIES) {
          const names = Object.keys(ACTS);
          const name = names[random(names.length)] ?? "settle";
          const back = at === "park" && random(2) === 0 ? ["unpark", parked] : ["undo"];
          const args = at === "original" ? (ACTS[name] ?? []) : back;
          const point = `${points[random(points.length)]}#${1 + random(2)}`;
          const kill = random(2) === 0 ? { at: point } : { afterMs: random(LONGEST_MS) };
          const death = await die(scene, args, kill);
          deaths.push(death);
          await scene.place.withStore((store) => settlePlans(store.raw, workspace()));
          assertSound(scene, death.what);
          const now = stateOf(scene);
          const goal = at === "original" ? (states.get(name) ?? "") : original;
          const from = at === "original" ? original : (states.get(at) ?? "");
          expect([from, goal].includes(now), `${death.what}: neither as it was nor as planned`).toBe(true);
          if (!death.isKilled) expect(now, death.what).toBe(goal);
          landed.set(
            now === goal ? "planned" : "as it was",
            (landed.get(now === goal ? "planned" : "as it was") ?? 0) + 1,
          );
          if (now === goal) at = at === "original" ? name : "original";
        }
        if (at !== "original") expect((await run(scene, ["undo"])).code).toBe(0);
        expect(scene.repo.git("fsck", "--no-dangling")).toBe("");
        expect(stateOf(scene), "the story comes home").toBe(original);
      },
    );
    const inFlight = deaths.filter(({ isInFlight }) => isInFlight).length;
    report(`${deaths.length} kills of settling`, [
      ...[...landed].map(([where, count]) => `  ${where.padEnd(12)} ${count}`),
      `  in flight    ${inFlight}`,
    ]);
    expect(inFlight / deaths.length).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
  },
  LIMIT_MS,
);
