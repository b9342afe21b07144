/** What the standard library gives is not missed, however small the project is that calls it for the first time. */
import { expect, it } from "vitest";
import { DONE, judge, rulesOf } from "../../../../test/support/triage-facts.ts";

const GO = {
  "go.mod": "module example.org/work\n",
  "p/b.go": "package p\n\nfunc B() int {\n\treturn 1\n}\n",
};
const go = (call: string): string =>
  `package p\n\nimport "testing"\n\nfunc TestB(t *testing.T) {\n\tif B() != 1 {\n\t\tt.${call}("b")\n\t}\n}\n`;
const RUST = {
  "Cargo.toml": '[package]\nname = "work"\n',
  "src/lib.rs": "pub mod a;\npub mod b;\n",
  "src/a.rs": "pub fn a() -> i32 {\n    1\n}\n",
  "src/b.rs": "pub fn b() -> i32 {\n    2\n}\n",
};
const rust = (call: string): string =>
  `use crate::a::a;\n\npub fn b() -> i32 {\n    [a(), 2].iter().${call}()\n}\n`;

it.each([
  ["Go", GO, "p/b_test.go", go, "Fatal"],
  ["Rust", RUST, "src/b.rs", rust, "sum"],
] as const)(
  "a method of %s's own is no unseen call, and one that nothing has is",
  async (_, head, path, text, known) => {
    const rules = async (call: string) =>
      (await judge({ head, now: { [path]: text(call) }, facts: DONE })).flatMap(rulesOf);
    expect(await rules(known)).not.toContain("unseen-call");
    expect(await rules("Twenty")).toContain("unseen-call");
  },
);
