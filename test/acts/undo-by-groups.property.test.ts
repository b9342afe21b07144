/**
 * Random plans of several groups, with somebody editing in between, undone and done again in any order (S5, DESIGN 15): a conflict
 * keeps its group and no other, nothing leaves the list of what is parked before it is back, and once the edits are put away again
 * undo after undo leads to the very tree and index of the beginning.
 */
import { mkdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { compileRedo, compileUndo } from "../../src/acts/compilers/undo.ts";
import type { IndexEdit, PathPut } from "../../src/acts/plans/draft.ts";
import { type History, historyOf } from "../../src/acts/plans/history.ts";
import { type ParkedChanges, parkedIn } from "../../src/acts/plans/parked.ts";
import { type Plan, plansOf } from "../../src/acts/plans/plans.ts";
import type { PathName } from "../../src/model/path-name.ts";
import { isSameState, type PathState } from "../../src/model/path-state.ts";
import type { StagedEntry } from "../../src/workspace/git/index-file.ts";
import { type Acting, acting, gitState, treeOf } from "../support/acting.ts";
import fc from "../support/fast-check.ts";
import { isFull, seed } from "../support/seed.ts";

const PATHS = ["a", "b", "d/x", "d/y", "d/e/z", "n/new", "s"] as const;
type Path = (typeof PATHS)[number];
const RUNS = isFull ? 150 : 8;

const put = fc.record({
  path: fc.constantFrom(...PATHS),
  group: fc.integer({ min: 0, max: 2 }),
  to: fc.constantFrom("text", "text", "gone", "link", "exec"),
  isUnstaged: fc.boolean(),
});
type Put = typeof put extends fc.Arbitrary<infer T> ? T : never;

const act = fc.record({
  what: fc.constant("act" as const),
  puts: fc.array(put, { minLength: 2, maxLength: 6 }),
});
/** Mostly of what the newest plan changed, else of any path. */
const edit = fc.record({ what: fc.constant("edit" as const), which: fc.nat({ max: 11 }) });
const step = fc.oneof(
  { weight: 2, arbitrary: act },
  { weight: 4, arbitrary: edit },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom("away" as const, "byHand" as const) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant("undo" as const) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("redo" as const) }) },
);
const story = fc.record({
  first: fc.array(act, { minLength: 1, maxLength: 3 }),
  edited: fc.array(edit, { minLength: 1, maxLength: 2 }),
  later: fc.array(step, { minLength: 2, maxLength: 10 }),
});

interface Edit {
  readonly path: Path;
  readonly was: { readonly text: string; readonly isLink: boolean } | null;
  readonly made: PathState;
  /** A folder that was not there. */
  readonly folder: string | null;
}

/** Somebody's tree with the plans on it. */
class Story {
  readonly edits: Edit[] = [];
  conflicts = 0;
  private count = 0;
  private readonly a: Acting;
  constructor(a: Acting) {
    this.a = a;
  }

  async history(): Promise<{ history: History; parked: readonly ParkedChanges[]; plans: readonly Plan[] }> {
    const plans: Plan[] = [];
    for await (const plan of plansOf(this.a.raw, this.a.here)) plans.push(plan);
    const history = historyOf(plans);
    return { history, parked: parkedIn(history), plans };
  }

  private staged(path: string): StagedEntry[] {
    const [mode = "", id = ""] = this.a.repo.git("ls-files", "-s", "--", path).split(/\s/);
    return id === "" ? [] : [{ mode: Number.parseInt(mode, 8), id, stage: 0 }];
  }

  async act(puts: readonly Put[]): Promise<void> {
    const { a } = this;
    const chosen = [...new Map(puts.map((one) => [one.path, one])).values()];
    const tree: PathPut[] = [];
    const index: IndexEdit[] = [];
    for (const { path, group, to, isUnstaged } of chosen) {
      const text = `act ${++this.count}\n`;
      const state =
        to === "gone"
          ? null
          : to === "link"
            ? await a.link(text)
            : await a.file(text, to === "exec" ? 0o755 : 0o644);
      const name = `g${this.count} ${group}`;
      const of = tree.find((one) => one.group.endsWith(` ${group}`))?.group ?? name;
      tree.push(a.to(path, state, of));
      const expect = this.staged(path);
      if (isUnstaged && expect.length > 0) index.push({ path: path as PathName, group: of, expect, put: [] });
    }
    const parked = [...new Set(tree.map(({ group }) => group))].map((name) => ({ name }));
    const outcome = await a.apply({ act: "park", puts: tree, index, data: { parked } });
    expect(outcome.kind).toBe("done");
  }

