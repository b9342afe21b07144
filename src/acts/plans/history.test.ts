/** Undo and redo as a history: plans are letters, paths are numbers. */
import { describe, expect, it } from "vitest";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { compileRedo, compileUndo } from "../compilers/undo.ts";
import { historyOf } from "./history.ts";
import type { Plan } from "./plans.ts";

const file = (hash: string): PathState => ({ kind: "file", mode: 0o644, size: 1, hash: hash as never });

let seq = 0;
function plan(id: string, paths: readonly string[], more: Partial<Plan> = {}): Plan {
  seq++;
  const puts = paths.map((path) => ({
    path: path as PathName,
    group: `g${path}`,
    expect: file(`before ${id}`),
    put: file(`after ${id}`),
    ignored: false,
  }));
  return {
    id,
    path: "/w",
    act: "discard",
    session: null,
    note: null,
    seq,
    atMs: 0,
    executor: {} as Plan["executor"],
    attempt: 1,
    capture: null,
    token: "",
    head: undefined,
    puts,
    index: [],
    refs: [],
    objects: [],
    makes: [],
    empties: [],
    covers: [],
    undoes: null,
    redoes: null,
    data: {},
    state: "done",
    steps: new Set(),
    back: new Set(),
    conflicts: [],
    kept: [],
    isOfOtherTree: false,
    ...more,
  };
}
const undo = (id: string, of: Plan): Plan =>
  plan(
    id,
    of.puts.map(({ path }) => path),
    { act: "undo", undoes: of.id },
  );
const redo = (id: string, of: Plan): Plan =>
  plan(
    id,
    of.puts.map(({ path }) => path),
    { act: "redo", redoes: of.undoes ?? "" },
  );

const historyIn = (...oldestFirst: Plan[]): ReturnType<typeof historyOf> =>
  historyOf(oldestFirst.toReversed());
const undone = (...plans: Plan[]): string => told(compileUndo(historyIn(...plans), null));
const redone = (...plans: Plan[]): string => told(compileRedo(historyIn(...plans)));
const told = (taken: ReturnType<typeof compileUndo>): string =>
  taken.kind === "draft"
    ? taken.plan.id
    : taken.kind === "blocked"
      ? `${taken.plan.id} after ${taken.by.id}`
      : "-";

describe("undo", () => {
  it("takes back the newest plan that stands, then the one before it, then says that there is none", () => {
    const [a, b] = [plan("a", ["1"]), plan("b", ["2"])];
    expect(undone(a, b)).toBe("b");
    const ub = undo("ub", b);
    expect(undone(a, b, ub)).toBe("a");
    expect(undone(a, b, ub, undo("ua", a))).toBe("-");
  });

  it("passes over plans that were rolled back, are open, or were made for another tree", () => {
    const a = plan("a", ["1"]);
    expect(undone(a, plan("b", ["1"], { state: "rolled-back" }))).toBe("a");
    expect(undone(a, plan("b", ["1"], { state: "open" }))).toBe("a");
    expect(undone(a, plan("b", ["1"], { isOfOtherTree: true }))).toBe("a");
    const open = undo("u", a);
    expect(undone(a, { ...open, state: "rolled-back" })).toBe("a");
  });

  it("refuses a plan whose path a later one touched, names it, and allows it when that one was undone (DESIGN 15)", () => {
    const [a, b, c] = [plan("a", ["1", "2"]), plan("b", ["2"]), plan("c", ["3"])];
    expect(told(compileUndo(historyIn(a, b, c), "a"))).toBe("a after b");
    expect(told(compileUndo(historyIn(a, b, c, undo("ub", b)), "a"))).toBe("a");
    expect(told(compileUndo(historyIn(a, b, c), "c"))).toBe("c");
    expect(told(compileUndo(historyIn(a, b, c), "x"))).toBe("-");
    const aside = plan("d", ["1"], { back: new Set(["g1"]) });
    expect(told(compileUndo(historyIn(a, aside), "a"))).toBe("a");
  });

  it("puts every path back to what was there, but for groups the plan had left alone", () => {
    const a = plan("a", ["1", "2"], { back: new Set(["g2"]) });
    const taken = compileUndo(historyIn(a), null);
    expect(taken).toMatchObject({ kind: "draft", draft: { act: "undo", undoes: "a", session: null } });
    expect(taken.kind === "draft" && taken.draft.puts).toEqual([
      { path: "1", group: "g1", expect: file("after a"), put: file("before a") },
    ]);
  });
});

