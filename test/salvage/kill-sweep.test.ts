/**
 * The kill sweep over settling (S5, S6, W7): settle, commit, park, unpark, discard, restore, undo and redo, as the real program, are
 * killed at every crash point of an act and at random instants, each as often as the others. After each kill the next start settles it; then tree, index and refs
 * are as they were or as planned, nothing else, git works, no lock is left and nothing is staged in reverse. Every story
 * comes home: undo brings the original state back.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finishPlans } from "../../src/acts/primitive/finish-plans.ts";
import { ACT_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { inParallel, report } from "../chaos/sweep.ts";
import { deadOwner, ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { treeState } from "../support/tree-state.ts";

const KILLS = isFull ? 1400 : 40;
/** Of each command in a full run. */
const LEAST_OF_EACH = 100;
const STORIES = isFull ? 6 : 3;
/** Longer than any of these commands takes on a busy machine, so that random kills fall anywhere in it. */
const LONGEST_MS = 2500;
const LEAST_IN_FLIGHT = 0.3;
const LIMIT_MS = 60 * 60_000;

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  /** A capture in which mine.md is another. */
  readonly capture: string;
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
  const mine = repo.read("mine.md");
  repo.write("mine.md", `ANOTHER\n${lines(12)}`);
  const { capture } = (await place.json(["capture", "-m", "another"])).json;
  repo.write("mine.md", mine);
  return { place, repo, capture };
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
const actsOf = ({ capture }: Scene): Readonly<Record<string, readonly string[]>> => ({
  settle: ["settle"],
  commit: ["commit", "--safe", "-m", "safe work"],
  park: ["park", "Makefile"],
  discard: ["discard", "Makefile"],
  restore: ["restore", capture, "mine.md"],
});

interface Learned {
  readonly states: ReadonlyMap<string, string>;
  /** What `park` parks. */
  readonly parked: string;
}

async function learnStates(scene: Scene, original: string): Promise<Learned> {
  const states = new Map<string, string>();
  let parked = "";
  for (const [name, args] of Object.entries(actsOf(scene))) {
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
  readonly command: string;
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
  return {
    what,
    command: args[0] ?? "",
    isKilled: signal === "SIGKILL",
    isInFlight: signal === "SIGKILL" && stdout === "",
  };
}

/** What can be tried where the story is. */
interface Move {
  readonly args: readonly string[];
  /** The act whose state it leads to; null: back to the original one. */
  readonly to: string | null;
}

function movesFrom(scene: Scene, at: string, undone: string | null, parked: string): Move[] {
  if (at === "original")
    return [
      ...Object.entries(actsOf(scene)).map(([to, args]) => ({ args, to })),
      ...(undone === null ? [] : [{ args: ["redo"], to: undone }]),
    ];
  const unpark = at === "park" ? [{ args: ["unpark", parked], to: null }] : [];
  return [{ args: ["undo"], to: null }, ...unpark];
}

/** Mostly the command that was killed least, so that none of them is proved by a handful. */
function nextMove(moves: readonly Move[], deaths: readonly Death[], random: (below: number) => number): Move {
  const killed = ({ args }: Move): number => deaths.filter(({ command }) => command === args[0]).length;
  const thinnest = moves.toSorted((a, b) => killed(a) - killed(b));
  return (random(8) === 0 ? moves[random(moves.length)] : thinnest[0]) as Move;
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
  `S5, S6, W7: ${KILLS} kills of settle, commit, park, unpark, discard, restore, undo and redo leave tree, index and refs as they were or as planned, and every story comes home`,
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
        let undone: string | null = null;
        for (let i = story; i < KILLS; i += STORIES) {
          const { args, to } = nextMove(movesFrom(scene, at, undone, parked), deaths, random);
          const point = `${points[random(points.length)]}#${1 + random(2)}`;
          const kill = random(2) === 0 ? { at: point } : { afterMs: random(LONGEST_MS) };
          const death = await die(scene, args, kill);
          deaths.push(death);
          await scene.place.withStore((store) => finishPlans(store.raw, workspace()));
          assertSound(scene, death.what);
          const now = stateOf(scene);
          const goal = to === null ? original : (states.get(to) ?? "");
          const from = at === "original" ? original : (states.get(at) ?? "");
          expect([from, goal].includes(now), `${death.what}: neither as it was nor as planned`).toBe(true);
          if (!death.isKilled) expect(now, death.what).toBe(goal);
          landed.set(
            now === goal ? "planned" : "as it was",
            (landed.get(now === goal ? "planned" : "as it was") ?? 0) + 1,
          );
          if (now !== goal) continue;
          // What was unparked is not done again by redo: that is an act of its own.
          undone = args[0] === "undo" ? at : null;
          at = to ?? "original";
        }
        if (at !== "original") expect((await run(scene, ["undo"])).code).toBe(0);
        expect(scene.repo.git("fsck", "--no-dangling")).toBe("");
        expect(stateOf(scene), "the story comes home").toBe(original);
      },
    );
    const of = new Map<string, number>();
    for (const death of deaths) of.set(death.command, (of.get(death.command) ?? 0) + 1);
    const inFlight = deaths.filter(({ isInFlight }) => isInFlight).length;
    report(`${deaths.length} kills of settling`, [
      ...[...landed].map(([where, count]) => `  ${where.padEnd(12)} ${count}`),
      `  in flight    ${inFlight}`,
      ...[...of].map(([command, count]) => `  ${command.padEnd(12)} ${count}`),
    ]);
    if (isFull) expect([...of].filter(([, count]) => count < LEAST_OF_EACH)).toEqual([]);
    expect(inFlight / deaths.length).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
  },
  LIMIT_MS,
);
