/** `guard`: a folder may go only when everything in it is settled, elsewhere or held; what cannot be known is a no (S7, W3, W4). */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { guard } from "../../src/library/workspace.ts";
import { giveToBoundUser, refloatAsBoundUser } from "../support/bound-user.ts";
import { makePlace } from "../support/cli.ts";
import {
  clashingBranches,
  DOOR_ENV,
  type TestRepository,
  testRepository,
} from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Scene {
  readonly repo: TestRepository;
  readonly env: NodeJS.ProcessEnv;
  /** The verdict, then the kinds of what speaks against it, each once. */
  kinds(path?: string, hold?: boolean): Promise<string[]>;
}

/** A clone with nothing that its remote has not. */
function scene(root = join(temporaryFolder(), "clone")): Scene {
  const env = { ...DOOR_ENV, REFLOAT_HOME: temporaryFolder() };
  const repo = testRepository(root);
  const origin = join(temporaryFolder(), "origin.git");
  repo.git("init", "-q", "--bare", origin);
  repo.write("a/f", "1\n");
  repo.commit();
  repo.git("remote", "add", "origin", origin);
  repo.git("push", "-q", "origin", "main");
  const kinds: Scene["kinds"] = async (path = root, hold = false) => {
    const { verdict, findings } = await guard(path, { hold, env });
    return [verdict, ...new Set(findings.map(({ kind }) => kind))];
  };
  return { repo, env, kinds };
}

