/** An agent at a terminal: it has one of its own, with its size, its keys, and Ctrl-Z. Played through a pty of ours. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { processRow } from "../../src/platform/process-list.ts";
import { spawnAtTerminal } from "../support/at-terminal.ts";
import { BIN } from "../support/cli.ts";
import { ANN } from "../support/left-session.ts";
import { isAlive, type Scene, scene, until } from "./run-scene.ts";

function atTerminal(stage: Scene, command: readonly string[], flags: readonly string[] = []) {
  const { place, reportPath } = stage;
  const args = ["run", "--report", reportPath, ...flags, "--", ...command];
  const env = { PATH: process.env.PATH ?? "", HOME: place.home, REFLOAT_HOME: place.home, TERM: "xterm" };
  const terminal = spawnAtTerminal(process.execPath, [BIN, ...args], {
    cwd: place.workspace,
    env,
    cols: 90,
    rows: 30,
  });
  onTestFinished(() => terminal.kill("SIGKILL"));
  const screen = { text: "" };
  terminal.onData((text) => {
    screen.text += text;
  });
  const ended = new Promise<number>((resolve) => {
    terminal.onExit(({ exitCode }) => resolve(exitCode));
  });
  return { terminal, screen, ended };
}

describe("an agent at a terminal", () => {
  it("has all three streams at one, with its size, and sees it change", async () => {
    const stage = scene();
    const script = `test -t 0 && test -t 1 && test -t 2 && echo all three; stty size
      trap 'stty size; exit 3' WINCH; echo ready; while :; do sleep 0.05; done`;
    const { terminal, screen, ended } = atTerminal(stage, ["/bin/sh", "-c", script]);
    await until(() => screen.text.includes("ready"), "the agent");
    expect(screen.text).toContain("all three");
    expect(screen.text).toContain("30 90");
    terminal.resize(70, 20);
    expect(await ended).toBe(3);
    expect(screen.text).toContain("20 70");
    expect(stage.report()).toMatchObject({ exit_code: 3, state: "finished" });
    expect(String(stage.report().last_output)).toMatch(/all three\n30 90\nready\n20 70$/);
  });

  it("gets Ctrl-C as its own signal: dead by it is interrupted, cause signal; what is typed reaches it", async () => {
    const stage = scene();
    const script = "read -r word; echo got $word; exec sleep 1000";
    const { terminal, screen, ended } = atTerminal(stage, ["/bin/sh", "-c", script]);
    await until(() => screen.text !== "" || existsRun(stage), "the start");
    terminal.write("hello\r");
    await until(() => screen.text.includes("got hello"), "what was typed");
    terminal.write("\u0003");
    expect(await ended).toBe(130);
    expect(stage.report()).toMatchObject({ why: "signal-through-us", state: "interrupted", cause: "signal" });
  });

  it("L7: that hears Ctrl-C and exits with 0 was interrupted: its exit code is passed on and closes nothing", async () => {
    const stage = scene();
    const script = "trap 'exit 0' INT; echo 'A note.' > note.md; echo ready; while :; do sleep 0.05; done";
    const { terminal, screen, ended } = atTerminal(stage, ["/bin/sh", "-c", script]);
    await until(() => screen.text.includes("ready"), "the agent");
    terminal.write("\u0003");
    expect(await ended).toBe(0);
    expect(stage.report()).toMatchObject({
      why: "signal-through-us",
      exit_code: 0,
      state: "interrupted",
      cause: "signal",
    });
    await isNotCalledSafe(stage, "interrupted");
  });

  it("L7: that takes keys as keys and is left by one, or by a word after a Ctrl-C it lived through, is finished; it has no turn, and its end closes nothing", async () => {
    const left: [string, string, string][] = [
      ["stty raw -echo; echo ready; dd bs=1 count=1 > /dev/null 2>&1; stty sane; exit 0", "\u0003", ""],
      ["trap 'echo again' INT; echo ready; while ! read -r word; do :; done; exit 0", "\u0003", "bye\r"],
    ];
    for (const [script, first, then] of left) {
      const stage = scene();
      const command = ["/bin/bash", "-c", `echo 'A note.' > note.md; ${script}`];
      const { terminal, screen, ended } = atTerminal(stage, command);
      await until(() => screen.text.includes("ready"), "the agent");
      terminal.write(first);
      if (then !== "") {
        await until(() => screen.text.includes("again"), "it to hear the key");
        terminal.write(then);
      }
      expect(await ended).toBe(0);
      expect(stage.report()).toMatchObject({ why: "exit", state: "finished", cause: "clean" });
      const { json } = await stage.place.json(["show"]);
      expect([json.session.state, json.turns]).toEqual(["finished", []]);
      await isNotCalledSafe(stage, "finished");
    }
  });

  it("L1: that is killed at its terminal is interrupted, though it has no turn", async () => {
    const stage = scene();
    const { screen, ended } = atTerminal(stage, [
      "/bin/sh",
      "-c",
      "echo 'A note.' > note.md; echo ready; kill -9 $$",
    ]);
    expect(await ended).toBe(137);
    expect(screen.text).toContain("ready");
    expect(stage.report()).toMatchObject({ why: "signal", state: "interrupted", cause: "crash" });
    await isNotCalledSafe(stage, "interrupted");
  });

  it("L7: whose input is the terminal has it, though its output goes elsewhere: exit 0 closes nothing", async () => {
    const stage = scene();
    const { place } = stage;
    const inner = `${process.execPath} ${BIN} run -- /bin/sh -c 'echo Noted. > note.md' | cat`;
    const shell = spawnAtTerminal("/bin/sh", ["-c", inner], {
      cwd: place.workspace,
      env: { PATH: process.env.PATH ?? "", HOME: place.home, REFLOAT_HOME: place.home },
    });
    await new Promise((resolve) => shell.onExit(resolve));
    await isNotCalledSafe(stage, "finished");
  });

  it("that is killed on the other screen, with mouse, paste and keys as it wanted them, leaves a terminal that is put right before a word of ours", async () => {
    const stage = scene();
    const on =
      "\\033[?1049h\\033[>1u\\033[?1000;1006h\\033[?2004h\\033[?1004h\\033[?1h\\033=\\033[?25l\\033[?2026h\\033[1;31m";
    const { screen, ended } = atTerminal(stage, ["/bin/sh", "-c", `printf '${on}drawn'; kill -9 $$`]);
    expect(await ended).toBe(137);
    const [, after = ""] = screen.text.split("drawn");
    const right = [
      "[?2026l",
      ...["[?1000l", "[?1006l", "[?2004l", "[?1004l", "[?1l", "[?25h"],
      ...["[<1u", "[?1049l", ">", "[0m"],
    ];
    expect(after.startsWith(right.map((one) => `\x1b${one}`).join(""))).toBe(true);
    expect(screen.text.split("\x1b[?1049l").length).toBe(2);
    expect(after.indexOf("refloat")).toBeGreaterThan(after.indexOf("\x1b[0m"));
  });

  it("that draws and is killed has the words on its screen as its last output, at the end and at a recovery", async () => {
    const frame = (n: number): string =>
      `\\033[1;1H╭────────╮\\033[2;1H│ I changed parse.ts (${n}) │\\033[3;1H╰────────╯\\033[5;1H⠋ Thinking`;
    const draws = `printf '\\033[?1049h\\033[2J${frame(1)}${frame(2)}${frame(3)}\\033[2;3HX'`;
    const words = "X changed parse.ts (3)\n\nThinking";
    const stage = scene();
    expect(await atTerminal(stage, ["/bin/sh", "-c", `${draws}; kill -9 $$`]).ended).toBe(137);
    expect(stage.report().last_output).toBe(words);

    const both = scene();
    const script = `${draws}; while [ ! -e ${both.notes}/go ]; do sleep 0.05; done; kill -9 $PPID; kill -9 $$`;
    const { screen, terminal, ended } = atTerminal(both, ["/bin/sh", "-c", script]);
    await until(() => screen.text.endsWith("X"), "the last drawing");
    both.go();
    await until(() => !isAlive(terminal.pid), "our death");
    await ended;
    const before = await both.place.json(["inspect"]);
    expect(before.json.last_output).toBe(words);
    await both.place.refloat(["recover", "--yes"]);
    expect((await both.place.json(["inspect"])).json.last_output).toBe(words);
  });

  it("that is killed with the terminal as it was has nothing written for it", async () => {
    const stage = scene();
    const off = "\\033[?1049h\\033[?25l\\033[1mbold\\033[22m\\033[?25h\\033[?1049l";
    const { screen, ended } = atTerminal(stage, ["/bin/sh", "-c", `printf '${off}drawn\\n'; kill -9 $$`]);
    expect(await ended).toBe(137);
    expect(screen.text.split("drawn")[1]).not.toContain("\x1b");
  });

  it("is stopped with us by Ctrl-Z under a shell with jobs, and goes on with us", async () => {
    const stage = scene();
    const { place, notes, reportPath } = stage;
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: place.home,
      REFLOAT_HOME: place.home,
      TERM: "xterm",
      PS1: "$ ",
    };
    const shell = spawnAtTerminal("/bin/bash", ["--norc", "-i"], {
      cwd: place.workspace,
      env,
      cols: 200,
      rows: 30,
    });
    onTestFinished(() => shell.kill("SIGKILL"));
    let text = "";
    shell.onData((piece) => {
      text += piece;
    });
    const script = `echo $$ > ${notes}/pid; while [ ! -e ${notes}/go ]; do sleep 0.05; done; echo went on`;
    shell.write(`${process.execPath} ${BIN} run --report ${reportPath} -- /bin/sh -c '${script}'\r`);
    const pid = Number(await stage.noted("pid").then(() => readFileSync(join(notes, "pid"), "utf8")));
    await until(() => processRow(pid)?.foreground === pid, "the agent in front");
    shell.write("\u001a");
    await until(() => text.includes("Stopped"), "the shell to say so");
    // The kernel stops it when it next runs: on a busy machine the shell may say so first.
    await until(() => processRow(pid)?.isStopped === true, "the agent to be stopped, too");
    shell.write("fg\r");
    await until(() => processRow(pid)?.isStopped === false, "the agent to go on");
    stage.go();
    await until(() => /\nwent on/.test(text), "its end");
    await until(() => !isAlive(pid), "its death");
  });
});

/** Of a note that only an exit code vouches for. */
async function isNotCalledSafe({ place, repo }: Scene, state: string): Promise<void> {
  const { json } = await place.json(["inspect"]);
  expect(json.session).toMatchObject({ state });
  expect(json.turn).toBe(null);
  expect(json.groups.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["unknown"]);
  const before = repo.git("rev-parse", "HEAD");
  await place.refloat(["settle", "--yes"], { env: ANN });
  expect(repo.git("rev-parse", "HEAD")).toBe(before);
}

const existsRun = (stage: Scene): boolean => {
  try {
    return readFileSync(stage.place.store).length > 0;
  } catch (_notYet) {
    return false;
  }
};
