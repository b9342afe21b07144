import { describe, expect, it } from "vitest";
import { readConfigText } from "./read-config-text.ts";
import { type UnknownKey, unknownKeyText } from "./unknown-key.ts";

function unknownIn(text: string): UnknownKey[] {
  const found: UnknownKey[] = [];
  readConfigText(text, "refloat.json", (key) => found.push(key));
  return found;
}

describe("a config with a key nobody knows", () => {
  it("is read and the key kept (D5), and the key is named with its line, its column and the one that was meant (T1)", () => {
    const text =
      '{\n  // ours\n  "verfiy": "make test", "policy": "leave",\n  "commit": { "att": "never" }\n}\n';
    expect(readConfigText(text, "refloat.json")).toEqual({
      verfiy: "make test",
      policy: "leave",
      commit: { att: "never" },
    });
    expect(unknownIn(text)).toEqual([
      { file: "refloat.json", key: "verfiy", line: 3, column: 3, nearest: "verify" },
      { file: "refloat.json", key: "commit.att", line: 4, column: 15, nearest: "commit.at" },
    ]);
    expect(unknownIn(text).map(unknownKeyText)).toEqual([
      "refloat.json, line 3, column 3: verfiy is no key of ours, so it does nothing. Did you mean verify?",
      "refloat.json, line 4, column 15: commit.att is no key of ours, so it does nothing. Did you mean commit.at?",
    ]);
  });

  it.each([
    ['{"trailer": true}', "commit.trailer"],
    ['{"budget": 100}', "handoff.budget"],
    ['{"handoff": {"tokens": 100}}', null],
    ['{"workflow": {"steps": [{"id": 1, "name": "n", "agnet": "a"}]}}', "workflow.steps.0.agent"],
    ['{"constructor": 1}', null],
  ])("%s: %s was meant", (text, nearest) => {
    expect(unknownIn(text)).toMatchObject([{ nearest }]);
  });

  it("is not said of what editors want, of a key in a value that is free, and at most twenty times", () => {
    expect(unknownIn('{"$schema": "./refloat.schema.json", "verify": "true"}')).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key-${at}`, { inside: 1 }]));
    expect(unknownIn(JSON.stringify(many))).toHaveLength(20);
  });
});
