import { describe, expect, it } from "vitest";
import type { PathName } from "../../model/path-name.ts";
import type { Dependencies } from "../../salvage/check/dependencies.ts";
import { dependenciesJson, dependencyLines } from "./dependency-lines.ts";

const NONE: Dependencies = { how: "none", way: null, given: [], withheld: [] };
const folder = (path: string): Dependencies["given"][number] => ({
  path: path as PathName,
  real: `/w/${path}`,
  outside: [],
});

describe("what a check was given (V3)", () => {
  it("says nothing where a workspace has no dependencies", () => {
    expect(dependencyLines(NONE)).toEqual([]);
    expect(dependenciesJson(NONE)).toEqual({ how: "none", given: [], withheld: [] });
  });

  it("says how they were given, and plainly when the check can write into them", () => {
    const given = ["a", "b", "c", "d", "e"].map((name) => folder(`${name}/node_modules`));
    expect(dependencyLines({ ...NONE, how: "read-only", way: "below", given })).toEqual([
      "  dependencies, read-only",
      "    a/node_modules, b/node_modules, c/node_modules and 2 more",
    ]);
    expect(dependencyLines({ ...NONE, how: "linked", given: given.slice(0, 1) })).toEqual([
      "  dependencies, linked: the check could write into them",
      "    a/node_modules",
    ]);
  });

  it("names what was not given with one reason for all of it, the way to link, and no byte that acts on a terminal (T3)", () => {
    const withheld = ["node_modules", "\u001b[2Jx/node_modules"].map((path) => ({
      path: path as PathName,
      why: "unshare failed: Operation not permitted",
    }));
    const lines = dependencyLines({ ...NONE, withheld });
    expect(lines).toHaveLength(4);
    expect(lines.join("\n")).toContain("not node_modules, ");
    expect(lines.join("\n")).not.toContain("\u001b");
    expect(lines.at(-1)).toContain("--link-deps");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});
