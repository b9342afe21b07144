/** The primitive on the tree: each kind of path there and back, and what must not happen. */
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plansOf } from "../../src/acts/plans/plans.ts";
import { planDraft } from "../../src/acts/primitive/apply-draft.ts";
import { type PathName, pathFromBytes } from "../../src/model/path-name.ts";
import { acting, FOLDER, gitState, slotsIn, treeOf } from "../support/acting.ts";
import { testRepository } from "../support/git-repository.ts";

describe("an act on the tree", () => {
  it("S5: replaces, creates, deletes and re-modes files and links, and undo brings every kind, byte and permission bit back", async () => {
    const a = await acting();
    const { repo } = a;
    repo.write("same.txt", "one\n");
    repo.write("deep/er/gone.txt", "goes\n");
    repo.write("secret", "mine\n", 0o600);
    chmodSync(join(repo.root, "secret"), 0o600);
    repo.write("tool", "#!/bin/sh\n");
    chmodSync(join(repo.root, "tool"), 0o755);
    symlinkSync("same.txt", join(repo.root, "link"));
    repo.write("plain", "plain\n");
    repo.commit();
    const before = treeOf(repo.root);
    const git = gitState(repo);
    const plan = await a.done({
      puts: [
        a.to("same.txt", await a.file("two\n")),
        a.to("deep/er/gone.txt", null),
        a.to("secret", await a.file("other\n", 0o640)),
        a.to("tool", await a.file("#!/bin/sh\n", 0o644)),
        a.to("link", await a.link("../elsewhere")),
        a.to("plain", await a.link("/etc/passwd")),
        a.to("new/folder/file", await a.file("new\n", 0o400)),
      ],
    });
    expect(treeOf(repo.root)).toMatchObject({ "new/folder/file": expect.stringContaining("file 400") });
    expect(lstatSync(join(repo.root, "plain")).isSymbolicLink()).toBe(true);
    expect(Object.keys(treeOf(repo.root))).not.toContain("deep");
    expect(slotsIn(repo.root)).toEqual([]);
    expect(gitState(repo)).toEqual(git);
    expect(await a.undo(plan)).toMatchObject({ kind: "done", conflicts: [] });
    expect(treeOf(repo.root)).toEqual(before);
    const acts: string[] = [];
    for await (const one of plansOf(a.raw, a.here)) acts.push(`${one.act} ${one.state}`);
    expect(acts).toEqual(["undo done", "restore done"]);
  });

  it("DESIGN 15: leaves a group with one changed path whole and untouched, says what it found, and goes on with the others", async () => {
    const a = await acting();
    for (const name of ["a", "b", "c", "d"]) a.repo.write(name, `${name}\n`);
    const puts = [
      a.to("a", await a.file("A\n"), "one"),
      a.to("b", await a.file("B\n"), "one"),
      a.to("c", await a.file("C\n"), "two"),
      a.to("d", null, "two"),
    ];
    a.repo.write("b", "edited since\n");
    const outcome = await a.apply({ puts });
    expect(outcome).toMatchObject({
      kind: "done",
      paths: [{ path: "c" }, { path: "d" }],
      untouched: ["one"],
      conflicts: [{ path: "b", group: "one", expected: puts[1]?.expect, found: { size: 13 }, why: null }],
    });
    expect([a.repo.read("a"), a.repo.read("b"), a.repo.read("c"), a.now("d")]).toEqual([
      "a\n",
      "edited since\n",
      "C\n",
      null,
    ]);
  });

  it("changes nothing in a dry run, not even the store, and says what it would do", async () => {
    const a = await acting();
    a.repo.write("a", "a\n");
    const before = treeOf(a.repo.root);
    const outcome = await planDraft(a.raw, a.here, {
      act: "restore",
      session: a.session,
      puts: [a.to("a", null), a.to("b", null)],
    });
    expect(outcome).toEqual({
      kind: "planned",
      paths: [{ path: "a", group: "g" }],
      already: ["b"],
      conflicts: [],
      untouched: [],
    });
    expect(treeOf(a.repo.root)).toEqual(before);
    expect((await a.raw.sessions()).map(({ id }) => id)).toEqual([a.session]);
  });

  it("makes no plan when nothing can be done or nothing differs", async () => {
    const a = await acting();
    a.repo.write("a", "a\n");
    expect(await a.apply({ puts: [a.to("a", a.now("a"))] })).toMatchObject({
      kind: "untouched",
      already: ["a"],
    });
    const late = [a.to("a", null)];
    a.repo.write("a", "changed\n");
    expect(await a.apply({ puts: late })).toMatchObject({ kind: "untouched", untouched: ["g"] });
    expect(a.repo.read("a")).toBe("changed\n");
  });

  it("W6: puts a link in the place of a folder, with the ignored files in it captured, and undo brings them back", async () => {
    const a = await acting();
    const { repo } = a;
    repo.write("real/m.py", "m\n");
    repo.write(".gitignore", "__pycache__/\n*.log\n");
    symlinkSync("real", join(repo.root, "pkg"));
    repo.commit();
    rmSync(join(repo.root, "pkg"));
    repo.write("pkg/m.py", "session\n");
    repo.write("pkg/__pycache__/m.pyc", Buffer.from([0, 1, 2]));
    repo.write("pkg/x.log", "log\n");
    const before = treeOf(repo.root);
    const plan = await a.done({ puts: [a.to("pkg", await a.link("real")), a.to("pkg/m.py", null)] });
    expect(readFileSync(join(repo.root, "pkg/m.py"), "utf8")).toBe("m\n");
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(await a.undo(plan)).toMatchObject({ kind: "done", conflicts: [] });
    expect(treeOf(repo.root)).toEqual(before);
  });

  it("W6: leaves a folder alone that holds a file nobody named, or another repository", async () => {
    const a = await acting();
    a.repo.write("pkg/m.py", "session\n");
    a.repo.write("pkg/mine.txt", "the user's\n");
    testRepository(join(a.repo.root, "nested")).write("f", "f\n");
    const before = treeOf(a.repo.root);
    const outcome = await a.apply({
      puts: [
        a.to("pkg", await a.link("real"), "one"),
        a.to("pkg/m.py", null, "one"),
        a.to("nested", await a.link("real"), "two"),
      ],
    });
    expect(outcome).toMatchObject({
      kind: "untouched",
      conflicts: [
        { path: "pkg", why: "pkg/mine.txt lies in it and is not part of this" },
        { path: "nested", why: "another repository lies in it" },
      ],
    });
    expect(treeOf(a.repo.root)).toEqual(before);
  });

  it("takes two groups of which one lies below the other as one: neither is done alone", async () => {
    const a = await acting();
    a.repo.write("d/x", "x\n");
    a.repo.write("d/y", "y\n");
    const puts = [
      a.to("d", await a.file("now a file\n"), "one"),
      a.to("d/x", null, "two"),
      a.to("d/y", null, "two"),
    ];
    a.repo.write("d/y", "changed\n");
    expect(await a.apply({ puts })).toMatchObject({ kind: "untouched", untouched: ["one", "two"] });
    a.repo.write("d/y", "y\n");
    const before = treeOf(a.repo.root);
    const plan = await a.done({ puts });
    expect(a.repo.read("d")).toBe("now a file\n");
    await a.undo(plan);
    expect(treeOf(a.repo.root)).toEqual(before);
  });

  it("handles names with newlines, quotes, bytes that are no text, and 255 bytes", async () => {
    const a = await acting();
    const names = ['new\nline "quoted" \\', "x".repeat(255), pathFromBytes(Buffer.from([0x66, 0xff, 0xfe]))];
    const at = (name: string): Buffer =>
      Buffer.concat([
        Buffer.from(`${a.repo.root}/`),
        Buffer.from(
          [...name].map((c) => c.codePointAt(0) ?? 0).map((c) => (c >= 0xdc80 ? c - 0xdc80 + 0x80 : c)),
        ),
      ]);
    for (const name of names) writeFileSync(at(name), "before\n");
    const before = treeOf(a.repo.root);
    const plan = await a.done({
      puts: await Promise.all(names.map(async (name) => a.to(name, await a.file("after\n")))),
    });
    for (const name of names) expect(readFileSync(at(name), "utf8")).toBe("after\n");
    await a.undo(plan);
    expect(treeOf(a.repo.root)).toEqual(before);
  });

  it("leaves the other names of a hard-linked file as they are", async () => {
    const a = await acting();
    a.repo.write("one", "shared\n");
    linkSync(join(a.repo.root, "one"), join(a.repo.root, "two"));
    const plan = await a.done({ puts: [a.to("one", await a.file("mine\n"))] });
    expect([a.repo.read("one"), a.repo.read("two")]).toEqual(["mine\n", "shared\n"]);
    await a.undo(plan);
    expect([a.repo.read("one"), a.repo.read("two")]).toEqual(["shared\n", "shared\n"]);
  });

  it("W3: refuses git's own folder, and a path below a link leads nowhere", async () => {
    const a = await acting();
    mkdirSync(join(a.repo.root, "outside"));
    symlinkSync("outside", join(a.repo.root, "way"));
    await expect(a.apply({ puts: [a.to(".git/config", null)] })).rejects.toMatchObject({
      code: "E_NOT_IN_WORKSPACE",
    });
    const put = { path: "way/f" as PathName, group: "g", expect: null, put: await a.file("f\n") };
    expect(await a.apply({ puts: [put] })).toMatchObject({ kind: "done", paths: [], untouched: ["g"] });
    expect(treeOf(a.repo.root)).toEqual({ outside: expect.any(String), way: "link outside" });
  });

  it("refuses a draft whose bytes the store does not hold, before anything is changed", async () => {
    const a = await acting();
    a.repo.write("a", "a\n");
    const put = { ...FOLDER, kind: "file" as const, hash: "0".repeat(64) as never, size: 1 };
    expect(await a.apply({ puts: [a.to("a", put)] })).toMatchObject({
      kind: "refused",
      error: { code: "E_NO_CONTENT" },
    });
    expect(a.repo.read("a")).toBe("a\n");
  });
});
