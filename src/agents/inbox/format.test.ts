import { describe, expect, it } from "vitest";
import { type InboxEvent, idOfInboxName, parseInboxFile, printInboxFile } from "./format.ts";

const event = (more: Partial<InboxEvent> = {}): InboxEvent => ({
  agent: "claude",
  event: "PreToolUse",
  atMs: null,
  uptime: 123_456,
  cwd: "/home/me/work",
  mark: null,
  boot: "b",
  pidNamespace: null,
  ancestors: [{ pid: 12, start: 34, comm: "claude" }],
  before: null,
  held: null,
  cutAt: null,
  others: [],
  body: Buffer.from('{"a":1}'),
  ...more,
});

const roundTrip = (one: InboxEvent): InboxEvent => {
  const parsed = parseInboxFile(printInboxFile(one));
  if (parsed.kind !== "event") {
    throw new Error(parsed.kind);
  }
  return { ...parsed.event, body: Buffer.from(parsed.event.body) };
};

describe("a file of the inbox", () => {
  it("says again what was written, whatever a folder or a program is called", () => {
    for (const one of [
      event(),
      event({ cwd: "/a\nend refloat-hook\nagent evil", mark: "s.1.r", body: Buffer.alloc(0) }),
      event({ cwd: "/a\\nb\\\\\n", ancestors: [{ pid: 1, start: 0, comm: "a) b\n(c \\" }] }),
      event({ before: { kind: "held", capture: "c1" }, pidNamespace: "pid:[4026531836]", atMs: 5 }),
      event({ before: { kind: "none", reason: "took too long" }, cutAt: 7, others: [["later", "x y"]] }),
      event({ body: Buffer.from("\nbody\n\nend refloat-hook\nrefloat-hook 1\n") }),
      event({ body: Buffer.from([0, 255, 10, 0]) }),
    ]) {
      expect(roundTrip(one)).toEqual(one);
    }
  });

  it("is torn wherever it was cut off, even inside a body that holds the closing line (DESIGN 5)", () => {
    const whole = printInboxFile(event({ body: Buffer.from('{"text":"x\nend refloat-hook"}') }));
    for (let at = 0; at < whole.length; at += 1) {
      expect(parseInboxFile(whole.subarray(0, at)).kind, `cut at ${at}`).toBe("torn");
    }
  });

  it("of another form is kept apart, never guessed at (D5)", () => {
    const text = (lines: string): string => parseInboxFile(Buffer.from(lines)).kind;
    expect(text("refloat-hook 2\nagent a\nevent b\nbody\n{}\nend refloat-hook\n")).toBe("unknown");
    expect(text("refloat-hook 1\nagent a\nbody\n{}\nend refloat-hook\n")).toBe("unknown");
    expect(text("refloat-hook 1\nagent a\nevent b\nend refloat-hook\n")).toBe("unknown");
    expect(text("\nend refloat-hook\n")).toBe("unknown");
    expect(text(`refloat-hook 1\n${"x\n".repeat(1000)}body\n\nend refloat-hook\n`)).toBe("unknown");
  });

  it("with a number that nothing can have does not say it, and is an event all the same (D6)", () => {
    const told = roundTrip(event({ atMs: 8_640_000_000_000_001, cutAt: 2 ** 53 }));
    expect(told).toMatchObject({ atMs: null, cutAt: null });
    expect(roundTrip(event({ atMs: 8_640_000_000_000_000 })).atMs).toBe(8_640_000_000_000_000);
  });

  it("is called by its record's id, and no other name is one of ours", () => {
    expect(idOfInboxName("000001-abc-def.hook")).toBe("000001-abc-def");
    for (const name of [
      ".hook",
      "../x.hook",
      "a b c d e.hook",
      "short.hook",
      "000001-abc-def.tmp",
      `${"a".repeat(200)}.hook`,
    ]) {
      expect(idOfInboxName(name)).toBeNull();
    }
  });
});
