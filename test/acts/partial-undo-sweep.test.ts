/**
 * The kill sweep over undos and redos of which somebody's edit keeps a group (DESIGN 14, 15): whatever the kill left is settled to
 * whole groups, the history says of each what the tree shows, and with the edit put away undo after undo comes home.
 */
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compileUndo } from "../../src/acts/compilers/undo.ts";
import { groupsOf, type History, historyOf } from "../../src/acts/plans/history.ts";
import { type Plan, plansOf } from "../../src/acts/plans/plans.ts";
import { applyDraft } from "../../src/acts/primitive/apply-draft.ts";
import { finishPlans } from "../../src/acts/primitive/finish-plans.ts";
import { stateAt } from "../../src/acts/primitive/tree/state-at.ts";
import { isSameState, type PathState } from "../../src/model/path-state.ts";
import { inParallel, report } from "../chaos/sweep.ts";
import { treeOf } from "../support/acting.ts";
import { DOOR_ENV } from "../support/git-repository.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { isStateOf, wrongAfterKill } from "./check-act.ts";
import { runActor } from "./run-actor.ts";
import { makeWorld, type World, wholeState } from "./world.ts";

const FILES = 600;
const KILLS = isFull ? 120 : 8;
const STORIES = isFull ? 8 : 2;
const LEAST_IN_FLIGHT = 0.3;
const LIMIT_MS = 3 * 60 * 60_000;

interface Edit {
  readonly path: string;
  readonly group: string;
  away(): void;
}

/** Never through the link that a folder of the plan is now. */
function now({ repo }: World, path: string): PathState {
  const parent = path.startsWith("pkg/") ? stateAt(Buffer.from(join(repo.root, "pkg"))) : null;
  if (parent?.kind === "state" && parent.state?.kind === "symlink") return null;
  const seen = stateAt(Buffer.from(join(repo.root, path)));
  return seen.kind === "state" ? seen.state : null;
}

/** Somebody writes one of the plan's files. */
function editOne(world: World, random: (below: number) => number): Edit {
  const files = world.drafts.groups.puts.filter(({ path }) => now(world, path)?.kind === "file");
  const { path, group } = files[random(files.length)] as (typeof files)[number];
  const at = join(world.repo.root, path);
  const [was, mode] = [world.repo.read(path), now(world, path)?.mode ?? 0o644];
  rmSync(at);
  writeFileSync(at, `somebody's edit of ${path}\n`);
  const away = (): void => {
    rmSync(at);
    writeFileSync(at, was);
    chmodSync(at, mode);
  };
  return { path, group, away };
}

async function historyIn(world: World): Promise<History> {
  return world.withStore(async (store, workspace) => {
    const plans: Plan[] = [];
    for await (const plan of plansOf(store, workspace)) plans.push(plan);
    return historyOf(plans);
  });
}

/** Each group whole: as the plan has it, or as it was. What is neither is named. */
function groupsIn(world: World, edit: Edit | null): { applied: Set<string>; torn: string[] } {
  const found = new Map<string, Set<string>>();
  for (const { path, group, expect: before, put } of world.drafts.groups.puts) {
    if (path === edit?.path || before?.kind === "directory" || put?.kind === "directory") continue;
    const state = now(world, path);
    const side = isSameState(state, put)
      ? "applied"
      : isSameState(state, before)
        ? "original"
        : `torn ${path}`;
    found.set(group, (found.get(group) ?? new Set()).add(side));
  }
  const isOf = (side: string) => [...found].filter(([, sides]) => sides.size === 1 && sides.has(side));
  const torn = [...found].filter(([, sides]) => sides.size !== 1 || [...sides][0]?.startsWith("torn"));
  return {
    applied: new Set(isOf("applied").map(([group]) => group)),
    torn: torn.map(([group, sides]) => `${group}: ${[...sides]}`),
  };
}

const standingGroups = ({ standing }: History): string[] =>
  standing.flatMap((plan) => [...groupsOf(plan)]).sort();

async function comeHome(world: World): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const taken = compileUndo(await historyIn(world), null);
    if (taken.kind !== "draft") break;
    await world.withStore(async (store, workspace) => {
      const outcome = await applyDraft(store, workspace, taken.draft, { env: DOOR_ENV });
      expect(outcome).toMatchObject({ kind: "done", conflicts: [] });
    });
  }
  expect(isStateOf(wholeState(world.repo), world.original, { isWhole: true })).toEqual([]);
}

test(
  `S5, S6: ${KILLS} kills of undos and redos that an edit keeps from one group lose no byte, leave every group whole, and the history tells of each what the tree shows; with the edit put away all come home`,
  async () => {
    const landings: string[] = [];
    let kept = 0;
    await inParallel(
      Array.from({ length: STORIES }, (_, i) => i),
      async (story) => {
        const random = randomFrom(seed + 7000 * story);
        const world = await makeWorld(FILES);
        try {
          await runActor(world, { job: "act", draft: "groups" }, { kind: "none" });
          let edit: Edit | null = null;
          for (let i = story; i < KILLS; i += STORIES) {
            if (edit && random(2) === 0) {
              edit.away();
              edit = null;
            }
            edit ??= random(4) === 0 ? null : editOne(world, random);
            const history = await historyIn(world);
            const canRedo = history.undone.length > 0;
            const takes = history.standing.length === 0 || (canRedo && random(3) === 0) ? "redo" : "undo";
            const before = groupsIn(world, edit).applied;
            const afterPaths = random(4) === 0 ? null : 1 + random(FILES / 3);
            const kill = {
              kind: "random",
              delayMs: random(afterPaths === null ? 1500 : 30),
              afterPaths,
            } as const;
            const life = await runActor(world, { job: "act", takes }, kill);
            const what = `${takes} ${edit?.path} ${JSON.stringify(kill)} ${life.errors}`;
            expect(life.signal, what).toBe("SIGKILL");
            const spoilt = edit ? { [edit.path]: treeOf(world.repo.root)[edit.path] ?? "" } : {};
            expect(await wrongAfterKill(world, world.drafts.groups, spoilt), what).toEqual([]);
            await world.withStore((store, workspace) => finishPlans(store, workspace));
            const { applied, torn } = groupsIn(world, edit);
            expect(torn, what).toEqual([]);
            expect(standingGroups(await historyIn(world)), what).toEqual([...applied].sort());
            if (edit) {
              expect(applied.has(edit.group), `${what}: the edited group is untouched`).toBe(
                before.has(edit.group),
              );
              expect(world.repo.read(edit.path)).toBe(`somebody's edit of ${edit.path}\n`);
              kept++;
            }
            landings.push(life.isAcked ? "after the acknowledgement" : "in flight");
          }
          edit?.away();
          await comeHome(world);
        } finally {
          world.remove();
        }
      },
    );
    const inFlight = landings.filter((one) => one === "in flight").length;
    report(`${landings.length} kills of undos and redos in part`, [
      `  in flight ${inFlight}`,
      `  with an edit in the way ${kept}`,
    ]);
    expect(inFlight / landings.length).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
    expect(kept).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
