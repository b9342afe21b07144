/** `loop` through the built program: an agent that dies at random, usage limits, goals, stop files, notices. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../run/run-scene.ts";
import { ended, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LOOP_AGENT = join(import.meta.dirname, "../fakes/loop-agent.mjs");
/** About a session and a half for a piece: 15 sessions, or 100. */
const PIECES = isFull ? 60 : 9;
/** A hundred sessions on a busy machine. */
const FULL_TIMEOUT_MS = isFull ? 30 * 60_000 : 300_000;

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly notes: string;
  readonly report: string;
}

function scene(): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("README.md", "# Work\n");
  repo.commit("begin");
  const notes = temporaryFolder();
  return { place, repo, notes, report: join(notes, "report.json") };
}

const reportIn = ({ report }: Scene): JsonObject => JSON.parse(readFileSync(report, "utf8")) as JsonObject;
const linesIn = (file: string): JsonObject[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as JsonObject)
    : [];

const agent = (at: Scene, more: Readonly<Record<string, unknown>> = {}): string[] => [
  process.execPath,
  LOOP_AGENT,
  JSON.stringify({ notes: at.notes, seed, ...more }),
];

describe("a loop over an agent that dies at random", () => {
  it(
    "reaches its goal: every piece is committed exactly once, none half done, and nothing escalates while something moves",
    async () => {
      const at = scene();
      const goal = `test "$(git log --format=%s | grep -c '^piece ')" -ge ${PIECES}`;
      const flags = [
        "--until",
        goal,
        "--max",
        String(PIECES * 10),
        "--backoff",
        "1ms",
        "--report",
        at.report,
      ];
      const ran = await at.place.refloat(["loop", ...flags, "--", ...agent(at)]);
      console.log(`seed ${seed}: ${reportIn(at).sessions} sessions for ${PIECES} pieces`);
      expect(ran.code, ran.stderr).toBe(0);
      expect(reportIn(at)).toMatchObject({ stopped: "goal", exit_code: 0 });
      const subjects = at.repo.git("log", "--format=%s", "--reverse").split("\n");
      expect(subjects).toEqual(["begin", ...Array.from({ length: PIECES }, (_, n) => `piece ${n + 1}`)]);
      for (let n = 1; n <= PIECES; n++)
        expect(at.repo.git("show", `HEAD:pieces/${n}.txt`)).toMatch(
          new RegExp(`^begin ${n} in session (\\d+)\\nend ${n} in session \\1$`),
        );
      const deaths = (reportIn(at).last as JsonObject[]).filter(({ state }) => state !== "finished");
      expect(deaths.length).toBeGreaterThan(0);
      const { json } = await at.place.json(["sessions"]);
      expect(
        json.sessions.filter(({ state }: JsonObject) => state === "live" || state === "suspended"),
      ).toEqual([]);
      const told = linesIn(join(at.notes, "briefs.jsonl"));
      expect(told[0]?.text).toBeNull();
      for (const [n, { text }] of told.slice(1).entries()) {
        expect(text).toContain("# Handoff: session");
        expect(text).toContain(`session ${n + 1}: piece`);
      }
    },
    FULL_TIMEOUT_MS,
  );

  it("ends with exit 1 after three sessions when nothing moves, tells somebody, and is not gone on from until it is lifted (L2, L4)", async () => {
    const at = scene();
    const news = join(at.notes, "news.jsonl");
    const flags = ["--backoff", "1ms", "--notify", `cat >> ${news}`, "--report", at.report];
    const ran = await at.place.refloat(["loop", ...flags, "--", ...agent(at, { stuck: true })]);
    expect(ran.code).toBe(1);
    expect(reportIn(at).sessions).toBe(3);
    expect(ran.stderr).toMatch(/stops after 3 sessions/);
    expect(linesIn(news).map(({ event }) => event)).toContain("stopped");
    const again = await at.place.refloat([
      "loop",
      ...flags,
      "--max",
      "1",
      "--",
      ...agent(at, { stuck: true }),
    ]);
    expect(again.code).toBe(1);
    expect(reportIn(at)).toMatchObject({ stopped: "suspended", sessions: 0 });
  });
});

