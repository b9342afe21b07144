/**
 * What is put where agents live, without `init`: a Claude Code plugin, a Codex plugin, a Gemini extension, a devcontainer feature and a GitHub Action,
 * made from one source. Each from a bare environment; with the real agents, and gone again: `real/plugged.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { BIN } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const PLUGINS = join(ROOT, "plugins");

/** A command of a person in a new home. */
function run(
  home: string,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
  input = "",
) {
  const [program = "", ...args] = command;
  return spawnSync(program, args, {
    cwd: home,
    input,
    encoding: "utf8",
    timeout: 120_000,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...more },
  });
}

describe("plugins", () => {
  it("are as scripts/plugins.mjs writes them", () => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/plugins.mjs", "--check"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it.each([
    ["claude", "claude", ".claude/settings.json"],
    ["codex", "codex/refloat", ".codex/hooks.json"],
    ["gemini", "gemini", ".gemini/settings.json"],
  ])(
    "D4: with init beside it the plugin of %s leaves its events to that: each comes once, and after uninstall by the plugin",
    (agent, folder, settings) => {
      const home = temporaryFolder();
      mkdirSync(join(home, dirname(settings)));
      const refloat = (...words: string[]) => run(home, [process.execPath, BIN, ...words]);
      const inbox = join(home, ".local/state/refloat/inbox");
      const commandOf = (file: string): string =>
        JSON.parse(readFileSync(file, "utf8")).hooks.SessionStart[0].hooks[0].command;
      const own = commandOf(join(PLUGINS, folder, "hooks/hooks.json")).replace(
        /\$\{\w+\}/,
        join(PLUGINS, folder),
      );
      const call = (command: string): number => {
        const before = existsSync(inbox) ? readdirSync(inbox).length : 0;
        expect(run(home, ["sh", "-c", command], {}, '{"session_id":"s-1"}')).toMatchObject({
          status: 0,
          stdout: "",
          stderr: "",
        });
        return readdirSync(inbox).length - before;
      };
      expect(refloat("init", "--yes", "--agent", agent).status).toBe(0);
      const entry = commandOf(join(home, settings));
      expect([call(entry), call(own)]).toEqual([1, 0]);
      // Taken out by hand: nobody else tells any more.
      const text = readFileSync(join(home, settings), "utf8");
      writeFileSync(join(home, settings), "{}\n");
      expect(call(own)).toBe(1);
      writeFileSync(join(home, settings), text);
      expect(call(own)).toBe(0);
      expect(refloat("uninstall", "--yes").status).toBe(0);
      expect(call(own)).toBe(1);
    },
  );

  it.each(["claude", "codex/refloat", "gemini"])(
    "D1: the hook of %s writes a whole event from a bare environment, and with REFLOAT_OFF=1 nothing",
    (folder) => {
      const home = temporaryFolder();
      const { hooks } = JSON.parse(readFileSync(join(PLUGINS, folder, "hooks/hooks.json"), "utf8"));
      const [event = ""] = Object.keys(hooks);
      const { command } = hooks[event][0].hooks[0];
      const line = command.replace(/\$\{\w+\}/, join(PLUGINS, folder));
      const call = (more: Record<string, string>) =>
        run(home, ["sh", "-c", line], more, '{"session_id":"s-1"}');
      expect(call({ REFLOAT_OFF: "1" })).toMatchObject({ status: 0, stdout: "", stderr: "" });
      expect(existsSync(join(home, ".local"))).toBe(false);
      expect(call({})).toMatchObject({ status: 0, stdout: "", stderr: "" });
      const inbox = join(home, ".local/state/refloat/inbox");
      const [file = "", ...others] = readdirSync(inbox).filter((name) => name.endsWith(".hook"));
      expect(others).toEqual([]);
      const text = readFileSync(join(inbox, file), "utf8");
      expect(text).toMatch(new RegExp(`^refloat-hook 1\nagent ${folder.split("/")[0]}\nevent ${event}\n`));
      expect(text).toMatch(/\nbody\n\{"session_id":"s-1"\}\nend refloat-hook\n$/);
    },
  );

  it("the GitHub Action runs the command as a session, gives its exit code on and writes the bundle", () => {
    const action = parse(readFileSync(join(PLUGINS, "github-action/action.yml"), "utf8"));
    expect(Object.keys(action)).toEqual(["name", "description", "inputs", "outputs", "runs"]);
    expect(action.runs.using).toBe("composite");
    const [install, start, upload] = action.runs.steps;
    for (const step of [install, start])
      expect(step).toMatchObject({ id: expect.any(String), shell: "sh", run: expect.any(String) });
    expect(upload).toMatchObject({
      if: expect.stringContaining("always()"),
      uses: expect.stringMatching(/^actions\/upload-artifact@v\d+$/),
    });
    const repo = testRepository();
    repo.write("f", "1\n");
    repo.commit();
    const home = temporaryFolder();
    const bin = join(home, "bin");
    mkdirSync(bin);
    symlinkSync(BIN, join(bin, "refloat"));
    const env = {
      PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
      ...{ HOME: home, RUNNER_TEMP: home, GITHUB_OUTPUT: join(home, "output") },
      ...{ VERSION: "installed", COMMAND: "echo 2 > f; exit 7", TIMEOUT: "", BUNDLE: join(home, "bundle") },
    };
    const step = (text: string) =>
      spawnSync("sh", ["-e", "-c", text], { cwd: repo.root, env, encoding: "utf8" });
    expect(step(install.run).status).toBe(0);
    const ended = step(start.run);
    expect(ended.status, ended.stderr).toBe(7);
    expect(readFileSync(join(home, "output"), "utf8")).toBe("exit-code=7\n");
    expect(readdirSync(join(home, "bundle"))).toContain("manifest.json");
    // What is left of it lies in the runner's own folders, which go with it: the repository has what the command did.
    expect(repo.git("status", "--porcelain", "--ignored").trim()).toBe("M f");
    expect(readdirSync(home).toSorted()).toEqual(["bin", "bundle", "output", "refloat"]);
  });

  it("the devcontainer feature installs with npm, and says what is missing without it; its store is on a volume", () => {
    const feature = JSON.parse(readFileSync(join(PLUGINS, "devcontainer/devcontainer-feature.json"), "utf8"));
    expect(feature).toMatchObject({
      id: "refloat",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      name: "refloat",
    });
    expect(feature.mounts[0].target).toBe(feature.containerEnv.REFLOAT_HOME);
    const home = temporaryFolder();
    mkdirSync(join(home, "bin"));
    for (const name of ["mkdir", "chmod", "chown"])
      writeFileSync(join(home, "bin", name), "#!/bin/sh\n", { mode: 0o755 });
    const install = (): ReturnType<typeof run> =>
      run(home, ["/bin/sh", join(PLUGINS, "devcontainer/install.sh")], {
        PATH: join(home, "bin"),
        VERSION: "1.2.3",
      });
    expect(install()).toMatchObject({ status: 1, stderr: expect.stringContaining("Node") });
    writeFileSync(join(home, "bin/npm"), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    expect(install()).toMatchObject({
      status: 0,
      stdout: "install --global --ignore-scripts refloat@1.2.3\n",
    });
    // Nothing but npm's package and the volume's folder: it goes with its line in devcontainer.json.
    expect(readdirSync(home)).toEqual(["bin"]);
  });
});
