import { expect, it } from "vitest";
import type { PathName } from "../../model/path-name.ts";
import { mentions, namedPaths, writesTo } from "./named-paths.ts";

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

it.each([
  ["cat a.txt", false],
  ["git diff a.txt; npm test", false],
  ["grep -n x ./a.txt | head", false],
  ["cat < a.txt > b.txt", false],
  ["echo begin >> a.txt; sleep 8; echo end >> a.txt", true],
  ["printf '%s' x > ./a.txt", true],
  ['echo x >"a.txt"', true],
  ["npm test 2> a.txt", true],
  ["echo x | tee -a a.txt", true],
  ["sed -i s/a/b/ a.txt", true],
  ["sed s/a/b/ a.txt", false],
  ["touch b.txt && mv b.txt /w/a.txt", true],
  ["rm -f a.txt", true],
])("W5: %j mentions a.txt, and says that it writes it: %s", (command, isWritten) => {
  const path = "a.txt" as PathName;
  expect(mentions(command, path)).toBe(true);
  expect(writesTo(command, path)).toBe(isWritten);
});
