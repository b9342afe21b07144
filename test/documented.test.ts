/** What the documents say about the code, held against the code. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cutOffSession, type JsonObject, makePlace, type Place } from "./support/cli.ts";
import { testRepository } from "./support/git-repository.ts";
import { leftSession } from "./support/left-session.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

/** The blocks of one language in a document. */
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, block]) => block ?? "",
  );

describe("docs/library.md", () => {
  it("is a program that runs from top to bottom against the built package, as a stranger would import it", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/refloat"));
    symlinkSync(join(ROOT, "node_modules/zod"), join(folder, "node_modules/zod"));
    const program = join(folder, "program.mjs");
    writeFileSync(program, blocks(read("docs/library.md"), "js").join("\n"));
    const ran = spawnSync(process.execPath, [program], {
      cwd: folder,
      env: { PATH: process.env.PATH, REFLOAT_HOME: join(folder, "home") },
      encoding: "utf8",
      timeout: 60_000,
    });
    expect(ran.stderr).toBe("");
    expect(ran.status).toBe(0);
    const lines = ran.stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("chat-42 1 null");
    expect(lines[1]).toMatch(/^held by pid \d+ since /);
    expect(lines.at(-1)).toMatch(/^E_CLOSED /);
  });

  it("names exactly the types that the library exports", () => {
    const exported = [...read("src/core.ts").matchAll(/(type )?\{([^}]*)\}/g)].flatMap(
      ([, isType, names = ""]) =>
        names
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && (isType || name.startsWith("type ")))
          .map((name) => name.replace(/^type /, "")),
    );
    const section = read("docs/library.md").split("## Types")[1] ?? "";
    const named = [...section.matchAll(/`(\w+)`/g)]
      .map(([, name]) => name)
      .filter((name) => name !== "refloat");
    expect([...named].sort()).toEqual([...exported].sort());
  });
});

describe("docs/json.md", () => {
  it("shows for every schema exactly the fields that a real run prints", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "documented", name: "nightly" });
    const runs = await runAll(place);
    const shown = blocks(read("docs/json.md"), "json").map((block) => JSON.parse(block) as JsonObject);
    expect(shown.map(({ schema }) => schema).sort()).toEqual(runs.map(({ schema }) => schema).sort());
    for (const example of shown) {
      const real = runs.find((run) => run.schema === example.schema && sameKeys(run, example));
      expect(
        real,
        `${example.schema} prints ${runs.filter((run) => run.schema === example.schema).map((run) => keysOf(run))}`,
      ).toBeDefined();
    }
  }, 600_000);
});

describe("the generated pages", () => {
  it("are what the code says, and the check that says so can fail", () => {
    const check = (folder: string) =>
      spawnSync(process.execPath, ["scripts/docs.mjs", "--check", folder], { cwd: ROOT, encoding: "utf8" });
    const ran = check("docs");
    expect(ran.stderr).toBe("");
    expect(ran.status).toBe(0);
    const folder = temporaryFolder();
    for (const name of ["errors.md", "records.md", "cli.md", "lifecycle.md"]) {
      copyFileSync(join(ROOT, "docs", name), join(folder, name));
    }
    appendFileSync(join(folder, "errors.md"), "\nE_INVENTED\n");
    const wrong = check(folder);
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toContain("errors.md");
    expect(wrong.stderr).toContain("- E_INVENTED");
  });
});

async function rekeyed(place: Place): Promise<JsonObject> {
  const file = join(place.home, "keys");
  writeFileSync(file, `k1 ${Buffer.alloc(32, 7).toString("base64")}\n`, { mode: 0o600 });
  const { json } = await place.json(["store", "rekey"], { env: { REFLOAT_KEY_FILE: file } });
  return json;
}

