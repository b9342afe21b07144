import { expect, it } from "vitest";
import { pathFromBytes } from "../../model/path-name.ts";
import { typedName } from "./typed-name.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const typed = (...names: string[]): readonly Buffer[] => ["node", "refloat", ...names].map(bytes);

it("a name of bytes that are no text is what was typed; one that is text is not looked for, and one nobody typed stays", () => {
  const [odd, read] = [bytes("bad\xff.md"), bytes("bad\xff.md").toString("utf8")];
  expect(typedName(read, () => typed("bad\xff.md"))).toBe(pathFromBytes(odd));
  expect(typedName("plain.md", () => expect.unreachable())).toBe("plain.md");
  expect(typedName(read, () => typed("other"))).toBe(read);
});

it("two names that read the same are refused, never taken for each other", () => {
  const read = bytes("bad\xff.md").toString("utf8");
  expect(() => typedName(read, () => typed("bad\xff.md", "bad\xfe.md"))).toThrow("one at a time");
});
