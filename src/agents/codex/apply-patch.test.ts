/** Codex's patches as its own parser takes them: what it would refuse did nothing, and is reported as nothing. */
import { describe, expect, it } from "vitest";
import { editsOfChanges, editsOfCommand, editsOfPatch } from "./apply-patch.ts";

const patch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

describe("a patch of Codex's", () => {
  it("adds, changes, moves and deletes, file by file, below the folder of the call", () => {
    const text = patch(
      ...["*** Add File: a/new.ts", "+one", "+", "*** Update File: b.ts", "*** Move to: c.ts"],
      ...[
        "@@ class X",
        " kept",
        "-old",
        "+new",
        "",
        "@@",
        "+last",
        "*** End of File",
        "*** Delete File: d.ts",
      ],
    );
    expect(editsOfPatch(text, "/r")).toEqual([
      { kind: "write", path: "/r/a/new.ts", after: "one\n\n" },
      {
        kind: "patch",
        path: "/r/b.ts",
        hunks: [
          {
            below: ["class X"],
            lines: [
              { sign: " ", text: "kept" },
              { sign: "-", text: "old" },
              { sign: "+", text: "new" },
              { sign: " ", text: "" },
            ],
          },
          { below: [], lines: [{ sign: "+", text: "last" }], isAtEnd: true },
        ],
      },
      { kind: "move", path: "/r/b.ts", to: "/r/c.ts" },
      { kind: "delete", path: "/r/d.ts" },
    ]);
  });

  it("T2: is nothing at all when one line of it would be refused: Codex then does nothing either", () => {
    for (const lines of [
      ["*** Add File: a", "one"],
      ["*** Update File: a"],
      ["*** Update File: a", "@@"],
      ["*** Update File: a", "@@", "@@", "+x"],
      ["*** Delete File: a", "+x"],
      ["*** Update File: a", "+x", "*** End of File", "+y"],
      ["hello"],
    ])
      expect(editsOfPatch(patch(...lines), null)).toEqual([]);
    expect(editsOfPatch("*** Begin Patch\n*** Delete File: a", null)).toEqual([]);
    expect(editsOfPatch("", null)).toEqual([]);
  });

  it("is found in a shell's heredoc only where it is all the command does", () => {
    const inner = patch("*** Delete File: a");
    const deleted = (path: string): unknown => [{ kind: "delete", path }];
    expect(editsOfCommand(`apply_patch <<'EOF'\n${inner}\nEOF\n`, "/r")).toEqual(deleted("/r/a"));
    expect(editsOfCommand(`cd sub && apply_patch <<EOF\n${inner}\nEOF`, "/r")).toEqual(deleted("/r/sub/a"));
    expect(editsOfCommand(`cd '/x y' && applypatch <<'P'\n${inner}\nP`, "/r")).toEqual(deleted("/x y/a"));
    expect(editsOfCommand(`echo hi; apply_patch <<'EOF'\n${inner}\nEOF`, "/r")).toEqual([]);
    expect(editsOfCommand(`cd $HOME && apply_patch <<'EOF'\n${inner}\nEOF`, "/r")).toEqual([]);
    expect(editsOfCommand("cat a", "/r")).toEqual([]);
  });
});

describe("what Codex recorded of a patch it applied", () => {
  it("has whole texts of what was written and deleted, and says nothing of a file without its last line feed", () => {
    expect(
      editsOfChanges({
        "/r/a": { type: "add", content: "one\n" },
        "/r/b": { type: "delete", content: "two\n" },
        "/r/c": { type: "update", unified_diff: "@@ -1,2 +1,2 @@\n one\n-two\n+three\n", move_path: "/r/d" },
        "/r/e": { type: "update", unified_diff: "@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n" },
        "/r/f": "odd",
      }),
    ).toEqual([
      { kind: "write", path: "/r/a", after: "one\n" },
      { kind: "delete", path: "/r/b", before: "two\n" },
      {
        kind: "patch",
        path: "/r/c",
        hunks: [
          {
            below: [],
            lines: [
              { sign: " ", text: "one" },
              { sign: "-", text: "two" },
              { sign: "+", text: "three" },
            ],
          },
        ],
      },
      { kind: "move", path: "/r/c", to: "/r/d" },
    ]);
  });
});
