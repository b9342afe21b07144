/** What a person sees of a session that was read from its agent's transcript: the agent's own times and words, and nothing of whoever read it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { plainSession } from "./plain-session.ts";

/** When the fixture was recorded. */
const RECORDED = { claude: "2026-11-16T12:31:1", codex: "2026-11-", pi: "2026-11-", opencode: "2026-11-" };

describe("S1: a session that was read afterwards is shown by its agent's own words", () => {
  it.each(["claude", "codex", "pi", "opencode"] as const)(
    "%s: its times, its prompt, what it said and its calls, and never the process that read them",
    async (agent) => {
      const { refloat } = plainSession(`${agent}/killed-in-tool`, { files: { "half.txt": "begin\n" } });
      const shown = JSON.parse(await refloat("show", "--json"));
      const [attempt] = shown.attempts;
      expect(attempt).toMatchObject({ label: agent, pid: null, read_afterwards: true });
      const [turn] = shown.turns;
      expect(turn.input).toContain("please do the scripted work");
      expect(turn.said).toContain("Step 2");
      expect(shown.calls).not.toEqual([]);
      const [call] = shown.calls;
      // Its first word, its first call and its last word, in that order, all before anybody read them.
      const times = [shown.session.started_at, turn.started_at, call.started_at, attempt.ended_at];
      expect(times).toEqual([...times].sort());
      for (const time of [...times, attempt.at]) expect(time).toContain(RECORDED[agent]);
      expect(Date.parse(attempt.ended_at)).toBeLessThan(Date.now() - 60_000);

      const screen = await refloat("show");
      expect(screen).toContain("please do the scripted work");
      expect(screen).toContain("Step 2");
      expect(screen).toContain("read from its transcript");
      expect(screen).not.toMatch(/pid \d|\(no message\)|goes on/);
      const brief = JSON.parse(await refloat("handoff", "--json"));
      expect(brief.session.last_at).toBe(attempt.ended_at);
    },
  );

  it("a source without times is shown when it was read, and nothing is made up (T1)", async () => {
    const { refloat } = plainSession("gptme/killed-in-tool");
    const shown = JSON.parse(await refloat("show", "--json"));
    expect(shown.attempts[0]).toMatchObject({ pid: null, read_afterwards: true });
    expect(shown.turns[0].input).toBeTruthy();
  });
});

describe("T6: whoever looks at what was cut off reads the command that goes on with it", () => {
  it.each([[], ["inspect"], ["show"], ["handoff"]])(
    "of a session that was only read, too: refloat %s",
    async (...words) => {
      const { refloat } = plainSession("claude/killed-in-tool", { files: { "half.txt": "begin\n" } });
      const said = await refloat(...words);
      const [typed = ""] = /refloat resume \w+/.exec(said) ?? [];
      expect(typed).not.toBe("");
      const printed = await refloat(...typed.split(" ").slice(1), "--print");
      expect(printed).toContain("claude --resume");
    },
  );

  it("but not where nothing would go on: an agent that is only read; nor in the brief that is given to who goes on", async () => {
    const read = plainSession("gptme/killed-in-tool", { files: { "half.txt": "begin\n" } });
    for (const words of [[], ["inspect"], ["show"], ["handoff"]])
      expect(await read.refloat(...words)).not.toContain("refloat resume");
    const { refloat, place } = plainSession("claude/killed-in-tool", { files: { "half.txt": "begin\n" } });
    await refloat("resume", "--print");
    const folder = join(place.home, "handoffs");
    const briefs = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(briefs).not.toEqual([]);
    for (const brief of briefs) {
      expect(brief).toContain("refloat settle");
      expect(brief).not.toContain("refloat resume");
    }
  });
});

