import { describe, expect, it } from "vitest";
import type { ContentHash } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import { type Change, changeKindOf, compareStates, pairRenames, type StateAt } from "./states.ts";

const hash = (text: string): ContentHash => text.padEnd(64, "0") as ContentHash;
const file = (text: string, mode = 0o644): PathState => ({
  kind: "file",
  mode,
  size: text.length,
  hash: hash(text),
});
const link = (target: string): PathState => ({
  kind: "symlink",
  mode: 0o777,
  size: 1,
  hash: hash(target),
  target,
});
const DIRECTORY: PathState = { kind: "directory", mode: 0o755, size: 0, hash: null };

const side =
  (states: Record<string, PathState>, isReconstructed = false): StateAt =>
  (path) => ({ kind: "known", state: states[path] ?? null, isReconstructed });

const brief = ({ path, kind, members }: Change): unknown =>
  members.length === 0 ? [path, kind] : [path, kind, members.map(brief)];

function changes(from: Record<string, PathState>, to: Record<string, PathState>): Change[] {
  const paths = [...Object.keys(from), ...Object.keys(to)] as PathName[];
  return [...compareStates(paths, side(from), side(to)).changes];
}

describe("the kind of a change", () => {
  it.each([
    ["nothing to something", null, file("a"), "added"],
    ["something to nothing", file("a"), null, "deleted"],
    ["other bytes", file("a"), file("b"), "modified"],
    ["another link target", link("a"), link("b"), "modified"],
    ["other permission bits only", file("a"), file("a", 0o600), "mode"],
    ["file to link", file("a"), link("a"), "type"],
    ["the same", file("a"), file("a"), null],
    ["nothing and nothing", null, null, null],
  ])("%s", (_what, from, to, kind) => {
    expect(changeKindOf(from as PathState, to as PathState, { isRough: false })).toBe(kind);
  });

  it("against a state made from HEAD only the exec bit of a mode counts, because git knows no other", () => {
    expect(changeKindOf(file("a"), file("a", 0o600), { isRough: true })).toBeNull();
    expect(changeKindOf(file("a"), file("a", 0o755), { isRough: true })).toBe("mode");
  });
});

describe("comparing", () => {
  it("shows a symlink that became a directory as one change of kind type, at the link, never as a deletion", () => {
    const found = changes(
      { pkg: link("real"), "pkg-b": file("x") },
      { pkg: DIRECTORY, "pkg/m.py": file("1"), "pkg/n/o.py": file("2"), "pkg-b": file("y") },
    );
    expect(found.map(brief)).toEqual([
      [
        "pkg",
        "type",
        [
          ["pkg/m.py", "added"],
          ["pkg/n/o.py", "added"],
        ],
      ],
      ["pkg-b", "modified"],
    ]);
  });

  it("shows a directory that became a symlink as one change, also where git names only the files that were in it", () => {
    const found = changes({ "d/a": file("1"), "d/b": file("2") }, { d: link("elsewhere") });
    expect(found.map(brief)).toEqual([
      [
        "d",
        "type",
        [
          ["d/a", "deleted"],
          ["d/b", "deleted"],
        ],
      ],
    ]);
    expect(found[0]).toMatchObject({ from: { kind: "directory" }, to: { kind: "symlink" } });
  });

  it("says nothing about a path that one side does not hold", () => {
    const gap: StateAt = () => ({ kind: "unknown", why: "it was moving" });
    const { changes: none, unknown } = compareStates(["f" as PathName], gap, side({ f: file("a") }));
    expect(none).toEqual([]);
    expect(unknown).toEqual([{ path: "f", why: "it was moving" }]);
  });

  it("pairs an exact rename, and none where two files could be meant", () => {
    const moved = pairRenames(changes({ a: file("x"), b: file("y") }, { c: file("x"), b: file("z") }));
    expect(moved.map(({ path, kind, fromPath }) => [path, kind, fromPath])).toEqual([
      ["b", "modified", undefined],
      ["c", "renamed", "a"],
    ]);
    const twice = pairRenames(changes({ a: file("x") }, { c: file("x"), d: file("x") }));
    expect(twice.map(({ kind }) => kind)).toEqual(["deleted", "added", "added"]);
  });
});
