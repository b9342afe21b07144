/** DESIGN 9 and 10: the exit codes of run and loop, whose they are, and what the next start says of the session. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inside, PROGRAM, type Printed, type Stranger, stranger } from "./stranger.ts";

const newest = (me: Stranger): Printed => me.json(["sessions"]).json.sessions[0];

describe("run", () => {
  it("ends with the agent's own code, 128+n by a signal, 124 by our timeout; --report says whose it is", () => {
    const me = stranger();
    const report = join(me.home, "report.json");
    const ended: [readonly string[], number, Printed][] = [
      [["--", "sh", "-c", "exit 2"], 2, { state: "finished", cause: "clean", whose: "agent" }],
      [["--", "sh", "-c", "kill -9 $$"], 137, { state: "interrupted", cause: "crash", whose: "agent" }],
      [
        ["--timeout", "200ms", "--drain=200ms", "--", "sleep", "600"],
        124,
        { state: "interrupted", cause: "timeout", whose: "refloat" },
      ],
      [
        ["--limit-text", "USAGE LIMIT", "--", "sh", "-c", "echo USAGE LIMIT; exit 1"],
        75,
        { state: "interrupted", cause: "limit", whose: "refloat", resets_at: null },
      ],
    ];
    for (const [words, code, told] of ended) {
      const ran = me.refloat(["run", "--report", report, ...words]);
      expect([words, ran.code]).toEqual([words, code]);
      const said = JSON.parse(readFileSync(report, "utf8")) as Printed;
      expect(said).toMatchObject({ schema: "refloat.run/1", exit_code: code, ...told });
      const { whose, resets_at, ...known } = told;
      expect(newest(me)).toMatchObject({ id: said.session, ...known });
    }
  });

  it("before the agent starts: 64 usage, 126 cannot execute, 127 not found, 125 else; stdout stays the agent's", () => {
    const me = stranger();
    me.write("plain.sh", "#!/bin/sh\n");
    chmodSync(join(me.repo, "plain.sh"), 0o644);
    expect(me.refloat(["run", "--if-busy", "hope", "--", "true"]).code).toBe(64);
    expect(me.refloat(["run", "--", "./plain.sh"]).code).toBe(126);
    expect(me.refloat(["run", "--", "no-such-program"])).toMatchObject({ code: 127, stdout: "" });
    const own = { env: { REFLOAT_STORE: join(me.repo, "inside.db") } };
    expect(me.refloat(["run", "--", "true"], own).code).toBe(125);
    const ran = me.refloat(["run", "--", "sh", "-c", "printf out; printf err >&2; printf $REFLOAT_HOME"]);
    expect(ran).toEqual({ code: 0, stdout: `out${join(me.home, ".local/state/refloat")}`, stderr: "err" });
    const off = { env: { REFLOAT_OFF: "1", REFLOAT_HOME: join(me.home, "off") } };
    const plain = me.refloat(["run", "--", "sh", "-c", 'printf "[$REFLOAT_SESSION]"; exit 7'], off);
    expect(plain).toEqual({ code: 7, stdout: "[]", stderr: "" });
    expect(me.refloat(["loop", "--max", "3", "--", "sh", "-c", "printf once; exit 6"], off)).toEqual({
      code: 6,
      stdout: "once",
      stderr: "",
    });
    expect(existsSync(join(me.home, "off"))).toBe(false);
  });

  it("is busy only by a live session of the same name: 4, or 0 with skip; stop ends it, finished by signal", async () => {
    const me = stranger();
    const begun = join(me.home, "begun");
    const env = { PATH: process.env.PATH, HOME: me.home };
    const words = ["run", "--name", "one", "--", "sh", "-c", `touch ${begun}; exec sleep 600`];
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: me.repo, env, stdio: "ignore" });
    const end = once(child, "exit");
    while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(newest(me)).toMatchObject({
      name: "one",
      state: "live",
      supervised: true,
      unsettled: false,
      cause: null,
    });
    expect(me.json(["run", "--name", "one", "--", "true"])).toMatchObject({
      code: 4,
      json: { code: "E_RUN_BUSY" },
    });
    expect(me.refloat(["run", "--name", "one", "--if-busy", "skip", "--", "true"]).code).toBe(0);
    expect(me.refloat(["run", "--name", "two", "--", "true"]).code).toBe(0);
    expect(me.json(["stop", "one"])).toMatchObject({ code: 0, json: { state: "finished", cause: "signal" } });
    await end;
  });
});

describe("the brief in a first command", () => {
  it.each(["{handoff}", "{handoff-file}"])(
    "%s is refused by run with where it belongs (T6): it reaches no model, and nothing is begun",
    (name) => {
      const me = stranger();
      const report = join(me.home, "run.json");
      const ran = me.refloat([
        "run",
        "--report",
        report,
        "--",
        "sh",
        "-c",
        `echo x > x.log; echo "${name} Go on."`,
      ]);
      expect(ran).toMatchObject({ code: 64, stdout: "" });
      expect(ran.stderr).toContain("E_USAGE");
      for (const word of [name, "refloat loop", "refloat resume"]) expect(ran.stderr).toContain(word);
      expect(existsSync(join(me.repo, "x.log"))).toBe(false);
      expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ error: { code: "E_USAGE" } });
      expect(me.json(["sessions"]).json.sessions).toEqual([]);
    },
  );
});

describe("loop", () => {
  it("hands each session the brief of the one before, by {handoff}, {handoff-file} and REFLOAT_HANDOFF_FILE, and stops when told", () => {
    const me = stranger();
    const agent =
      'test -z "$REFLOAT_HANDOFF_FILE" || { cmp "$REFLOAT_HANDOFF_FILE" "{handoff-file}" && printf %s "$0" | cmp - "{handoff-file}" && test "{handoff}" = "$0"; } && echo x >> x.log';
    const report = join(me.home, "loop.json");
    const ran = me.refloat(["loop", "--max=2", "--report", report, "--", "sh", "-c", agent, "{handoff}"]);
    expect(ran).toMatchObject({ code: 0, stdout: "" });
    expect(me.read("x.log")).toBe("x\nx\n");
    expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({
      schema: "refloat.loop/1",
      stopped: "max",
      sessions: 2,
    });
    me.write("stop-now", "");
    expect(me.refloat(["loop", "--stop-file", "stop-now", "--", "false"]).code).toBe(0);
    rmSync(join(me.repo, "stop-now"));
    expect(me.refloat(["loop", "--until", "true", "--", "false"]).code).toBe(0);
    expect(me.refloat(["loop", "--max", "1", "--", "sh", "-c", "exit 5"]).code).toBe(5);
  });
});

describe("an agent that was killed in the middle", () => {
  it("leaves a manifest, a brief within its budget, and a session that resume goes on with under the same id", () => {
    const me = stranger();
    const words = `${inside("op begin half")}; ${inside("decide orm none --reason small")}; echo z > z.txt; echo said last`;
    const script = `if [ -e go ]; then echo again > again.txt; else ${words}; kill -9 $$; fi`;
    expect(me.refloat(["run", "--name", "dead", "--", "sh", "-c", script]).code).toBe(137);
    const before = newest(me);
    expect(before).toMatchObject({ state: "interrupted", cause: "crash", unsettled: true, dirty_ends: 1 });
    const manifest = me.json(["inspect"]).json;
    expect(Object.keys(manifest)).toEqual(
      expect.arrayContaining(
        "session goal last_output turn calls operations decisions base groups leftovers moving captures claims_contradicted next".split(
          " ",
        ),
      ),
    );
    expect(manifest).toMatchObject({
      schema: "refloat.inspect/1",
      session: {
        id: before.id,
        agent: "sh",
        state: "interrupted",
        unsettled: true,
        cause: "crash",
        attempt: 1,
        dirty_ends: 1,
      },
      goal: null,
      turn: { outcome: "interrupted" },
      calls: [],
      operations: [{ label: "half", state: "open", paths: [] }],
      decisions: [{ key: "orm", value: "none", reason: "small" }],
      base: { head: me.git("rev-parse", "HEAD"), branch: "main" },
      leftovers: [],
      moving: false,
      claims_contradicted: [],
    });
    expect(manifest.last_output.trimEnd().endsWith("said last")).toBe(true);
    expect(manifest.groups).toMatchObject([
      {
        verdict: "risky",
        reasons: [{ rule: "open-operation" }],
        changes: [
          { path: "z.txt", kind: "added", from: null, to: { kind: "file", size: 2 }, owner: "session" },
        ],
      },
    ]);
    for (const one of manifest.captures) expect(Object.keys(one)).toEqual(["id", "at", "reason", "partial"]);
    const brief = me.refloat(["handoff", "--budget", "300"]);
    expect(Buffer.byteLength(brief.stdout)).toBeLessThanOrEqual(300 * 4);
    expect(brief.stdout).toContain("half");
    expect(me.json(["resume", "--print"]).json.sessions).toMatchObject([{ session: before.id }]);
    me.write("go", "");
    expect(me.refloat(["resume"]).code).toBe(0);
    const after = newest(me);
    expect(after).toMatchObject({ id: before.id, state: "finished", attempt: 2 });
    expect(me.read("again.txt")).toBe("again\n");
  });
});
