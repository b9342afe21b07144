/** The recorder must never be in an agent's way, and must never lose or make up an event. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { idOfInboxName } from "../../src/agents/inbox/format.ts";
import { listInbox } from "../../src/agents/inbox/inbox-folder.ts";
import {
  INBOX_BODY_BYTES,
  INBOX_GLANCE_BYTES,
  INBOX_LARGE_BYTES,
  INBOX_LARGE_WAITING,
  INBOX_WAITING,
} from "../../src/model/limits.ts";
import { bootId, pidNamespace, processStart } from "../../src/platform/identity.ts";
import { NOBODY, need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { traced } from "../support/traced.ts";
import { callHook, hookedHome, recorded, SCRIPT, SHELLS, SILENT, waitingNames } from "./recorder.ts";

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

it("the recorder is tried in Alpine's shell, too", () => {
  need("busybox");
  expect(SHELLS).toContainEqual(["busybox", "sh"]);
});

describe.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))("the recorder in %s", (_, shell) => {
  it("writes one private file per event, with who called and what was said, and says nothing itself", () => {
    const home = hookedHome();
    const cwd = temporaryFolder();
    const payload = '{"session_id":"s","tool_input":{"command":"ls \\\\ $HOME `x` %s \\u001b[31m"}}';
    const env = { REFLOAT_SESSION: "a.1.b" };
    expect(callHook(home, { shell, cwd, env, input: `${payload}\n` })).toEqual(SILENT);
    const [event] = recorded(home);
    expect(text(event?.body)).toBe(payload);
    expect(event).toMatchObject({ agent: "claude", event: "PreToolUse", cwd, mark: "a.1.b", boot: bootId() });
    expect(event?.ancestors[0]).toMatchObject({ pid: process.pid, start: processStart(process.pid) });
    const [name = ""] = waitingNames(home);
    expect(idOfInboxName(name)).not.toBeNull();
    expect(statSync(join(home, "inbox", name)).mode & 0o777).toBe(0o600);
  });

  it("D3: events one after the other keep their order, though a name's time is a hundredth of a second", () => {
    const home = hookedHome();
    const said = Array.from({ length: 24 }, (_none, at) => `{"at":${at}}`);
    for (const input of said) callHook(home, { shell, input });
    expect(
      listInbox(home).waiting.map(({ path }) => /\{"at":\d+\}/.exec(readFileSync(path, "utf8"))?.[0]),
    ).toEqual(said);
    // Without the files' own times, too, which some file systems keep in steps of milliseconds.
    const names = readdirSync(join(home, "inbox")).toSorted();
    expect(
      names.map((name) => /\{"at":\d+\}/.exec(readFileSync(join(home, "inbox", name), "utf8"))?.[0]),
    ).toEqual(said);
  });

  it("keeps every byte that a text can hold, on one line or on many, also behind a tool", () => {
    for (const event of ["PreToolUse", "PostToolUse"]) {
      for (const payload of [
        "",
        '{\n  "a": 1\n}',
        "x\nend refloat-hook\nagent evil\nbody\n",
        `${"{\n".repeat(500)}é\u001b]0;x\u0007`,
        "\\n \\c %d ' \" $(touch /tmp/no) `id`",
      ]) {
        const home = hookedHome();
        expect(callHook(home, { shell, event, input: payload })).toEqual(SILENT);
        expect(text(recorded(home)[0]?.body)).toBe(payload.replace(/\n+$/u, ""));
      }
    }
  });

  it("survives NUL bytes and bytes that are no text", () => {
    for (const event of ["PreToolUse", "PostToolUse"]) {
      const home = hookedHome();
      expect(callHook(home, { shell, event, input: Buffer.from([123, 0, 255, 254, 10, 0, 125]) })).toEqual(
        SILENT,
      );
      expect(recorded(home)).toHaveLength(1);
    }
  });

  it("writes folders and programs of any name as values, never as lines of its own (T3)", () => {
    const home = hookedHome();
    const cwd = join(temporaryFolder(), "a\nend refloat-hook\nsession evil\\n b");
    mkdirSync(cwd);
    expect(callHook(home, { shell, cwd, env: { REFLOAT_SESSION: "x\ncapture y" } })).toEqual(SILENT);
    expect(recorded(home)[0]).toMatchObject({ cwd, mark: "x\ncapture y", before: null });
  });

  it("cuts a huge payload and says so, and reads the agent's pipe to its end", () => {
    for (const event of ["PostToolUse", "PreToolUse", "UserPromptSubmit"]) {
      const huge = `{"x":"${"y".repeat(INBOX_BODY_BYTES * (event === "PostToolUse" ? 3 : 1))}"}`;
      const home = hookedHome();
      for (const input of [huge, `{\n${"\n".repeat(80)}${huge}`]) {
        expect(callHook(home, { shell, event, input })).toEqual(SILENT);
      }
      for (const { cutAt, body } of recorded(home)) {
        expect(cutAt).toBe(INBOX_BODY_BYTES);
        expect(body).toHaveLength(INBOX_BODY_BYTES);
      }
      expect(waitingNames(home)).toHaveLength(2);
      expect(waitingNames(home).filter((name) => !name.endsWith("-L.hook"))).toEqual([]);
    }
  });

  it("never opens what is no file of its own, and never writes through a link or out of its home (W3)", () => {
    const home = hookedHome();
    const [cwd, outside] = [temporaryFolder(), temporaryFolder()];
    const open = join(home, "open", cwd);
    mkdirSync(open, { recursive: true });
    const input = '{"session_id":"s1","prompt":"x"}';
    const prompt = { shell, cwd, event: "UserPromptSubmit", input };
    const fifo = (path: string): void => {
      spawnSync("mkfifo", [path]);
    };
    fifo(join(open, ".claude.s1!"));
    expect(callHook(home, prompt)).toEqual(SILENT);
    rmSync(join(open, ".claude.s1!"));
    writeFileSync(join(outside, "theirs"), "theirs\n");
    symlinkSync(join(outside, "theirs"), join(open, ".claude.s1!"));
    for (const event of ["UserPromptSubmit", "Stop"])
      expect(callHook(home, { ...prompt, event })).toEqual(SILENT);
    // The way there leads through as many `..` as there are folders.
    const PWD = `${cwd}${"/..".repeat(30)}${cwd}`;
    expect(callHook(home, { ...prompt, env: { PWD }, input: input.replace("s1", "s2") })).toEqual(SILENT);
    expect(readdirSync(open).toSorted()).toEqual([".claude.s1!", ".claude.s2!"]);
    expect(readdirSync(cwd)).toEqual([]);
    expect(readFileSync(join(outside, "theirs"), "utf8")).toBe("theirs\n");
    expect(waitingNames(home)).toHaveLength(4);
    fill(home, INBOX_WAITING, "");
    fifo(join(home, "inbox/dropped"));
    expect(callHook(home, prompt)).toEqual(SILENT);
    const linked = hookedHome();
    rmSync(join(linked, "inbox"), { recursive: true });
    symlinkSync(outside, join(linked, "inbox"));
    expect(callHook(linked, prompt)).toEqual(SILENT);
    expect(readdirSync(outside)).toEqual(["theirs"]);
  });

  it("says at a session's start in which pid namespace it counts (K2)", () => {
    const home = hookedHome();
    callHook(home, { shell, event: "SessionStart" });
    expect(recorded(home)[0]?.pidNamespace).toBe(pidNamespace());
  });

  it("does nothing, silently and with exit code 0, when refloat is gone, off, or called with nonsense", () => {
    const home = hookedHome();
    for (const off of ["1", "true"])
      expect(callHook(home, { shell, env: { REFLOAT_OFF: off } })).toEqual(SILENT);
    expect(callHook(home, { shell, agent: "../x" })).toEqual(SILENT);
    expect(callHook(home, { shell, agent: "" })).toEqual(SILENT);
    expect(callHook(home, { shell, event: "a b" })).toEqual(SILENT);
    expect(waitingNames(home)).toEqual([]);
    rmSync(join(home, "inbox"), { recursive: true });
    expect(callHook(home, { shell, input: "x".repeat(200_000) })).toEqual(SILENT);
    expect(callHook(home, { shell, event: "SessionStart" })).toEqual(SILENT);
  });

  it("drops what a full inbox has no room for, and counts each drop in one mark (T5)", () => {
    const home = hookedHome();
    fill(home, INBOX_WAITING, "");
    writeFileSync(join(home, "inbox/dropped"), "");
    for (const nth of [1, 2, 3]) {
      expect(callHook(home, { shell })).toEqual(SILENT);
      expect(lstatSync(join(home, "inbox/dropped")).size).toBe(nth);
    }
    expect(waitingNames(home)).toHaveLength(INBOX_WAITING);
    rmSync(join(home, "inbox", waitingNames(home)[0] ?? ""));
    expect(callHook(home, { shell })).toEqual(SILENT);
    expect(waitingNames(home)).toHaveLength(INBOX_WAITING);
  });

  it("keeps of a large event only its beginning while too many large ones wait (T5)", () => {
    const home = hookedHome();
    fill(home, INBOX_LARGE_WAITING, "-L");
    const large = "z".repeat(INBOX_LARGE_BYTES * 2);
    expect(callHook(home, { shell, event: "PostToolUse", input: large })).toEqual(SILENT);
    const [name = ""] = waitingNames(home).filter((one) => !one.startsWith("filler"));
    const file = readFileSync(join(home, "inbox", name), "utf8");
    expect(file).toContain(
      `\ncut ${INBOX_LARGE_BYTES}\nbody\n${"z".repeat(INBOX_LARGE_BYTES)}\nend refloat-hook\n`,
    );
  });
});

it("reads a call's input in blocks, not byte by byte: a file of a megabyte is one (T5)", () => {
  need("strace");
  const home = hookedHome();
  const log = join(temporaryFolder(), "reads");
  const input = JSON.stringify({ tool_input: { content: "x".repeat(900_000) } });
  const { status } = spawnSync(
    "strace",
    [
      "-f",
      "-qq",
      "-e",
      "trace=read",
      "-o",
      log,
      "sh",
      join(home, "bin/refloat-hook"),
      "claude",
      "PreToolUse",
    ],
    { input, cwd: home, env: { PATH: process.env.PATH } },
  );
  expect(status).toBe(0);
  // dash takes what a program prints 128 bytes at a time.
  expect(readFileSync(log, "utf8").split("\n").length).toBeLessThan(input.length / 50);
  expect(Buffer.from(recorded(home)[0]?.body ?? "").toString()).toBe(input);
});

function fill(home: string, count: number, ending: string): void {
  for (let i = 0; i < count; i += 1) writeFileSync(join(home, `inbox/filler-${i}${ending}.hook`), "");
}

describe("the recorder", () => {
  it("finds its inbox beside itself where the environment names none, and in the environment's home else", () => {
    const [own, other] = [hookedHome(), hookedHome()];
    callHook(own, { env: { REFLOAT_HOME: "relative" } });
    callHook(own, { env: { REFLOAT_HOME: other } });
    expect([waitingNames(own).length, waitingNames(other).length]).toEqual([1, 1]);
  });

  it("in a sandbox that may not write does nothing and exits 0", () => {
    const home = hookedHome();
    chmodSync(join(home, "inbox"), 0o555);
    chmodSync(home, 0o755);
    expect(callHook(home, { uid: NOBODY.uid, cwd: "/" })).toEqual(SILENT);
    expect(waitingNames(home)).toEqual([]);
  });

  it("gives events of many agents at once a name each (D4)", async () => {
    const home = hookedHome();
    const script = 'i=0; while [ $i -lt 20 ]; do echo "{}" | "$0" claude PreToolUse & i=$((i+1)); done; wait';
    spawnSync("sh", ["-c", script, join(home, "bin/refloat-hook")], { env: { PATH: process.env.PATH } });
    expect(recorded(home)).toHaveLength(20);
  });

  it("has its file and its folder on disk before it ends (D1)", () => {
    const home = hookedHome();
    const { calls } = traced(
      ["-e", "trace=fsync,fdatasync,sync,syncfs"],
      `import { spawnSync } from "node:child_process";
       spawnSync(${JSON.stringify(join(home, "bin/refloat-hook"))}, ["claude", "PreToolUse"], { input: "{}" });`,
    );
    const [file, folder, ...more] = calls.flatMap((line) => /sync\(\d+<(.*)>\)/u.exec(line)?.[1] ?? []);
    expect(more).toEqual([]);
    expect(file).toBe(join(home, "inbox", waitingNames(home)[0] ?? ""));
    expect(folder).toBe(join(home, "inbox"));
  });

  it("has the bounds of the limits' list, and no word of bash", () => {
    const script = readFileSync(SCRIPT, "utf8");
    expect(script).toContain(`\nMAX_WAITING=${INBOX_WAITING}\n`);
    expect(script).toContain(`\nMAX_LARGE=${INBOX_LARGE_WAITING}\n`);
    expect(script).toContain(`\nLARGE_BYTES=${INBOX_LARGE_BYTES}\n`);
    expect(script).toContain(`\nGLANCE_BYTES=${INBOX_GLANCE_BYTES}\n`);
    expect(script).toMatch(/%\.\$\{cut:-\$MAX_BYTES\}s/u);
    expect(script).toContain(`\nMAX_BYTES=${INBOX_BODY_BYTES}\n`);
    expect(script).not.toMatch(/\[\[|\blocal\b|\$'|<<<|<\(/u);
  });
});
