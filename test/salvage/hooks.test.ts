/** The user's commit hooks and signing: honoured, in a scratch clone, or the act stops and says so. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  commit(...args: string[]): ReturnType<Place["json"]>;
}

async function scene(prepare: (repo: TestRepository) => void = () => undefined): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.md", "A note.\n");
  prepare(repo);
  repo.commit("base");
  await leftSession(place, repo, { edits: { "b.md": () => repo.write("b.md", "Another note.\n") } });
  const commit = (...args: string[]): ReturnType<Place["json"]> =>
    place.json(["commit", "--all", "--yes", ...args], { env: ANN });
  return { place, repo, commit };
}

function hook(path: string, script: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

describe("hooks", () => {
  it("see exactly what is committed, in a scratch clone, and may change the message", async () => {
    const { place, repo, commit } = await scene();
    const seen = join(place.home, "seen");
    const hooks = join(repo.root, ".git/hooks");
    hook(
      join(hooks, "pre-commit"),
      `{ pwd; git diff --cached --name-only; cat b.md; } > ${seen}; touch stray`,
    );
    hook(join(hooks, "commit-msg"), 'echo "Checked-by: hook" >> "$1"');
    hook(join(hooks, "post-commit"), `touch ${seen}.post`);
    expect(await commit("-m", "Notes")).toMatchObject({ code: 0, json: { done: true } });
    const [where, ...rest] = readFileSync(seen, "utf8").trim().split("\n");
    expect(where).not.toBe(repo.root);
    expect(rest).toEqual(["b.md", "Another note."]);
    expect(existsSync(join(repo.root, "stray"))).toBe(false);
    expect(existsSync(`${seen}.post`)).toBe(false);
    expect(repo.git("log", "-1", "--format=%B").trim()).toBe("Notes\nChecked-by: hook");
  });

  it("stop the act when they say no, cannot run there or change files; --hooks skip leaves them out", async () => {
    const { repo, commit } = await scene();
    const before = treeState(repo);
    const path = join(repo.root, ".git/hooks/pre-commit");
    hook(path, "echo no trailing spaces please; exit 1");
    const failed = await commit();
    expect(failed).toMatchObject({ code: 1, json: { code: "E_HOOK_FAILED" } });
    expect(failed.json.message).toContain("no trailing spaces please");
    const token = `ghp_${"x7Kq2LmN9pRtVwYz3AbCdEfGhJ4s8U1oI6e0"}`;
    hook(path, `echo found ${token}; exit 1`);
    expect(JSON.stringify((await commit()).json), "T4: what a hook found is not printed").not.toContain(
      token,
    );
    hook(path, "exec no-such-program-anywhere");
    const cannot = await commit();
    expect(cannot).toMatchObject({ code: 1, json: { code: "E_HOOK_NOT_RUN" } });
    expect(cannot.json.hint).toContain("--hooks in-place");
    const neither = await commit("--hooks", "in-place");
    expect(neither).toMatchObject({ code: 1, json: { code: "E_HOOK_NOT_RUN" } });
    expect(neither.json.message, "T1: where it was tried").toContain("in your work tree");
    expect(neither.json.hint, "what was just tried is no way out").not.toContain("in-place");
    hook(path, "echo changed >> b.md");
    expect(await commit()).toMatchObject({ code: 1, json: { code: "E_HOOK_CHANGED" } });
    hook(path, "exit 0");
    hook(join(repo.root, ".git/hooks/commit-msg"), ': > "$1"');
    const emptied = await commit();
    expect(emptied, "git makes no commit without a message").toMatchObject({
      code: 1,
      json: { code: "E_HOOK_FAILED" },
    });
    expect(emptied.json.message).toContain("no message");
    expect(treeState(repo)).toEqual(before);
    expect(await commit("--hooks", "skip")).toMatchObject({ code: 0, json: { done: true } });
  });

  it("of a hooksPath in the tree run as HEAD has them; one that HEAD does not have cannot, but for --hooks in-place", async () => {
    const { repo, commit } = await scene((fresh) => {
      hook(
        join(fresh.root, ".husky/pre-commit"),
        "test -f .husky/pre-commit && echo as committed >&2; exit 1",
      );
    });
    repo.git("config", "core.hooksPath", ".husky");
    hook(join(repo.root, ".husky/pre-commit"), "exit 0");
    expect((await commit()).json, "the edited hook is not the judge").toMatchObject({
      code: "E_HOOK_FAILED",
    });
    repo.git("config", "--unset", "core.hooksPath");
    symlinkSync("../../.husky/pre-commit", join(repo.root, ".git/hooks/pre-commit"));
    expect((await commit()).json, "nor through a link to it").toMatchObject({ code: "E_HOOK_FAILED" });
    rmSync(join(repo.root, ".git/hooks/pre-commit"));
    repo.git("config", "core.hooksPath", ".generated");
    hook(join(repo.root, ".generated/pre-commit"), "exit 0");
    expect(await commit()).toMatchObject({ code: 1, json: { code: "E_HOOK_NOT_RUN" } });
    expect(await commit("--hooks", "in-place")).toMatchObject({ code: 0 });
  });
});

describe("signing", () => {
  it("is honoured where it works without a terminal, and stops the act where it does not; it has none to ask at", async () => {
    const { repo, place } = await scene();
    const commit = (): ReturnType<Place["json"]> =>
      place.json(["commit", "--all", "--yes"], { env: { ...ANN, GPG_TTY: "/dev/tty" } });
    const before = treeState(repo);
    repo.git("config", "commit.gpgsign", "true");
    const gpg = join(place.home, "gpg");
    repo.git("config", "gpg.program", gpg);
    hook(gpg, "echo 'no pinentry' >&2; exit 2");
    expect(await commit()).toMatchObject({ code: 1, json: { code: "E_SIGNING_NEEDS_YOU" } });
    expect(treeState(repo)).toEqual(before);
    const seen = join(place.home, "asked-at");
    hook(
      gpg,
      `{ echo "tty:$GPG_TTY"; cut -d' ' -f6 /proc/$$/stat; } > ${seen}; cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo signature`,
    );
    expect(await commit()).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("cat-file", "commit", "HEAD")).toContain("gpgsig");
    const [terminal, session] = readFileSync(seen, "utf8").split("\n");
    expect(terminal).toBe("tty:");
    expect(session).not.toBe(readFileSync("/proc/self/stat", "latin1").split(" ")[5]);
  });
});
