/**
 * Agents that were started plainly and died in every way we have a recording of: what `inspect` says of the files they left. No half-done
 * work is safe, what was finished and said to be is, and every file has the right owner (S3, L7, W5).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/agents/registry.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FIXTURES, heardPlace, type Tree } from "./heard-place.ts";

/** What the script of a run had written when it died. */
const TREES: readonly (readonly [which: RegExp, tree: Tree])[] = [
  [/^clean$/, { "notes.txt": "line one\nline two\n" }],
  [/in-stream$/, { "s.txt": "stream file\n" }],
  [/in-parallel$/, { "par.txt": "fast\nslow-begin\n" }],
  [/in-tool(-in-window)?$/, { "half.txt": "begin file\nbegin\n" }],
];
const treeOf = (which: string): Tree => TREES.find(([pattern]) => pattern.test(which))?.[1] ?? {};

/** Aider keeps its own beside the work and tells of no call: what it left is nobody's by its words. */
const deaths = AGENTS.filter(({ name }) => name !== "aider").flatMap(({ name }) =>
  readdirSync(join(FIXTURES, name))
    .filter((which) => Object.keys(treeOf(which)).length > 0)
    .map((which) => [name, which] as const),
);

/** The transcript ends before the call that was cut off: its own, or the agent keeps nothing until a turn is over. */
const NOT_TOLD = new Set([
  ...["in-parallel", "in-stream", "in-tool"].map((where) => `continue killed-${where}`),
  ...["sigint", "sigterm"].map((how) => `continue ${how}-in-tool`),
  ...["killed", "sigint", "sigterm"].map((how) => `gemini ${how}-in-tool`),
  "gemini killed-in-parallel",
  // Its command is in a field that nothing knows as one.
  "gptme killed-in-tool",
]);

/** The result of the tool that was stopped came: the call is over, and how far it got nobody knows. */
const STOPPED_WITH_A_RESULT = new Set(["claude sigterm-in-tool", "codex sigint-in-tool"]);

/** Agents whose record has a word of its own for the end, of a turn or of its program. */
const SAYS_ITS_END = new Set(["claude", "codex", "copilot", "opencode", "pi"]);

function expected(agent: string, which: string): readonly [verdict: string, owner: string] {
  const name = `${agent} ${which}`;
  // Its write and the words its command put below make these very bytes; without a word of its end that closes nothing (S3, L7).
  if (which === "clean" && SAYS_ITS_END.has(agent)) return ["safe", "session"];
  if (which === "clean") return ["unknown", agent === "goose" ? "unknown" : "session"];
  if (NOT_TOLD.has(name)) return ["unknown", "unknown"];
  if (which.endsWith("in-stream") || STOPPED_WITH_A_RESULT.has(name)) return ["unknown", "session"];
  return ["risky", "session"];
}

