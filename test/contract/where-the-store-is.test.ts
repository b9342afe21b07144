/** DESIGN 5 and W1: a store inside the workspace is refused, and the refusal leaves nothing in the workspace. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stranger } from "./stranger.ts";

describe("a store that would lie inside the workspace", () => {
  it("is refused by every command that would make it, and none makes it, also behind a link (W1)", () => {
    const { repo, home, git, json, refloat } = stranger();
    symlinkSync(repo, join(home, "link"));
    const places = [
      { REFLOAT_HOME: join(repo, "inside") },
      { REFLOAT_HOME: "inside" },
      { REFLOAT_STORE: join(home, "link/new/store.db") },
    ];
    const commands = [
      ["capture"],
      ["op", "begin", "x"],
      ["decide", "k", "v"],
      ["settle", "--yes"],
      ["state", "init", "flow"],
      ["trust", "--yes"],
    ];
    for (const [at, env] of places.entries()) {
      for (const words of at === 0 ? commands : commands.slice(0, 1))
        expect([words, json(words, { env })]).toMatchObject([
          words,
          { code: 1, json: { code: "E_STORE_IN_WORKSPACE" } },
        ]);
      expect(refloat(["run", "--", "true"], { env }).code).toBe(125);
      expect(git("status", "--porcelain", "-uall")).toBe("");
    }
  });
});
