/** W8: held work belongs to the session. It is seen, judged and put back from any clone, and never silently absent. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place, type RunOptions } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const IDENTITY = { ...ANN, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: cwd, ...IDENTITY },
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd();

/** Commits a file that nobody pushes, edits one, adds one, removes one; killed with its supervisor after a capture. */
const AGENT = `if [ -e new.txt ]; then git status --porcelain; exit 0; fi
  echo committed > c.txt; git add c.txt; git commit -qm "the agent's"; echo two >> a.txt; echo new > new.txt; rm gone.txt
  "$0" "$1" capture > /dev/null; kill -9 $PPID; kill -9 $$`;
const STATUS = [" D gone.txt", " M a.txt", "?? c.txt", "?? new.txt"];

interface Scene {
  readonly place: Place;
  readonly origin: TestRepository;
  /** Where the session worked. */
  readonly work: string;
  readonly session: string;
  readonly commit: string;
  at(cwd: string): RunOptions;
  clone(to: string): void;
}

async function scene(agent = AGENT): Promise<Scene> {
  const place = makePlace();
  const origin = testRepository(temporaryFolder());
  for (const name of ["a.txt", "gone.txt", "kept.txt"]) origin.write(name, "one\n");
  origin.commit("base");
  const folder = temporaryFolder();
  const work = join(folder, "work");
  const clone = (to: string): void => void git(folder, "clone", "-q", origin.root, to);
  const at = (cwd: string): RunOptions => ({ cwd, env: IDENTITY });
  clone(work);
  await place.refloat(["run", "--", "sh", "-c", agent, process.execPath, BIN], at(work));
  const { sessions } = (await place.json(["sessions"], at(work))).json;
  return { place, origin, work, session: sessions[0].id, commit: git(work, "rev-parse", "HEAD"), at, clone };
}

const pathsIn = ({ groups }: JsonObject): string[] =>
  groups.flatMap(({ changes }: JsonObject) => changes.map(({ path }: JsonObject) => path)).sort();
const ownersIn = ({ groups }: JsonObject): Set<string> =>
  new Set(groups.flatMap(({ changes }: JsonObject) => changes.map(({ owner }: JsonObject) => owner)));
