import { expect, it } from "vitest";
import { namedPaths } from "./named-paths.ts";

it.each([
  [{ file_path: "/w/src/a.ts", content: "x" }, ["src/a.ts"]],
  [{ path: "b.ts" }, ["sub/b.ts"]],
  [{ filePath: "/w/c", notebook_path: "/w/d.ipynb" }, ["c", "d.ipynb"]],
  [{ edits: [{ path: "/w/e" }, { path: "/w/f" }] }, ["e", "f"]],
  [{ paths: ["/w/g", "/w/h/"] }, ["g", "h"]],
  [{ patch: "*** Begin Patch\n*** Update File: /w/i\n*** Move to: /w/j\n@@\n" }, ["i", "j"]],
  [{ diff: "--- a/k\n+++ b/k\n@@ -1 +1 @@\n" }, ["sub/k"]],
  [{ path: "/elsewhere/l" }, []],
  [{ path: "../../m" }, []],
  [{ path: "/w" }, []],
  [{ command: "cat src/a.ts > out.txt" }, []],
  ["src/a.ts", []],
  [null, []],
])("finds the paths that %j names, inside the workspace only, and no words of a command", (input, paths) => {
  expect(namedPaths("/w", "/w/sub", input as never)).toEqual(paths);
});
