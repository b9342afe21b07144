/** The notice at a session's start: in the agent's own channel, once, of what is proved to be cut off (DESIGN 9, K2). */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { callHook, callTwice, hookedHome, recorded, SHELLS, SILENT, tellingsAreOld } from "./recorder.ts";

/** An agent that calls its hooks, one after the other, and lives until its input ends. */
const AGENT = `
  const { spawnSync } = require("node:child_process");
  const [cwd, shell, hook, agent, ...calls] = process.argv.slice(1);
  const [program, ...args] = shell.split(" ");
  for (const call of calls) {
    const [event, input] = call.split(" ");
    spawnSync(program, [...args, hook, agent, event], { input, cwd });
  }
  console.log("called");
  process.stdin.resume();
`;

interface Past {
  readonly shell: readonly string[];
  readonly cwd: string;
  readonly agent?: string;
  readonly calls: readonly string[];
}

const wordsOf = (home: string, { shell, cwd, agent = "claude", calls }: Past): readonly string[] => [
  "-e",
  AGENT,
  cwd,
  shell.join(" "),
  join(home, "bin/refloat-hook"),
  agent,
  ...calls,
];

/** It is dead when this returns. */
function diedAfter(home: string, past: Past): void {
  spawnSync(process.execPath, wordsOf(home, past), { input: "" });
}