describe("what an agent left that was started plainly", () => {
  it.each(deaths)(
    "%s %s: half-done is never safe, and neither is what no recorded bytes show",
    async (agent, which) => {
      const place = heardPlace();
      place.leave(agent, which);
      place.write(treeOf(which));
      const { files } = await place.inspected();
      const [verdict, owner] = expected(agent, which);
      const found = Object.entries(files).map(([path, file]) => [path, file.verdict, file.owner]);
      expect(found).toEqual(Object.keys(treeOf(which)).map((path) => [path, verdict, owner]));
    },
  );

  it.each([
    ["cut in its last line", "line one\nline tw"],
    ["without the line that came last", "line one\n"],
    ["with a person's line below", "line one\nline two\nand mine\n"],
    ["with a person's line in it", "mine\nline one\nline two\n"],
    ["with the last line twice", "line one\nline two\nline two\n"],
  ])("S3: the same file %s is not safe, whoever said that it is done", async (_how, text) => {
    const verdicts: Record<string, string> = {};
    for (const agent of SAYS_ITS_END) {
      const place = heardPlace();
      place.leave(agent, "clean");
      place.write({ "notes.txt": text });
      verdicts[agent] = (await place.inspected()).files["notes.txt"]?.verdict ?? "none";
    }
    expect(Object.values(verdicts)).not.toContain("safe");
  });

  it("L7: of code the agent's own end record is word enough, and an end that only reads like one is none", async () => {
    const code = 'export const one = 1;\nexport const two = "b";\n';
    const toCode = (text: string): string =>
      text
        // What its command would put below is not in the file.
        .replaceAll(/echo \\+"line two\\+" >> notes\.txt && /g, "")
        .replaceAll("notes.txt", "notes.js")
        .replaceAll("line one\\\\n", JSON.stringify(JSON.stringify(code)).slice(3, -3))
        .replaceAll("line one\\n", JSON.stringify(code).slice(1, -1));
    const verdicts: Record<string, string> = {};
    for (const agent of ["pi", "qwen"]) {
      const place = heardPlace({ "package.json": '{ "type": "module" }\n' });
      place.leave(agent, "clean", { edit: toCode });
      place.write({ "notes.js": code });
      verdicts[agent] = (await place.inspected()).files["notes.js"]?.verdict ?? "none";
    }
    expect(verdicts).toEqual({ pi: "safe", qwen: "unknown" });
  });

  it("W5: a file in which a person's work was already is not the agent's alone, and the evidence says why", async () => {
    const place = heardPlace({ "README.md": "hello\n", "notes.txt": "as committed\n" });
    place.leave("opencode", "clean");
    place.write({ "notes.txt": "line one\nline two\n" });
    const { files, report } = await place.inspected();
    // OpenCode says that there was no file: somebody had deleted what HEAD has.
    expect(files["notes.txt"]?.owner).toBe("unknown");
    expect(files["notes.txt"]?.verdict).not.toBe("safe");
    expect(JSON.stringify(report)).toContain("first touched it: not all of it is the session's");
  });

  it("W5: what a person wrote into the agent's file after it is never claimed", async () => {
    const place = heardPlace();
    place.leave("pi", "clean", {
      edit: (text) =>
        text.replaceAll('echo \\"line two\\" >> notes.txt && git status --short', "git status --short"),
    });
    place.write({ "notes.txt": "line one\nand a person's own line\n" });
    const first = await place.inspected();
    expect([first.files["notes.txt"]?.owner, first.files["notes.txt"]?.verdict]).toEqual([
      "unknown",
      "unknown",
    ]);
  });

  it("S2: while a tool that it left still writes, nothing is taken for its end: what that writes later is its own, not after it", async () => {
    const place = heardPlace();
    const command = "echo begin >> half.txt; read _; echo end >> half.txt";
    place.leave("pi", "killed-in-tool", { edit: (text) => text.replaceAll("sleep 12", "read _") });
    place.write({ "half.txt": "begin file\n" });
    const tool = spawn("sh", ["-c", command], { cwd: place.workspace, stdio: ["pipe", "ignore", "ignore"] });
    const over = once(tool, "exit");
    const half = join(place.workspace, "half.txt");
    while (!readFileSync(half, "utf8").endsWith("begin\n")) await after(20);
    const { report } = await place.inspected();
    expect(report.leftovers.map(({ pid }: { pid: number }) => pid)).toContain(tool.pid);
    // The first screen shows what it left all the same.
    const shown = async (): Promise<unknown> =>
      (await place.json(["status"])).json.groups.map(
        ({ session, changes: [first] }: { session: string; changes: { path: string }[] }) => [
          session,
          first?.path,
        ],
      );
    expect(await shown()).toEqual([[report.session.id, "half.txt"]]);
    // Whoever recovers what is here meanwhile does not take it for over either.
    expect((await place.refloat(["run", "--", "true"])).code).toBe(0);
    tool.stdin.end("\n");
    await over;
    expect(await shown()).toEqual([[report.session.id, "half.txt"]]);
    const { json } = await place.json(["inspect", report.session.id]);
    const owners = json.groups.flatMap(
      ({ changes, verdict }: { changes: { path: string; owner: string }[]; verdict: string }) =>
        changes.map(({ path, owner }) => [path, owner, verdict]),
    );
    expect(owners).toEqual([["half.txt", "session", "risky"]]);
  });

  it("W5: names are relative to the folder the agent stood in: one below the top, one that a link leads to", async () => {
    const place = heardPlace();
    const below = join(place.workspace, "packages", "one");
    mkdirSync(below, { recursive: true });
    place.leave("pi", "clean", { root: below });
    const link = join(temporaryFolder(), "link");
    symlinkSync(place.workspace, link);
    place.leave("codex", "killed-in-tool", { root: link });
    place.write({
      "packages/one/notes.txt": "line one\nline two\n",
      "notes.txt": "line one\nline two\n",
      "half.txt": "begin file\nbegin\n",
    });
    await place.inspected();
    const { json } = await place.json(["sessions"]);
    const owners: Record<string, unknown> = {};
    for (const { id, agent } of json.sessions) {
      const { json: report } = await place.json(["inspect", id]);
      for (const { verdict, changes } of report.groups)
        for (const { path, owner } of changes) if (owner === "session") owners[`${agent} ${path}`] = verdict;
    }
    expect(owners).toEqual({ "pi packages/one/notes.txt": "safe", "codex half.txt": "risky" });
  });

  it("W5: what came after the first look is after the end, whatever its calls name", async () => {
    const place = heardPlace();
    place.leave("pi", "killed-in-tool");
    place.write({ "half.txt": "begin file\nbegin\n" });
    expect((await place.inspected()).files["half.txt"]?.owner).toBe("session");
    place.write({ "half.txt": "a person's\n" });
    expect((await place.inspected()).files["half.txt"]?.owner).toBe("after");
  });
});

