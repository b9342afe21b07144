/** Several words after one flag, and nothing that could be meant otherwise. */
import { expect, it } from "vitest";
import { withRepeatedFlags } from "./repeated-flags.ts";

const read = (line: string): string => withRepeatedFlags(line.split(" ")).join(" ");

it.each([
  ["settle --group g33f1 g44aa --yes", "settle --group g33f1 --group g44aa --yes"],
  ["commit nightly --group g33f1 g44aa g55bb", "commit nightly --group g33f1 --group g44aa --group g55bb"],
  ["op begin migrate --path db/a db/b --json", "op begin migrate --path db/a --path db/b --json"],
  ["op begin migrate --path a --path b c", "op begin migrate --path a --path b --path c"],
])("reads %s as %s", (typed, meant) => {
  expect(read(typed)).toBe(meant);
});

it.each([
  "settle --group g33f1 nightly",
  "commit --group g33f1 src/app.ts",
  "commit --group=g33f1 g44aa",
  "op begin --path db/a migrate",
  "diff --path a.txt HEAD",
  "forget --path **/.env",
  "run -- tool --group g33f1 g44aa",
  "settle --group",
])("leaves %s as it is", (typed) => {
  expect(read(typed)).toBe(typed);
});