const statusOf = (tree: string): string[] =>
  git(tree, "status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean).sort();

/** Where somebody stands after the clone the session worked in is gone. */
const PLACES: readonly (readonly [string, (at: Scene) => string])[] = [
  [
    "a fresh clone at the same path",
    ({ work, clone }) => {
      clone(work);
      return work;
    },
  ],
  [
    "a clone at another path",
    ({ work, clone }) => {
      const other = join(work, "../other 'place'");
      clone(other);
      return other;
    },
  ],
  [
    "a linked work tree of another clone",
    ({ work, clone }) => {
      const [main, side] = [join(work, "../main"), join(work, "../side")];
      clone(main);
      git(main, "checkout", "-q", "--detach");
      git(main, "worktree", "add", "-q", side, "main");
      return side;
    },
  ],
];

describe("held work, when the clone it was done in is gone", () => {
  it.each(PLACES)(
    "is unsettled, listed, judged and handed over by session in %s; the commit that is missing is named (W8, T1)",
    async (_where, stand) => {
      const s = await scene();
      rmSync(s.work, { recursive: true });
      const here = s.at(stand(s));
      const { sessions } = (await s.place.json(["sessions"], here)).json;
      expect(sessions).toMatchObject([{ id: s.session, state: "interrupted", unsettled: true }]);
      const status = (await s.place.json(["status"], here)).json;
      expect(status.counts).toMatchObject({ unsettled: 1 });
      expect(pathsIn(status)).toEqual(["a.txt", "c.txt", "gone.txt", "new.txt"]);
      expect((await s.place.refloat(["status"], here)).stdout).toContain("is held, not in this tree");
      const { json } = await s.place.json(["inspect", s.session], here);
      expect(pathsIn(json)).toEqual(["a.txt", "c.txt", "gone.txt", "new.txt"]);
      expect(ownersIn(json)).toEqual(new Set(["session"]));
      expect(json).toMatchObject({
        session: { unsettled: true },
        base: { head: s.commit, branch: "main" },
        held: { path: s.work, missing_commits: [s.commit] },
      });
      const brief = (await s.place.refloat(["handoff", s.session], here)).stdout;
      expect(brief).toContain("Its work is held and not in this tree");
      expect(brief.split(s.commit.slice(0, 12))).toHaveLength(3);
      expect((await s.place.refloat(["show", s.session], here)).code).toBe(0);
      expect(statusOf(String(here.cwd)), "reading writes nothing").toEqual([]);
    },
    300_000,
  );

  it.each(PLACES)(
    "is put back by restore SESSION in %s, exactly, and undo takes it out again: held and unsettled once more (W8, S5)",
    async (_where, stand) => {
      const s = await scene();
      rmSync(s.work, { recursive: true });
      const tree = stand(s);
      const back = await s.place.json(["restore", s.session, "--yes"], s.at(tree));
      expect(back).toMatchObject({ code: 0, json: { done: true, conflicts: [] } });
      expect(statusOf(tree)).toEqual(STATUS);
      expect(["a.txt", "c.txt", "new.txt"].map((name) => readFileSync(join(tree, name), "utf8"))).toEqual([
        "one\ntwo\n",
        "committed\n",
        "new\n",
      ]);
      const { json } = await s.place.json(["inspect", s.session], s.at(tree));
      expect(json.held).toBeUndefined();
      expect([pathsIn(json), ownersIn(json)]).toEqual([
        ["a.txt", "c.txt", "gone.txt", "new.txt"],
        new Set(["session"]),
      ]);
      const undone = await s.place.json(["undo", "--yes"], s.at(tree));
      expect(undone).toMatchObject({ code: 0, json: { done: true } });
      expect(statusOf(tree)).toEqual([]);
      const again = (await s.place.json(["inspect", s.session], s.at(tree))).json;
      expect(again).toMatchObject({ session: { unsettled: true }, held: { path: s.work } });
    },
    300_000,
  );

  it.each(PLACES)(
    "is settled by its id in %s: put back first, then parked, and unpark brings it into yet another clone (W8)",
    async (_where, stand) => {
      const s = await scene();
      rmSync(s.work, { recursive: true });
      const tree = stand(s);
      const dry = await s.place.json(["settle", s.session, "--dry-run"], s.at(tree));
      expect(dry.json.plan.acts).toHaveLength(4);
      expect(statusOf(tree)).toEqual([]);
      const parked = await s.place.json(["park", s.session, "--all", "--yes"], s.at(tree));
      expect(parked, JSON.stringify(parked.json)).toMatchObject({ code: 0, json: { done: true } });
      expect(statusOf(tree)).toEqual([]);
      const settled = (await s.place.json(["inspect", s.session], s.at(tree))).json;
      expect([settled.session.unsettled, settled.groups]).toEqual([false, []]);
      rmSync(tree, { recursive: true });
      const third = join(s.work, "../third");
      s.clone(third);
      const { parked: found } = (await s.place.json(["parked"], s.at(third))).json;
      expect(found).toHaveLength(4);
      for (const { name } of found)
        expect((await s.place.json(["unpark", name, "--yes"], s.at(third))).json).toMatchObject({
          done: true,
        });
      expect(statusOf(third)).toEqual(STATUS);
      expect((await s.place.json(["parked"], s.at(third))).json.parked).toEqual([]);
    },
    300_000,
  );

  it.each(PLACES)(
    "is not gone on without in %s: resume refuses with a command, which puts it back first and goes on there (W8, T6)",
    async (_where, stand) => {
      const s = await scene();
      rmSync(s.work, { recursive: true });
      const tree = stand(s);
      const refused = await s.place.json(["resume", s.session], s.at(tree));
      expect(refused).toMatchObject({ code: 1, json: { code: "E_RESUME_HELD" } });
      expect(refused.json.hint).toContain(`refloat resume ${s.session} --recreate`);
      const printed = await s.place.json(["resume", s.session, "--print"], s.at(tree));
      expect(printed.json.sessions).toMatchObject([{ session: s.session, workspace: tree, held: true }]);
      const went = await s.place.refloat(["resume", s.session, "--recreate"], s.at(tree));
      expect(went.code, went.stderr).toBe(0);
      expect(went.stdout.split("\n").filter(Boolean).sort()).toEqual(STATUS);
    },
    300_000,
  );

  it("is named with the way to get it where nothing of its repository is: copied out, it is all there (W8)", async () => {
    const s = await scene();
    rmSync(s.work, { recursive: true });
    const nowhere = temporaryFolder();
    const gone = await s.place.json(["inspect", s.session], s.at(nowhere));
    expect(gone).toMatchObject({ code: 1, json: { code: "E_WORKSPACE_GONE" } });
    expect(gone.json.hint).toContain(`refloat restore ${s.session} --to DIR`);
    const stranger = testRepository(temporaryFolder());
    stranger.commit();
    for (const cwd of [nowhere, stranger.root])
      expect((await s.place.json(["restore", s.session, "--yes"], s.at(cwd))).json.code).toMatch(
        /E_WORKSPACE_GONE|E_HELD_ELSEWHERE/,
      );
    const copy = join(temporaryFolder(), "copy");
    const copied = await s.place.json(["restore", s.session, "--to", copy], s.at(nowhere));
    expect(copied).toMatchObject({ code: 0, json: { done: true } });
    expect(readFileSync(join(copy, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(existsSync(join(copy, "gone.txt"))).toBe(false);
  }, 300_000);

  it("is never laid over what somebody changed here, nor over what HEAD has by now: each is named, and nothing is half done (W5, W8)", async () => {
    const s = await scene();
    rmSync(s.work, { recursive: true });
    s.origin.write("new.txt", "upstream's\n");
    s.origin.commit("meanwhile");
    s.clone(s.work);
    writeFileSync(join(s.work, "a.txt"), "mine\n");
    const refused = await s.place.json(["settle", s.session, "--yes"], s.at(s.work));
    expect(refused).toMatchObject({ code: 1, json: { code: "E_HELD_CONFLICT" } });
    const back = await s.place.json(["restore", s.session, "--yes"], s.at(s.work));
    expect(back.code).toBe(3);
    expect(back.json.left.map(({ path, why }: JsonObject) => `${path}: ${why}`).sort()).toEqual([
      "a.txt: it was changed here",
      "new.txt: HEAD has something else there than it was done on",
    ]);
    expect(statusOf(s.work)).toEqual([" D gone.txt", " M a.txt", "?? c.txt"]);
    const { json } = await s.place.json(["inspect", s.session], s.at(s.work));
    expect(json.session.unsettled).toBe(true);
    expect(json.gaps.map(({ path }: JsonObject) => path).sort()).toEqual(["new.txt"]);
    const named = await s.place.json(["restore", s.session, "a.txt", "--yes"], s.at(s.work));
    expect(named).toMatchObject({ code: 0, json: { done: true } });
    expect(readFileSync(join(s.work, "a.txt"), "utf8")).toBe("one\ntwo\n");
  }, 300_000);

  it("is settled where it came in by itself: what was pushed and cloned again is not called missing (T1)", async () => {
    const s = await scene();
    git(s.work, "add", "-A");
    git(s.work, "commit", "-qm", "by hand");
    s.origin.git("config", "receive.denyCurrentBranch", "updateInstead");
    git(s.work, "push", "-q", "origin", "main");
    s.origin.write("a.txt", "went on\n");
    s.origin.commit("later");
    rmSync(s.work, { recursive: true });
    s.clone(s.work);
    const { json } = await s.place.json(["inspect", s.session], s.at(s.work));
    expect([json.session.unsettled, json.groups, json.held]).toEqual([false, [], undefined]);
  }, 300_000);

  it("keeps a repository that was only moved, or copied with its times, for the same tree (W8)", async () => {
    const s = await scene();
    const moved = join(s.work, "../moved");
    renameSync(s.work, moved);
    const { json } = await s.place.json(["inspect", s.session], s.at(moved));
    expect(json.held).toBeUndefined();
    expect(pathsIn(json)).toEqual(["a.txt", "gone.txt", "new.txt"]);
    const copy = join(s.work, "../copy");
    execFileSync("cp", ["-a", moved, copy]);
    rmSync(moved, { recursive: true });
    expect((await s.place.json(["inspect", s.session], s.at(copy))).json.held).toBeUndefined();
  }, 300_000);

  it("outlives a linked work tree that was removed and added again at its path (W8)", async () => {
    const s = await scene();
    const [main, side] = [join(s.work, "../main"), join(s.work, "../side")];
    s.clone(main);
    git(main, "worktree", "add", "-q", "-b", "side", side);
    await s.place.refloat(
      ["run", "--name", "linked", "--", "sh", "-c", "echo mine >> a.txt; kill -9 $$"],
      s.at(side),
    );
    git(main, "worktree", "remove", "--force", side);
    git(main, "worktree", "add", "-q", side, "side");
    const { json } = await s.place.json(["inspect", "linked"], s.at(side));
    expect(json).toMatchObject({ session: { unsettled: true }, held: { path: side } });
    expect((await s.place.json(["restore", "linked", "--yes"], s.at(side))).json.done).toBe(true);
    expect(statusOf(side)).toEqual([" M a.txt"]);
  }, 300_000);

  it("is not hidden by a recovery in the fresh clone: that one's emptiness is never captured as the session's end (W8, W4)", async () => {
    const s = await scene();
    rmSync(s.work, { recursive: true });
    s.clone(s.work);
    mkdirSync(join(s.work, "sub"));
    await s.place.refloat(["run", "--", "true"], s.at(join(s.work, "sub")));
    const { json } = await s.place.json(["inspect", s.session], s.at(s.work));
    expect(json.captures.map(({ reason }: JsonObject) => reason)).toEqual(["manual", "begin"]);
    expect(json).toMatchObject({ session: { unsettled: true }, held: { path: s.work } });
  }, 300_000);

  it("goes on in another clone where nothing of it is held apart: it is moved there, on record and said, and only when told to (W1, W8)", async () => {
    const s = await scene('if [ -n "$REFLOAT_HANDOFF_FILE" ]; then pwd -P; exit 0; fi; kill -9 $$');
    const other = join(s.work, "../other");
    rmSync(s.work, { recursive: true });
    s.clone(other);
    const refused = await s.place.json(["resume", s.session, "--yes"], s.at(other));
    expect(refused.json).toMatchObject({
      code: "E_WORKSPACE_GONE",
      hint: expect.stringContaining(`refloat resume ${s.session} --recreate`),
    });
    const printed = await s.place.json(["resume", s.session, "--print"], s.at(other));
    expect(printed.json.sessions).toMatchObject([{ session: s.session, workspace: other, moves: true }]);
    const nowhere = await s.place.json(["resume", s.session, "--recreate", "--yes"], s.at(temporaryFolder()));
    expect(nowhere.json.code).toMatch(/E_WORKSPACE_GONE|E_RECREATE_UNKNOWN/);
    const went = await s.place.refloat(["resume", s.session, "--recreate", "--yes"], s.at(other));
    expect(went.code, went.stderr).toBe(0);
    expect(went.stdout).toBe(`${other}\n`);
    expect(went.stderr).toContain(`${s.work} is gone, and all that was done in it is here`);
    expect(statusOf(other)).toEqual([]);
    const { sessions } = (await s.place.json(["sessions"], s.at(other))).json;
    expect(sessions).toMatchObject([{ id: s.session, state: "finished", attempt: 2 }]);
  }, 300_000);
});
