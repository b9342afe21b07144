/** What happens to a session's work after its end capture: somebody edits it, a process of it still runs (W5, S2, T1). */
import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { isAlive } from "../run/run-scene.ts";
import { ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly session: SessionId;
  json(...args: string[]): ReturnType<Place["json"]>;
}

/** A run that changed a tracked file and made a new one, over and captured. */
async function scene(): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.md", "A note.\n");
  repo.write("mine.md", "Mine.\n");
  repo.commit("base");
  const child = place.start(["run", "--", "/bin/sh", "-c", "echo more >> a.md; echo new > new.md"]);
  child.stdin?.end();
  expect((await ended(child)).code).toBe(0);
  const json = (...args: string[]): ReturnType<Place["json"]> => place.json(args, { env: ANN });
  const { sessions } = (await json("sessions")).json;
  return { place, repo, session: sessions[0].id, json };
}

describe("a file that was edited after the session's end", LONG, () => {
  it("is a conflict that is named, with exit 3: by commit --all, park --all, discard --all and settle; never nothing, never touched (W5)", async () => {
    const { repo, json } = await scene();
    repo.write("a.md", "A note.\nmore\nand mine\n");
    // Never the session's: no conflict of its own.
    repo.write("mine.md", "Mine, edited.\n");
    const { tree } = treeState(repo);
    for (const command of [["commit", "--all"], ["park", "--all"], ["discard", "--all"], ["settle"]]) {
      const { code, json: said } = await json(...command, "--yes");
      expect(code, command.join(" ")).toBe(3);
      expect(said.conflicts, command.join(" ")).toEqual([
        expect.objectContaining({ path: "a.md", why: "it was changed after the session's end" }),
      ]);
      expect(said.conflicts[0].expected.hash, command.join(" ")).not.toBe(said.conflicts[0].found.hash);
      const left = said.plan.acts.find(({ paths }: JsonObject) => paths.includes("a.md"));
      expect(left, command.join(" ")).toMatchObject({ act: "leave" });
      expect(repo.read("a.md")).toBe("A note.\nmore\nand mine\n");
      // Whatever else of it was done; nothing, because of the conflict alone, is not done.
      expect(said.done, command.join(" ")).toBe(said.undo !== null);
      if (said.undo !== null) expect(await json("undo", "--yes")).toMatchObject({ code: 0 });
      expect(treeState(repo).tree, command.join(" ")).toBe(tree);
    }
    // By its folder nobody named the file itself; by its name somebody did.
    const inFolder = await json("discard", ".", "--yes");
    expect([inFolder.code, inFolder.json.conflicts]).toEqual([
      3,
      [expect.objectContaining({ path: "a.md" })],
    ]);
    expect([repo.read("a.md"), repo.read("mine.md")]).toEqual([
      "A note.\nmore\nand mine\n",
      "Mine, edited.\n",
    ]);
    expect((await json("undo", "--yes")).code).toBe(0);
    expect(await json("discard", "a.md", "--yes")).toMatchObject({ code: 0, json: { conflicts: [] } });
    expect(repo.read("a.md")).toBe("A note.\n");
  });
});

describe("a group named by the id an older manifest gave it", LONG, () => {
  it("is refused where its file changed since, with what changed, and nothing is touched (W5)", async () => {
    const { repo, json } = await scene();
    const { groups } = (await json("inspect")).json;
    const { id } = groups.find(({ changes }: JsonObject) => changes[0].path === "a.md");
    repo.write("a.md", "A note.\nmore\nand mine\n");
    const before = treeState(repo);
    const { code, json: said } = await json("settle", "--group", id, "--yes");
    expect([code, said.code]).toEqual([1, "E_NO_GROUP"]);
    expect(said.message).toContain("somebody changed a.md");
    expect(treeState(repo)).toEqual(before);
  });
});

describe("a group one file of which was edited after the session's end", LONG, () => {
  const twoFiles = "echo '# BEGIN: both'; echo two > one.txt; echo two > two.txt";

  it.each([
    ["open", ""],
    ["ended", "; echo '# END: both'"],
  ])(
    "stays whole and untouched, its operation %s; other groups go on (DESIGN 15, S4, W5)",
    async (_, end) => {
      const place = makePlace();
      const repo = testRepository(place.workspace);
      for (const path of ["one.txt", "two.txt"]) repo.write(path, "one\n");
      repo.write("journal/today.md", "A day.\n");
      repo.commit("base");
      const script = `${twoFiles}; echo more >> journal/today.md${end}`;
      const child = place.start(["run", "--", "/bin/sh", "-c", script]);
      child.stdin?.end();
      expect((await ended(child)).code).toBe(0);
      repo.write("one.txt", "three\n");
      const dropped = await place.json(["discard", "--all", "--yes"]);
      expect(dropped).toMatchObject({ code: 3, json: { conflicts: [{ path: "one.txt" }] } });
      expect(["one.txt", "two.txt", "journal/today.md"].map(repo.read)).toEqual([
        "three\n",
        "two\n",
        "A day.\n",
      ]);
      expect((await place.json(["undo", "--yes"])).code).toBe(0);
      const { code, json: said } = await place.json(["settle", "--yes"], { env: ANN });
      expect(code).toBe(3);
      expect(said.conflicts.map(({ path }: JsonObject) => path)).toEqual(["one.txt"]);
      const acts = said.plan.acts.map(({ act, paths }: JsonObject) => [act, [...paths].sort()]);
      expect(acts.sort()).toEqual([
        ["commit", ["journal/today.md"]],
        ["leave", ["one.txt", "two.txt"]],
      ]);
      expect([repo.read("one.txt"), repo.read("two.txt")]).toEqual(["three\n", "two\n"]);
    },
  );
});

describe("a process of the session that is found only after its end", LONG, () => {
  it("is listed by inspect and stopped by settle, after saying so; one that carries another mark is not touched (S2)", async () => {
    const { place, repo, session, json } = await scene();
    const [record] = await place.withStore((store) =>
      store.raw.records({ session, kinds: ["agent.marked"] }),
    );
    const mark = String(record?.body.mark);
    const start = (value: string): number => {
      const child = spawn("sleep", ["1000"], {
        cwd: repo.root,
        stdio: "ignore",
        detached: true,
        env: { PATH: process.env.PATH, REFLOAT_SESSION: value },
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child.pid as number;
    };
    const left = start(mark);
    const strangers = [start(`${session}.1.guessed`), start(`${session}.7.${mark.split(".").at(-1)}`)];
    const { leftovers } = (await json("inspect")).json;
    expect(leftovers.map(({ pid }: JsonObject) => pid)).toEqual([left]);
    expect(isAlive(left), "reading never signals").toBe(true);
    const settled = await place.refloat(["settle", "--yes"], { env: ANN });
    expect(settled.code).toBe(0);
    expect(settled.stderr).toContain(`Stopping what a dead session left running: ${left} sleep 1000`);
    expect(isAlive(left)).toBe(false);
    const late = await place.withStore((store) => store.raw.records({ session, kinds: ["leftovers.late"] }));
    expect(late.map(({ body }) => body)).toMatchObject([
      { attempt: 1, processes: [{ pid: left, outcome: "stopped", evidence: "mark" }] },
    ]);
    expect(strangers.map(isAlive)).toEqual([true, true]);
  });
});