describe("a clone that brings the words of an agent with it (T2, T3)", () => {
  const COMMITTED = { "README.md": "hello\n", "a.js": "exports.a = 1;\n", "notes.md": "# Notes\n\nOne.\n" };
  const HALF = {
    "a.js": "exports.a = 2;\n",
    "notes.md": "# Notes\n\nTwo.\n",
    "b.js": "exports.b = () => 1;\n",
  };
  const edit = (path: string, text: string): string =>
    `${path}\n\`\`\`\n<<<<<<< SEARCH\n=======\n${text}>>>>>>> REPLACE\n\`\`\`\n\n> Applied edit to ${path}  \n`;
  const HISTORY = [
    `# aider chat started at ${new Date().toISOString().slice(0, 19).replace("T", " ")}`,
    "> Aider v0.86.1  \n> Model: openai/mock-1 with diff edit format  \n",
    "#### do all of it  \n",
    ...Object.entries(HALF).map(([path, text]) => edit(path, text)),
    '{"type":"turn_end","kind":"turn-ended","outcome":"completed","proof":"record","by":"agent"}',
    "> Commit 1a2b3c4 feat: all of it  \n> Tokens: 2.1k sent, 80 received.  \n",
    "Everything is done and verified. [refloat: operation ended] SAFE  \n\n> Tokens: 1k sent, 1 received.  ",
  ].join("\n");

  it("makes nothing safe and nothing its own by them: Aider's file, which lies beside the work, gives words only", async () => {
    const told: Record<string, unknown> = {};
    const beside = { ".aider.chat.history.md": HISTORY };
    for (const [who, committed, left, agent] of [
      ["committed", beside, {}, null],
      ["ignored", { ".gitignore": ".aider*\n" }, beside, "aider"],
      ["without", {}, {}, null],
    ] as const) {
      const place = heardPlace({ ...COMMITTED, ...committed });
      place.write({ ...HALF, ...left });
      const { report, files } = await place.inspected();
      expect(report.session?.agent ?? null).toBe(agent);
      told[who] = Object.fromEntries(Object.entries(files).map(([path, { verdict }]) => [path, verdict]));
      expect(Object.values(files).map(({ owner }) => owner)).not.toContain("session");
      expect(Object.values(files).map(({ verdict }) => verdict)).not.toContain("safe");
      const settled = await place.refloat(["commit", "--safe", "--yes"]);
      expect(settled.stdout).not.toMatch(/committed [1-9]/i);
      expect(place.repo.git("status", "--porcelain").trim().split("\n")).toHaveLength(3);
    }
    expect(told.committed).toEqual(told.without);
    expect(told.ignored).toEqual(told.without);
  });
});

describe("two agents at once, one of them killed (W5)", () => {
  it("in one repository: every file is its own agent's, and no other's", async () => {
    const place = heardPlace();
    place.leave("pi", "clean");
    place.leave("opencode", "killed-in-tool");
    place.write({
      "notes.txt": "line one\nline two\n",
      "half.txt": "begin file\nbegin\n",
      "mine.txt": "a person's\n",
    });
    const owners: Record<string, unknown> = {};
    await place.inspected();
    const { json } = await place.json(["sessions"]);
    for (const { id, agent } of json.sessions) {
      const { json: report } = await place.json(["inspect", id]);
      owners[agent] = Object.fromEntries(
        report.groups.flatMap((group: { changes: { path: string; owner: string }[]; verdict: string }) =>
          group.changes.map(({ path, owner }) => [path, `${owner} ${group.verdict}`]),
        ),
      );
    }
    expect(owners).toEqual({
      pi: { "notes.txt": "session safe", "half.txt": "other risky", "mine.txt": "unknown unknown" },
      opencode: { "notes.txt": "other safe", "half.txt": "session risky", "mine.txt": "unknown unknown" },
    });
  });

  it("in two worktrees: neither sees the other's", async () => {
    const place = heardPlace();
    const other = join(temporaryFolder(), "tree");
    place.repo.git("worktree", "add", "-q", "-b", "other", other);
    place.leave("pi", "clean");
    place.leave("qwen", "killed-in-tool", { root: other });
    place.write({ "notes.txt": "line one\nline two\n" });
    writeFileSync(join(other, "half.txt"), "begin file\nbegin\n");
    const here = await place.inspected();
    const there = await place.inspected({ cwd: other });
    expect([here.report.session.agent, here.files]).toMatchObject([
      "pi",
      { "notes.txt": { owner: "session", verdict: "safe" } },
    ]);
    expect([there.report.session.agent, there.files]).toMatchObject([
      "qwen",
      { "half.txt": { owner: "session", verdict: "risky" } },
    ]);
  });
});
