import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { RefloatError } from "../../model/errors.ts";
import { postgresPlace, withoutPassword } from "./server-address.ts";

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
  const refuse = () => postgresPlace("postgres://ann:sec ret@ho st:x/db");
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
    expect(() => postgresPlace("postgres://host/db", { schema })).toThrow(
      expect.objectContaining({ code: "E_BAD_STORE_URL" }),
    );
  }
});

test("several hosts are taken, as the client library takes them", () => {
  expect(postgresPlace("postgres://ann@one:1,two:2/db").url).toContain("one:1,two:2");
});

test("schema, connections and prepare are ours, and none of them reaches the server; the rest is psql's", () => {
  const place = postgresPlace(
    "postgres://ann:x@host/db?schema=team_a&connections=3&prepare=false&application_name=w1&sslmode=disable",
    { env: {} },
  );
  expect(place).toMatchObject({ schema: "team_a", connections: 3, prepare: false, tls: false });
  expect(place.url).toBe("postgres://ann:x@host/db?application_name=w1");
  const env = { REFLOAT_SCHEMA: "team_b", REFLOAT_CONNECTIONS: "1", REFLOAT_PREPARE: "off" };
  expect(postgresPlace("postgres://host/db", { env })).toMatchObject({
    ...{ schema: "team_b", connections: 1, prepare: false },
  });
  for (const wrong of ["connections=0", "connections=many", "prepare=perhaps", "schema=A", "sslmode=maybe"])
    expect(() => postgresPlace(`postgres://host/db?${wrong}`, { env: {} })).toThrow(
      expect.objectContaining({ code: "E_BAD_STORE_URL" }),
    );
});

test("a password comes from the password file as for psql, and never from one that others can read (T4)", () => {
  const file = join(temporaryFolder(), "pgpass");
  writeFileSync(file, "# ours\nother:5432:db:ann:wrong\nhost:*:db:ann:a\\:b\\\\c\n*:*:*:*:last\n", {
    mode: 0o600,
  });
  const env = { PGPASSFILE: file };
  expect(postgresPlace("postgres://ann@host/db", { env }).password).toBe("a:b\\c");
  expect(postgresPlace("postgres://host/db", { env: { ...env, PGUSER: "bob" } }).password).toBe("last");
  expect(postgresPlace("postgres://ann:own@host/db", { env }).password).toBeNull();
  expect(postgresPlace("postgres://ann@host/db", { env: { ...env, PGPASSWORD: "x" } }).password).toBeNull();
  chmodSync(file, 0o644);
  expect(postgresPlace("postgres://ann@host/db", { env }).password).toBeNull();
});
