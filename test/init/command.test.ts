/** `init` and `uninstall` as commands: what they show, what they ask, where they write, and what they never do. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, cutOffSession, makePlace, type Place, type Ran } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { need } from "../support/needs.ts";
import { pathWithout } from "../support/path-without.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { treeOf } from "./agents-home.ts";

interface User {
  readonly place: Place;
  readonly home: string;
  refloat(args: readonly string[], options?: Parameters<Place["refloat"]>[1]): Promise<Ran>;
}

function userWith(...folders: readonly string[]): User {
  const place = makePlace();
  const home = temporaryFolder();
  for (const folder of folders) mkdirSync(join(home, folder), { recursive: true });
  return {
    place,
    home,
    refloat: (args, options = {}) =>
      place.refloat(args, { ...options, env: { PATH: "/usr/bin:/bin", HOME: home, ...options.env } }),
  };
}

describe("init", () => {
  it("without --yes and a terminal shows its plan, changes nothing and exits 1 with E_NEEDS_YES", async () => {
    const { refloat, home } = userWith(".claude", ".codex");
    const before = treeOf(home);
    const shown = await refloat(["init", "--no-input"]);
    expect(shown.code).toBe(1);
    expect(shown.stderr).toContain("E_NEEDS_YES");
    for (const words of ["~/.claude/settings.json", "~/.codex/hooks.json", "refloat uninstall", "/hooks"])
      expect(shown.stdout).toContain(words);
    for (const line of shown.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    const { stdout, code } = await refloat(["init", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ code: "E_NEEDS_YES", plan: { agents: ["claude", "codex"] } });
    expect((await refloat(["init", "--dry-run"])).code).toBe(0);
    expect(treeOf(home)).toEqual(before);
  });

  it("shows every agent there is on one screen of 24 lines and 80 columns", async () => {
    const { refloat } = userWith(
      ".claude",
      ".codex",
      ".gemini",
      ".qwen",
      ".copilot",
      ".pi/agent",
      ".continue",
      ".config/opencode",
    );
    const lines = (await refloat(["init", "--dry-run"])).stdout.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("finds agents by their folder or their program, and says which it did not find", async () => {
    const { refloat, home } = userWith(".gemini", "bin");
    writeFileSync(join(home, "bin/codex"), "#!/bin/sh\n", { mode: 0o755 });
    const { stdout } = await refloat(["init", "--dry-run", "--json"], {
      env: { PATH: `${home}/bin:/usr/bin:/bin` },
    });
    expect(JSON.parse(stdout).plan).toMatchObject({
      agents: ["codex", "gemini"],
      absent: expect.arrayContaining(["Claude Code"]),
    });
    const nobody = await userWith().refloat(["init"]);
    expect(nobody.code).toBe(1);
    expect(nobody.stderr).toContain("E_NO_AGENT_HERE");
    expect((await refloat(["init", "--agent", "aider"])).code).toBe(64);
  });

  it("names an agent that is newer than every version that was tried, and sets it up all the same (T1)", async () => {
    const { refloat, home } = userWith("node_modules/@openai/codex/bin", "bin");
    const packaged = join(home, "node_modules/@openai/codex");
    writeFileSync(join(packaged, "bin/codex.js"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    symlinkSync(join(packaged, "bin/codex.js"), join(home, "bin/codex"));
    const env = { PATH: `${home}/bin:/usr/bin:/bin` };
    const versioned = (version: string): void =>
      writeFileSync(join(packaged, "package.json"), JSON.stringify({ name: "@openai/codex", version }));
    versioned("0.166.0");
    expect((await refloat(["init", "--dry-run"], { env })).stdout).not.toContain("Newer than tried");
    versioned("99.1.0");
    const { stdout } = await refloat(["init", "--dry-run", "--json"], { env });
    expect(JSON.parse(stdout).plan.untried).toEqual([
      { agent: "codex", version: "99.1.0", tried: "0.166.0" },
    ]);
    const done = await refloat(["init", "--yes"], { env });
    expect(done.code).toBe(0);
    expect(done.stdout).toContain("Newer than tried: Codex 99.1.0 (tried: 0.166.0).");
    for (const line of done.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    const told = await refloat(["doctor", "--json"], { env });
    expect(JSON.parse(told.stdout).findings).toContainEqual(
      expect.objectContaining({
        check: "agent-newer",
        severity: "info",
        message: expect.stringContaining("Codex 99.1.0 is newer than 0.166.0"),
      }),
    );
  });

  it("says that without perl little is held before a destructive command, and the doctor how to get it (T1)", async () => {
    const { refloat } = userWith(".claude");
    const env = { PATH: pathWithout("perl") };
    const { stdout, code } = await refloat(["init", "--yes"], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining("There is no perl here")]);
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    const told = await refloat(["doctor", "--json"], { env });
    expect(JSON.parse(told.stdout).findings).toContainEqual(
      expect.objectContaining({ check: "perl-missing", command: expect.stringMatching(/ perl$|perl\.org/) }),
    );
    expect((await refloat(["init", "--dry-run"])).stdout).not.toContain("perl");
  });

  it("makes files that call the recorder it has put there, which writes the event down", async () => {
    const { refloat, home, place } = userWith(".claude");
    expect((await refloat(["init", "--yes"])).code).toBe(0);
    const settings = JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8"));
    const { command } = settings.hooks.PreToolUse[0].hooks[0];
    expect(command).toBe(`"${place.home}/bin/refloat-hook" claude PreToolUse`);
    const ran = spawnSync("sh", ["-c", command], { input: '{"tool_name":"Bash"}', encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const inbox = treeOf(join(place.home, "inbox"));
    expect(Object.keys(inbox).filter((name) => name.endsWith(".hook"))).toHaveLength(1);
  });

  it("quotes a store's folder that a shell would take apart (T6)", async () => {
    const { refloat, home } = userWith(".claude");
    const odd = join(home, 'it\'s $HOME "here"');
    mkdirSync(odd);
    await refloat(["init", "--yes"], { env: { REFLOAT_HOME: odd } });
    const settings = JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8"));
    const { command } = settings.hooks.Stop[0].hooks[0];
    expect(spawnSync("sh", ["-c", command], { input: "{}" }).status).toBe(0);
    expect(Object.keys(treeOf(join(odd, "inbox")))).toHaveLength(1);
  });

  it("is refused to a session's own process, which may look (T2)", async () => {
    const { refloat, home } = userWith(".claude");
    const env = { REFLOAT_SESSION: "4g4c3fw0g0x7pzxafemn.1.abcdefgh" };
    const before = treeOf(home);
    expect((await refloat(["init", "--yes"], { env })).stderr).toContain("E_UNDER_MARK");
    expect((await refloat(["init", "--dry-run"], { env })).code).toBe(0);
    expect(treeOf(home)).toEqual(before);
  });

  it("never leaves a path of npx anywhere: from there it sets up hooks only, and says how to install", async () => {
    const { home, place } = userWith(".claude");
    const cache = join(home, ".npm/_npx/1234/node_modules/refloat");
    mkdirSync(cache, { recursive: true });
    execFileSync("cp", ["-r", join(BIN, "../.."), join(cache, "dist")]);
    symlinkSync(join(BIN, "../../../node_modules"), join(cache, "node_modules"));
    const env = { PATH: "/usr/bin:/bin", HOME: home, REFLOAT_HOME: place.home, SHELL: "/bin/bash" };
    const ran = spawnSync(process.execPath, [join(cache, "dist/cli/bin.js"), "init", "--yes", "--shell"], {
      ...{ env, cwd: place.workspace, encoding: "utf8" },
    });
    expect(ran.status, ran.stderr).toBe(0);
    expect(ran.stdout).toContain("npm install -g refloat");
    expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).not.toContain("_npx");
    expect(existsSync(join(home, ".bashrc"))).toBe(false);
    expect(existsSync(join(place.home, "bin/refloat-program"))).toBe(false);
  });

  it("says that it is done only for an agent of whom no file was left as it was (T6)", async () => {
    const { refloat, home } = userWith(".claude", ".codex");
    writeFileSync(join(home, ".claude/settings.json"), "{ broken");
    const ran = await refloat(["init", "--yes"]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("Done for Codex");
    expect(ran.stdout).not.toMatch(/Done for [^.]*Claude Code/);
    expect(ran.stdout).toContain("Left as it was: ~/.claude/settings.json");
    const again = await refloat(["init", "--yes"]);
    expect([again.code, again.stdout.includes("call refloat already")]).toEqual([1, false]);
  });
});

describe("init in a repository", () => {
  it("--repo writes only what git ignores, else says the line that ignores it (T6)", async () => {
    const { refloat } = userWith(".claude");
    const repository = testRepository();
    repository.write("a.txt", "a");
    repository.commit();
    const run = (...args: string[]) => refloat(args, { cwd: repository.root });
    const refused = await run("init", "--repo", "--yes", "--json");
    expect(refused.code).toBe(1);
    const inWords = await run("init", "--repo", "--yes");
    expect(inWords.stdout).toMatch(/left alone:\s+git does not ignore it/);
    expect(inWords.stdout).not.toContain("already");
    const [{ path, why }] = JSON.parse(refused.stdout).refused;
    expect(path).toBe(join(repository.root, ".claude/settings.local.json"));
    const [, line = ""] = /`([^`]+)`/.exec(why) ?? [];
    execFileSync("sh", ["-c", line], { cwd: repository.root });
    expect((await run("init", "--repo", "--yes")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toContain("refloat-hook");
    expect(repository.git("status", "--porcelain")).toBe("");
    expect((await run("uninstall", "--yes")).code).toBe(0);
    expect(existsSync(join(repository.root, ".claude"))).toBe(false);
  });

  it("--repo says the line that ignores it so that it can be typed in a folder and in a linked work tree, whatever their names (T6)", async () => {
    const { refloat } = userWith(".claude");
    const repository = testRepository();
    repository.write("sub/a.txt", "a");
    repository.commit();
    const linked = join(temporaryFolder(), "it's a tree");
    repository.git("worktree", "add", "-q", linked, "-b", "side");
    for (const cwd of [linked, join(repository.root, "sub")]) {
      // Each by itself: one line is for all work trees of a clone.
      writeFileSync(join(repository.root, ".git/info/exclude"), "");
      const refused = await refloat(["init", "--repo", "--yes", "--json"], { cwd });
      const [{ why }] = JSON.parse(refused.stdout).refused;
      execFileSync("sh", ["-c", /`([^`]+)`/.exec(why)?.[1] ?? "false"], { cwd });
      expect((await refloat(["init", "--repo", "--yes"], { cwd })).code).toBe(0);
    }
  });

  it("--shared writes the committed file, whose hook is silent and exits 0 where refloat is not", async () => {
    const { refloat, place } = userWith(".claude");
    const repository = testRepository();
    repository.write("sub/a.txt", "a");
    repository.commit();
    expect((await refloat(["init", "--shared", "--yes"], { cwd: join(repository.root, "sub") })).code).toBe(
      0,
    );
    const text = repository.read(".claude/settings.json");
    expect(text).not.toContain(place.home);
    const { command } = JSON.parse(text).hooks.Stop[0].hooks[0];
    const hook = (env: NodeJS.ProcessEnv) =>
      spawnSync("sh", ["-c", command], { input: "{}", env, encoding: "utf8" });
    const stranger = temporaryFolder();
    expect(hook({ PATH: "/usr/bin:/bin", HOME: stranger })).toMatchObject({
      status: 0,
      stdout: "",
      stderr: "",
    });
    expect(treeOf(stranger)).toEqual({});
    expect(hook({ PATH: "/usr/bin:/bin", HOME: stranger, REFLOAT_HOME: place.home }).status).toBe(0);
    expect(Object.keys(treeOf(join(place.home, "inbox")))).toHaveLength(1);
  });

  it("does not follow a link out of the repository (W3), and is nothing for a plain folder", async () => {
    const { refloat, home, place } = userWith(".claude");
    const repository = testRepository();
    repository.write("a.txt", "a");
    repository.commit();
    writeFileSync(join(home, "victim"), "{}");
    mkdirSync(join(repository.root, ".claude"));
    symlinkSync(join(home, "victim"), join(repository.root, ".claude/settings.json"));
    const ran = await refloat(["init", "--shared", "--yes"], { cwd: repository.root });
    expect(ran.code).toBe(1);
    expect(readFileSync(join(home, "victim"), "utf8")).toBe("{}");
    expect((await refloat(["init", "--repo", "--yes"], { cwd: place.workspace })).stderr).toContain(
      "E_NO_GIT",
    );
  });
});

describe.each([
  ["bash", ".bashrc", ["bash", "--norc", "-c"], "."],
  ["zsh", ".zshrc", ["zsh", "-f", "-c"], "."],
  ["fish", ".config/fish/config.fish", ["fish", "--no-config", "-c"], "source"],
] as const)("init --shell for %s", (shell, file, words, source) => {
  it("has a plain agent go through run at a terminal, and nowhere else; uninstall gives the file back", async () => {
    if (shell !== "bash") need(shell);
    const { refloat, home } = userWith(".claude", "bin", "only", "work");
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), "alias ll=ls # no newline at the end");
    const before = treeOf(home);
    const programs = ["bin/claude", "bin/refloat", "only/claude"];
    for (const name of programs) {
      const said = name.endsWith("claude") ? "plain" : "refloat";
      writeFileSync(join(home, name), `#!/bin/sh\necho "${said} $*"\n`);
      chmodSync(join(home, name), 0o755);
    }
    await refloat(["init", "--shell", "--yes"], { env: { SHELL: `/bin/${shell}` } });
    const block = readFileSync(join(home, file), "utf8").replaceAll(/\S*\/cli\/bin\.js/g, "refloat");
    const rc = join(home, "rc");
    writeFileSync(rc, block);
    const typed = (line: string, env: NodeJS.ProcessEnv = {}, cwd = "work"): string =>
      spawnSync("script", ["-qec", `${words.join(" ")} '${source} ${rc}; ${line}'`, "/dev/null"], {
        ...{ cwd: join(home, cwd), encoding: "utf8" },
        env: { PATH: `${home}/bin:/usr/bin:/bin`, HOME: home, TERM: "dumb", ...env },
      }).stdout.trim();
    expect(typed("claude -p hello")).toBe("refloat run -- claude -p hello");
    expect(typed('claude -p "two words" ""')).toBe("refloat run -- claude -p two words");
    expect(typed("claude")).toBe("refloat run -- claude");
    expect(typed("claude --version")).toBe("plain --version");
    expect(typed("claude hello", { REFLOAT_OFF: "1" })).toBe("plain hello");
    expect(typed("claude hello", { REFLOAT_SESSION: "x.1.y" })).toBe("plain hello");
    expect(typed("claude hello | cat")).toBe("plain hello");
    // Where refloat is gone, the plain program starts.
    expect(typed("claude hello", { PATH: `${home}/only:/usr/bin:/bin` })).toBe("plain hello");
    expect((await refloat(["uninstall", "--yes"])).code).toBe(0);
    expect(treeOf(home)[file]).toBe(before[file]);
  });
});

describe("init --shell where no shell is known", () => {
  it("T1: says what to do instead of nothing, does the rest, exits 1, and what it says can be typed", async () => {
    const { refloat, home } = userWith(".claude");
    const env = { SHELL: "/bin/sh" };
    for (const args of [
      ["init", "--shell", "--yes"],
      ["init", "--shell"],
    ]) {
      const { code, stdout } = await refloat(args, { env });
      expect(code).toBe(1);
      expect(stdout).toContain("No shell that --shell knows");
      for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    }
    expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toContain("refloat-hook");
    expect((await refloat(["init", "--shell", "--yes"], { env: { SHELL: "/bin/bash" } })).code).toBe(0);
    expect(readFileSync(join(home, ".bashrc"), "utf8")).toContain("function claude");
  });
});

describe("uninstall", () => {
  it("lists what is kept, and keeps it", async () => {
    const { refloat, place } = userWith(".claude");
    await cutOffSession(place, { id: "kept-session" });
    await refloat(["init", "--yes"]);
    const ended = await refloat(["uninstall", "--yes"]);
    expect(ended.stdout).toMatch(
      /Kept: the store in \S+ with every\s+session,\s+capture\s+and\s+parked\s+group/,
    );
    expect((await refloat(["sessions", "--all"])).stdout).toContain("kept-ses");
  });

  it("--purge names what would be lost, never takes unsettled work without the second word, and only what is ours", async () => {
    const { refloat, place } = userWith(".claude");
    await refloat(["init", "--yes"]);
    const repository = testRepository();
    repository.write("a.txt", "a");
    repository.commit();
    await refloat(["run", "--", "sh", "-c", "echo b > b.txt"], { cwd: repository.root });
    writeFileSync(join(place.home, "diary.txt"), "mine");
    const refused = await refloat(["uninstall", "--purge", "--yes"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("E_PURGE_UNSETTLED");
    expect((await refloat(["sessions", "--all", "--json"])).stdout).toContain('"unsettled":true');
    const shown = await refloat(["uninstall", "--purge", "--drop-unsettled", "--dry-run"]);
    expect(shown.stdout).toMatch(/Lost for good, from .*: 1 session \(1 not settled\)/);
    const done = await refloat(["uninstall", "--purge", "--drop-unsettled", "--yes"]);
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toMatch(/Gone from .*: 1 session/);
    expect(treeOf(place.home)).toEqual({ "diary.txt": expect.stringMatching(/^file/) });
    expect((await refloat(["uninstall", "--drop-unsettled"])).code).toBe(64);
    const again = await refloat(["uninstall", "--purge", "--yes"]);
    expect(again.stdout).not.toMatch(/Lost|Gone/);
  });

  it("--purge says where the parked groups are seen that it would lose, by a command that shows them (T6)", async () => {
    const { refloat } = userWith(".claude");
    const repository = testRepository();
    repository.write("a.txt", "a");
    repository.commit();
    await refloat(["run", "--", "sh", "-c", "printf 'const a = (' > b.js"], { cwd: repository.root });
    const parked = await refloat(["settle", "--yes"], { cwd: repository.root });
    expect(parked.stdout).toContain("parked");
    const { stderr } = await refloat(["uninstall", "--purge", "--yes"]);
    const [, typed = ""] = /`refloat (-C \S+ parked)`/.exec(stderr.replaceAll(/\s+/g, " ")) ?? [];
    expect((await refloat(typed.split(" "))).stdout).toContain("b.js");
  });
});
