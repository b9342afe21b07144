/** REFLOAT_OFF=1 turns everything off, and `"ignore": true` one repository: nothing is recorded, captured or heard, and commands say so. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainSession } from "../agents/plain-session.ts";
import { withMcp } from "../server/mcp-client.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { claudeEvents, fakeAgent, hookedPlace } from "./hooked-place.ts";

const NATIVE = "11111111-2222-4333-8444-555555555555";

type Way = "REFLOAT_OFF=1" | "refloat.json" | "the user's config";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly env: Readonly<Record<string, string>>;
  readonly said: RegExp;
}

function scene(way: Way): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f", "1\n");
  const env = switchedOff(way, repo, place.home);
  repo.write("f", "2\n");
  return { place, repo, env, said: way === "REFLOAT_OFF=1" ? /REFLOAT_OFF=1/ : /left alone/ };
}

/** The environment in which it is. */
function switchedOff(way: Way, repo: TestRepository, home: string): Record<string, string> {
  if (way === "refloat.json") repo.write("refloat.json", '{"ignore": true}\n');
  repo.commit();
  const config = join(home, "config");
  mkdirSync(join(config, "refloat"), { recursive: true });
  if (way === "the user's config")
    writeFileSync(join(config, "refloat/config.json"), JSON.stringify({ ignore: [repo.root] }));
  return { XDG_CONFIG_HOME: config, ...(way === "REFLOAT_OFF=1" ? { REFLOAT_OFF: "1" } : {}) };
}

