import { describe, expect, it } from "vitest";
import { placeInside } from "./place-inside.ts";

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
