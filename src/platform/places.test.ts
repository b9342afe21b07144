import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import { outOfMemoryKills, parseKills } from "./out-of-memory.ts";
import { configHome, findProgram, placeInside, storeHome } from "./places.ts";

test.each([
  [{ REFLOAT_HOME: "/r", XDG_STATE_HOME: "/x", HOME: "/h" }, "linux", "/r"],
  [{ REFLOAT_HOME: "", XDG_STATE_HOME: "/x", HOME: "/h" }, "linux", "/x/refloat"],
  [{ XDG_STATE_HOME: "relative", HOME: "/h" }, "linux", "/h/.local/state/refloat"],
  [{ XDG_STATE_HOME: "", HOME: "/h" }, "linux", "/h/.local/state/refloat"],
  [{ HOME: "/h" }, "darwin", "/h/Library/Application Support/refloat"],
  [{ XDG_STATE_HOME: "/x", HOME: "/h" }, "darwin", "/x/refloat"],
  [{}, "linux", `${homedir()}/.local/state/refloat`],
] as const)("with %j on %s the store lives in %s", (env, platform, home) => {
  expect(storeHome(env, platform)).toBe(home);
});

test("a relative REFLOAT_HOME becomes absolute, because children are started in other folders", () => {
  expect(storeHome({ REFLOAT_HOME: "here" })).toBe(resolve("here"));
});

test.each([
  [{ XDG_CONFIG_HOME: "/c", HOME: "/h" }, "/c/refloat"],
  [{ XDG_CONFIG_HOME: "c", HOME: "/h" }, "/h/.config/refloat"],
  [{ HOME: "/h" }, "/h/.config/refloat"],
])("with %j the user's configuration lives in %s", (env, home) => {
  expect(configHome(env)).toBe(home);
});

describe("the place of a path in a folder", () => {
  it.each([
    ["/w", "/w", ""],
    ["/w", "/w/a/b", "a/b"],
    ["/w", "/w/./a/../b", "b"],
    ["/", "/w", "w"],
    // A name, not a way out: what lies there is in the folder, and must not be taken for a stranger's.
    ["/w", "/w/..store/refloat.db", "..store/refloat.db"],
    ["/w", "/w/...", "..."],
  ])("is told for %s and %s", (folder, path, place) => {
    expect(placeInside(folder, path)).toBe(place);
  });

  it.each([
    ["/w", "/"],
    ["/w", "/v"],
    ["/w", "/w/../v"],
    ["/w", "/wide"],
    ["/w/a", "/w"],
  ])("is none where %s does not hold %s, though it may begin alike", (folder, path) => {
    expect(placeInside(folder, path)).toBeNull();
  });
});

const folder = mkdtempSync(join(tmpdir(), "refloat-find-"));
const put = (name: string, mode: number): string => {
  const path = join(folder, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
};

describe("finding a program", () => {
  const run = put("run-me", 0o755);
  const plain = put("plain", 0o644);
  mkdirSync(join(folder, "sub"));
  const env = { PATH: `/nonexistent:${folder}` };

  it("takes a path as it is and looks for a bare word in PATH only, never in the folder one stands in", () => {
    expect(findProgram("run-me", "/", env)).toEqual({ kind: "found", path: run });
    expect(findProgram("./run-me", folder, { PATH: "" })).toEqual({ kind: "found", path: run });
    expect(findProgram("run-me", folder, { PATH: "/nonexistent" })).toEqual({ kind: "not-found" });
    expect(findProgram("sh", "/", {}).kind).toBe("found");
  });

  it("tells what is not there from what may not be executed", () => {
    expect(findProgram("nothing-of-that-name", "/", env)).toEqual({ kind: "not-found" });
    expect(findProgram(`${plain}/x`, "/", env)).toEqual({ kind: "not-found" });
    expect(findProgram("", "/", env)).toEqual({ kind: "not-found" });
    expect(findProgram("plain", "/", env)).toMatchObject({ kind: "not-executable", path: plain });
    expect(findProgram("./sub", folder, env)).toMatchObject({ kind: "not-executable" });
    expect(findProgram("sub", "/", env)).toEqual({ kind: "not-found" });
  });
});

describe("the kernel's count of kills for memory", () => {
  it("is read where there is one, and nothing is made up where there is none", () => {
    expect(parseKills("low 0\noom 1\noom_kill 3\noom_group_kill 0\n")).toBe(3);
    expect(parseKills("low 0\n")).toBeNull();
    expect([true, false]).toContain(outOfMemoryKills() === null);
  });
});
