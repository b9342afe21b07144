/** Folders that go whole and come back whole. */
import { expect, it } from "vitest";
import { acting, treeOf } from "../support/acting.ts";

it("a folder that an act removed with everything in it comes back with undo, and an act that makes one again is undone, too", async () => {
  const { repo, to, done, undo, file } = await acting();
  repo.write("kept", "0\n");
  repo.commit();
  repo.write("f/inside", "x\n");
  repo.write("f/deep/er", "y\n");
  const before = treeOf(repo.root);
  const gone = await done({
    act: "discard",
    puts: ["f", "f/inside", "f/deep", "f/deep/er"].map((path) => to(path, null)),
  });
  expect(Object.keys(treeOf(repo.root))).toEqual(["kept"]);
  expect(await undo(gone)).toMatchObject({ kind: "done", conflicts: [] });
  expect(treeOf(repo.root)).toEqual(before);
  const folder = { kind: "directory", mode: 0o750, size: 0, hash: null } as const;
  const made = await done({ puts: [to("new", folder), to("new/one", await file("1\n"))] });
  expect(treeOf(repo.root)).toMatchObject({ new: "folder 750" });
  expect(await undo(made)).toMatchObject({ kind: "done", conflicts: [] });
  expect(treeOf(repo.root)).toEqual(before);
});
