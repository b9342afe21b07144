/** Somebody else writes at the worst moment (W3, W5), or holds what an act needs (K4, S6). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withActsClaim } from "../../src/acts/plans/acts-session.ts";
import { findPlan, openPlans, plansOf } from "../../src/acts/plans/plans.ts";
import { finishPlans } from "../../src/acts/primitive/finish-plans.ts";
import { runUnit, type TreeWork } from "../../src/acts/primitive/tree/run-unit.ts";
import { type SwapStep, swapPath } from "../../src/acts/primitive/tree/swap-path.ts";
import { tidySlots } from "../../src/acts/primitive/tree/tidy-slots.ts";
import { openTree, type Slot, type TreePlace } from "../../src/acts/primitive/tree/tree.ts";
import { unitsOf } from "../../src/acts/primitive/tree/units.ts";
import type { PathName } from "../../src/model/path-name.ts";
import { isSameState } from "../../src/model/path-state.ts";
import { type Acting, acting, slotsIn, treeOf } from "../support/acting.ts";
import { startChild } from "../support/child.ts";
import { fingerprint } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runActor } from "./run-actor.ts";
import { makeWorld, type World } from "./world.ts";

/** Does something when a slot is about to be used for the first time: between two steps of a swap. */
const whenUsed = (place: TreePlace, slot: Slot, act: () => void): TreePlace => {
  let isDone = false;
  return {
    ...place,
    slot: (name) => {
      if (name === slot && !isDone) {
        isDone = true;
        act();
      }
      return place.slot(name);
    },
  };
};

interface Race {
  readonly a: Acting;
  readonly step: SwapStep;
  readonly kept: string[];
  race(slot: Slot, act: () => void): Promise<unknown>;
  at(name: string): string;
}

async function race(): Promise<Race> {
  const a = await acting();
  a.repo.write("f", "expected\n");
  const { path, expect: before, put } = a.to("f", await a.file("new\n"));
  const step: SwapStep = { path, key: "0", home: "" as PathName, expect: before, put };
  const kept: string[] = [];
  const tree = openTree(a.repo.root, "token");
  onTestFinished(() => tree.close());
  return {
    a,
    step,
    kept,
    at: (name) => join(a.repo.root, name),
    race: async (slot, act) => {
      const entered = tree.enter(step);
      if (entered.kind !== "place") throw new Error("not there");
      const { place } = entered;
      const outcome = await swapPath(whenUsed(place, slot, act), step, (hash) => a.raw.readContent(hash));
      await tidySlots({ kind: "place", place }, step, async (_step, _at, seen) => {
        kept.push(seen.kind === "state" ? (seen.state?.hash ?? "") : "");
        return true;
      });
      return outcome;
    },
  };
}