describe("undo of a plan in part", () => {
  const [a, b] = [plan("a", ["1"]), plan("b", ["2", "3"])];
  const part = undo("ub", { ...b, puts: b.puts.slice(0, 1) });

  it("leaves the other groups standing, takes them back next, and then says that there is none (DESIGN 15)", () => {
    const taken = compileUndo(historyIn(a, b, part), null);
    expect(taken.kind === "draft" && [taken.plan.id, taken.draft.puts.map(({ path }) => path)]).toEqual([
      "b",
      ["3"],
    ]);
    const rest = undo("ub2", { ...b, puts: b.puts.slice(1) });
    expect(undone(a, b, part, rest)).toBe("a");
    expect(told(compileUndo(historyIn(a, b, part, rest), "b"))).toBe("-");
    const restBack = { ...rest, back: new Set(["g3"]) };
    expect(undone(a, b, part, restBack), "put back while it ran: it stands").toBe("b");
  });

  it("is done again in the reverse order, each undo's groups once", () => {
    const rest = undo("ub2", { ...b, puts: b.puts.slice(1) });
    expect(redone(b, part, rest)).toBe("ub2");
    const r1 = redo("r1", rest);
    expect(redone(b, part, rest, r1)).toBe("ub");
    expect(redone(b, part, rest, r1, redo("r2", part))).toBe("-");
  });

  it("counts what was as it should be already: nothing of it is put, and it stands no more", () => {
    const noted = plan("u", [], { act: "undo", undoes: "b", covers: ["g2", "g3"] });
    expect(undone(a, b, noted)).toBe("a");
    expect(redone(a, b, noted)).toBe("u");
    expect(redone(a, b, noted, plan("r", [], { act: "redo", redoes: "b", covers: ["g2", "g3"] }))).toBe("-");
  });

  it("takes a commit with its own groups as one, and the groups beside it each for itself (W2)", () => {
    const refs = [{ ref: "refs/heads/main", expect: "0", put: "1" }];
    const data = { commit: "1", acts: { g4: "commit", g5: "park" } };
    const settle = plan("s", ["4", "5"], { refs, data, head: "refs/heads/main" });
    const commitAlone = plan("us", ["4"], { act: "undo", undoes: "s", refs, data });
    const taken = compileUndo(historyIn(settle, commitAlone), null);
    expect(taken.kind === "draft" && taken.draft).toMatchObject({
      puts: [{ path: "5" }],
      refs: [],
      covers: ["g5"],
    });
    expect(taken.kind === "draft" && "head" in taken.draft, "the branch is the commit's business").toBe(
      false,
    );
    const parkAlone = plan("us", ["5"], { act: "undo", undoes: "s", data });
    const rest = compileUndo(historyIn(settle, parkAlone), null);
    expect(rest.kind === "draft" && rest.draft).toMatchObject({
      puts: [{ path: "4" }],
      refs: [{ put: "0" }],
    });
  });
});

describe("redo", () => {
  it("goes back through several undos on the same path, and no work tree is removed by it", () => {
    const [a, b] = [plan("a", ["1"]), plan("b", ["1"])];
    const [ub, ua] = [undo("ub", b), undo("ua", a)];
    const ra = redo("ra", ua);
    expect(redone(a, b, ub, ua, ra)).toBe("ub");
    expect(redone(a, b, ub, ua, ra, plan("c", ["1"]))).toBe("ub after c");
    const gone = plan("g", ["1"], { act: "remove-worktree" });
    expect(redone(gone, { ...undo("ug", gone), act: "recreate" })).toBe("-");
  });

  it("does the last undo's plan again, once, and that can be undone and done again", () => {
    const a = plan("a", ["1"]);
    expect(redone(a)).toBe("-");
    const u1 = undo("u1", a);
    expect(redone(a, u1)).toBe("u1");
    const r1 = redo("r1", u1);
    expect(redone(a, u1, r1)).toBe("-");
    expect(undone(a, u1, r1)).toBe("r1");
    expect(told(compileUndo(historyIn(a, u1, r1), "a"))).toBe("r1");
    const u2 = undo("u2", r1);
    expect(undone(a, u1, r1, u2)).toBe("-");
    expect(redone(a, u1, r1, u2)).toBe("u2");
    const r2 = redo("r2", u2);
    expect([redone(a, u1, r1, u2, r2), undone(a, u1, r1, u2, r2)]).toEqual(["-", "r2"]);
  });

  it("goes back through several undos in their order", () => {
    const [a, b] = [plan("a", ["1"]), plan("b", ["2"])];
    const [ub, ua] = [undo("ub", b), undo("ua", a)];
    expect(redone(a, b, ub, ua)).toBe("ua");
    expect(redone(a, b, ub, ua, redo("ra", ua))).toBe("ub");
  });

  it("refuses when a later plan touched the same path, and names it", () => {
    const a = plan("a", ["1"]);
    const u = undo("u", a);
    const b = plan("b", ["1"]);
    expect(redone(a, u, b)).toBe("u after b");
  });
});