describe("a loop", () => {
  it.each([
    ["by its timeout", ["--timeout", "1s", "--drain", "100ms"], "sleep 30"],
    ["by a kill", [], "kill -9 $$"],
  ])("goes on while each session changes the tree, however it is cut off: %s (L2)", async (_, flags, end) => {
    const at = scene();
    at.repo.write("journal/day.md", "begin\n");
    at.repo.commit("journal");
    const more = ["--max", "3", "--suspend-after", "2", "--backoff", "1ms", "--settle", "default"];
    const work = `wc -l <journal/day.md >>journal/day.md; ${end}`;
    const ran = await at.place.refloat(["loop", ...more, ...flags, "--", "sh", "-c", work], { env: ANN });
    expect(ran.stderr).toContain("stops after 3 sessions");
    expect(ran.stderr).not.toContain("nothing done");
    expect(at.repo.read("journal/day.md")).toBe("begin\n1\n2\n3\n");
    expect(at.repo.git("status", "--porcelain")).toBe("");
  });

  it("with --max 1 is what cron needs: one session, its exit code, no terminal; the next start is told what the last left", async () => {
    const at = scene();
    const script = 'printf %s "$0"; echo seen >> seen.txt; exit 7';
    const run = () => at.place.refloat(["loop", "--max", "1", "--", "sh", "-c", script, "{handoff}"]);
    const first = await run();
    expect(first.code).toBe(7);
    expect(first.stdout).toBe("");
    const second = await run();
    expect(second.stdout).toContain("# Handoff: session");
    expect(second.stdout).toContain("`seen.txt`");
  });

  it("settles by the policy between sessions: the safe part is committed once, what was half done is parked and never committed", async () => {
    const at = scene();
    at.repo.write("journal/day.md", "# Day\n");
    at.repo.write("app.json", '{ "version": 1 }\n');
    at.repo.commit("journal");
    const env = Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((who) => [
        [`GIT_${who}_NAME`, "Ann"],
        [`GIT_${who}_EMAIL`, "ann@example.invalid"],
      ]),
    );
    const script = `echo "- session" >> journal/day.md; echo "# BEGIN: bump"; printf '{ "version": %s' $(wc -l < journal/day.md) > app.json; kill -9 $$`;
    const flags = ["--settle", "default", "--backoff", "1ms", "--max", "2", "--suspend-after", "never"];
    const ran = await at.place.refloat(["loop", ...flags, "--", "sh", "-c", script], { env });
    expect(ran.stderr).toContain("settled what it left: 1 group committed");
    const commits = at.repo.git("log", "--format=%H", "HEAD~2..HEAD").split("\n");
    expect(commits).toHaveLength(2);
    for (const commit of commits)
      expect(at.repo.git("show", "--format=", "--name-only", commit)).toBe("journal/day.md");
    expect(at.repo.read("app.json")).toBe('{ "version": 1 }\n');
    expect(at.repo.read("journal/day.md")).toBe("# Day\n- session\n- session\n");
    expect((await at.place.json(["parked"])).json.parked).toHaveLength(2);
  });

  it("ends at a usage limit with 75 and the time it ends, never as a dirty end; --on-limit wait goes on by itself", async () => {
    const at = scene();
    const script = `echo work >> work.txt; [ -e ${at.notes}/met ] && exit 0; touch ${at.notes}/met
      echo "Usage limit reached|$(( $(date +%s) - 59 ))" >&2; exit 1`;
    const flags = ["--limit-text", "Usage limit reached", "--report", at.report, "--max", "3"];
    const ended = await at.place.refloat(["loop", ...flags, "--", "sh", "-c", script]);
    expect(ended.code).toBe(75);
    expect(reportIn(at)).toMatchObject({ stopped: "limit", resets_at: expect.stringMatching(/^20/) });
    const { json } = await at.place.json(["sessions"]);
    expect(json.sessions[0]).toMatchObject({ state: "interrupted", cause: "limit", dirty_ends: 0 });
    const other = scene();
    const waits = script.replaceAll(at.notes, other.notes);
    const more = [
      "--limit-text",
      "Usage limit reached",
      "--on-limit",
      "wait",
      "--max",
      "2",
      "--report",
      other.report,
    ];
    const waited = await other.place.refloat(["loop", ...more, "--", "sh", "-c", waits]);
    expect(waited.code, waited.stderr).toBe(0);
    expect(waited.stderr).toContain("waits for the usage limit's end");
    expect(reportIn(other).last.map(({ cause }: JsonObject) => cause)).toEqual(["limit", "clean"]);
  });

  it("is ended by its stop file while it waits, and by a signal that the agent hears too", async () => {
    const at = scene();
    const stop = join(at.notes, "stop");
    const waiting = at.place.start(["loop", "--backoff", "1h", "--stop-file", stop, "--", "false"]);
    let log = "";
    waiting.stderr?.on("data", (piece: Buffer) => {
      log += piece;
    });
    waiting.stdin?.end();
    await until(() => log.includes("waits until"), "the wait");
    writeFileSync(stop, "");
    expect((await ended(waiting)).code).toBe(0);
    const script = `trap 'echo heard > ${at.notes}/heard; exit 0' INT; touch ${at.notes}/up; while :; do sleep 0.1; done`;
    const running = at.place.start(["loop", "--drain", "5s", "--", "sh", "-c", script]);
    running.stdin?.end();
    await until(() => existsSync(join(at.notes, "up")), "the agent");
    running.kill("SIGTERM");
    expect((await ended(running)).code).toBe(143);
    expect(existsSync(join(at.notes, "heard"))).toBe(true);
  });

  it("ends when --max-time is up, whatever its agent is at, and lets the agent save its work first", async () => {
    const at = scene();
    const script = `trap 'echo saved > saved.txt; exit 0' INT; while :; do sleep 0.05; done`;
    // Long enough for the start on a machine ten times as slow: only then there is a session to end.
    const flags = ["--max-time", "10s", "--drain", "100s", "--report", at.report];
    const ran = await at.place.refloat(["loop", ...flags, "--", "sh", "-c", script]);
    expect(reportIn(at)).toMatchObject({ stopped: "max-time", sessions: 1 });
    expect(reportIn(at).last).toMatchObject([{ cause: "timeout" }]);
    expect(at.repo.read("saved.txt")).toBe("saved\n");
    expect(ran.stderr).toContain("the time of --max-time is up");
  });

  it("waits for a usage limit only until it is told to end: run too, with 75 and no dirty end", async () => {
    const at = scene();
    const script = 'echo work >> work.txt; echo "limit reached|$(( $(date +%s) + 3600 ))"; exit 3';
    const limit = ["--limit-text", "limit reached", "--on-limit", "wait"];
    for (const how of ["run", "loop"]) {
      const waiting = at.place.start([how, ...limit, "--", "sh", "-c", script]);
      let log = "";
      waiting.stderr?.on("data", (piece: Buffer) => {
        log += piece;
      });
      waiting.stdin?.end();
      await until(() => log.includes("waits for the usage limit's end"), `the wait of ${how}`);
      waiting.kill("SIGTERM");
      const { code } = await ended(waiting);
      expect(code, log).toBe(how === "run" ? 75 : 143);
    }
    const { json } = await at.place.json(["sessions"]);
    expect(json.sessions.map(({ cause, dirty_ends }: JsonObject) => [cause, dirty_ends])).toEqual([
      ["limit", 0],
      ["limit", 0],
    ]);
  });

  it("is what the examples for systemd and cron start: every flag of theirs is one of the program's", async () => {
    const folder = join(import.meta.dirname, "../../examples/systemd");
    const unit = readFileSync(join(folder, "refloat-loop.service"), "utf8");
    const [, started = ""] = /^ExecStart=refloat (.+)$/m.exec(unit) ?? [];
    const [, hourly = ""] = /&& refloat (.+) >> /.exec(readFileSync(join(folder, "crontab"), "utf8")) ?? [];
    const at = scene();
    at.repo.write("agent.sh", '#!/bin/sh\ntest -e "$1" && echo told\n', 0o755);
    for (const line of [started, hourly]) {
      const words = line.replaceAll("%h", at.notes).split(" ");
      expect(words.slice(0, 1), line).toEqual(["loop"]);
      const ran = await at.place.refloat([
        "loop",
        "--max",
        "1",
        ...words.slice(1).filter((word) => word !== "--max" && word !== "1"),
      ]);
      expect([ran.code, ran.stdout], ran.stderr).toEqual([0, "told\n"]);
    }
    // What the unit says of exit codes is what the loop says of them.
    expect(unit).toMatch(/^RestartPreventExitStatus=1$/m);
    expect(unit).toMatch(/^RestartForceExitStatus=75$/m);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20);
  });
});
