import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import type { Json } from "../model/json.ts";
import { insertJson, readObject, removeJson } from "./edit-json.ts";
import { jsonOf, nodeAt, readJsonTree } from "./json-tree.ts";

const VALUE: Json = [{ hooks: [{ type: "command", command: '"/x/refloat-hook" claude Stop' }] }];

function rootOf(text: string) {
  const read = readObject(text);
  if (read.kind !== "object") throw new Error(read.why);
  return read;
}

const put = (text: string): string => {
  const { root, text: shown } = rootOf(text);
  return insertJson(shown, root, "ours", VALUE);
};

const take = (text: string): string => {
  const { root } = rootOf(text);
  return removeJson(
    text,
    root,
    root.members.findIndex(({ key }) => key === "ours"),
  );
};

describe("one thing put into another program's JSON", () => {
  const shapes: Readonly<Record<string, string>> = {
    empty: "{}",
    "empty with a line": "{\n}\n",
    spaces: '{\n  "a": 1,\n  "b": [1, 2]\n}\n',
    tabs: '{\n\t"a": 1\n}\n',
    "four, CRLF": '{\r\n    "a": 1\r\n}\r\n',
    "byte order mark": '\uFEFF{\n  "a": 1\n}',
    minified: '{"a":1,"b":{"c":2}}',
    "on one line, with blanks": '{ "a": 1, "b": 2 }\n',
    "trailing comma": '{\n  "a": 1,\n}\n',
    "comments everywhere":
      '// top\n{\n  // of a\n  "a": 1, // behind a\n  /* of b */ "b": 2 // behind b\n  // the end, with a comma,\n}\n// below\n',
    "comment and trailing comma": '{\n  "a": 1, // note\n  // end\n}\n',
    "only a comment": "{\n  // nothing yet\n}\n",
    "a line comment on one line": '{"a": 1 // x\n}',
    "the same name twice": '{\n  "a": 1,\n  "a": 2\n}\n',
  };
  for (const [name, text] of Object.entries(shapes))
    it(`leaves every other byte, and is taken out without a trace: ${name}`, () => {
      const after = put(text);
      expect(jsonOf(rootOf(after).root)).toEqual({ ...(jsonOf(rootOf(text).root) as object), ours: VALUE });
      for (const line of text.split(/\r?\n/).filter((one) => one.trim().length > 2 && !one.endsWith("}")))
        expect(after).toContain(line.replace(/,?\s*$/, "").replace(/ \/\/ .*$/, ""));
      expect(after.includes("\r\n")).toBe(text.includes("\r\n"));
      if (text.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
      const isKept = name !== "empty with a line" && name !== "only a comment" ? text : null;
      if (isKept !== null) expect(take(after)).toBe(text);
      else expect(jsonOf(rootOf(take(after)).root)).toEqual({});
    });

  it("is not lined up with what stands thousands of blanks to the right: each of its lines would be as long (T5)", () => {
    for (const text of [`${" ".repeat(9000)}{}\n`, `{\n${"\t".repeat(9000)}"a": 1\n}\n`]) {
      const after = put(text);
      expect(after.length).toBeLessThan(text.length + 1000);
      expect(take(after)).toBe(text);
    }
  });

  it("comes out of the middle without the comments of its neighbours", () => {
    const text = '{\n  "a": 1, // of a\n  "ours": [2], // of ours\n  // of b\n  "b": 3\n}\n';
    expect(take(text)).toBe('{\n  "a": 1, // of a // of ours\n  // of b\n  "b": 3\n}\n');
    expect(take('{ "ours": 1, "b": 2 }')).toBe('{ "b": 2 }');
    expect(take('{ "a": 1, "ours": 2 }')).toBe('{ "a": 1 }');
  });

  it("is the same text again for any JSON, written in any of three ways", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom("", "  ", "\t"),
        (value, unit) => {
          const { ours: _ours, ...others } = value;
          const text = JSON.stringify(others, null, unit);
          const after = put(text);
          expect(JSON.parse(after)).toEqual(JSON.parse(JSON.stringify({ ...others, ours: VALUE })));
          expect(take(after)).toBe(text);
        },
      ),
    );
  });

  it("goes into a list behind the others, and out of it again", () => {
    const text = '{\n  "list": [\n    1,\n    2\n  ]\n}\n';
    const list = nodeAt(rootOf(text).root, ["list"]);
    if (list.kind !== "array") throw new Error("no list");
    const after = insertJson(text, list, null, { a: 1 });
    expect(after).toBe('{\n  "list": [\n    1,\n    2,\n    {\n      "a": 1\n    }\n  ]\n}\n');
    const tree = readJsonTree(after);
    const longer = tree.kind === "whole" ? nodeAt(tree.root, ["list"]) : null;
    if (longer?.kind !== "array") throw new Error("no list");
    expect(removeJson(after, longer, 2)).toBe(text);
  });

  it("is refused where there is no object, with the place", () => {
    expect(readObject("[]")).toEqual({ kind: "broken", at: 0, why: "it is not an object" });
    expect(readObject('{"a": 1')).toMatchObject({ kind: "broken" });
    expect(readObject(" \n")).toMatchObject({ kind: "object", text: "{}\n" });
  });
});
