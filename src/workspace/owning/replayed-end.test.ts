/** Which bytes the recorded edits of a session lead to, and which they do not (S3). */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type PathName, pathFromText } from "../../model/path-name.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { type HeadText, isReplayed } from "./replayed-end.ts";
import type { CallHearsay, TrackedCall } from "./track.ts";

const P = pathFromText("a.ts");
const HEAD = "one\ntwo\nthree\n";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const put = (old: string, text: string, more: Partial<KeptEdit> = {}): KeptEdit =>
  ({ kind: "replace", path: "a.ts", old, new: text, everywhere: false, ...more }) as KeptEdit;
const wrote = (after: string): KeptEdit => ({ kind: "write", path: "a.ts", after });
const added = (text: string): KeptEdit => ({ kind: "append", path: "a.ts", text });

let seq = 0;
function call(edits: readonly KeptEdit[], more: Partial<CallHearsay> & { isOpen?: true } = {}): TrackedCall {
  const { isOpen, ...heard } = more;
  seq += 2;
  return {
    ...{ id: `c${seq}`, tool: "edit", startedSeq: seq, endedSeq: isOpen ? null : seq + 1, settledSeq: null },
    ...{ paths: [P], mayWrite: true, operations: [] },
    heard: {
      mentions: () => false,
      writes: () => false,
      ...{ wrote: new Map(), found: new Map(), leftPlain: new Map(), isDone: !isOpen, commits: false },
      edits: edits.length === 0 ? new Map() : new Map<PathName, readonly KeptEdit[]>([[P, edits]]),
      ...heard,
    },
  };
}
const proven = (file: string, head: HeadText, ...calls: TrackedCall[]): boolean =>
  isReplayed({ path: P, hash: sha256(file) }, head, calls);

describe("a file that finished edits lead to, byte by byte", () => {
  it("is proven over several calls, from what HEAD has and from a file that was not there", () => {
    expect(proven("1\ntwo\n3\n", HEAD, call([put("one", "1")]), call([put("three", "3")]))).toBe(true);
    expect(proven("b\nc\n", null, call([wrote("a\n")]), call([put("a", "b")]), call([added("c\n")]))).toBe(
      true,
    );
    // What was there before a whole write does not matter.
    expect(proven("b\n", undefined, call([wrote("a\n")]), call([put("a", "b")]))).toBe(true);
  });

  it.each([
    ["half of it", "1\ntwo\n"],
    ["cut in a line", "1\ntwo\nth"],
    ["with another's line", "1\ntwo\nthree\nfour\n"],
    ["without the last line's end", "1\ntwo\n3"],
    ["as it was before the last edit", "1\ntwo\nthree\n"],
    ["with the last edit alone", "one\ntwo\n3\n"],
    ["as HEAD has it", HEAD],
  ])("is not where it is %s", (_how, file) => {
    expect(proven(file, HEAD, call([put("one", "1")]), call([put("three", "3")]))).toBe(false);
  });

  it("is not by a call that has no end, failed, or is known to have changed it and not how", () => {
    expect(proven("1\ntwo\nthree\n", HEAD, call([put("one", "1")], { isOpen: true }))).toBe(false);
    expect(proven("1\ntwo\nthree\n", HEAD, call([put("one", "1")], { isDone: false }))).toBe(false);
    const odd = call([{ kind: "unknown", path: "a.ts" }]);
    expect(proven("1\ntwo\nthree\n", HEAD, call([put("one", "1")]), odd)).toBe(false);
    expect(proven("1\ntwo\nthree\n", HEAD, odd, call([put("one", "1")]))).toBe(false);
    expect(proven(HEAD, HEAD)).toBe(false);
  });

  it("is not where the place of an edit is not one", () => {
    expect(proven("x\none\n", "one\none\n", call([put("one", "x")]))).toBe(false);
    expect(proven("x\nx\n", "one\none\n", call([put("one", "x", { everywhere: true })]))).toBe(true);
  });

  it("keeps CRLF where a file has no other ends, and proves nothing of one that is mixed, or lost them since", () => {
    const lost = call([put("two", "2", { areLineEndsLost: true })]);
    expect(proven("one\r\n2\r\n", "one\r\ntwo\r\n", lost)).toBe(true);
    expect(proven("one\n2\n", "one\r\ntwo\r\n", lost)).toBe(false);
    expect(proven("one\r\n2\n", "one\r\ntwo\n", lost)).toBe(false);
  });

  it("is what its last call says that it left; that is a better word than what it was told", () => {
    const edit = put("one", "1");
    const left = (text: string): Partial<CallHearsay> => ({ wrote: new Map([[P, sha256(text)]]) });
    expect(proven("1\ntwo\nthree\n", HEAD, call([edit], left("1\ntwo\nthree\n")))).toBe(true);
    expect(proven("1\ntwo\nthree\n", HEAD, call([edit], left("other\n")))).toBe(false);
  });

  it("is what a result says of it that loses the ends of lines, where HEAD has no others than LF", () => {
    const formatted = call([{ kind: "unknown", path: "a.ts" }]);
    const edit = call([put("x", "1")], { leftPlain: new Map([[P, sha256("formatted 1\n")]]) });
    expect(proven("formatted 1\n", HEAD, formatted, edit)).toBe(true);
    expect(proven("formatted 1\n", HEAD.replaceAll("\n", "\r\n"), formatted, edit)).toBe(false);
    expect(proven("formatted 1", HEAD, formatted, edit)).toBe(false);
  });

  it("may begin at what the session committed itself, and only there", () => {
    const [first, second] = [put("one", "1"), put("three", "3")];
    const committed = "1\ntwo\nthree\n";
    const commit = (): TrackedCall => call([], { commits: true });
    expect(proven("1\ntwo\n3\n", committed, call([first]), commit(), call([second]))).toBe(true);
    expect(proven("1\ntwo\n3\n", committed, call([first]), call([second]))).toBe(false);
    expect(proven("1\ntwo\n3\n", committed, call([first]), call([second]), commit())).toBe(false);
  });
});
