/** What an agent leaves running when it ends (S2): stopped if it is plainly its own, never what others may need. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { need } from "../support/needs.ts";
import { isAlive, type Scene, scene } from "./run-scene.ts";

const run = (stage: Scene, script: string) =>
  stage.place.refloat(["run", "--report", stage.reportPath, "--", "/bin/sh", "-c", script]);

const pidIn = (stage: Scene, name: string): number => Number(readFileSync(join(stage.notes, name), "utf8"));

/** Killed when the test is over, if it still runs. */
function watched(pid: number): number {
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return pid;
}

const backgrounded = (stage: Scene, prefix: string): string =>
  `${prefix} sh -c 'echo $$ > ${stage.notes}/left; while :; do sleep 0.05; done' > /dev/null 2>&1 &
   while [ ! -s ${stage.notes}/left ]; do sleep 0.02; done; exit 0`;

describe("what an agent leaves running", () => {
  it("is stopped when it carries the mark, in a session of its own or not, after saying so", async () => {
    for (const prefix of ["", "setsid"]) {
      const stage = scene();
      const { code, stderr } = await run(stage, backgrounded(stage, prefix));
      const left = pidIn(stage, "left");
      expect([code, isAlive(left)]).toEqual([0, false]);
      expect(stderr).toContain(`stopping what it left running: ${left} sh -c`);
      expect(stage.report().leftovers).toContainEqual(
        expect.objectContaining({ pid: left, outcome: "stopped" }),
      );
      expect(isAlive(stage.bystander)).toBe(true);
      const { stdout } = await stage.place.refloat(["handoff"]);
      expect(stdout, "who goes on knows what was running").toContain("(first: sh -c echo $$");
    }
  });

  it("is stopped when it cleared its environment and was seen to descend from the agent", async () => {
    const stage = scene();
    const script = `env -i PATH="$PATH" setsid sh -c 'echo $$ > ${stage.notes}/left; while :; do sleep 0.05; done' &
      while ! grep -q "\\"pid\\":$(cat ${stage.notes}/left 2>/dev/null || echo none)," ${stage.place.home}/runs/*/seen.json; do sleep 0.05; done
      exit 0`;
    await run(stage, script);
    expect(isAlive(pidIn(stage, "left"))).toBe(false);
  });

  it("is left alone when others may be connected to it, with its workers, and said", async () => {
    const stage = scene();
    const server = `const { spawn } = require("node:child_process");
      const server = require("node:net").createServer().listen(0, "127.0.0.1", () => {
        const worker = spawn("sleep", ["1000"], { stdio: "ignore" });
        require("node:fs").writeFileSync("${stage.notes}/worker", String(worker.pid));
        require("node:fs").writeFileSync("${stage.notes}/left", String(process.pid));
      });`;
    const script = `setsid ${process.execPath} -e '${server}' > /dev/null 2>&1 &
      while [ ! -s ${stage.notes}/left ]; do sleep 0.02; done; exit 0`;
    const { stderr } = await run(stage, script);
    const [left, worker] = [watched(pidIn(stage, "left")), watched(pidIn(stage, "worker"))];
    expect([isAlive(left), isAlive(worker)]).toEqual([true, true]);
    expect(stderr).toContain(`left running: ${left}`);
    expect(stage.report().leftovers).toContainEqual(
      expect.objectContaining({ pid: left, outcome: "left", because: expect.stringContaining("server") }),
    );
  });

  it("is nobody's leftover when it is an agent's server that all sessions share, and what it runs is left with it, though both carry the mark", async () => {
    const stage = scene();
    const codex = join(stage.notes, "codex");
    writeFileSync(
      codex,
      `setInterval(() => {}, 1000);
      const worker = require("node:child_process").spawn("sleep", ["1000"], { stdio: "ignore" });
      require("node:fs").writeFileSync("${stage.notes}/worker", String(worker.pid));
      require("node:fs").writeFileSync("${stage.notes}/left", String(process.pid));`,
    );
    const script = `setsid ${process.execPath} ${codex} app-server --listen unix:// > /dev/null 2>&1 &
      setsid sh -c 'echo $$ > ${stage.notes}/own; while :; do sleep 0.05; done' > /dev/null 2>&1 &
      while [ ! -s ${stage.notes}/left ] || [ ! -s ${stage.notes}/own ]; do sleep 0.02; done; kill -9 $$`;
    await run(stage, script);
    const [server, worker] = [watched(pidIn(stage, "left")), watched(pidIn(stage, "worker"))];
    const own = watched(pidIn(stage, "own"));
    expect([server, worker, own].map(isAlive)).toEqual([true, true, false]);
    const told = stage.report().leftovers as { pid: number }[];
    expect(told.map(({ pid }) => pid)).not.toContain(server);
    expect(told).toContainEqual(
      expect.objectContaining({
        pid: worker,
        outcome: "left",
        because: `it belongs to ${server}, which serves other sessions, too`,
      }),
    );
    // Nor later, by those who may stop what an attempt left; its end is owed only while the tool runs.
    process.kill(worker, "SIGKILL");
    const { json } = await stage.place.json(["inspect", "--stop-leftovers"]);
    expect([json.leftovers, isAlive(server)]).toEqual([[], true]);
  });

  it("is left alone when it is a terminal multiplexer, with all its panes", async () => {
    need("tmux");
    const stage = scene();
    const socket = join(stage.notes, "tmux");
    onTestFinished(() => void spawnSync("tmux", ["-S", socket, "kill-server"]));
    const script = `tmux -f /dev/null -S ${socket} new-session -d 'echo $$ > ${stage.notes}/pane; sleep 1000'
      while [ ! -s ${stage.notes}/pane ]; do sleep 0.02; done; exit 0`;
    const { code } = await run(stage, script);
    expect(code).toBe(0);
    expect(isAlive(pidIn(stage, "pane"))).toBe(true);
    expect(spawnSync("tmux", ["-S", socket, "has-session"]).status).toBe(0);
    expect(stage.report().leftovers).toContainEqual(
      expect.objectContaining({ outcome: "left", because: expect.stringContaining("multiplexer") }),
    );
  });

  it("is left alone when it is another live session's supervisor, and so is that session's agent", async () => {
    const stage = scene();
    const { BIN } = await import("../support/cli.ts");
    const inner = `sh -c 'echo $$ > ${stage.notes}/inner; while [ ! -e ${stage.notes}/go ]; do sleep 0.05; done'`;
    const script = `setsid ${process.execPath} ${BIN} run -- ${inner} > /dev/null 2>&1 &
      while [ ! -s ${stage.notes}/inner ]; do sleep 0.05; done; exit 0`;
    const { code } = await run(stage, script);
    const left = watched(pidIn(stage, "inner"));
    expect([code, isAlive(left)]).toEqual([0, true]);
    const { json } = await stage.place.json(["sessions"]);
    const states = json.sessions.map(({ state }: { state: string }) => state);
    expect(states.toSorted()).toEqual(["finished", "live"]);
    stage.go();
    await expect
      .poll(
        async () =>
          (await stage.place.json(["sessions"])).json.sessions.map(({ state }: { state: string }) => state),
        { timeout: 30_000 },
      )
      .toEqual(["finished", "finished"]);
  });
});