/** One object of every schema, as the commands print them. */
async function runAll(place: Place): Promise<JsonObject[]> {
  const json = async (...args: string[]): Promise<JsonObject> => (await place.json(args)).json;
  const first = async (...args: string[]): Promise<JsonObject> => {
    const child = place.start([...args, "--json"]);
    const line = await new Promise<string>((resolve) => {
      let text = "";
      child.stdout?.on("data", (piece: Buffer) => {
        text += piece;
        if (text.includes("\n")) resolve(text.split("\n")[0] ?? "");
      });
    });
    child.kill("SIGKILL");
    return JSON.parse(line) as JsonObject;
  };
  return [
    await json("--version"),
    await json("status"),
    await json("sessions"),
    await json("show", "documented"),
    await json("log", "documented"),
    await json("log", "documented", "--export", "anthropic"),
    await json("handoff", "documented"),
    await first("log", "documented", "--follow"),
    await json("claim", "status"),
    await json("claim", "break", "documented", "--reason", "its machine is gone", "--yes"),
    ...(await workspaceRuns(place)),
    ...(await momentRuns(place)),
    await json("store", "info"),
    await json("store", "check"),
    await json("store", "check", "--salvage", "salvaged.db"),
    await json("store", "backup", "backup.db"),
    await json("store", "export", "-o", "export.jsonl"),
    await json("store", "import", "export.jsonl"),
    await json("store", "gc"),
    await rekeyed(place),
    await json("store", "grants", "agents", "--store", "postgres://db.example/refloat"),
    ...(await queueRuns()),
    await json("forget", "documented", "--yes"),
    await json("transcript", "check", tornTranscript(place)),
    await json("transcript", "repair", tornTranscript(place)),
    await restoredTranscript(),
    await json("rebuild", "--file", tornTranscript(place), "--to", join(place.workspace, "rebuilt")),
    await json("init", "--agent", "claude", "--yes"),
    await json("uninstall", "--yes"),
    await json("demo", "--fast"),
    await json("completion", "fish"),
    await json("show", "nobody"),
    await runReport(place),
    await loopReport(place),
    await resumePrinted(place),
    await discardedByPath(),
  ];
}

async function queueRuns(): Promise<JsonObject[]> {
  const place = makePlace();
  testRepository(place.workspace).commit("base");
  const json = async (...args: string[]): Promise<JsonObject> => (await place.json(["queue", ...args])).json;
  const added = await json("add", "fix the failing tests");
  const listed = await json("list");
  const changed = [await json("cancel", added.item), await json("retry", added.item)];
  const fleet = await place.json(["status", "--fleet"]);
  const worked = await place.refloat(["worker", "--json", "--until-idle", "--", "true"]);
  return [added, listed, ...changed, fleet.json, JSON.parse(worked.stdout)];
}

/** Of a real agent that was killed; its last record is cut in two. */
function tornTranscript(place: Place): string {
  const folder = join(
    ROOT,
    "test/agents/transcripts/pi/killed-in-tool/.pi/agent/sessions/--srv-agents-repo-pi-tool--",
  );
  const file = join(place.workspace, "session.jsonl");
  for (const name of readdirSync(folder))
    writeFileSync(file, readFileSync(join(folder, name)).subarray(0, -40));
  return file;
}

/** Of an agent that nobody supervised: where it worked is a folder of its own. */
async function restoredTranscript(): Promise<JsonObject> {
  const place = makePlace();
  const folder = join(place.home, ".pi/agent/sessions/--work--");
  mkdirSync(folder, { recursive: true });
  const text = readFileSync(tornTranscript(place), "utf8").replaceAll(
    "/srv/agents/repo-pi-tool",
    place.workspace,
  );
  writeFileSync(join(folder, "one.jsonl"), text);
  return (await place.json(["transcript", "restore", "--to", "restored.jsonl"])).json;
}

/** What `run` writes beside the agent's output; the agent leaves a process behind. */
async function runReport(place: Place): Promise<JsonObject> {
  const file = join(place.home, "run.json");
  const script = `setsid sh -c 'touch ${place.home}/left; sleep 1000' > /dev/null 2>&1 &
    while [ ! -e ${place.home}/left ]; do sleep 0.02; done`;
  await place.refloat(["run", "--report", file, "--", "sh", "-c", script]);
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject;
}

/** A session that was cut off, and a HEAD that moved since. */
async function resumePrinted(place: Place): Promise<JsonObject> {
  await place.refloat(["run", "--name", "cut", "--", "sh", "-c", "kill -9 $$"]);
  testRepository(place.workspace).commit("meanwhile");
  return (await place.json(["resume", "cut", "--print"])).json;
}