describe("a swap with somebody else writing at the same moment", () => {
  it("W3: a file that an editor puts in place by rename just before it is moved aside is what stays", async () => {
    const r = await race();
    const outcome = await r.race("o", () => {
      writeFileSync(r.at("tmp"), "saved by an editor\n");
      renameSync(r.at("tmp"), r.at("f"));
    });
    expect(outcome).toMatchObject({ kind: "conflict", found: { size: 19 } });
    expect([r.a.repo.read("f"), slotsIn(r.a.repo.root)]).toEqual(["saved by an editor\n", []]);
  });

  it("W3: bytes written into the old file at the last moment are what stays", async () => {
    const r = await race();
    const outcome = await r.race("o", () => writeFileSync(r.at("f"), "written in place\n"));
    expect(outcome).toMatchObject({ kind: "conflict", found: { size: 17 } });
    expect([r.a.repo.read("f"), slotsIn(r.a.repo.root)]).toEqual(["written in place\n", []]);
  });

  it("W3: a file made while nothing has the name is not overwritten, and what it took the place of is held", async () => {
    const r = await race();
    let uses = 0;
    const place = r.race("o", () => undefined);
    await place;
    r.a.repo.write("f", "expected\n");
    // Slot n is asked for to see whether it is there, to write it, and then to link it: the third time is between.
    const tree = openTree(r.a.repo.root, "token");
    const entered = tree.enter(r.step);
    if (entered.kind !== "place") throw new Error("not there");
    const spied: TreePlace = {
      ...entered.place,
      slot: (name) => {
        if (name === "n" && ++uses === 3) writeFileSync(r.at("f"), "made meanwhile\n", { flag: "wx" });
        return entered.place.slot(name);
      },
    };
    const outcome = await swapPath(spied, r.step, (hash) => r.a.raw.readContent(hash));
    await tidySlots(entered, r.step, async () => false);
    tree.close();
    expect(outcome).toMatchObject({ kind: "conflict", found: { size: 15 } });
    expect([r.a.repo.read("f"), slotsIn(r.a.repo.root), r.kept]).toEqual(["made meanwhile\n", [], []]);
  });

  it("W3, DESIGN 15: a process that had the old file open and writes into it after the swap is seen; its whole group goes back", async () => {
    const a = await acting();
    for (const name of ["a", "b", "c"]) a.repo.write(name, `${name}\n`);
    const fd = openSync(join(a.repo.root, "a"), "a");
    onTestFinished(() => closeSync(fd));
    const puts = await Promise.all(["a", "b", "c"].map(async (name) => a.to(name, await a.file("new\n"))));
    const [unit] = unitsOf(puts, { isOne: false });
    if (!unit) throw new Error("no unit");
    const tree = openTree(a.repo.root, "token");
    onTestFinished(() => tree.close());
    let swapped = 0;
    const work: TreeWork = {
      tree,
      read: (hash) => a.raw.readContent(hash),
      keep: async () => false,
      recheck: async () => undefined,
      onPath: () => {
        if (++swapped === 3) writeSync(fd, "late\n");
      },
      isLate: false,
      modeOf: () => 0o755,
      isMade: () => false,
      mayPrune: () => false,
    };
    expect(await runUnit(work, unit)).toMatchObject([{ path: "a", found: { size: 7 } }]);
    expect(["a", "b", "c"].map((name) => a.repo.read(name))).toEqual(["a\nlate\n", "b\n", "c\n"]);
    expect(slotsIn(a.repo.root)).toEqual([]);
  });
});

describe("a folder that is swapped for a link again and again while acts run in it", () => {
  it("W3: nothing outside is read, written or removed, and no path is left as neither the old nor the new", async () => {
    const a = await acting();
    const outside = temporaryFolder();
    const names = Array.from({ length: 40 }, (_, i) => `d/f${i}`);
    for (const name of names) a.repo.write(name, `old ${name}\n`);
    for (const name of names) writeFileSync(join(outside, name.slice(2)), `old ${name}\n`);
    const before = fingerprint(outside);
    const child = startChild(`
      import { existsSync, renameSync, symlinkSync, unlinkSync } from "node:fs";
      const d = ${JSON.stringify(join(a.repo.root, "d"))};
      process.stdout.write("1\\n");
      const nap = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(d + "-stop")) {
        Atomics.wait(nap, 0, 0, 3 * Math.random());
        renameSync(d, d + "-real"); symlinkSync(${JSON.stringify(outside)}, d);
        unlinkSync(d); renameSync(d + "-real", d);
      }`);
    await child.said();
    const [old, fresh] = [
      names.map((name) => a.file(`old ${name}\n`)),
      names.map((name) => a.file(`new ${name}\n`)),
    ];
    const [olds, news] = [await Promise.all(old), await Promise.all(fresh)];
    let [conflicts, done] = [0, 0];
    // By chance the folder may be away in all of fifteen; then it goes on until something was swapped.
    for (let round = 0; round < 15 || (done === 0 && round < 500); round++) {
      const [from, to] = round % 2 === 0 ? [olds, news] : [news, olds];
      const puts = names.map((name, i) => ({
        path: name as PathName,
        group: `g${i}`,
        expect: from[i] ?? null,
        put: to[i] ?? null,
      }));
      try {
        const outcome = await a.apply({ puts });
        if (outcome.kind === "done") done += outcome.paths.length;
        if ("conflicts" in outcome) conflicts += outcome.conflicts.length;
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: expect.stringMatching(/^E_ACT_MOVED_AWAY$|^E_CAPTURE/) });
      }
    }
    a.repo.write("d-stop", "");
    expect(await child.ended()).toBe(0);
    await finishPlans(a.raw, a.here);
    expect(fingerprint(outside)).toBe(before);
    console.log(`${done} paths swapped, ${conflicts} in conflict while their folder came and went`);
    expect(done).toBeGreaterThan(0);
    for (const [i, name] of names.entries()) {
      const now = a.now(name);
      expect(
        [olds[i] ?? null, news[i] ?? null].some((one) => isSameState(now, one)),
        `${name} ${conflicts}`,
      ).toBe(true);
    }
  });
});

