/** A call's edits through its record, and back. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { KEPT_EDIT_CHARS, KEPT_EDITS } from "../../model/limits.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { packEdits, unpackEdits } from "./kept-edits.ts";

const LONG = "a line that is long enough to be named by its place\n".repeat(3);
const P = "/w/a.ts";

describe("edits that are kept", () => {
  it("come back as they were, whatever they are", () => {
    const edits: KeptEdit[] = [
      { kind: "write", path: P, after: LONG },
      { kind: "append", path: P, text: "x\n" },
      {
        kind: "replace",
        path: P,
        old: LONG,
        new: "",
        everywhere: true,
        mayTakeEnd: true,
        areLineEndsLost: true,
      },
      { kind: "insert", path: P, afterLine: 3, text: "y" },
      {
        kind: "patch",
        path: P,
        hunks: [
          {
            below: ["class A"],
            lines: [
              { sign: "-", text: "a" },
              { sign: "+", text: "" },
            ],
            isAtEnd: true,
          },
        ],
      },
      { kind: "move", path: P, to: "/w/b.ts" },
      { kind: "delete", path: P },
      { kind: "unknown", path: P },
    ];
    const input = { content: LONG, edits: [{ old: `${LONG}2` }] };
    expect(unpackEdits(JSON.parse(JSON.stringify(packEdits(edits, input))), input)).toEqual(edits);
  });

  it("have no text twice: what the call's input has is named by its place", () => {
    const input = { path: P, edits: [{ oldText: "short", newText: LONG }] };
    const edits: KeptEdit[] = [{ kind: "replace", path: P, old: "short", new: LONG, everywhere: false }];
    const packed = packEdits(edits, input);
    expect(packed).toEqual([
      { kind: "replace", path: P, old: "short", text: { at: ["edits", 0, "newText"] } },
    ]);
    expect(unpackEdits(packed, input)).toEqual(edits);
  });

  it("are bounded: of what is too long or too much only is kept that something changed (T5)", () => {
    const huge: KeptEdit = { kind: "write", path: P, after: "x".repeat(KEPT_EDIT_CHARS) };
    expect(packEdits([huge], {})).toEqual([{ kind: "unknown", path: P }]);
    const many = Array.from({ length: KEPT_EDITS + 5 }, () => ({
      kind: "append" as const,
      path: P,
      text: "x",
    }));
    expect(packEdits(many, {})).toHaveLength(KEPT_EDITS + 1);
    expect(packEdits(many, {}).at(-1)).toEqual({ kind: "unknown", path: P });
  });

  it("that nobody understands are changes that cannot be repeated, and places that lead nowhere are none (T3)", () => {
    const at = (...place: (string | number)[]): JsonObject => ({
      kind: "write",
      path: P,
      text: { at: place },
    });
    for (const odd of [
      { kind: "rot13", path: P },
      at("content"),
      at("__proto__", "constructor"),
      at("a", "b", "c", "d"),
      { kind: "patch", path: P, hunks: [{ lines: ["*odd"] }] },
    ])
      expect(unpackEdits([odd], { a: 1 })).toEqual([{ kind: "unknown", path: P }]);
    expect(unpackEdits([{ kind: "write" }], {})).toEqual([]);
  });
});