/** One of two files that belong together. */
async function discardedByPath(): Promise<JsonObject> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.commit("base");
  await leftSession(place, repo, {
    edits: {
      "part.ts": () => repo.write("part.ts", "export const part = 2;\n"),
      "app.ts": () => repo.write("app.ts", 'export { part } from "./part.ts";\n'),
    },
  });
  return (await place.json(["discard", "app.ts", "--yes"])).json;
}

async function loopReport(place: Place): Promise<JsonObject> {
  const file = join(place.home, "loop.json");
  await place.refloat(["loop", "--max", "1", "--report", file, "--", "true"]);
  return JSON.parse(readFileSync(file, "utf8")) as JsonObject;
}

/** Commands of a moment, and the end of a session. */
async function momentRuns(place: Place): Promise<JsonObject[]> {
  await cutOffSession(place, { id: "another" });
  const runs: JsonObject[] = [];
  for (const args of [
    ["suspend", "another"],
    ["lift", "another"],
    ["op", "begin", "migrate", "--path", "db/**"],
    ["op", "end"],
    ["op", "list"],
    ["decide", "orm", "none", "--reason", "small"],
    ["decide", "orm"],
    ["decisions"],
    ["stop", "another"],
  ])
    runs.push((await place.json(args)).json);
  return runs;
}

/** A change that a call names, captured before and after it. */
async function workspaceRuns(place: Place): Promise<JsonObject[]> {
  const repo = testRepository(place.workspace);
  repo.write("notes.txt", "one\ntwo\n");
  repo.write("refloat.json", '{"notify": "tell-me"}\n');
  repo.commit();
  repo.git("config", "filter.mine.clean", "cat");
  const first = await place.withStore(async (store) => {
    const session = await store.begin({ agent: "tester", workspace: repo.root });
    const { id } = await session.capture("begin");
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "edit_file", input: { path: "notes.txt" } });
    repo.write("notes.txt", "one\n2\n");
    await call.result("ok");
    await session.capture("after");
    await turn.end("completed");
    await session.finish();
    return id;
  });
  const json = async (...args: string[]): Promise<JsonObject> => (await place.json(args)).json;
  return [
    await json("capture", "-m", "by hand"),
    await json("captures"),
    await json("diff", first, "now"),
    await json("why", "notes.txt:2"),
    await json("trust", "--dry-run"),
    await json("inspect"),
    await json("worktrees"),
    await json("guard", "."),
    ...(await settleRuns(place)),
    await json("restore", first, "--yes"),
    await json("restore", first, "--to", `${place.home}/copy`),
    await json("undo", "--yes"),
    await json("redo", "--yes"),
    await json("undo", "--yes"),
    await json("discard", "--all", "--yes"),
    await json("prove"),
    await json("worktrees", "remove", extraWorktree(place, repo), "--yes"),
  ];
}

function extraWorktree(place: Place, repo: ReturnType<typeof testRepository>): string {
  const path = `${place.home}/tree`;
  repo.git("worktree", "add", "-q", "--detach", path);
  return path;
}

/** The user's verdict on what that session left, and every way to settle it. */
async function settleRuns(place: Place): Promise<JsonObject[]> {
  const env = {
    GIT_AUTHOR_NAME: "Ann",
    GIT_AUTHOR_EMAIL: "ann@example.invalid",
    GIT_COMMITTER_NAME: "Ann",
    GIT_COMMITTER_EMAIL: "ann@example.invalid",
  };
  const json = async (...args: string[]): Promise<JsonObject> => (await place.json(args, { env })).json;
  const { groups } = await json("inspect");
  const { id } = groups.find(({ changes }: JsonObject) => changes[0].path === "notes.txt");
  const runs = [
    await json("last-good", "--verify", "true"),
    await json("judge", id, "safe", "--reason", "I read it"),
    await json("settle", "--dry-run"),
    await json("park", "--group", id, "--yes"),
    await json("parked"),
    await json("unpark", id, "--yes"),
    await json("commit", "--group", id, "-m", "Shorter", "--yes"),
  ];
  await json("undo", "--yes"); // what comes next finds the tree as it was
  return runs;
}

const sameKeys = (a: unknown, b: unknown): boolean => keysOf(a).sort().join() === keysOf(b).sort().join();

/** Every path of fields in an object; a list stands for its first member, what is null for itself. */
function keysOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : keysOf(value[0], `${path}[]`);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    `${path}.${key}`,
    ...keysOf(item, `${path}.${key}`),
  ]);
}