describe.each(["REFLOAT_OFF=1", "refloat.json", "the user's config"] as const)("off by %s", (way) => {
  it("run starts the child plainly, with its exit code, and records nothing", async () => {
    const { place, env, said } = scene(way);
    const { code, stdout, stderr } = await place.refloat(
      ["run", "--", "sh", "-c", 'echo "mark=$REFLOAT_SESSION"; exit 7'],
      { env },
    );
    expect([code, stdout]).toEqual([7, "mark=\n"]);
    if (way !== "REFLOAT_OFF=1") expect(stderr).toMatch(said);
    expect(existsSync(place.store)).toBe(false);
  });

  it("op, decide and capture keep nothing and say so; capture by its exit code, too: something may rely on it", async () => {
    const { place, env, said } = scene(way);
    const begun = await place.refloat(["op", "begin", "work"], { env });
    expect([begun.code, begun.stdout]).toEqual([0, "# BEGIN: work\n"]);
    expect(begun.stderr).toMatch(said);
    const decided = await place.refloat(["decide", "k", "v", "--reason", "r"], { env });
    expect([decided.code, decided.stderr]).toEqual([0, expect.stringMatching(said)]);
    const captured = await place.refloat(["capture"], { env });
    expect([captured.code, captured.stderr.replace(/\s+/g, " ")]).toEqual([1, expect.stringMatching(said)]);
    if (existsSync(place.store))
      await place.withStore(async (store) => expect(await store.sessions()).toEqual([]));
  });

  it("K5: step is refused with exit code 1, since a claim keeps others away, and leaves nothing in the tree", async () => {
    const { place, repo, env, said } = scene(way);
    const before = repo.git("status", "--porcelain");
    const stepped = await place.refloat(["step", "start", "1"], { env });
    expect([stepped.code, stepped.stderr.replace(/\s+/g, " ")]).toEqual([1, expect.stringMatching(said)]);
    expect(stepped.stderr).toContain("step start");
    expect(repo.git("status", "--porcelain")).toBe(before);
  });

  it("T1: what is listed is said to be without what was not recorded", async () => {
    const { place, env, said } = scene(way);
    for (const words of [["op", "list"], ["decisions"], ["decide", "k"], []]) {
      const { stderr } = await place.refloat(words, { env });
      expect(stderr.replace(/\s+/g, " "), words.join(" ")).toMatch(said);
    }
    await place.withStore(async (store) => expect(await store.sessions()).toEqual([]));
  });

  it("S1: status hears no agent's transcript, and says why", async () => {
    const { place, repo, home } = plainSession("claude/clean");
    const here = { cwd: repo.root, env: { HOME: home, ...switchedOff(way, repo, home) } };
    const shown = await place.refloat(["status"], here);
    expect(shown.stderr).toMatch(way === "REFLOAT_OFF=1" ? /REFLOAT_OFF=1/ : /left alone/);
    expect((await place.json(["status"], here)).json.sessions).toEqual([]);
    // And it is there to be heard.
    if (way !== "REFLOAT_OFF=1") return;
    const { json } = await place.json(["status"], { cwd: repo.root, env: { HOME: home } });
    expect(json.sessions).toHaveLength(1);
  });

  it("S1: what hooks told of it becomes no session, and its files do not stay in the inbox of a repository that is left alone", async () => {
    const place = hookedPlace();
    const env = switchedOff(way, place.repo, place.home);
    const [agent, events] = [fakeAgent(), claudeEvents(NATIVE, place.workspace)];
    place.tell("claude", "SessionStart", events.start, agent);
    place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
    place.tell("claude", "PreToolUse", events.before("t1", "make"), agent);
    const sessions = async (more: Readonly<Record<string, string>>) =>
      (await place.json(["sessions", "--all"], { env: more })).json.sessions;
    expect(await sessions(env)).toEqual([]);
    const isOff = way === "REFLOAT_OFF=1";
    expect(place.waiting()).toHaveLength(isOff ? 3 : 0);
    // Switched on again, what still waits is taken in.
    expect(await sessions({})).toHaveLength(isOff ? 1 : 0);
  });

  it("mcp records nothing of it, not even its end, and tells the model why", {
    timeout: 60_000,
  }, async () => {
    const { place, env, said } = scene(way);
    await withMcp(
      place,
      async ({ call }) => {
        for (const [tool, input] of [
          ["operations", { act: "begin", label: "work" }],
          ["decide", { key: "k", value: "v", reason: "r" }],
          ["capture", {}],
        ] as const) {
          const { text } = await call(tool, input);
          expect(text, tool).toMatch(said);
          expect(text, tool).not.toContain("Say this line");
        }
      },
      { env },
    );
    if (existsSync(place.store))
      await place.withStore(async (store) => expect(await store.sessions()).toEqual([]));
  });

  it("hook capture holds nothing there before a destructive command, and says why there is no before-image (T1)", async () => {
    const { place, env } = scene(way);
    const payload = { session_id: NATIVE, cwd: place.workspace, tool_input: { command: "rm -rf f" } };
    const options = { env, stdin: JSON.stringify(payload) };
    const { code, stdout } = await place.refloat(["hook", "capture", "claude"], options);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^no-before-image (?:REFLOAT_OFF=1|left alone by )/),
    ]);
    if (existsSync(place.store))
      await place.withStore(async (store) => expect(await store.sessions()).toEqual([]));
  });

  it("W4: guard --hold holds nothing there, and does not say that it may go", async () => {
    const { place, env } = scene(way);
    const { code } = await place.json(["guard", ".", "--hold"], { env });
    expect(code).toBe(1);
  });
});

describe("ignore", () => {
  it("T2: is what HEAD has: an uncommitted word turns nothing off", async () => {
    const { place, repo } = scene("refloat.json");
    repo.write("refloat.json", "{}\n");
    repo.git("commit", "-q", "-am", "on again");
    repo.write("refloat.json", '{"ignore": true}\n');
    expect((await place.refloat(["run", "--", "true"])).code).toBe(0);
    await place.withStore(async (store) => expect(await store.sessions()).toHaveLength(1));
    expect((await place.refloat(["capture"])).code).toBe(0);
  });

  it("as a list it still leaves paths out of judging, and nothing else", async () => {
    const { place, repo } = scene("refloat.json");
    repo.write("refloat.json", '{"ignore": ["*.log"]}\n');
    repo.commit();
    expect((await place.refloat(["capture"])).code).toBe(0);
  });
});
