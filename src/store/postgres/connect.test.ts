import { expect, test } from "vitest";
import type { RefloatError } from "../../model/errors.ts";
import { postgresPlace, withoutPassword } from "./connect.ts";

test.each([
  ["postgres://ann:secret@host:5432/db", "postgres://ann@host:5432/db"],
  ["postgresql://ann:secret@host/db?password=secret", "postgresql://ann@host/db"],
  ["postgres://ann:se@cret/x@host/db", "postgres://ann@host/db"],
  ["postgres://ann:secret@one:1,two:2/db", "postgres://ann@one:1,two:2/db"],
  ["postgres://host/db", "postgres://host/db"],
])("%s is shown without its password", (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});

test("an address that cannot be parsed is refused, and the password is in neither message, data nor cause", () => {
  const refuse = () => postgresPlace("postgres://ann:sec ret@ho st:x/db", "refloat");
  expect(refuse).toThrow(expect.objectContaining({ code: "E_BAD_STORE_URL" }));
  try {
    refuse();
  } catch (thrown) {
    const error = thrown as RefloatError;
    expect(JSON.stringify([error.message, error.data, error.cause ?? null])).not.toContain("sec");
  }
});

test("a schema name that would need quoting is refused, so that none is ever spliced into a statement", () => {
  for (const schema of ["", "Refloat", "a b", 'x"; DROP SCHEMA public; --', "x".repeat(51)]) {
    expect(() => postgresPlace("postgres://host/db", schema)).toThrow(
      expect.objectContaining({ code: "E_BAD_STORE_URL" }),
    );
  }
});

test("several hosts are taken, as the client library takes them", () => {
  expect(postgresPlace("postgres://ann@one:1,two:2/db", "refloat").url).toContain("one:1,two:2");
});