async function livesAfter(home: string, past: Past): Promise<void> {
  const child = spawn(process.execPath, wordsOf(home, past), { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
}

/** Two processes that run into each other: one round would mostly be luck. */
const TWICE_ROUNDS = 3;
const PROMPT = 'UserPromptSubmit {"session_id":"old"}';
const START = '{"session_id":"new","source":"startup"}';

interface Told {
  readonly systemMessage: string;
  readonly hookSpecificOutput: { readonly hookEventName: string; readonly additionalContext: string };
}

describe.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))("the notice, by %s", (_, shell) => {
  const start = (home: string, cwd: string, input = START, agent = "claude", env = {}): string => {
    const answer = callHook(home, { shell, cwd, input, agent, event: "SessionStart", env });
    expect({ ...answer, stdout: "" }).toEqual(SILENT);
    return answer.stdout;
  };
  const told = (home: string, cwd: string, input = START, agent = "claude", env = {}): Told =>
    JSON.parse(start(home, cwd, input, agent, env)) as Told;

  it("tells the model and the person of a turn whose process is gone, once, whichever agent comes next", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    diedAfter(home, { shell, cwd, calls: [PROMPT] });
    expect(start(home, temporaryFolder())).toBe("");
    const { systemMessage, hookSpecificOutput } = told(home, cwd, START, "codex");
    expect(hookSpecificOutput.hookEventName).toBe("SessionStart");
    expect(hookSpecificOutput.additionalContext).toContain("session of claude");
    expect(hookSpecificOutput.additionalContext).toContain("refloat handoff");
    expect(systemMessage.split("\n")).toHaveLength(1);
    expect(start(home, cwd, START, "codex")).toBe("");
    expect(start(home, cwd, '{"session_id":"third","source":"startup"}')).toBe("");
    const notes = recorded(home).map(({ others }) => others.find(([key]) => key === "notice")?.[1]);
    expect(notes.filter((note) => note !== undefined)).toEqual(["claude"]);
  });

  it("says nothing of a turn that ended, of one that lives, or where nothing can be proved (K2)", async () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    diedAfter(home, { shell, cwd, calls: [PROMPT, 'Stop {"session_id":"old"}'] });
    expect(start(home, cwd)).toBe("");
    await livesAfter(home, { shell, cwd, calls: ['UserPromptSubmit {"session_id":"alive"}'] });
    expect(start(home, cwd)).toBe("");
    const [other] = [join(home, "open", cwd, ".claude.boxed!")];
    const boot = recorded(home)[0]?.boot ?? "";
    writeFileSync(other, `99999999 1 ${boot} pid:[1] 0000000001\n`);
    expect(start(home, cwd)).toBe("");
    writeFileSync(other, "nonsense $(touch x) ` \\\n");
    expect(start(home, cwd)).toBe("");
  });

  it("is told to the very session that was cut off, when its agent takes it up again", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    diedAfter(home, { shell, cwd, calls: [PROMPT] });
    expect(start(home, cwd, '{"session_id":"old","source":"resume"}')).toContain("refloat handoff");
    expect(start(home, cwd, '{"session_id":"old","source":"resume"}')).toBe("");
  });

  it("is given again to the same session when its context was shortened, and to no other", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    diedAfter(home, { shell, cwd, calls: [PROMPT] });
    const first = start(home, cwd);
    expect(start(home, cwd, '{"session_id":"new","source":"compact"}')).toBe(first);
    expect(start(home, cwd, '{"session_id":"other","source":"compact"}')).toBe("");
    expect(start(home, cwd, '{"session_id":"new","source":"resume"}')).toBe("");
  });

  it("comes once where two entries of ours are called side by side for one start, and once for each shortening", async () => {
    for (let round = 0; round < TWICE_ROUNDS; round++) {
      const [home, cwd] = [hookedHome(), temporaryFolder()];
      diedAfter(home, { shell, cwd, calls: [PROMPT] });
      const twice = async (source: string): Promise<number> => {
        const input = `{"session_id":"new","source":"${source}"}`;
        const printed = await callTwice(home, { shell, cwd, input });
        return printed.filter((text) => text.includes("refloat handoff")).length;
      };
      expect(await twice("startup")).toBe(1);
      expect(await twice("compact")).toBe(1);
      tellingsAreOld(home, cwd);
      expect(await twice("startup")).toBe(0);
      expect(await twice("compact")).toBe(1);
    }
  });

  it("is told by a later start where the recorder was killed before it had told it (D1)", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    diedAfter(home, { shell, cwd, calls: [PROMPT] });
    const { pid } = process;
    const start20 = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)?.split(" ")[19];
    writeFileSync(join(home, "open", cwd, `.once.claude.starts.new.${pid}-${start20}.1!`), "0000000001\n");
    expect(start(home, cwd)).toContain("refloat handoff");
  });

  it("names the brief again to an agent that refloat went on with, when its context was shortened, and only then", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    const brief = join(temporaryFolder(), 'a "brief".md');
    writeFileSync(brief, "# Handoff\n");
    const env = { REFLOAT_SESSION: "s.2.x", REFLOAT_HANDOFF_FILE: brief };
    const compact = '{"session_id":"new","source":"compact"}';
    const { additionalContext } = told(home, cwd, compact, "codex", env).hookSpecificOutput;
    expect(additionalContext).toContain(brief);
    expect(start(home, cwd, '{"session_id":"new","source":"resume"}', "codex", env)).toBe("");
    expect(start(home, cwd, compact, "codex", { ...env, REFLOAT_HANDOFF_FILE: `${brief}.gone` })).toBe("");
    expect(start(home, cwd, compact, "codex", { REFLOAT_HANDOFF_FILE: brief })).toBe("");
  });

  it("hands on what `run` found, whatever stands in it, to the first agent it started", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    const env = { REFLOAT_SESSION: "s.2.x", REFLOAT_NOTICE: 'An earlier "session"\n\\ was cut off\n' };
    expect(told(home, cwd, START, "gemini", env).hookSpecificOutput.additionalContext).toBe(
      env.REFLOAT_NOTICE,
    );
    expect(start(home, cwd, START, "gemini", env)).toBe("");
    expect(recorded(home)).toHaveLength(2);
  });

  it("is not printed where an agent would not take it, nor by another event", () => {
    const [home, cwd] = [hookedHome(), temporaryFolder()];
    diedAfter(home, { shell, cwd, calls: [PROMPT] });
    expect(start(home, cwd, START, "copilot")).toBe("");
    expect(callHook(home, { shell, cwd, event: "PreToolUse" })).toEqual(SILENT);
    expect(start(home, cwd)).not.toBe("");
  });
});

it("a mark of an open turn is private", () => {
  const [home, cwd] = [hookedHome(), temporaryFolder()];
  diedAfter(home, { shell: ["sh"], cwd, calls: [PROMPT] });
  expect(statSync(join(home, "open", cwd, ".claude.old!")).mode & 0o777).toBe(0o600);
});