describe("guard", () => {
  it("S7: says 0 of a clone with nothing that is not on its remote, and 1 of each thing that would be lost", async () => {
    const { repo, kinds } = scene();
    expect(await kinds()).toEqual(["removable"]);
    repo.write("b", "untracked\n");
    expect(await kinds()).toEqual(["keep", "changed"]);
    repo.commit();
    expect(await kinds()).toEqual(["keep", "commits"]);
    repo.git("push", "-q", "origin", "main");
    expect(await kinds()).toEqual(["removable"]);
    repo.write("b", "stashed\n");
    repo.git("stash", "-q");
    expect(await kinds()).toEqual(["keep", "commits"]);
    expect(await kinds(undefined, true)).toEqual(["removable"]);
  });

  it("W4: calls nothing held whose bytes the store does not give back", async () => {
    const { repo, env, kinds } = scene();
    repo.write("b", "1\n");
    expect(await kinds(undefined, true)).toEqual(["removable"]);
    repo.write("b", "2\n");
    expect(await kinds()).toEqual(["keep", "changed"]);
    repo.write("b", "1\n");
    expect(await kinds()).toEqual(["removable"]);
    const file = join(env.REFLOAT_HOME ?? "", "refloat.db");
    execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      `import { DatabaseSync } from ${JSON.stringify(process.versions.node.startsWith("20.") ? "@photostructure/sqlite" : "node:sqlite")};
       new DatabaseSync(${JSON.stringify(file)}).exec("UPDATE chunks SET bytes = x'00' WHERE bytes = x'310a'");`,
    ]);
    expect(await kinds()).toEqual(["keep", "changed"]);
  });

  it("of a folder in a work tree only what lies in it counts, and its commits stay", async () => {
    const { repo, kinds } = scene();
    repo.write("b", "outside\n");
    repo.write("c", "committed, not pushed\n");
    repo.git("add", "c");
    repo.git("commit", "-q", "-m", "c");
    const folder = join(repo.root, "a");
    expect(await kinds(folder)).toEqual(["removable"]);
    repo.write("a/g", "inside\n");
    expect(await kinds(folder)).toEqual(["keep", "changed"]);
    expect(await kinds(folder, true)).toEqual(["removable"]);
  });

  it("in a linked work tree branches and stashes stay with the repository, a detached HEAD's commits do not", async () => {
    const { repo, kinds } = scene();
    const linked = join(temporaryFolder(), "linked");
    repo.git("worktree", "add", "-q", "-b", "topic", linked);
    repo.git("-C", linked, "commit", "-q", "--allow-empty", "-m", "on a branch");
    expect(await kinds(linked)).toEqual(["removable"]);
    repo.git("-C", linked, "checkout", "-q", "--detach");
    repo.git("-C", linked, "commit", "-q", "--allow-empty", "-m", "on none");
    expect(await kinds(linked)).toEqual(["keep", "commits"]);
    expect(await kinds(linked, true)).toEqual(["removable"]);
    repo.git("worktree", "lock", linked);
    expect(await kinds(linked, true)).toEqual(["keep", "locked"]);
    // And the clone may not go under it.
    expect(await kinds(undefined, true)).toEqual(["keep", "linked"]);
  });

  it("looks into every repository of a folder, nested ones and submodules too, and at the files beside them", async () => {
    const folder = temporaryFolder();
    const { repo, kinds, env } = scene(join(folder, "one"));
    const nested = testRepository(join(folder, "one/tools/nested"));
    nested.write("n", "1\n");
    nested.commit();
    writeFileSync(join(repo.root, ".git/info/exclude"), "tools\n");
    const inner = testRepository(join(temporaryFolder(), "inner"));
    inner.write("i", "1\n");
    inner.commit();
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
    repo.commit("sub");
    repo.git("push", "-q", "origin", "main");
    const { findings } = await guard(folder, { env });
    expect(findings.map(({ kind, tree }) => [kind, tree])).toEqual([["commits", nested.root]]);
    writeFileSync(join(repo.root, "sub/i"), "2\n");
    expect((await kinds(folder)).sort()).toEqual(["changed", "commits", "keep"]);
    expect(await kinds(folder, true)).toEqual(["removable"]);
    writeFileSync(join(folder, "loose"), "in no repository\n");
    expect(await kinds(folder)).toEqual(["keep", "no-repository", "changed"]);
    expect(await kinds(folder, true)).toEqual(["removable"]);
  });

  it("a remote in the folder itself proves nothing, and a bare repository in it keeps it", async () => {
    const folder = temporaryFolder();
    const { repo, kinds } = scene(join(folder, "clone"));
    repo.git("clone", "-q", "--bare", repo.root, join(folder, "origin.git"));
    expect(await kinds(folder)).toEqual(["keep", "refused"]);
    repo.git("remote", "set-url", "origin", join(folder, "origin.git"));
    expect(await kinds(folder)).toEqual(["keep", "refused", "commits"]);
  });

  it("a plain folder is not known, and held it may go", async () => {
    const { kinds } = scene();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "f"), "1\n");
    expect(await kinds(folder)).toEqual(["keep", "no-repository", "changed"]);
    expect(await kinds(folder, true)).toEqual(["removable"]);
  });

  it.each(["merge", "rebase"])(
    "a %s under way keeps it, until what git notes of it is held, too",
    async (what) => {
      const { repo, kinds } = scene();
      clashingBranches(repo);
      repo.git("push", "-q", "origin", "main", "topic");
      expect(() => repo.git(what, "topic")).toThrow();
      expect((await kinds()).includes("operation")).toBe(true);
      expect(await kinds(undefined, true)).toEqual(["removable"]);
      expect(await kinds()).toEqual(["removable"]);
    },
  );

  it("L6: a live session keeps it even held; an unsettled one until its work is held", async () => {
    const { repo, env, kinds } = scene();
    const store = await openStore(join(env.REFLOAT_HOME ?? "", "refloat.db"), { thread: false });
    const session = await store.begin({ agent: "test", workspace: repo.root });
    expect(await kinds()).toEqual(["keep", "live"]);
    expect(await kinds(undefined, true)).toEqual(["keep", "live"]);
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "write", input: { path: "b" }, effect: "unknown" });
    repo.write("b", "the session's\n");
    await call.result("ok");
    await turn.end("completed");
    await session.finish();
    await store.close();
    expect(await kinds()).toEqual(["keep", "unsettled"]);
    const { verdict, notes } = await guard(repo.root, { hold: true, env });
    expect([verdict, notes.map(({ kind }) => kind)]).toEqual(["removable", ["unsettled"]]);
  });

  it("W6: precious files count though git ignores them, others are held with --hold", async () => {
    const { repo, kinds } = scene();
    repo.write(".gitignore", ".env\nlocal.db\n");
    repo.write("refloat.json", '{"precious": ["local.db"]}\n');
    repo.commit();
    repo.git("push", "-q", "origin", "main");
    repo.write(".env", "KEY=1\n");
    expect(await kinds()).toEqual(["removable"]);
    repo.write("local.db", "1\n");
    expect(await kinds()).toEqual(["keep", "changed"]);
    expect(await kinds(undefined, true)).toEqual(["removable"]);
  });

  it("T6: says of ignored files that were not held which bound they were over", async () => {
    const place = makePlace();
    const repo = testRepository(join(place.workspace, "repo"));
    repo.write(".gitignore", "*.log\nnode_modules\n");
    repo.commit();
    for (let at = 0; at < 503; at++) repo.write(`${at}.log`, `${at}\n`);
    repo.write("node_modules/x", "1\n");
    const { stdout } = await place.refloat(["guard", "repo", "--hold"]);
    expect(stdout).toContain("3 ignored folders and files not held: beyond the first 500");
    expect(stdout).toContain("1 ignored folder or file not held: made anew by their tools");
  });

  it("W4: a file or folder nobody may read keeps it, held or not", async () => {
    const { repo, env } = scene(temporaryFolder());
    repo.write("secret", "mine\n", 0o000);
    mkdirSync(join(repo.root, "shut"));
    repo.write("shut/f", "mine\n");
    giveToBoundUser(repo.root, env.REFLOAT_HOME ?? "");
    chmodSync(join(repo.root, "secret"), 0o000);
    chmodSync(join(repo.root, "shut"), 0o000);
    const { status, stdout } = refloatAsBoundUser(["guard", repo.root, "--hold", "--json"], {
      cwd: "/",
      env: { ...env, HOME: env.REFLOAT_HOME },
    });
    const said = JSON.parse(stdout);
    expect([status, said.verdict]).toEqual([1, "keep"]);
    expect(said.findings.map(({ kind }: { kind: string }) => kind).sort()).toEqual(
      expect.arrayContaining(["unreadable"]),
    );
    chmodSync(join(repo.root, "shut"), 0o755);
  });

  it("as a command: 0 and 1, never 2, in JSON and in words; with REFLOAT_OFF=1 it says that it did not look", async () => {
    const place = makePlace();
    const repo = testRepository(join(place.workspace, "repo"));
    repo.write("f", "1\n");
    const kept = await place.json(["guard", "repo"]);
    expect([kept.code, kept.json.schema, kept.json.verdict]).toEqual([1, "refloat.guard/1", "keep"]);
    expect(kept.json.findings).toEqual([
      expect.objectContaining({
        kind: "changed",
        count: 1,
        paths: ["f"],
        command: expect.stringContaining(" --hold"),
      }),
    ]);
    const held = await place.refloat(["guard", "repo", "--hold"]);
    expect([held.code, held.stdout]).toEqual([
      0,
      expect.stringMatching(/^removable .*restore \S+ --to DIR/s),
    ]);
    const off = await place.json(["guard", "repo"], { env: { REFLOAT_OFF: "1" } });
    expect([off.code, off.json.code]).toEqual([1, "E_OFF"]);
    rmSync(repo.root, { recursive: true });
    expect((await place.refloat(["guard", "repo"])).code).toBe(64);
  });
});
