/** `refloat/workspace` where it is given nothing, nonsense, or what cannot be done: it says so, as the command line does (T1, S7). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace, type Policy, type WorkspacePlan } from "../../src/library/workspace.ts";
import { ANN, leftTwoFiles } from "../support/left-session.ts";
import { byLibrary, envOf, plain, type Scene, scene, stateOf } from "../support/two-faces.ts";

const left = async (): Promise<Scene> => {
  const at = scene();
  await leftTwoFiles(at.place, at.repo);
  return at;
};

const usage = (message: RegExp) => ({ code: "E_USAGE", message: expect.stringMatching(message) });
const yes = (): boolean => true;

describe("what the library is given", { timeout: 120_000 }, () => {
  it("T1: an empty list of groups or paths never means everything", async () => {
    const at = await left();
    const before = stateOf(at);
    await byLibrary(at.place, async (workspace) => {
      for (const name of ["groups", "paths"] as const)
        for (const act of ["settle", "commit", "park", "discard"] as const)
          await expect(workspace[act]({ [name]: [], ask: yes })).rejects.toMatchObject(
            usage(new RegExp(`^${name} is empty: leave it out to mean everything$`)),
          );
      await expect(workspace.restore("left-session", { paths: [], ask: yes })).rejects.toMatchObject(
        usage(/^paths is empty/),
      );
      expect(stateOf(at)).toEqual(before);
      const planned = await workspace.discard();
      expect(planned.plan.acts.flatMap(({ paths }) => paths).sort()).toEqual(["f.txt", "new.md"]);
    });
  });

  it("T1: a policy nobody knows is refused with those there are", async () => {
    const at = await left();
    await byLibrary(at.place, (workspace) =>
      expect(workspace.settle({ policy: "unknown" as Policy, ask: yes })).rejects.toMatchObject(
        usage(/"unknown".*default, revert-or-commit, park-all, leave/),
      ),
    );
  });

  it("a brief's budget has the bounds of the command line", async () => {
    const at = await left();
    await byLibrary(at.place, async (workspace) => {
      for (const budget of [199, 0, -1, Number.NaN, 200.5, 200_001, Number.POSITIVE_INFINITY])
        await expect(workspace.handoff({ budget })).rejects.toMatchObject(usage(/from 200 to 200000/));
      expect((await workspace.handoff({ budget: 200 }))?.budget).toBe(200);
    });
  });

  it("a folder that is not there, or is none, is refused by a code", async () => {
    const { place } = scene();
    const file = join(place.workspace, "file");
    writeFileSync(file, "");
    for (const path of [join(place.workspace, "gone"), file, join(file, "below")])
      await expect(openWorkspace(path, { env: envOf(place) })).rejects.toMatchObject({ code: "E_USAGE" });
  });
});

/** What an undo's or redo's JSON tells, but for what is typed. */
const toldOf = ({
  plan,
  conflicts,
  commit,
  reverses,
  uncommitted,
  left: alone,
  already,
}: ReturnType<typeof plain>) => ({
  ...{ acts: plan.acts, conflicts, commit, reverses, uncommitted, left: alone, already },
});

describe("what the library tells of an act", { timeout: 120_000 }, () => {
  it("S7, T1: who is asked about an undo or a redo sees the commit that goes or comes back, as `--json` has it", async () => {
    const at = await left();
    const shown: WorkspacePlan[] = [];
    const ask = (plan: WorkspacePlan): boolean => shown.push(plan) > 0;
    await byLibrary(at.place, (workspace) => workspace.commit({ ask: yes }));
    const commit = at.repo.git("rev-parse", "HEAD").trim();
    const undo = await at.place.json(["undo", "--dry-run"], { env: ANN });
    const [undone] = await byLibrary(at.place, async (workspace) => {
      const [planned] = await workspace.undo();
      expect(toldOf(plain(planned))).toEqual(toldOf(undo.json));
      return workspace.undo({ ask });
    });
    const uncommitted = { commit, ref: expect.stringMatching(/^refs\/heads\//), paths: ["f.txt", "new.md"] };
    expect(shown[0]).toMatchObject({ uncommitted, acts: undo.json.plan.acts });
    expect(shown[0]?.acts.flatMap(({ paths }) => paths).sort()).toEqual(["f.txt", "new.md"]);
    expect(undone).toMatchObject({ kind: "done", uncommitted, plan: { uncommitted } });
    const redo = await at.place.json(["redo", "--dry-run"], { env: ANN });
    await byLibrary(at.place, async (workspace) => {
      expect(toldOf(plain(await workspace.redo()))).toEqual(toldOf(redo.json));
      expect(await workspace.redo({ ask })).toMatchObject({ kind: "done", uncommitted: null });
    });
    expect(shown[1]?.acts.map(({ act }) => act)).toContain("commit");
    expect(shown[1]?.acts).toEqual(redo.json.plan.acts);
  });

  it("T1, W5: where all of it changed while somebody was asked, nothing was done, and each conflict says why", async () => {
    const at = await left();
    const meanwhile = (): boolean => {
      for (const path of ["f.txt", "new.md"]) at.repo.write(path, "mine\n");
      return true;
    };
    const receipt = await byLibrary(at.place, (workspace) => workspace.commit({ ask: meanwhile }));
    expect(receipt).toMatchObject({ kind: "nothing", commit: null, plan: { id: null } });
    expect(receipt.conflicts.map(({ path }) => path).sort()).toEqual(["f.txt", "new.md"]);
    for (const conflict of receipt.conflicts)
      expect(Object.keys(conflict)).toEqual(expect.arrayContaining(["expected", "found", "group", "why"]));
    expect(at.repo.read("f.txt")).toBe("mine\n");
  });

  it("S7: the conflicts of an undo, and what a discard leaves alone, are those of `--json`", async () => {
    const at = await left();
    await byLibrary(at.place, (workspace) => workspace.discard({ paths: ["f.txt"], ask: yes }));
    const discard = await at.place.json(["discard", "--all", "--dry-run"], { env: ANN });
    const planned = plain(await byLibrary(at.place, (workspace) => workspace.discard()));
    expect([planned.left, planned.already]).toEqual([discard.json.left, discard.json.already]);
    at.repo.write("f.txt", "mine\n");
    const undo = await at.place.json(["undo", "--dry-run"], { env: ANN });
    const [undone] = await byLibrary(at.place, (workspace) => workspace.undo({ ask: yes }));
    expect(undone?.kind).toBe("nothing");
    expect(undone?.conflicts.length).toBeGreaterThan(0);
    expect(plain(undone).conflicts).toEqual(undo.json.conflicts);
  });

  it("S7, T1: who is asked about bringing a removed work tree back sees which, as `--json` has it", async () => {
    const { place, repo } = scene();
    repo.write("f.txt", "one\n");
    repo.commit("base");
    const tree = join(place.home, "linked");
    repo.git("worktree", "add", "-q", "-b", "linked", tree);
    await place.json(["worktrees", "remove", tree, "--yes"], { env: ANN });
    const { json } = await place.json(["undo", "--dry-run"], { env: ANN });
    const shown: WorkspacePlan[] = [];
    const [undone] = await byLibrary(place, (workspace) =>
      workspace.undo({ ask: (plan) => shown.push(plan) > 0 }),
    );
    expect(plain(shown)).toEqual([json.plan]);
    expect(shown[0]?.acts.flatMap(({ paths }) => paths)).toEqual([tree]);
    expect(undone).toMatchObject({ kind: "done", conflicts: [], left: [], already: [] });
    expect(undone?.plan.id).not.toBeNull();
  });
});
