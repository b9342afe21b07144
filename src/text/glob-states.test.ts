import { expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { globMatcher } from "./glob.ts";
import { globStates } from "./glob-states.ts";

it("means the same as the pattern of a glob with few stars, for any glob and path", () => {
  const glob = fc.array(
    fc.constantFrom("a", "b", ".", "/", "?", "*", "[ab]", "[!a]", "{a,b}", "{", "}", ",", "é"),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  const path = fc.array(fc.constantFrom("a", "b", "c", ".", "/", "é"), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(glob, path, (parts, names) => {
      const body = parts.join("").replace(/^\/+|\/+$/g, "");
      fc.pre(body !== "" && !body.startsWith("./") && (body.match(/\*+|\{/g)?.length ?? 0) <= 2);
      const isAnywhere = !body.includes("/");
      const text = names.join("");
      expect(globStates(body, { isAnywhere })(text)).toBe(globMatcher([body])(text));
    }),
    { numRuns: 3000 },
  );
});

it.each([
  ["*a".repeat(200), `${"a".repeat(250)}/b`],
  [`${"*a".repeat(200)}b`, "a".repeat(4000)],
  [`${"**/".repeat(150)}b`, `${"a/".repeat(2000)}c`],
  [`${"{a,a}".repeat(90)}b`, "a".repeat(2000)],
  [`${"{a,a*}".repeat(80)}b`, "a".repeat(2000)],
  [`${"**".repeat(100)}x${"*a*".repeat(60)}`, "a".repeat(4000)],
])(
  "a glob of many stars against a long path has an answer: no line of a config stops a command (T5)",
  (glob, path) => {
    expect(typeof globMatcher([glob])(path)).toBe("boolean");
  },
);

it.each([
  ["a*b*c*d", "x/a1b2c3d", true],
  ["a*b*c*d", "a1b2c3", false],
  ["src/*/*/*.ts", "src/a/b/c.ts", true],
  ["src/*/*/*.ts", "src/a/c.ts", false],
  ["**/a/**/b/**", "x/a/y/z/b/c", true],
  ["*.{a,b*}.*", "f.bcd.e", true],
  ["a*b*c*", "abc/inside/it", true],
])("%s and %s: %s", (glob, path, is) => {
  expect(globMatcher([glob])(path)).toBe(is);
});