it("T4: a secret in the name of a tool is in nothing that is said of it: inspect, show, why, handoff, transcript check", async () => {
  const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  const { refloat, home } = plainSession("claude/killed-in-tool", {
    files: { "half.txt": "begin file\nbegin\n" },
    change: (text) => text.replaceAll('"name":"Bash"', `"name":"${secret}"`),
  });
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const transcript = join(home, names.find((name) => /projects\/.*\.jsonl$/.test(name)) ?? "");
  expect(readFileSync(transcript, "utf8")).toContain(secret);
  const asked = [
    ["inspect"],
    ["show"],
    ["why", "half.txt"],
    ["handoff"],
    ["log"],
    ["transcript", "check", transcript],
  ];
  for (const words of asked)
    for (const more of [[], ["--json"]]) {
      const said = await refloat(...words, ...more);
      expect([words[0], said.includes(secret)]).toEqual([words[0], false]);
    }
  expect(await refloat("inspect", "--json")).toContain("[redacted: github]");
}, 300_000);

it("S1: each subagent is told with where it stands, its own work tree where it has one, and what is judged of its edits", async () => {
  const tree = temporaryFolder();
  writeFileSync(join(tree, ".git"), "gitdir: elsewhere\n");
  const { refloat } = plainSession("claude/killed-in-subagent", {
    files: { "child.txt": "by child\n", "par.txt": "slow-begin\n" },
    change: (text, path) =>
      /agent-\w+\.jsonl$/.test(path) ? text.replace(/"cwd":"[^"]+"/g, `"cwd":${JSON.stringify(tree)}`) : text,
  });
  const { children, markdown } = JSON.parse(await refloat("handoff", "--json"));
  const [quick, slow] = ["quick", "slow"].map((name) =>
    children.find(({ label }: { label: string }) => label.startsWith(name)),
  );
  const resume = { by: "parent", tool: "SendMessage", field: "to" };
  expect(slow).toMatchObject({ state: "half-done", worktree: tree, resume });
  expect(quick).toMatchObject({
    state: "done",
    worktree: tree,
    verdict: expect.stringMatching(/risky|unknown|safe/),
  });
  expect(markdown).toContain(`in its own work tree \`${tree}\``);
  expect(markdown).toMatch(/what it left is (?:risky|unknown|safe) \(`g/);
  expect(markdown).toMatch(/Its parent goes on with it: SendMessage, to `\w+`/);
  expect(quick.resume).toBeUndefined();
  // The same on the screen of the session itself.
  const shown = JSON.parse(await refloat("show", "--json"));
  expect(shown.children.map(({ state }: { state: string }) => state).toSorted()).toEqual([
    "done",
    "half-done",
  ]);
  const screen = (await refloat("show")).replaceAll(/\s+/g, " ");
  expect(screen).toContain("Subagents");
  expect(screen).toContain("Its parent goes on with it: SendMessage, to");
}, 300_000);

it("T1: a subagent that its agent cannot go on with is told so, and that its parent is", async () => {
  const { refloat } = plainSession("copilot/killed-in-subagent");
  const { children, markdown } = JSON.parse(await refloat("handoff", "--json"));
  expect(children).toContainEqual(expect.objectContaining({ state: "half-done", resume: { by: "none" } }));
  expect(markdown).toContain("It cannot be resumed by itself, its parent is");
}, 300_000);

it("T6: resume --agent B gives each agent's own screen the brief and tells it to go on", async () => {
  const { refloat } = plainSession("claude/killed-in-tool", { files: { "half.txt": "begin\n" } });
  for (const agent of ["claude", "codex", "gemini", "opencode", "pi", "qwen", "copilot", "continue"]) {
    const { sessions } = JSON.parse(await refloat("resume", "--agent", agent, "--print", "--json"));
    const { command, environment } = sessions[0];
    const file = /"(\/[^"]+\.md)"/.exec(environment.OPENCODE_CONFIG_CONTENT ?? "")?.[1];
    const told = `${command.join("\n")}${file === undefined ? "" : readFileSync(file, "utf8")}`;
    expect([agent, told.includes("# Handoff: session")]).toEqual([agent, true]);
    if (agent !== "claude")
      expect([agent, told.includes("Go on with the interrupted work")]).toEqual([agent, true]);
  }
}, 300_000);