  async edit(which: number): Promise<void> {
    const { a } = this;
    const [newest] = (await this.history()).history.standing;
    const paths = [...(newest?.puts ?? []).map(({ path }) => path), ...PATHS];
    const path = paths[which % paths.length] as Path;
    const at = join(a.repo.root, path);
    const now = a.now(path);
    const isLink = now?.kind === "symlink";
    const was = now === null ? null : { text: isLink ? readlinkSync(at) : a.repo.read(path), isLink };
    const folder = mkdirSync(dirname(at), { recursive: true }) ?? null;
    if (isLink) rmSync(at);
    writeFileSync(at, `edit ${++this.count}\n`);
    this.edits.push({ path, was, made: a.now(path), folder });
  }

  /** The newest edit that is still to be seen. */
  away(): boolean {
    const { a, edits } = this;
    const i = edits.findLastIndex(({ path, made }) => isSameState(a.now(path), made));
    const [one] = i < 0 ? [] : edits.splice(i, 1);
    if (!one) return false;
    const at = join(a.repo.root, one.path);
    if (one.was === null || one.was.isLink) rmSync(at);
    if (one.was?.isLink) symlinkSync(one.was.text, at);
    else if (one.was) writeFileSync(at, one.was.text);
    if (one.was === null && one.folder !== null) removeEmpty(dirname(at), one.folder);
    return true;
  }

  /** Somebody brings a path back himself that an act changed and nobody edited. */
  async byHand(): Promise<void> {
    const { a } = this;
    const { history } = await this.history();
    const [plan] = history.standing;
    const found = plan?.puts.find(
      (one) =>
        one.expect?.kind === "file" &&
        isSameState(a.now(one.path), one.put) &&
        !this.edits.some(({ path }) => path === one.path),
    );
    if (!found?.expect?.hash) return;
    const at = join(a.repo.root, found.path);
    rmSync(at, { force: true });
    mkdirSync(dirname(at), { recursive: true });
    const pieces: Uint8Array[] = [];
    for await (const piece of a.raw.readContent(found.expect.hash)) pieces.push(piece);
    writeFileSync(at, Buffer.concat(pieces), { mode: found.expect.mode });
  }

  /** False: there was nothing to take back. */
  async takeBack(what: "undo" | "redo"): Promise<boolean> {
    const { a } = this;
    const { history, parked } = await this.history();
    const taken = what === "undo" ? compileUndo(history, null) : compileRedo(history);
    if (taken.kind !== "draft") return false;
    const outcome = await a.apply(taken.draft);
    expect(outcome.kind).not.toBe("refused");
    if (outcome.kind === "refused") return false;
    this.conflicts += outcome.conflicts.length;
    // Only edits are in the way of an undo, and only groups with one of them are left.
    const edited = new Set<string>(this.edits.map(({ path }) => path));
    if (what === "undo") expect(outcome.conflicts.filter(({ path }) => !edited.has(path))).toEqual([]);
    const after = (await this.history()).parked;
    const left = parked.filter(
      (one) => !after.some(({ name, plan }) => name === one.name && plan === one.plan),
    );
    for (const { name, puts } of what === "undo" ? left : [])
      for (const { path, expect: before } of puts)
        expect(isSameState(a.now(path), before), `${name}: ${path} is back before it is parked no more`).toBe(
          true,
        );
    return true;
  }

  async comeHome(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      const isTaken = await this.takeBack("undo");
      const isAway = this.away();
      if (!isAway && !isTaken) return;
    }
    throw new Error("it does not come to an end");
  }
}

/** From the folder of a file up to the first that was made for it. */
function removeEmpty(from: string, to: string): void {
  for (let folder = from; folder.length >= to.length; folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch (_full) {
      return; // somebody else's file lies in it by now
    }
  }
}

test(
  "S5, DESIGN 15: plans undone in part, with edits in the way, done again and undone in any order lose no byte: with the edits put away, undo leads to the tree and index of the beginning, and what is parked is never dropped before it is back",
  async () => {
    let conflicts = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ first, edited, later }) => {
        const a = await acting();
        for (const path of ["a", "b", "d/x", "d/e/z", "s"]) a.repo.write(path, `first ${path}\n`);
        a.repo.commit();
        a.repo.write("b", "dirty b\n");
        const before = { tree: treeOf(a.repo.root), git: gitState(a.repo) };
        const told = new Story(a);
        for (const one of [...first, ...edited, ...later]) {
          if (one.what === "act") await told.act(one.puts);
          else if (one.what === "edit") await told.edit(one.which);
          else if (one.what === "away") told.away();
          else if (one.what === "byHand") await told.byHand();
          else await told.takeBack(one.what);
        }
        await told.comeHome();
        expect({ tree: treeOf(a.repo.root), git: gitState(a.repo) }).toEqual(before);
        const { history, parked } = await told.history();
        expect([history.standing, parked, told.edits]).toEqual([[], [], []]);
        conflicts += told.conflicts;
      }),
      { numRuns: RUNS, seed },
    );
    expect(conflicts, "the sweep meets conflicts").toBeGreaterThan(0);
  },
  20 * 60_000,
);
