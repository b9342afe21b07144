/** DESIGN 10: what acting commands take and print; nothing is changed without a yes. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Printed, type Stranger, stranger } from "./stranger.ts";

const ACT_FIELDS = ["schema", "plan", "done", "conflicts", "commit", "undo"];

function expectAct(printed: Printed, session: string | null): void {
  expect(Object.keys(printed)).toEqual(expect.arrayContaining(ACT_FIELDS));
  expectPlan(printed.plan, session);
}

function expectPlan(plan: Printed, session: string | null): void {
  expect(Object.keys(plan)).toEqual(["id", "session", "acts"]);
  expect(plan.session).toBe(session);
  for (const act of plan.acts) {
    expect(Object.keys(act).slice(0, 3)).toEqual(["group", "act", "paths"]);
    expect(["commit", "park", "discard", "leave", "restore"]).toContain(act.act);
  }
}

/** A session that left one file and ended well. */
function worked(me: Stranger): string {
  expect(me.refloat(["run", "--", "sh", "-c", "echo two >> a.txt; echo new > new.txt"]).code).toBe(0);
  return me.json(["sessions"]).json.sessions[0].id as string;
}

describe("an acting command", () => {
  it("without --yes and without a terminal prints its plan, changes nothing and exits 1 (E_NEEDS_YES)", () => {
    const me = stranger();
    const session = worked(me);
    const { captures } = me.json(["captures"]).json;
    const before = [me.git("status", "--porcelain"), me.git("rev-parse", "HEAD")];
    const acting = [
      ["settle"],
      ["commit", "--all", "-m", "mine"],
      ["park", "--all", "-m", "mine"],
      ["discard", "--all", "-m", "mine"],
      ["restore", captures.at(-1).id],
    ];
    for (const words of acting) {
      const refused = me.json(words);
      expect([words, refused.code, refused.json.code]).toEqual([words, 1, "E_NEEDS_YES"]);
      expectPlan(refused.json.plan, session);
      expect(refused.json.plan.acts.length).toBeGreaterThan(0);
      const dry = me.json([...words, "--dry-run"]);
      expect([words, dry.code, dry.json.done]).toEqual([words, 0, false]);
      expectAct(dry.json, session);
    }
    const text = me.refloat(["park", "new.txt"]);
    expect(text).toMatchObject({ code: 1, stdout: expect.stringContaining("new.txt") });
    expect(text.stderr).toContain("E_NEEDS_YES");
    expect([me.git("status", "--porcelain"), me.git("rev-parse", "HEAD")]).toEqual(before);
  });

  it("makes one commit, and undo and redo take it back and forth; nothing to undo is exit 1", () => {
    const me = stranger();
    expect(me.json(["undo", "--yes"])).toMatchObject({ code: 1, json: { code: "E_NOTHING_TO_UNDO" } });
    const session = worked(me);
    const head = me.git("rev-parse", "HEAD");
    const done = me.json(["commit", session.slice(0, 6), "--all", "--yes", "-m", "Two files"]);
    expectAct(done.json, session);
    expect(done).toMatchObject({
      code: 0,
      json: { done: true, conflicts: [], commit: me.git("rev-parse", "HEAD") },
    });
    expect(me.git("log", "--format=%s %an", "-1")).toBe("Two files Ann");
    expect(me.json(["sessions"]).json.sessions[0].unsettled).toBe(false);
    const undone = me.json(["undo", "--plan", done.json.plan.id, "--yes"]);
    expectAct(undone.json, session);
    expect(me.git("rev-parse", "HEAD")).toBe(head);
    expect(me.git("status", "--porcelain")).toContain("?? new.txt");
    expectAct(me.json(["redo", "--yes"]).json, session);
    expect(me.git("status", "--porcelain")).toBe("");
    expect(me.json(["prove"])).toMatchObject({ code: 0, json: { schema: "refloat.prove/1" } });
  });

  it("parks under a name and a note and brings it back; a file changed meanwhile is a conflict and exit 3 (W5)", () => {
    const me = stranger();
    const session = worked(me);
    const parked = me.json(["park", "--yes", "-m", "not yet", "--", "new.txt"]);
    expectAct(parked.json, session);
    expect(existsSync(join(me.repo, "new.txt"))).toBe(false);
    const [one] = me.json(["parked"]).json.parked;
    expect(one).toMatchObject({ session, note: "not yet", paths: [{ path: "new.txt" }] });
    me.write("new.txt", "somebody else's\n");
    const hit = me.json(["unpark", one.name, "--yes"]);
    expect(hit.code).toBe(3);
    expect(hit.json.conflicts[0]).toMatchObject({ path: "new.txt", expected: null });
    expect(hit.json.conflicts[0].found).toMatchObject({ kind: "file", size: 16 });
    expect(me.read("new.txt")).toBe("somebody else's\n");
  });
});

describe("where no session was recorded", () => {
  it("groups need --adopt or a name, and the command `inspect` offers first works as it stands", () => {
    const me = stranger();
    me.write("b.txt", "b\n");
    const { json } = me.json(["inspect"]);
    expect(json.session).toMatchObject({ agent: null, attempt: 0 });
    const [group] = json.groups;
    expect(group.changes[0]).toMatchObject({ path: "b.txt", kind: "added", from: null, owner: "unknown" });
    const [, ...first] = (json.next[0] as string).split(" ");
    expect(me.json(first).code).toBe(0);
    for (const act of ["commit", "park", "discard"]) {
      expect(me.json([act, "--all", "--yes"])).toMatchObject({ code: 1, json: { code: "E_NOT_ADOPTED" } });
      const ways = act === "discard" ? [["--adopt", "--all"], ["--group", group.id], ["b.txt"]] : [["b.txt"]];
      for (const way of ways) {
        const planned = me.json([act, ...way, "--dry-run"]);
        expect([act, way, planned.code]).toEqual([act, way, 0]);
        expect(planned.json.plan.acts).toEqual([{ group: group.id, act, paths: ["b.txt"] }]);
      }
    }
    expect(me.json(["discard", "b.txt", "--yes"]).json.done).toBe(true);
    expect(existsSync(join(me.repo, "b.txt"))).toBe(false);
    expect(me.json(["undo", "--yes"]).code).toBe(0);
    expect(me.read("b.txt")).toBe("b\n");
  });
});

describe("worktrees", () => {
  it("are removable only on proof; removal is an act like any other and undo brings the tree back", () => {
    const me = stranger();
    me.git("worktree", "add", "-q", "../tree", "-b", "topic");
    const path = join(me.repo, "../tree");
    const listed = me.json(["worktrees"]).json.worktrees as Printed[];
    expect(listed.map(({ branch, verdict }) => [branch, verdict])).toEqual([
      ["main", "keep"],
      ["topic", "removable"],
    ]);
    for (const one of listed) expect(one.reasons.length).toBeGreaterThan(0);
    const refused = me.json(["worktrees", "remove", "../tree"]);
    expect([refused.code, refused.json.code]).toEqual([1, "E_NEEDS_YES"]);
    expectPlan(refused.json.plan, null);
    const gone = me.json(["worktrees", "remove", "../tree", "--yes"]);
    expectAct(gone.json, null);
    expect([gone.json.schema, gone.json.done, existsSync(path)]).toEqual([
      "refloat.worktrees-remove/1",
      true,
      false,
    ]);
    expectPlan(me.json(["undo"]).json.plan, null);
    expect(me.json(["undo", "--yes"]).json.done).toBe(true);
    expect(existsSync(join(path, "a.txt"))).toBe(true);
  });
});