describe("an executor that lives", () => {
  it("K4: keeps others out of the workspace; nothing is changed", async () => {
    const a = await acting();
    a.repo.write("a", "a\n");
    await withActsClaim(a.raw, a.here, async () => {
      expect(await a.apply({ puts: [a.to("a", null)] })).toMatchObject({
        kind: "refused",
        error: { code: "E_ACT_BUSY" },
      });
    });
    expect(a.repo.read("a")).toBe("a\n");
    expect(await a.apply({ puts: [a.to("a", null)] })).toMatchObject({ kind: "done" });
  });

  it("K4: frozen in the middle of a plan, it is not taken over; woken, it ends what it began", async () => {
    await inWorld(async (world) => {
      const actor = spawn(
        process.execPath,
        [
          new URL("actor.mjs", import.meta.url).pathname,
          JSON.stringify({ base: world.base, job: "act", draft: "tree", session: world.session }),
        ],
        {
          env: {
            PATH: process.env.PATH,
            HOME: world.base,
            GIT_CONFIG_NOSYSTEM: "1",
            GIT_CONFIG_GLOBAL: "/dev/null",
          },
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      onTestFinished(() => void actor.kill("SIGKILL"));
      await new Promise<void>((resolve) => {
        actor.stdout.on("data", (text) => {
          if (String(text).includes("progress")) resolve();
        });
      });
      actor.kill("SIGSTOP");
      await world.withStore(async (store, workspace) => {
        expect(await openPlans(store, workspace)).toHaveLength(1);
        const before = treeOf(world.repo.root);
        await expect(finishPlans(store, workspace)).rejects.toMatchObject({ code: "E_ACT_BUSY" });
        expect(treeOf(world.repo.root)).toEqual(before);
      });
      const ended = once(actor, "close");
      actor.kill("SIGCONT");
      expect((await ended)[0]).toBe(0);
      await world.withStore(async (store, workspace) => {
        for await (const plan of plansOf(store, workspace)) expect(plan.state).toBe("done");
      });
    });
  });

  it("S6: a git command with the plan's mark that outlived its executor is waited for before anything is looked at", async () => {
    await inWorld(async (world) => {
      const life = await runActor(
        world,
        { job: "act", draft: "commit" },
        { kind: "point", at: "act.index-built" },
      );
      expect(life.signal).toBe("SIGKILL");
      await world.withStore(async (store, workspace) => {
        const [plan] = await openPlans(store, workspace);
        const git = spawn("sh", ["-c", `sleep 0.7; echo done > "${world.base}/by-git"`], {
          env: { PATH: process.env.PATH, REFLOAT_PLAN: plan?.id },
          stdio: "ignore",
        });
        await finishPlans(store, workspace);
        expect(git.exitCode ?? (await once(git, "close"))[0]).toBe(0);
        expect(world.repo.git("rev-parse", "HEAD")).toBe(world.drafts.commit.refs?.[0]?.put);
        expect((await findPlan(store, workspace, plan?.id ?? ""))?.state).toBe("done");
      });
    });
  });
});

const FILES = 90;

async function inWorld(use: (world: World) => Promise<void>): Promise<void> {
  const world = await makeWorld(FILES);
  try {
    await use(world);
  } finally {
    world.remove();
  }
}
