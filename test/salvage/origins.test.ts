/** Reports of what went wrong elsewhere, replayed through the program: lines lost, a file that somebody keeps writing, names that are no names. */
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };

function place(files: Readonly<Record<string, string>>): {
  place: Place;
  repo: TestRepository;
  json: (...args: string[]) => ReturnType<Place["json"]>;
} {
  const where = makePlace();
  const repo = testRepository(where.workspace);
  for (const [path, text] of Object.entries(files)) repo.write(path, text);
  repo.commit("base");
  return { place: where, repo, json: (...args) => where.json(args, { env: ANN }) };
}

const groupOf = (groups: readonly JsonObject[], path: string): JsonObject | undefined =>
  groups.find(({ changes }) => changes.some((one: JsonObject) => one.path === path));

describe("a tracked document that lost 248 of its 249 lines", LONG, () => {
  it("is risky whatever its path says: parked by settle, not in commit --safe, and unpark brings back what the agent left", async () => {
    const lines = Array.from({ length: 249 }, (_, n) => `Day ${n}: it went on.\n`);
    const { place: where, repo, json } = place({ "journal/2026.md": lines.join("") });
    await leftSession(where, repo, {
      edits: { "journal/2026.md": () => repo.write("journal/2026.md", "Day 0: it went on.\n") },
    });
    const { groups } = (await json("inspect")).json;
    const group = groupOf(groups, "journal/2026.md");
    expect(group?.verdict).toBe("risky");
    expect(group?.reasons.map(({ rule }: JsonObject) => rule)).toContain("rewrite");
    expect((await json("commit", "--safe", "--yes")).json.commit).toBeNull();
    expect(repo.git("log", "--format=%s")).toBe("base");
    expect(await json("settle", "--yes")).toMatchObject({ code: 0 });
    expect(repo.read("journal/2026.md")).toBe(lines.join(""));
    expect(await json("unpark", group?.id, "--yes")).toMatchObject({ code: 0 });
    expect(repo.read("journal/2026.md")).toBe("Day 0: it went on.\n");
  });
});

describe("a file that is dirty in session after session and that none of them wrote", LONG, () => {
  it("is named as an automated writer's, and settle does not touch it: reverting it again is no answer", async () => {
    const { place: where, repo, json } = place({ "cache/state.txt": "0\n", "a.md": "A.\n" });
    for (let n = 1; n <= 4; n++) {
      // Somebody put it back, and the timer wrote it again before the next session began.
      repo.git("checkout", "-q", "--", "cache/state.txt");
      repo.write("cache/state.txt", `${n}\n`);
      const run = await where.refloat(["run", "--", "/bin/sh", "-c", `echo ${n} >> a.md`], { env: ANN });
      expect(run.code).toBe(0);
    }
    const { groups } = (await json("inspect")).json;
    const found = groupOf(groups, "cache/state.txt");
    expect(found?.reasons.map(({ rule }: JsonObject) => rule)).toContain("recurring-writer");
    expect(found?.verdict).not.toBe("safe");
    await json("settle", "--yes", "--policy", "park-all");
    expect(repo.read("cache/state.txt")).toBe("4\n");
  });
});

describe("names that are no names", LONG, () => {
  /** As octal escapes for printf: a line feed, quotes, an escape code, bytes that are no UTF-8, a dash, an option, spaces. */
  const NAMES = [
    "two\\012lines.md",
    "quo\\042te\\047s.md",
    "red\\033[31m.md",
    "latin\\344.md",
    "-rf.md",
    "--all",
    " spaces .md",
    "back\\134slash.md",
    "\\342\\200\\256rtl.md",
  ];

  it("go through commit, undo, park and unpark byte for byte, and write nothing but text to the terminal (T3)", async () => {
    const { place: where, repo, json } = place({ "a.md": "A.\n" });
    const script = NAMES.map((name) => `printf 'In %s.\\n' x > "$(printf -- '${name}')"`).join("\n");
    expect((await where.refloat(["run", "--", "/bin/sh", "-c", script], { env: ANN })).code).toBe(0);
    const left = treeState(repo);
    const names = repo.git("ls-files", "-o", "-z").split("\0").filter(Boolean);
    expect(names).toHaveLength(NAMES.length);
    const said = await where.refloat(["inspect"], { env: ANN });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    expect(`${said.stdout}${said.stderr}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(await json("commit", "--all", "--yes")).toMatchObject({ code: 0, json: { conflicts: [] } });
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(repo.git("ls-tree", "-z", "--name-only", "HEAD").split("\0").filter(Boolean)).toHaveLength(
      NAMES.length + 1,
    );
    expect(await json("undo", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(left);
    expect(await json("park", "--all", "--yes")).toMatchObject({ code: 0, json: { conflicts: [] } });
    expect(repo.git("status", "--porcelain")).toBe("");
    const shown = await where.refloat(["parked"], { env: ANN });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    expect(shown.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    for (const { name } of (await json("parked")).json.parked as JsonObject[])
      expect(await json("unpark", name, "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(left);
  });
});
