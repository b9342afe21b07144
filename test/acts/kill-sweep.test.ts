/**
 * The kill sweep over acts (DESIGN 14): capture, restore, discard, undo, redo, index edit and ref swap are killed at
 * every crash point and at random instants, life after life in one world. After each kill nothing is lost and git
 * works (S6); the next start settles it; whatever was done can be undone to the very state it came from (S5).
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inverseOf } from "../../src/acts/compilers/undo.ts";
import { plansOf } from "../../src/acts/plans/plans.ts";
import { applyDraft } from "../../src/acts/primitive/apply-draft.ts";
import { finishPlans } from "../../src/acts/primitive/finish-plans.ts";
import { ACT_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { inParallel, report } from "../chaos/sweep.ts";
import { treeOf } from "../support/acting.ts";
import { DOOR_ENV } from "../support/git-repository.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { isStateOf, settledAs, wrongAfterKill } from "./check-act.ts";
import { type Job, type Kill, type Life, runActor } from "./run-actor.ts";
import { type DraftName, makeWorld, type World, wholeState } from "./world.ts";

const FILES = 3000;
const SMALL = 90;
const RANDOM_KILLS = isFull ? 300 : 18;
const STORIES = isFull ? 12 : 2;
const LEAST_IN_FLIGHT = 0.3;
const LIMIT_MS = 3 * 60 * 60_000;

/** Where a story is: at the original state, or with a draft applied by a plan. */
type At = { readonly draft: null } | { readonly draft: DraftName; readonly plan: string };

async function settleHere(world: World): Promise<number> {
  return world.withStore(async (store, workspace) => (await finishPlans(store, workspace)).length);
}

/** The newest plan that is done and takes nothing back. */
async function lastPlan(world: World): Promise<string> {
  return world.withStore(async (store, workspace) => {
    for await (const plan of plansOf(store, workspace))
      if (plan.state === "done" && plan.undoes === null) return plan.id;
    throw new Error("no plan is done");
  });
}

async function undoHere(world: World, plan: string): Promise<void> {
  await world.withStore(async (store, workspace) => {
    for await (const one of plansOf(store, workspace)) {
      if (one.id !== plan) continue;
      const draft = { act: "undo", session: null, undoes: plan, ...inverseOf(one) } as const;
      expect(await applyDraft(store, workspace, draft, { env: DOOR_ENV })).toMatchObject({ kind: "done" });
    }
  });
}

/** One killed life and everything that must hold after it. */
async function killOnce(
  world: World,
  at: At,
  job: Job & { name?: DraftName },
  kill: Kill,
): Promise<{ at: At; life: Life }> {
  const life = await runActor(world, job, kill);
  const what = `${JSON.stringify(job)} ${JSON.stringify(kill)} ${life.errors} ${JSON.stringify(life.said.at(-1))}`;
  expect(life.signal, what).toBe("SIGKILL");
  const name = job.name ?? at.draft;
  const draft = name === null ? null : world.drafts[name];
  const spoilt = job.spoil ? { [job.spoil.path]: treeOf(world.repo.root)[job.spoil.path] ?? "" } : {};
  expect(await wrongAfterKill(world, draft, spoilt), what).toEqual([]);
  return { at, life };
}

async function settleAndLook(
  world: World,
  at: At,
  name: DraftName | null,
  life: Life,
  isUndo: boolean,
): Promise<At> {
  await settleHere(world);
  const draft = name === null ? null : world.drafts[name];
  const found = await settledAs(world, draft);
  const what = `${name} ${isUndo ? "undone" : "done"}, acked: ${life.isAcked}`;
  expect(found.wrong, what).toEqual([]);
  expect(found.at, what).not.toBe("wrong");
  if (life.isAcked && life.said.at(-1)?.outcome === "done")
    expect(found.at, what).toBe(isUndo ? "original" : "applied");
  if (found.at === "original" || name === null) return found.at === "original" ? { draft: null } : at;
  return { draft: name, plan: at.draft === null ? await lastPlan(world) : at.plan };
}

