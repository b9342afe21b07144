/** Everything odd a tree can hold, put back and undone by the built program. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acted } from "../support/acted.ts";
import { gitState, treeOf } from "../support/acting.ts";
import { giveToBoundUser, refloatAsBoundUser } from "../support/bound-user.ts";
import { fingerprint } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG = "n".repeat(200);
const NOT_TEXT = Buffer.from([0x62, 0xff, 0xfe, 0x2e, 0x78]);

describe("a restore and its undo", () => {
  it("bring back kinds, bytes, permission bits, link targets and every odd name, and never write through a link (W3, S5)", async () => {
    const { repo, run, capture } = acted();
    const at = (name: string): string => join(repo.root, name);
    const odd = Buffer.concat([Buffer.from(`${repo.root}/`), NOT_TEXT]);
    const outside = join(temporaryFolder(), "outside.txt");
    writeFileSync(outside, "not yours\n");
    repo.write(".gitignore", "__pycache__/\n*.o\n");
    for (const name of ["exec", "private", "to-link", "line\nbreak", `quo"te's`, LONG, "Case.txt"])
      repo.write(name, `${name.slice(0, 9)}\n`);
    writeFileSync(odd, "no text in the name\n");
    repo.write("dir/inner.py", "inner\n");
    repo.write("real/pkg.py", "pkg\n");
    symlinkSync("real", at("pkg"));
    repo.commit();
    chmodSync(at("private"), 0o600);
    repo.write("private", "kept to myself\n");
    const id = await capture();
    const captured = treeOf(repo.root);

    chmodSync(at("exec"), 0o755);
    chmodSync(at("private"), 0o644);
    repo.write("private", "told to all\n");
    rmSync(at("to-link"));
    symlinkSync(outside, at("to-link"));
    for (const name of ["line\nbreak", `quo"te's`, LONG]) repo.write(name, "changed\n");
    writeFileSync(odd, "changed\n");
    renameSync(at("Case.txt"), at("case.txt"));
    rmSync(at("dir"), { recursive: true });
    symlinkSync("real", at("dir"));
    rmSync(at("pkg"));
    repo.write("pkg/new.py", "new\n");
    repo.write("pkg/__pycache__/new.pyc", "compiled\n");
    const changed = treeOf(repo.root);
    const state = gitState(repo);

    const { code, json } = await run("restore", id, "--yes");
    expect(json.conflicts).toEqual([]);
    expect(code).toBe(0);
    const { "case.txt": strange, ...restored } = treeOf(repo.root);
    expect(restored).toEqual(captured);
    expect(strange).toBeDefined(); // it came since, from nobody known: left, and said so
    expect(json.left).toMatchObject([{ path: "case.txt" }]);
    expect(
      json.plan.acts.some((act: { paths_b64?: string[] }) =>
        act.paths_b64?.includes(NOT_TEXT.toString("base64")),
      ),
    ).toBe(true);
    expect(readFileSync(outside, "utf8")).toBe("not yours\n");
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeOf(repo.root)).toEqual(changed);
    expect(gitState(repo)).toEqual(state);
    expect((await run("redo", "--yes")).code).toBe(0);
    expect(treeOf(repo.root)).toEqual({ ...captured, "case.txt": strange });
  });

  it("never rest on a gap: a fifo, a socket, a file that is being written or is a second name of another is left or broken off whole (W4)", async () => {
    const { repo, run, place } = acted();
    const at = (name: string): string => join(repo.root, name);
    for (const name of ["fifo", "socket", "moving", "linked", "fine"]) repo.write(name, `${name}\n`);
    repo.commit();
    const id = (await run("capture")).json.capture as string;
    for (const name of ["fifo", "socket"]) rmSync(at(name));
    execFileSync("mkfifo", [at("fifo")]);
    const server = createServer().listen(at("socket"));
    onTestFinished(() => void server.close());
    repo.write("fine", "changed\n");
    repo.write("linked", "changed\n");
    linkSync(at("linked"), join(place.home, "second-name"));
    const script = `const fs=require("fs");let i=0;setInterval(()=>fs.writeFileSync(process.argv[1],"x".repeat(i++%50)),1)`;
    const writer = spawn(process.execPath, ["-e", script, at("moving")], { stdio: "ignore" });
    onTestFinished(() => void writer.kill("SIGKILL"));
    const { code, json } = await run("restore", id, "fine", "linked", "fifo", "socket", "moving", "--yes");
    expect(code).toBe(3);
    const refused = json.conflicts.map(({ path }: { path: string }) => path).sort();
    expect(refused).toEqual(expect.arrayContaining(["fifo", "socket"]));
    expect([lstatSync(at("fifo")).isFIFO(), lstatSync(at("socket")).isSocket()]).toEqual([true, true]);
    expect(repo.read("fine")).toBe("fine\n");
    // The other name of a file keeps its bytes whatever happens here.
    expect(readFileSync(join(place.home, "second-name"), "utf8")).toBe("changed\n");
  });

  it("work under autocrlf, skip-worktree and assume-unchanged, where a discard promises that git calls it unmodified", async () => {
    const { repo, run, session } = acted();
    repo.git("config", "core.autocrlf", "true");
    for (const name of ["crlf.txt", "skipped", "assumed"]) repo.write(name, `one\r\n${name}\r\n`);
    repo.commit();
    repo.git("update-index", "--skip-worktree", "skipped");
    repo.git("update-index", "--assume-unchanged", "assumed");
    const flags = repo.git("ls-files", "-v");
    await session("worker", { "crlf.txt": "one\n", skipped: "two\n", assumed: "three\n", "new.txt": "n\n" });
    const before = treeOf(repo.root);
    const { code, json } = await run("discard", "worker", "--all", "--yes");
    expect([code, json.conflicts]).toEqual([0, []]);
    expect(repo.git("status", "--porcelain")).toBe("");
    for (const name of ["crlf.txt", "skipped", "assumed"]) expect(repo.read(name)).toBe(`one\r\n${name}\r\n`);
    expect(repo.git("ls-files", "-v")).toBe(flags);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeOf(repo.root)).toEqual(before);
  });

  it("take out of the index what the session had staged, and undo stages it again; an index.lock of the user's refuses (S6)", async () => {
    const { repo, run, place } = acted();
    repo.write("tracked", "0\n");
    repo.commit();
    await place.withStore(async (store) => {
      const worker = await store.begin({ id: "worker", agent: "t", workspace: repo.root });
      const turn = await worker.turn("go");
      const call = await turn.call({ tool: "bash", input: { command: "edit and add" } });
      repo.write("tracked", "1\n");
      repo.write("added", "new\n");
      repo.git("add", "-A");
      await call.result("ok");
      await turn.end("completed");
      await worker.finish();
    });
    const [tree, state] = [treeOf(repo.root), gitState(repo)];
    writeFileSync(join(repo.root, ".git/index.lock"), "");
    const locked = await run("discard", "--all", "--yes");
    expect(locked).toMatchObject({ code: 75, json: { code: "E_INDEX_LOCKED" } });
    expect([treeOf(repo.root), existsSync(join(repo.root, ".git/index.lock"))]).toEqual([tree, true]);
    rmSync(join(repo.root, ".git/index.lock"));
    expect((await run("discard", "--all", "--yes")).code).toBe(0);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(repo.git("ls-files")).toBe("tracked");
    expect((await run("undo", "--yes")).code).toBe(0);
    expect([treeOf(repo.root), gitState(repo)]).toEqual([tree, state]);
  });

  it("leave a file nobody may read alone, as a user who is bound by modes, without a git identity", async () => {
    const { repo, place } = acted();
    repo.write("open", "0\n");
    repo.write("shut", "0\n");
    repo.commit();
    repo.write("open", "1\n");
    giveToBoundUser(repo.root, place.home);
    const env = { HOME: place.home, REFLOAT_HOME: place.home };
    const ran = (...args: string[]): { status: number | null; stdout: string } =>
      refloatAsBoundUser([...args, "--json"], { cwd: repo.root, env });
    const id = JSON.parse(ran("capture").stdout).capture as string;
    writeFileSync(join(repo.root, "open"), "2\n");
    writeFileSync(join(repo.root, "shut"), "2\n");
    chmodSync(join(repo.root, "shut"), 0o000);
    const { status, stdout } = ran("restore", id, "--yes");
    const json = JSON.parse(stdout);
    expect(json.left).toMatchObject([{ path: "shut" }]);
    expect(status).toBe(0);
    expect(repo.read("open")).toBe("1\n");
    expect(lstatSync(join(repo.root, "shut")).mode & 0o777).toBe(0);
    expect(ran("restore", id, "shut", "--yes").status).toBe(3);
  });
});

describe("commands that only read", () => {
  it("leave the whole .git folder and the tree as they were: capture, captures, diff, why, prove and every --dry-run (W1)", async () => {
    const { place, repo, run, session } = acted();
    repo.write("f", "0\n");
    repo.commit();
    await session("worker", { f: "1\n" });
    const id = (await run("captures")).json.captures[0].id as string;
    repo.write("f", "2\n");
    expect((await run("restore", id, "f", "--yes")).code).toBe(0);
    repo.write("f", "3\n");
    const before = [fingerprint(repo.root), treeOf(repo.root)];
    const copy = join(place.home, "copy");
    const commands = [
      ["capture"],
      ["captures"],
      ["diff"],
      ["why", "f"],
      ["prove"],
      ["restore", id, "--dry-run"],
      ["restore", id, "--to", copy, "--dry-run"],
      ["restore", id],
      ["discard", "--all", "--dry-run"],
      ["undo", "--dry-run"],
      ["redo", "--dry-run"],
      ["sessions"],
    ];
    for (const command of commands) {
      await run(...command);
      expect([fingerprint(repo.root), treeOf(repo.root)], command.join(" ")).toEqual(before);
    }
    expect(existsSync(copy)).toBe(false);
  });

  it("and acts, too, run nothing that a hostile repository brings", async () => {
    const { repo, run, session } = acted();
    const ran = join(temporaryFolder(), "ran");
    const program = join(temporaryFolder(), "evil");
    writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${ran}\ncat\n`, { mode: 0o755 });
    repo.write("f.x", "0\n");
    repo.write(".gitattributes", "*.x filter=evil diff=evil merge=evil\n");
    repo.commit();
    await session("worker", { "f.x": "1\n", "g.x": "1\n" });
    const included = join(repo.root, ".git/more");
    writeFileSync(included, `[core]\n\tfsmonitor = ${program}\n`);
    const hooks = join(repo.root, ".git/hooks");
    mkdirSync(hooks, { recursive: true });
    for (const hook of ["post-checkout", "pre-commit", "post-index-change", "reference-transaction"])
      symlinkSync(program, join(hooks, hook));
    writeFileSync(
      join(repo.root, ".git/config"),
      `${readFileSync(join(repo.root, ".git/config"), "utf8")}
[core]\n\tfsmonitor = ${program}\n\thooksPath = ${hooks}\n\talternateRefsCommand = ${program}\n\teditor = ${program}\n\tpager = ${program}
[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n\tprocess = ${program}\n\trequired = true
[diff]\n\texternal = ${program}\n[diff "evil"]\n\tcommand = ${program}\n\ttextconv = ${program}
[merge "evil"]\n\tdriver = ${program}\n[include]\n\tpath = more\n`,
    );
    expect((await run("discard", "worker", "--all", "--yes")).json.done).toBe(true);
    expect((await run("undo", "--yes")).json.done).toBe(true);
    expect((await run("redo", "--yes")).json.done).toBe(true);
    const id = (await run("captures")).json.captures[0].id as string;
    expect((await run("restore", id, ".", "--yes")).json.conflicts).toEqual([]);
    expect((await run("prove")).json.whole).toBe(true);
    expect(existsSync(ran)).toBe(false);
    expect(readlinkSync(join(hooks, "pre-commit"))).toBe(program);
  });
});
