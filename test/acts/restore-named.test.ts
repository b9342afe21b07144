/** `restore` and the paths it is given: one that nobody has is a mistake to be told, never a silent "done" (T1). */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acted } from "../support/acted.ts";
import { treeOf } from "../support/acting.ts";

describe("a path named to restore", () => {
  it("that neither capture, commit nor tree has ends in E_NO_PATH with a hint, and nothing is put back, of the others neither", async () => {
    const { place, repo, run, capture } = acted();
    repo.write("f", "1\n");
    repo.commit();
    repo.write("f", "2\n");
    const id = await capture();
    repo.write("f", "3\n");
    const before = treeOf(repo.root);
    for (const args of [["nofile"], ["f", "no/such/folder"], ["f/below"]]) {
      const { code, json } = await run("restore", id, ...args, "--yes");
      expect([code, json.code], args.join(" ")).toEqual([1, "E_NO_PATH"]);
      expect(json.hint).toContain("refloat diff");
    }
    expect(treeOf(repo.root)).toEqual(before);
    const copy = await run("restore", id, "nofile", "--to", join(place.home, "copy-of-nothing"));
    expect(copy).toMatchObject({ code: 1, json: { code: "E_NO_PATH" } });
  });

  it("that only one of them has is no mistake: what was deleted comes back, what came later or is unchanged ends well", async () => {
    const { place, repo, run, capture } = acted();
    repo.write("kept/clean", "1\n");
    repo.write("gone", "1\n");
    repo.commit();
    repo.write("held", "2\n");
    const id = await capture();
    rmSync(join(repo.root, "held"));
    rmSync(join(repo.root, "gone"));
    repo.write("later", "3\n");
    for (const path of ["held", "gone", "kept", "kept/clean", "later", "."])
      expect((await run("restore", id, path, "--yes")).code, path).toBe(0);
    expect([repo.read("held"), repo.read("gone")]).toEqual(["2\n", "1\n"]);
    const copy = await run("restore", id, "kept", "held", "--to", join(place.home, "copy-of-some"));
    expect(copy.code).toBe(0);
  });

  it("that is empty, a variable nobody set, is refused by every command that changes, and is never the whole tree (T1)", async () => {
    const { repo, run, capture } = acted();
    repo.write("f", "1\n");
    repo.commit();
    repo.write("f", "2\n");
    const id = await capture();
    repo.write("f", "3\n");
    const before = treeOf(repo.root);
    const orders = [
      ["restore", id, "", "--yes"],
      ["discard", "", "--yes"],
      ["park", "", "--yes"],
      ["guard", ""],
    ];
    for (const [command = "", ...args] of orders) {
      const { code, json } = await run(command, ...args);
      expect([code, json.code], command).toEqual([64, "E_USAGE"]);
      expect(json.message).toContain("empty");
    }
    expect(treeOf(repo.root)).toEqual(before);
  });
});
