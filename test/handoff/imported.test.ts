/** What an import brings was said elsewhere: it is never acted on as if the user here had said it (T2), nor written where git looks (W3). */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { actsSessionOf } from "../../src/acts/plans/acts-session.ts";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
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

describe("records laid by an import upon a session that began here", () => {
  type Forged = readonly { readonly kind: string; readonly body: JsonObject }[];

  /** The export as whoever wants its work called safe would go on with it. */
  function goneOnWith(lines: readonly JsonObject[], forged: Forged): string {
    const own = lines.find(({ type }) => type === "session") ?? {};
    const last = lines.findLast(({ type }) => type === "record") ?? {};
    const records = forged.map(({ kind, body }, i) => {
      const isCapture = kind === "capture.taken";
      const id = isCapture ? `capture:${body.capture}` : `forged-${i}`;
      const contents = isCapture ? body.paths_held : [];
      const { paths_held, ...rest } = body;
      return { ...last, seq: last.seq + 1 + i, id, kind, contents, body: rest };
    });
    const grown = lines.map((line) => {
      if (line === own) return { ...line, head: line.head + records.length };
      return line.type === "end" ? { ...line, records: line.records + records.length } : line;
    });
    return textOf([...grown.slice(0, -1), ...records, ...grown.slice(-1)]);
  }

  const newest = (lines: readonly JsonObject[], kind: string): JsonObject =>
    lines.findLast((line) => line.type === "record" && line.kind === kind) ?? {};

  function captureAtEnd(lines: readonly JsonObject[], reason: string, ended: readonly string[]): JsonObject {
    const { body, contents } = newest(lines, "capture.taken");
    return { ...body, capture: "f0rged00000000000000", reason, ended, paths_held: contents };
  }

  async function cutOff(script: string): Promise<{ place: Place; lines: JsonObject[] }> {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    const refloat = `${process.execPath} ${BIN}`;
    await place.refloat(["run", "--", "bash", "-c", `${script.replace("refloat", refloat)}; kill -9 $$`]);
    return { place, lines: linesOf((await place.refloat(["store", "export", "--raw"])).stdout) };
  }

  async function verdicts(place: Place): Promise<string[]> {
    const { json } = await place.json(["inspect"]);
    return json.groups.map(({ verdict }: JsonObject) => verdict);
  }

  const OPEN = "refloat op begin w; echo 'export const a = 1;' > m.js";

  it.each<[string, (lines: readonly JsonObject[]) => Forged]>([
    [
      "the end of its open operation and a capture that saw it",
      (lines) => {
        const { operation } = newest(lines, "operation.began").body;
        return [
          { kind: "operation.ended", body: { operation, aborted: false, from: "mark" } },
          { kind: "capture.taken", body: captureAtEnd(lines, "operation-end", [operation]) },
        ];
      },
    ],
    [
      "the same operation begun anew for another path, and ended",
      (lines) => {
        const { operation } = newest(lines, "operation.began").body;
        return [
          { kind: "operation.ended", body: { operation, aborted: true } },
          { kind: "operation.began", body: { operation, label: "w", paths: ["other/**"] } },
          { kind: "operation.ended", body: { operation, aborted: false } },
          { kind: "capture.taken", body: captureAtEnd(lines, "operation-end", [operation]) },
        ];
      },
    ],
  ])("L7, T2: %s close nothing: what was risky stays so, and is not committed", async (_, forged) => {
    const { place, lines } = await cutOff(OPEN);
    expect(await verdicts(place)).toEqual(["risky"]);
    const stdin = goneOnWith(lines, forged(lines));
    const taken = await place.json(["store", "import", "-"], { stdin });
    expect(taken, JSON.stringify(taken.json)).toMatchObject({
      code: 0,
      json: { sessions: 0, conflicts: [] },
    });
    expect(taken.json.records).toBe(forged(lines).length);
    expect(await verdicts(place)).toEqual(["risky"]);
    const { operations } = (await place.json(["op", "list"])).json;
    expect(operations).toMatchObject([{ label: "w", state: "open" }]);
    const { json } = await place.json(["commit", "--safe", "--dry-run"]);
    expect(json.plan?.acts ?? []).toEqual([]);
  });

  it("L7, T2: upon one that is still held nothing is laid: no exit and no end of its turn", async () => {
    const { place, lines } = await cutOff(
      "echo 'export const a = 1;' > m.js; echo text > m.md; kill -9 $PPID",
    );
    const { turn } = newest(lines, "turn.began").body;
    const exited = { attempt: 1, code: 0, signal: null, why: "exit", turn: "completed", asked: false };
    const forged: Forged = [
      { kind: "agent.exited", body: exited },
      { kind: "turn.ended", body: { turn, outcome: "completed", reason: null, by: "agent" } },
    ];
    const taken = await place.json(["store", "import", "-"], { stdin: goneOnWith(lines, forged) });
    expect(taken, JSON.stringify(taken.json)).toMatchObject({ code: 1, json: { code: "E_IMPORT" } });
    const found = await verdicts(place);
    expect([found.length > 0, found.includes("safe")], found.join()).toEqual([true, false]);
  });

  it("L7: of a session that came from elsewhere as a whole, a later export ends what an earlier one left open", async () => {
    const { place, lines } = await cutOff(OPEN);
    const { operation } = newest(lines, "operation.began").body;
    const grown = goneOnWith(lines, [
      { kind: "operation.ended", body: { operation, aborted: false, from: "mark" } },
    ]);
    const other = await takenIn(textOf(lines));
    const states = async (): Promise<string[]> => {
      const { json } = await other.json(["op", "list"], { cwd: place.workspace });
      return json.operations.map(({ state }: JsonObject) => state);
    };
    expect(await states()).toEqual(["open"]);
    expect((await other.json(["store", "import", "-"], { stdin: grown })).json.records).toBe(1);
    expect(await states()).toEqual(["ended"]);
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
