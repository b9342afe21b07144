/**
 * A repository that was moved or renamed after an agent worked in it plainly: its transcripts name the old place. Found where it is now, with
 * its files' owners, and never taken for another repository's (S1, W5).
 */
import { cpSync, existsSync, renameSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type HeardPlace, heardPlace } from "./heard-place.ts";

/** Agents whose transcripts tell what their calls wrote; those of others (gptme) do not, and Aider's lie in the repository itself. */
const TELLING = ["claude", "codex", "continue", "copilot", "gemini", "opencode", "pi", "qwen"];

const CLEAN = { "notes.txt": "line one\nline two\n" };

const elsewhere = (): string => join(temporaryFolder(), "renamed");

async function sessionsAt(place: HeardPlace, cwd: string): Promise<readonly JsonObject[]> {
  const { json } = await place.json(["sessions"], { cwd });
  return json.sessions;
}

/** Their transcripts have the times of the run, whatever the file's: its files are to be as old. */
const DATABASES = new Set(["opencode"]);

/** The transcript of a run of `agent`, its tree, and both moved to the folder that is returned. */
async function movedRun(agent: string, which = "clean", tree: Readonly<Record<string, string>> = CLEAN) {
  const place = heardPlace();
  place.leave(agent, which);
  place.write(tree);
  const to = elsewhere();
  if (DATABASES.has(agent)) {
    const still = heardPlace();
    still.leave(agent, which);
    const [one] = await sessionsAt(still, still.workspace);
    const then = new Date(Date.parse(String(one?.started_at)) + 5000);
    for (const path of Object.keys(tree)) utimesSync(join(place.workspace, path), then, then);
  }
  renameSync(place.workspace, to);
  return { place, from: place.workspace, to };
}

/** Of eight agents two: what differs between them is told by their own tests. */
const SAMPLE = TELLING.filter((_, at) => isFull || at % 4 === seed % 4);

describe("a repository that was moved after an agent worked in it", () => {
  it.each(SAMPLE)("%s: its session is found there, with the files that are its own", async (agent) => {
    const still = heardPlace();
    still.leave(agent, "clean");
    still.write(CLEAN);
    const { files: asItWas } = await still.inspected();
    const { place, from, to } = await movedRun(agent);
    const { report, files } = await place.inspected({ cwd: to });
    expect(report.session).toMatchObject({ agent, moved_from: from });
    expect(files).toEqual(asItWas);
    expect(files["notes.txt"]?.owner).toBe("session");
    expect(await sessionsAt(place, to)).toMatchObject([{ agent, moved_from: from, workspace: to }]);
  });

  it("every face says where the folder was, and the log, the brief and rebuild find it", async () => {
    const { place, from, to } = await movedRun("claude", "killed-in-tool", {
      "half.txt": "begin file\nbegin\n",
    });
    const said = async (...args: string[]): Promise<string> =>
      (await place.refloat(args, { cwd: to })).stdout;
    for (const words of [[], ["show"], ["inspect"]])
      expect((await said(...words)).replaceAll(/\s+/g, " ")).toContain(
        `the folder was at ${from.slice(0, 20)}`,
      );
    expect(await said("log")).toContain("please do the scripted work");
    expect(await said("handoff")).toContain(`The folder was at \`${from}\` then`);
    const into = join(temporaryFolder(), "rebuilt");
    expect(await said("rebuild", "--to", into)).toContain("half.txt");
    expect(await said("why", "half.txt")).toContain("half.txt");
  });

  it("the agent's folder may have been one below the top", async () => {
    const place = heardPlace({ "README.md": "hello\n", "sub/other.txt": "x\n" });
    place.leave("claude", "clean", { root: join(place.workspace, "sub") });
    place.write({ "sub/notes.txt": CLEAN["notes.txt"] });
    const to = elsewhere();
    renameSync(place.workspace, to);
    const { report, files } = await place.inspected({ cwd: to });
    expect(report.session).toMatchObject({ moved_from: place.workspace });
    expect(files["sub/notes.txt"]).toMatchObject({ owner: "session", verdict: "safe" });
  });

  it("what it committed proves it as well, where this work tree's own log says that the commit was made here", async () => {
    const place = heardPlace();
    place.leave("codex", "clean");
    place.write(CLEAN);
    place.repo.commit("its work");
    const to = elsewhere();
    renameSync(place.workspace, to);
    expect(await sessionsAt(place, to)).toMatchObject([{ agent: "codex", moved_from: place.workspace }]);
  });

  it("a linked work tree that git moved", async () => {
    const place = heardPlace();
    const tree = join(temporaryFolder(), "tree");
    place.repo.git("worktree", "add", "-q", tree);
    place.leave("pi", "clean", { root: tree });
    testRepositoryWrite(tree);
    const to = elsewhere();
    place.repo.git("worktree", "move", tree, to);
    expect(await sessionsAt(place, to)).toMatchObject([{ agent: "pi", moved_from: tree }]);
    const { files } = await place.inspected({ cwd: to });
    expect(files["notes.txt"]?.owner).toBe("session");
  });

  it("a session that was heard of before the move goes with its folder, and is not told twice (D4)", async () => {
    const place = heardPlace();
    place.leave("claude", "killed-in-tool");
    place.write({ "half.txt": "begin file\nbegin\n" });
    const [before] = await sessionsAt(place, place.workspace);
    const [one, two] = [elsewhere(), elsewhere()];
    renameSync(place.workspace, one);
    expect(await sessionsAt(place, one)).toMatchObject([
      { id: before?.id, workspace: one, moved_from: place.workspace },
    ]);
    renameSync(one, two);
    expect(await sessionsAt(place, two)).toMatchObject([{ id: before?.id, workspace: two, moved_from: one }]);
    const { files } = await place.inspected({ cwd: two });
    expect(files["half.txt"]).toMatchObject({ owner: "session", verdict: "risky" });
    const { json } = await place.json(["resume", "--print"], { cwd: two });
    expect(json.sessions).toMatchObject([{ session: before?.id, workspace: two }]);
    expect((await place.refloat(["store", "check"], { cwd: two })).code).toBe(0);
  });
});

