import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProgram } from "./find-program.ts";
import { outOfMemoryKills, parseKills } from "./out-of-memory.ts";

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
