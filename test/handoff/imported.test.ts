/** What an import brings was said elsewhere: it is never acted on as if the user here had said it (T2), nor written where git looks (W3). */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { actsSessionOf } from "../../src/acts/acts-session.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A store with one session that was cut off while its command ran, as an export. */
async function exportOf(place: Place, script: string): Promise<string> {
  testRepository(place.workspace).write("a.txt", "one\n");
  await place.refloat(["run", "--name", "job", "--", "sh", "-c", `${script}; kill -9 $$`]);
  const { stdout } = await place.refloat(["store", "export", "--raw"]);
  return stdout;
}

const linesOf = (text: string): JsonObject[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const textOf = (lines: readonly JsonObject[]): string =>
  `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;

/** The same export on another machine, in the same folder's name: nothing but the import tells it apart. */
async function takenIn(text: string, ...flags: string[]): Promise<Place> {
  const other = makePlace();
  const taken = await other.json(["store", "import", ...flags, "-"], { stdin: text });
  expect(taken.code, JSON.stringify(taken.json)).toBe(0);
  return other;
}

describe("the command of an imported session", () => {
  it("T2: is shown and started by no `resume` without a yes, by name, by --all, or with refloat off", async () => {
    const place = makePlace();
    const marker = join(temporaryFolder(), "ran");
    const text = await exportOf(place, `echo x >> ${marker}`);
    const session = linesOf(text).find(({ type }) => type === "session")?.id;
    const other = await takenIn(text);
    const runs = (): number => readFileSync(marker, "utf8").length / 2;
    expect(runs()).toBe(1);
    for (const [args, env] of [
      [["resume", session], {}],
      [["resume", "--all"], {}],
      [["resume"], {}],
      [["resume", session], { REFLOAT_OFF: "1" }],
    ] as const) {
      const ran = await other.refloat(args, { env, cwd: place.workspace });
      expect([args.join(" "), ran.code, runs()]).toEqual([args.join(" "), 1, 1]);
      expect(ran.stdout).toContain(`echo x >> ${marker}; kill -9 $$`);
    }
    const asked = await other.json(["resume", "--all"], { cwd: place.workspace });
    expect(asked.json).toMatchObject({ code: "E_NEEDS_YES", plan: { elsewhere: true } });
    await other.refloat(["resume", "--all", "--yes"], { cwd: place.workspace });
    expect(runs()).toBe(2);
    // From here on it is a command that was started here.
    await other.refloat(["resume", "--all"], { cwd: place.workspace });
    expect(runs()).toBe(3);
  });

  it("T2: with --all keeps no session of this machine waiting", async () => {
    const place = makePlace();
    const text = await exportOf(place, "true");
    const other = await takenIn(text);
    const folder = temporaryFolder();
    const marker = join(folder, "ran");
    await other.refloat(["run", "--", "sh", "-c", `echo x >> ${marker}; kill -9 $$`], { cwd: folder });
    expect((await other.refloat(["resume", "--all"])).code).toBe(1);
    expect(readFileSync(marker, "utf8")).toBe("x\nx\n");
  });

  it("T2: of an export that the user calls his own is his", async () => {
    const place = makePlace();
    const marker = join(temporaryFolder(), "ran");
    const other = await takenIn(await exportOf(place, `echo x >> ${marker}`), "--own");
    await other.refloat(["resume", "--all"], { cwd: place.workspace });
    expect(readFileSync(marker, "utf8")).toBe("x\nx\n");
  });
});

describe("the user's own word", () => {
  it("T2: cannot be imported: neither trust in filters, nor plans, nor verdicts, and what was left out is named", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    const ran = join(temporaryFolder(), "ran");
    repo.git("config", "filter.x.clean", `touch ${ran}; cat`);
    repo.write(".git/info/attributes", "* filter=x\n");
    expect((await place.refloat(["trust", "--yes"])).code).toBe(0);
    repo.write("a.txt", "two\n");
    expect((await place.refloat(["discard", "--yes", "--", "a.txt"])).code).toBe(0);
    const { stdout: text } = await place.refloat(["store", "export", "--raw"]);
    const other = makePlace();
    const { json } = await other.json(["store", "import", "-"], { stdin: text });
    expect(json.sessions_left_out).toEqual(
      expect.arrayContaining(["refloat-trust", actsSessionOf({ root: place.workspace })]),
    );
    // Of the same size: git must look at the bytes, and asks the filter.
    repo.write("a.txt", "TWO\n");
    rmSync(ran, { force: true });
    await other.refloat(["inspect"], { cwd: place.workspace });
    expect(existsSync(ran)).toBe(false);
    expect((await other.refloat(["undo", "--yes"], { cwd: place.workspace })).code).toBe(1);
    const file = join(temporaryFolder(), "it's mine.jsonl");
    writeFileSync(file, text);
    const said = (await other.refloat(["store", "import", file])).stdout;
    expect(said).toContain("2 journals of refloat's own left out");
    const typed = /refloat store import (--own .*)$/m.exec(said)?.[1] ?? "";
    expect(typed).toBe(`--own '${file.replace("'", "'\\''")}'`);
    expect((await other.json(["store", "import", "--own", file])).json.sessions_left_out).toEqual([]);
    await other.refloat(["inspect"], { cwd: place.workspace });
    expect(existsSync(ran), "his own trust is his again").toBe(true);
  });

  it("T2: what a journal of imports says cannot be imported either, with --own neither", async () => {
    const place = makePlace();
    const first = await takenIn(await exportOf(place, "true"));
    const { stdout } = await first.refloat(["store", "export", "--raw"]);
    for (const flags of [[], ["--own"]]) {
      const other = makePlace();
      const { json } = await other.json(["store", "import", ...flags, "-"], { stdin: stdout });
      expect(json.sessions_left_out).toEqual(["refloat-imports"]);
      const { sessions } = (await other.json(["sessions", "--all"])).json;
      expect(sessions.map(({ name }: JsonObject) => name)).toEqual(["job"]);
    }
  });
});

describe("a capture that names what is git's own", () => {
  /** The export with every "evil.txt" of it under another name. */
  async function planted(path: string): Promise<{ place: Place; text: string }> {
    const place = makePlace();
    const text = await exportOf(place, "printf '[core]\\n\\tfsmonitor = touch RAN\\n' > evil.txt");
    const named = linesOf(text.replaceAll('"evil.txt"', JSON.stringify(path)));
    return { place, text: textOf(named) };
  }

  it.each([".git/config", ".GIT/config", "sub/.git /config", "git~1/config", ".git", "..", "/etc/x"])(
    "W3: %j is refused by `store import`, with --own too, and none of its records is here",
    async (path) => {
      const { text } = await planted(path);
      for (const flags of [[], ["--own"]]) {
        const other = makePlace();
        const { code, json } = await other.json(["store", "import", ...flags, "-"], { stdin: text });
        expect([code, json.code]).toEqual([1, "E_BAD_RECORD"]);
      }
    },
  );

  it("W3: a copy whose top would be a repository without the name of one is not written", async () => {
    const place = makePlace();
    const script = "mkdir objects refs; for f in HEAD config objects/a refs/a; do echo x > $f; done";
    const text = await exportOf(place, script);
    const other = await takenIn(text);
    const to = join(temporaryFolder(), "to");
    const { captures } = (await other.json(["captures"], { cwd: place.workspace })).json;
    const { code, json } = await other.json(["restore", captures[0].id, "--to", to, "--yes"], {
      cwd: place.workspace,
    });
    expect([code, json.code, existsSync(join(to, "config"))]).toEqual([1, "E_GIT_NAME", false]);
  });

  it("W4: a file of such a name in the tree is a gap of the capture, and no act touches it", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    mkdirSync(join(repo.root, ".GIT"));
    for (const path of ["git~1", ".GIT/config", "b.txt"]) repo.write(path, "mine\n");
    const { json } = await place.json(["capture"]);
    expect(json.gaps?.map(({ path }: JsonObject) => path).sort()).toEqual([".GIT/config", "git~1"]);
    await place.refloat(["discard", "--yes", "--", "git~1", "b.txt"]);
    expect(repo.read("git~1")).toBe("mine\n");
  });
});
