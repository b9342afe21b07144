/** What a result tells of whole files, and what it does not. */
import { describe, expect, it } from "vitest";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import { foundBy, leftBy, sha256, wroteBy } from "./heard-edits.ts";

const P = "/w/a.ts";
const replace = (old: string, put: string, more: Partial<RecordedEdit> & { before?: string | null } = {}) =>
  ({ kind: "replace", path: P, old, new: put, everywhere: false, ...more }) as RecordedEdit;
const write = (after: string): RecordedEdit => ({ kind: "write", path: P, after });
const wrote = (...edits: RecordedEdit[]): unknown => {
  const [file, ...more] = wroteBy(edits);
  return more.length > 0 ? wroteBy(edits) : (file?.hash ?? null);
};

describe("what edits left", () => {
  it("is a whole write, and what one edit after the other makes of it", () => {
    expect(wrote(write("a\nb\n"))).toBe(sha256("a\nb\n"));
    expect(wrote(write("a\nb\n"), replace("b", "c"), replace("a\n", ""))).toBe(sha256("c\n"));
    expect(wrote(write("x x\n"), replace("x", "$&", { everywhere: true }))).toBe(sha256("$& $&\n"));
  });

  it("is what replaces something in a text that the result tells whole", () => {
    expect(wrote(replace("1", "2", { before: "a = 1\n" }))).toBe(sha256("a = 2\n"));
    expect(wrote(replace("", "new\n", { before: null }))).toBe(sha256("new\n"));
    expect(wrote(replace("", "new\n", { before: "there is something\n" }))).toBeNull();
  });

  it("is not known of a text of which not every byte is: lost ends of lines never count", () => {
    expect(wrote(replace("1", "2"))).toBeNull();
    expect(wrote(replace("1", "2", { before: "a = 1\n", areLineEndsLost: true }))).toBeNull();
    expect(wrote(write("a\r\nb\n"), replace("b", "c", { areLineEndsLost: true }))).toBeNull();
    expect(wrote(write("\uFEFFa\nb\n"), replace("b", "c", { areLineEndsLost: true }))).toBeNull();
    // Whoever loses them gives a file that has only CRLF its own again.
    expect(wrote(write("a\r\nb\r\n"), replace("b", "c", { areLineEndsLost: true }))).toBe(
      sha256("a\r\nc\r\n"),
    );
    // Of a text without any but LF nothing is lost.
    expect(wrote(write("a\nb\n"), replace("b", "c", { areLineEndsLost: true }))).toBe(sha256("a\nc\n"));
  });

  it("is not known where the place is not told for certain", () => {
    expect(wrote(write("x x\n"), replace("x", "y"))).toBeNull();
    expect(wrote(write("x\n"), replace("z", "y"))).toBeNull();
    expect(wrote(write("x\n"), replace("z", "y"), replace("x", "w"))).toBeNull();
  });

  it("is a patch's, laid where its lines stand", () => {
    const line = (sign: " " | "-" | "+", text: string) => ({ sign, text });
    const patch = (...hunks: { below: string[]; lines: ReturnType<typeof line>[]; isAtEnd?: boolean }[]) =>
      ({ kind: "patch", path: P, hunks }) as RecordedEdit;
    const text = "f() {\n  1\n}\ng() {\n  1\n}\n";
    const lines = [line("-", "  1"), line("+", "  2")];
    expect(wrote(write(text), patch({ below: ["g() {"], lines }))).toBe(
      sha256("f() {\n  1\n}\ng() {\n  2\n}\n"),
    );
    expect(wrote(write(text), patch({ below: [], lines: [line("+", "end")] }))).toBe(sha256(`${text}end\n`));
    expect(wrote(write(text), patch({ below: ["h() {"], lines }))).toBeNull();
    expect(wrote(write("a\nb\na\n"), patch({ below: [], lines: [line("-", "a")], isAtEnd: true }))).toBe(
      sha256("a\nb\n"),
    );
  });

  it("goes with a file that is moved, and ends with one that is deleted", () => {
    const move: RecordedEdit = { kind: "move", path: P, to: "/w/b.ts" };
    expect(wroteBy([write("a\n"), move])).toEqual([{ path: "/w/b.ts", hash: sha256("a\n") }]);
    expect(wroteBy([write("a\n"), { kind: "delete", path: P }])).toEqual([]);
  });

  it("is never what was only read", () => {
    expect(wroteBy([{ kind: "read", path: P, text: "a\n", isWhole: true, fromLine: 1 }])).toEqual([]);
  });
});

describe("what a result says that edits left", () => {
  it("is told but for the ends of lines where its source loses those, and then says so", () => {
    const lost = replace("1", "2", { before: "a = 1\n", areLineEndsLost: true });
    expect(leftBy([lost])).toEqual([{ path: P, hash: sha256("a = 2\n"), ends_lost: true }]);
    expect(leftBy([write("a\n")])).toEqual([{ path: P, hash: sha256("a\n") }]);
    expect(leftBy([replace("1", "2", { areLineEndsLost: true })])).toEqual([]);
  });
});

describe("what edits found", () => {
  it("is what the first of them says was there, also that nothing was", () => {
    expect(foundBy([replace("a", "b", { before: "a\n" }), replace("b", "c", { before: "b\n" })])).toEqual([
      { path: P, hash: sha256("a\n") },
    ]);
    expect(foundBy([{ kind: "write", path: P, after: "a\n", before: null }])).toEqual([
      { path: P, hash: null },
    ]);
    expect(foundBy([write("a\n")])).toEqual([]);
  });

  it("says where the ends of its lines are lost", () => {
    expect(foundBy([replace("a", "b", { before: "a\n", areLineEndsLost: true })])).toEqual([
      { path: P, hash: sha256("a\n"), ends_lost: true },
    ]);
  });
});