/** Comes home: whatever is applied is undone, and everything is as it was in the beginning. */
async function comeHome(world: World, at: At): Promise<void> {
  if (at.draft !== null) await undoHere(world, at.plan);
  expect(isStateOf(wholeState(world.repo), world.original, { isWhole: true })).toEqual([]);
}

const SPOIL = { path: "new2/sub/n2", text: "somebody else\n" };

/** Which job passes a crash point. */
function jobFor(point: string): { job: Job; name: DraftName } {
  if (point === "act.putting-back") return { job: { job: "act", draft: "tree", spoil: SPOIL }, name: "tree" };
  const isGit = /index|refs/.test(point);
  const name: DraftName = isGit ? "commit" : "tree";
  return { job: { job: "act", draft: name }, name };
}

test(
  "S5, S6: killed at every crash point, an act loses no byte, leaves git working, is settled by the next start, and undo brings the original state back",
  async () => {
    const points = Object.keys(ACT_CRASH_POINTS);
    const random = randomFrom(seed);
    const hits = new Map<string, number>();
    for (const spoil of [false, true]) {
      for (const draft of spoil ? (["tree"] as const) : (["tree", "commit"] as const)) {
        const world = await makeWorld(SMALL);
        const life = await runActor(
          world,
          { job: "act", draft, ...(spoil ? { spoil: SPOIL } : {}) },
          { kind: "none" },
        );
        expect(life.isAcked, life.errors).toBe(true);
        for (const point of life.passed)
          if (point.startsWith("act.")) hits.set(point, (hits.get(point) ?? 0) + 1);
        world.remove();
      }
    }
    report(
      "Crash points of acts, passes in three whole lives",
      points.map((point) => `  ${point.padEnd(24)} ${hits.get(point) ?? 0}`),
    );
    expect(points.filter((point) => !hits.has(point))).toEqual([]);
    const kills = points.flatMap((point) => {
      const later = 1 + random(Math.max(1, Math.floor((hits.get(point) ?? 1) / 3)));
      return isFull ? [`${point}#1`, `${point}#${later}`] : [`${point}#${random(2) === 0 ? 1 : later}`];
    });
    await inParallel(kills, async (at) => {
      const world = await makeWorld(SMALL);
      try {
        const { job, name } = jobFor(at.split("#")[0] ?? "");
        const { life } = await killOnce(world, { draft: null }, { ...job, name }, { kind: "point", at });
        if (job.spoil) {
          // The conflict puts the group back; then somebody takes his own write back, and all is as it was.
          await settleHere(world);
          rmSync(join(world.repo.root, SPOIL.path));
          writeFileSync(join(world.repo.root, SPOIL.path), `new ${SPOIL.path}\n`);
          const found = await settledAs(world, world.drafts[name]);
          expect([found.at, found.wrong], at).toEqual(["original", []]);
          return;
        }
        await comeHome(world, await settleAndLook(world, { draft: null }, name, life, false));
      } finally {
        world.remove();
      }
    });
    report(`${kills.length} kills at crash points of acts`, []);
  },
  LIMIT_MS,
);

/** By time where nothing is said on the way; else mostly by how many paths are swapped, so that every part is met. */
function randomKill(random: (below: number) => number, saysPaths: boolean): Kill {
  const way = saysPaths ? random(8) : 0;
  if (way === 0) return { kind: "random", delayMs: random(3000), afterPaths: null };
  // The last word before the asides are dropped.
  if (way <= 2) return { kind: "random", delayMs: random(1500), afterPaths: FILES };
  return { kind: "random", delayMs: random(40), afterPaths: random(FILES) };
}

interface Landing {
  readonly job: string;
  readonly where: string;
  readonly isInFlight: boolean;
}

function landingOf(job: string, life: Life): Landing {
  const last = life.passed.findLast((point) => point.startsWith("act.")) ?? "before the plan";
  return { job, where: life.isAcked ? "after the acknowledgement" : last, isInFlight: !life.isAcked };
}

