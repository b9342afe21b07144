import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { analyseFile } from "./analyse-file.ts";
import { heldOnce } from "./member.ts";
import { createParsers } from "./parse/parsers.ts";

const parsers = createParsers();
const factsOf = (text: string, path = "a.js") => analyseFile(path, Buffer.from(text), parsers);

const BEFORE =
  'import { b } from "./b.js";\nexport function one(x) {\n  return b(x);\n}\nexport const two = 2;\n';

describe("facts of both sides of a file", () => {
  it("are the same as before, and what is equal in them is one thing", async () => {
    const before = await factsOf(BEFORE);
    const after = await factsOf(BEFORE.replace("b(x)", "b(x + 1)"));
    const held = heldOnce(before, after);
    expect(isDeepStrictEqual(held, after)).toBe(true);
    expect(held.source?.statements).toBe(before.source?.statements);
    expect(held.source?.references).toBe(before.source?.references);
    expect(held.sketch).not.toBe(before.sketch);
  });

  it("stay apart where they differ, also where one side has no source", async () => {
    const [before, after] = [await factsOf(BEFORE), await factsOf(`${BEFORE}export const three = 3;\n`)];
    expect(heldOnce(before, after)).toEqual(after);
    const text = await factsOf("words\n", "a.txt");
    expect(heldOnce(before, text)).toEqual(text);
    expect(heldOnce(text, after)).toEqual(after);
  });
});