describe("going on in a folder that was moved", () => {
  it.each([
    ["claude", /^claude --resume \S+/],
    ["codex", /^codex resume \S+/],
    ["copilot", /^copilot --resume=\S+/],
    ["pi", /^pi --fork \S+/],
    ["gemini", /^gemini --session-file \S+\.jsonl/],
    // Theirs find no conversation of another folder: a new one, which knows.
    ["qwen", /^qwen --append-system-prompt/],
    ["opencode", /^opencode (?!.*--session)/],
  ])("%s: by what was seen to work there", async (agent, command) => {
    const { place, to } = await movedRun(agent, "killed-in-tool", { "half.txt": "begin file\nbegin\n" });
    const [one] = await sessionsAt(place, to);
    const { json } = await place.json(["resume", String(one?.id), "--print"], { cwd: to });
    expect(json.sessions).toMatchObject([{ workspace: to }]);
    expect(json.sessions[0].command.join(" ")).toMatch(command);
  });
});

describe("another repository's session is never taken (W5)", () => {
  const none = async (place: HeardPlace, cwd: string): Promise<void> => {
    expect(await sessionsAt(place, cwd)).toEqual([]);
  };

  it("of a clone or a copy at another place while the old one is still there", async () => {
    const place = heardPlace();
    place.leave("claude", "clean");
    place.write(CLEAN);
    const [clone, copy] = [elsewhere(), elsewhere()];
    place.repo.git("clone", "-q", place.workspace, clone);
    cpSync(place.workspace, copy, { recursive: true, preserveTimestamps: true });
    await none(place, clone);
    await none(place, copy);
    expect(await sessionsAt(place, place.workspace)).toHaveLength(1);
  });

  it("of a namesake: the same folder name, the same branch, and the old one is gone", async () => {
    const place = heardPlace();
    place.leave("claude", "clean");
    place.write(CLEAN);
    const other = testRepository(join(temporaryFolder(), place.workspace.split("/").at(-1) ?? ""));
    other.write("README.md", "hello\n");
    other.commit();
    other.write("notes.txt", "line one\n");
    rmSync(place.workspace, { recursive: true });
    await none(place, other.root);
  });

  it("of a clone that got the agent's commits, and the old one is gone: they came from elsewhere", async () => {
    const place = heardPlace();
    place.leave("codex", "clean");
    place.write(CLEAN);
    place.repo.commit("its work");
    const clone = elsewhere();
    place.repo.git("clone", "-q", place.workspace, clone);
    rmSync(place.workspace, { recursive: true });
    await none(place, clone);
  });

  it("of a deleted work tree, in the repository it was linked to", async () => {
    const place = heardPlace();
    const tree = join(temporaryFolder(), "tree");
    place.repo.git("worktree", "add", "-q", tree);
    place.leave("pi", "clean", { root: tree });
    testRepositoryWrite(tree);
    place.repo.git("worktree", "remove", "--force", tree);
    await none(place, place.workspace);
  });

  it("by the same bytes at the same path, where they were written at another time", async () => {
    const place = heardPlace();
    place.leave("claude", "clean");
    place.write(CLEAN);
    const other = testRepository(elsewhere());
    other.write("README.md", "hello\n");
    other.commit();
    other.write("notes.txt", CLEAN["notes.txt"]);
    const long = new Date("2020-01-01T00:00:00Z");
    utimesSync(join(other.root, "notes.txt"), long, long);
    rmSync(place.workspace, { recursive: true });
    await none(place, other.root);
  });

  it("by bytes that a session of this very folder wrote: two runs of one task, one of them deleted", async () => {
    const place = heardPlace();
    const other = elsewhere();
    place.leave("codex", "clean");
    place.leave("pi", "clean", { root: other });
    place.write(CLEAN);
    expect(existsSync(other)).toBe(false);
    expect(await sessionsAt(place, place.workspace)).toMatchObject([{ agent: "codex" }]);
  });

  it("by one of three files that it wrote", async () => {
    const place = heardPlace();
    const old = join(dirname(place.workspace), "old");
    const more = (text: string): string => text.replaceAll("notes.txt", "LICENSE");
    // The same records a second and a third time, of files that are not here.
    place.leave("pi", "clean", { root: old, edit: (text) => threeFold(more(text)) });
    place.write({ LICENSE: CLEAN["notes.txt"] });
    await none(place, place.workspace);
  });
});

/** The calls of a transcript again, for two files more. */
function threeFold(text: string): string {
  const lines = text.trimEnd().split("\n");
  const again = (n: number): readonly string[] =>
    lines.slice(1).map((line) =>
      line
        .replaceAll("LICENSE", `other-${n}.txt`)
        .replaceAll(/"id":"([^"]+)"/g, `"id":"$1-${n}"`)
        .replaceAll(/"toolCallId":"([^"]+)"/g, `"toolCallId":"$1-${n}"`)
        .replaceAll(/"parentId":"([^"]+)"/g, `"parentId":"$1-${n}"`),
    );
  return `${[...lines, ...again(1), ...again(2)].join("\n")}\n`;
}

function testRepositoryWrite(root: string): void {
  testRepository(root).write("notes.txt", CLEAN["notes.txt"]);
}