test(
  `S5, S6: ${RANDOM_KILLS} kills at random instants of captures, acts, undos, redos, index edits and ref swaps on ${FILES} files, and of the settling after them, lose nothing, and every story comes home`,
  async () => {
    const landings: Landing[] = [];
    await inParallel(
      Array.from({ length: STORIES }, (_, i) => i),
      async (story) => {
        const random = randomFrom(seed + 1000 * story);
        const world = await makeWorld(FILES);
        try {
          let at: At = { draft: null };
          let undone: DraftName | null = null;
          for (let i = story; i < RANDOM_KILLS; i += STORIES) {
            const names = ["tree", "groups", "index", "commit"] as const;
            const name: DraftName = at.draft ?? undone ?? names[random(names.length)] ?? "tree";
            const isUndo = at.draft !== null;
            const isCapture = random(8) === 0;
            const act: Job =
              isUndo && at.draft !== null ? { job: "act", undoes: at.plan } : { job: "act", draft: name };
            const job: Job = isCapture ? { job: "capture" } : act;
            const isOfTree = name === "tree" || name === "groups";
            const kill = randomKill(random, isOfTree && !isCapture);
            const { life } = await killOnce(world, at, { ...job, name }, kill);
            const label = isCapture
              ? "capture"
              : isUndo
                ? "undo"
                : undone === null
                  ? (world.drafts[name].act as string)
                  : "redo";
            landings.push(landingOf(label, life));
            if (random(4) === 0) {
              // The start that settles is killed too, and leaves no more wrong than the first one did.
              const settling = await runActor(
                world,
                { job: "settle" },
                { kind: "random", delayMs: random(1500), afterPaths: null },
              );
              expect(await wrongAfterKill(world, world.drafts[name]), settling.errors).toEqual([]);
              landings.push(landingOf("settle", settling));
            }
            const next: At = await settleAndLook(world, at, name, life, isUndo && !isCapture);
            undone = at.draft !== null && next.draft === null && random(2) === 0 ? at.draft : null;
            at = next;
          }
          await comeHome(world, at);
        } finally {
          world.remove();
        }
      },
    );
    report(`${landings.length} random kills of acts`, histogram(landings));
    const inFlight = landings.filter(({ isInFlight }) => isInFlight).length;
    expect(inFlight / landings.length).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
  },
  LIMIT_MS,
);

function histogram(landings: readonly Landing[]): string[] {
  const count = (of: (one: Landing) => string): [string, number][] =>
    [...new Set(landings.map(of))].map((key) => [key, landings.filter((one) => of(one) === key).length]);
  const lines = (title: string, rows: [string, number][]): string[] => [
    `  ${title}`,
    ...rows.sort((a, b) => b[1] - a[1]).map(([key, n]) => `    ${key.padEnd(28)} ${n}`),
  ];
  return [
    ...lines(
      "where",
      count(({ where }) => where),
    ),
    ...lines(
      "of",
      count(({ job }) => job),
    ),
  ];
}

test("a broken law would be seen: lost bytes, a stranger's file, a foreign lock and a half-written index are found", async () => {
  const world = await makeWorld(SMALL);
  try {
    const tree = world.drafts.tree;
    expect(await wrongAfterKill(world, tree)).toEqual([]);
    const lost = join(world.repo.root, "d0/f0");
    writeFileSync(lost, "overwritten without a capture\n");
    expect((await wrongAfterKill(world, tree)).join()).toMatch(
      /d0\/f0 is .*neither.*the bytes of d0\/f0 are lost/,
    );
    writeFileSync(lost, "dirty 0\n".repeat(3));
    writeFileSync(join(world.repo.root, "mine/dirty"), "touched\n");
    expect((await wrongAfterKill(world, tree)).join()).toMatch(/mine\/dirty is/);
    writeFileSync(join(world.repo.root, "mine/dirty"), "2\n");
    writeFileSync(join(world.repo.root, ".git/index.lock"), "");
    expect(await wrongAfterKill(world, tree)).toEqual(["index.lock is not proved ours"]);
    rmSync(join(world.repo.root, ".git/index.lock"));
    world.repo.git("add", "d0/f30");
    expect(await wrongAfterKill(world, world.drafts.commit)).toEqual([
      "the index is neither the old nor the new one",
    ]);
    expect((await settledAs(world, world.drafts.commit)).at).toBe("wrong");
  } finally {
    world.remove();
  }
});
