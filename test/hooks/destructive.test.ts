/** What a destructive command of an agent would take away is held before it runs, or it is on record that it was not. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { prefilterPatterns } from "../../src/agents/commands/destructive.ts";
import { heardSessionId } from "../../src/agents/journal/heard-records.ts";
import { BEFORE_CAPTURE_MS, INBOX_GLANCE_BYTES } from "../../src/model/limits.ts";
import { BIN } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { pathWithout } from "../support/path-without.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { callHook, holdingHome, hookedHome, recorded, SCRIPT, SHELLS, SILENT } from "./recorder.ts";

/** No test asserts a time: the limit itself has one of its own. */
const PATIENT = { REFLOAT_HOOK_WAIT: "120", HOME: "/nonexistent" };

function readyHome(): string {
  const home = hookedHome();
  writeFileSync(join(home, "bin/refloat-program"), `${process.execPath}\n${resolve(BIN)}\n`);
  return home;
}

const payload = (command: string, cwd: string): string =>
  JSON.stringify({
    session_id: "native-1",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });

const refloat = (home: string, cwd: string, ...args: readonly string[]): string => {
  const env = { PATH: process.env.PATH, REFLOAT_HOME: home, HOME: home };
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};

describe("before a destructive command", () => {
  it.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
    "everything that git does not hold is held for the session of the call, by %s",
    (_, shell) => {
      const home = readyHome();
      const { root, git, write } = scene();
      write("kept.txt", "changed\n");
      write("new/file.txt", "new\n");
      expect(
        callHook(home, {
          shell,
          cwd: root,
          env: PATIENT,
          input: payload("cd . && git clean -fd && git checkout -- .", root),
        }),
      ).toEqual(SILENT);
      const before = recorded(home)[0]?.before;
      expect(before).toMatchObject({ kind: "held" });
      git("clean", "-fdq");
      git("checkout", "-q", "--", ".");
      expect(existsSync(join(root, "new"))).toBe(false);
      const id = before?.kind === "held" ? before.capture : "";
      const to = join(home, "back");
      mkdirSync(to);
      refloat(home, root, "restore", id, "--to", to);
      expect(readFileSync(join(to, "kept.txt"), "utf8")).toBe("changed\n");
      expect(readFileSync(join(to, "new/file.txt"), "utf8")).toBe("new\n");
      const { captures } = JSON.parse(refloat(home, root, "captures", "--json")) as {
        captures: { session: string }[];
      };
      expect(captures[0]?.session).toBe(heardSessionId({ agent: "claude", nativeId: "native-1" }, root));
    },
    120_000,
  );

  it("ignored files are held, too, where it deletes them, and the commits of branches are on record (W6)", () => {
    const home = readyHome();
    const { root, git, write } = scene();
    write(".gitignore", "*.env\n");
    write("secret.env", "precious\n");
    git("branch", "feature");
    const commit = git("rev-parse", "feature").trim();
    const input = payload("git clean -fdx; git branch -D feature", root);
    expect(callHook(home, { cwd: root, env: PATIENT, input })).toEqual(SILENT);
    git("clean", "-fdxq");
    const before = recorded(home)[0]?.before;
    const to = join(home, "back");
    mkdirSync(to);
    refloat(home, root, "restore", before?.kind === "held" ? before.capture : "", "--to", to);
    expect(readFileSync(join(to, "secret.env"), "utf8")).toBe("precious\n");
    expect(refloat(home, root, "captures", "--json")).toContain(`refs/heads/feature ${commit}`);
  }, 120_000);

  it("another work tree that it names is held, not the one it stands in alone", () => {
    const home = readyHome();
    const { root, git } = scene();
    const other = join(root, "..", "other-tree");
    git("worktree", "add", "-q", other);
    writeFileSync(join(other, "only-there.txt"), "x\n");
    expect(
      callHook(home, {
        cwd: root,
        env: PATIENT,
        input: payload(`git worktree remove --force ${other}`, root),
      }),
    ).toEqual(SILENT);
    rmSync(other, { recursive: true });
    expect(refloat(home, root, "sessions", "--all", "--json")).toContain("other-tree");
  }, 120_000);

  it("W8: three other clones that it names come before the one it stands in, and ignored files by their names (W6)", () => {
    const home = readyHome();
    const { root, git, write } = scene();
    const clones = ["one", "two", "three"].map((name) => join(root, "..", name));
    for (const clone of clones) {
      git("clone", "-q", root, clone);
      writeFileSync(join(clone, ".git/info/exclude"), "*.env\n");
      writeFileSync(join(clone, "secret.env"), `${clone}\n`);
    }
    write("new.txt", "new\n");
    const input = payload(`rm -rf ${clones.join(" ")}`, root);
    expect(callHook(home, { cwd: root, env: PATIENT, input })).toEqual(SILENT);
    expect(recorded(home)[0]?.before).toMatchObject({ kind: "held" });
    const first = recorded(home)[0]?.before;
    for (const clone of clones) {
      const { captures } = JSON.parse(refloat(home, clone, "captures", "--json")) as {
        captures: { id: string }[];
      };
      const to = join(temporaryFolder(), "back");
      refloat(home, clone, "restore", captures[0]?.id ?? "", "--to", to);
      expect(readFileSync(join(to, "secret.env"), "utf8")).toBe(`${clone}\n`);
      if (clone === clones[0])
        expect(captures.map(({ id }) => id)).toContain(first?.kind === "held" && first.capture);
    }
  }, 120_000);

  it("W6, T1: an ignored file by its name alone is held, and what lies beyond three trees is none", () => {
    const home = readyHome();
    const { root, git, write } = scene();
    write(".gitignore", "*.env\n");
    write("a[1].env", "mine\n");
    write("other.env", "other\n");
    const input = payload("rm -f 'a[1].env'", root);
    expect(callHook(home, { cwd: root, env: PATIENT, input })).toEqual(SILENT);
    const before = recorded(home)[0]?.before;
    const to = join(temporaryFolder(), "back");
    refloat(home, root, "restore", before?.kind === "held" ? before.capture : "", "--to", to);
    expect(readFileSync(join(to, "a[1].env"), "utf8")).toBe("mine\n");
    expect(existsSync(join(to, "other.env"))).toBe(false);
    const clones = [1, 2, 3, 4].map((name) => join(root, "..", `clone-${name}`));
    for (const clone of clones) git("clone", "-q", root, clone);
    const many = readyHome();
    const four = payload(`rm -rf ${clones.join(" ")}`, root);
    expect(callHook(many, { cwd: root, env: PATIENT, input: four })).toEqual(SILENT);
    expect(recorded(many)[0]?.before).toEqual({ kind: "none", reason: `nothing was held of ${clones[3]}` });
  }, 120_000);

  it("the call goes on when it takes too long or refloat is gone, and that is on record", () => {
    const { root } = scene();
    const late = readyHome();
    expect(
      callHook(late, { cwd: root, env: { REFLOAT_HOOK_WAIT: "0.001" }, input: payload("rm -rf x", root) }),
    ).toEqual(SILENT);
    expect(recorded(late)[0]?.before).toEqual({ kind: "none", reason: "took longer than 0.001 s" });
    const gone = hookedHome();
    expect(
      callHook(gone, { cwd: root, env: { PATH: "/usr/bin:/bin" }, input: payload("rm -rf x", root) }),
    ).toEqual(SILENT);
    expect(recorded(gone)[0]?.before).toEqual({ kind: "none", reason: "refloat is not here" });
  });

  it.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
    "has one time for the holder and for the program behind it, never one for each, by %s",
    (_, shell) => {
      const { root } = scene();
      const home = hookedHome();
      writeFileSync(join(home, "bin/refloat-hold"), "select undef, undef, undef, 0.8; exit 3;\n");
      writeFileSync(join(home, "program"), "sleep 0.7; echo capture never\n");
      writeFileSync(join(home, "bin/refloat-program"), `/bin/sh\n${join(home, "program")}\n`);
      const asked = { shell, cwd: root, env: { REFLOAT_HOOK_WAIT: "1" }, input: payload("rm -rf x", root) };
      expect(callHook(home, asked)).toEqual(SILENT);
      expect(recorded(home)[0]?.before).toEqual({ kind: "none", reason: "took longer than 1 s" });
    },
  );

  it.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
    "T1: without perl it is held by the program where there is time, and the call says that there was none and why, by %s",
    (_, shell) => {
      const { root, write } = scene();
      write("kept.txt", "changed\n");
      const [program = "sh", ...words] = shell;
      const found = spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], {
        encoding: "utf8",
      }).stdout.trim();
      const asked = { shell: [found, ...words], cwd: root, input: payload("rm -rf kept.txt", root) };
      for (const missing of [["perl"], ["perl", "timeout"]]) {
        const PATH = pathWithout(...missing);
        const home = holdingHome(readyHome());
        expect(callHook(home, { ...asked, env: { ...PATIENT, PATH } })).toEqual(SILENT);
        expect(recorded(home)[0]?.before).toMatchObject({ kind: "held" });
        const late = holdingHome(readyHome());
        expect(callHook(late, { ...asked, env: { PATH, REFLOAT_HOOK_WAIT: "0.001" } })).toEqual(SILENT);
        const reason = "took longer than 0.001 s without perl";
        expect(recorded(late)[0]?.before).toEqual({ kind: "none", reason });
      }
    },
    120_000,
  );

  it("a command that takes nothing away starts no program and leaves no word of it", () => {
    const { root } = scene();
    const home = hookedHome();
    for (const command of ["ls -la", "npm test", "git status", "echo form", "cat README.md | head"]) {
      expect(callHook(home, { cwd: root, input: payload(command, root) })).toEqual(SILENT);
    }
    expect(recorded(home).map(({ before }) => before)).toEqual([null, null, null, null, null]);
  });

  it("a payload that is too long for a glance counts as destructive, and the program reads it (T5)", () => {
    const { root, write } = scene();
    write("new.txt", "new\n");
    const long = "git docker find ".repeat(INBOX_GLANCE_BYTES / 16);
    const gone = hookedHome();
    const env = { PATH: "/usr/bin:/bin" };
    expect(callHook(gone, { cwd: root, env, input: payload(`echo ${long}`, root) })).toEqual(SILENT);
    expect(recorded(gone)[0]?.before).toEqual({ kind: "none", reason: "refloat is not here" });
    for (const [command, before] of [
      [`echo ${long}`, null],
      [`echo ${long}; rm -rf new.txt`, { kind: "held" }],
    ] as const) {
      const home = readyHome();
      expect(callHook(home, { cwd: root, env: PATIENT, input: payload(command, root) })).toEqual(SILENT);
      if (before === null) expect(recorded(home)[0]?.before).toBeNull();
      else expect(recorded(home)[0]?.before).toMatchObject(before);
    }
  }, 120_000);

  it("the recorder's first glance is the table's, and waits as long as the limit says", () => {
    const script = readFileSync(SCRIPT, "utf8");
    const [, between = ""] = /# patterns\n(.*)\)\n\s+# end of patterns/su.exec(script) ?? [];
    expect(between.split(/\s*\|\s*\\\n\s*/u).map((one) => one.trim())).toEqual(prefilterPatterns());
    expect(script).toContain(`\nCAPTURE_SECONDS=${BEFORE_CAPTURE_MS / 1000}\n`);
  });

  it.each([
    "rm -rf x",
    "cd a\nrm x",
    "a&&rm x",
    "\tmv a b",
    "/bin/rm x",
    "(rm x)",
    "git -C x reset --hard",
    "git stash",
    "git worktree remove x",
    "find . -delete",
    "terraform apply",
    "docker compose down -v",
    "git rm -r x",
    "git rebase main",
    "git gc --prune=now",
    "sudo rm x",
    "bash -lc 'rm -rf x'",
    "FOO=1 rm x",
    "ls | xargs rm",
    "fd -x rm",
    "python -c 'shutil.rmtree(\"x\")'",
    "python - <<E\nPath('x').unlink()\nE",
  ])("the first glance sees %j in a payload, however its JSON was written", (command) => {
    const home = hookedHome();
    const plain = JSON.stringify({ tool_input: { command } });
    const escaped = plain.replaceAll("&", "\\u0026");
    for (const input of [plain, escaped]) callHook(home, { input, env: { PATH: "/usr/bin:/bin" } });
    expect(recorded(home).map(({ before }) => before?.kind)).toEqual(["none", "none"]);
  });
});

function scene(): TestRepository {
  const repository = testRepository(join(temporaryFolder(), "repo"));
  repository.write("kept.txt", "as committed\n");
  repository.commit();
  return repository;
}
