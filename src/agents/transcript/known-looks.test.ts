/** Looks into databases that are remembered between commands. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type DatabaseLook, lookOnce } from "./known-looks.ts";

const looking = (about: Partial<DatabaseLook> = {}): DatabaseLook => ({
  env: { REFLOAT_HOME: temporaryFolder() },
  stamp: "1 10 5",
  what: ["/home/agent.db", "sessions"],
  build: "b",
  ...about,
});

it("P9: a database is looked into once while no byte of it changed, and again when one did, for another thing, or by another build", () => {
  let looks = 0;
  const look = (): number => ++looks;
  const about = looking();
  expect([lookOnce(about, look), lookOnce(about, look)]).toEqual([1, 1]);
  expect(lookOnce({ ...about, stamp: "1 10 6" }, look)).toBe(2);
  expect(lookOnce({ ...about, what: ["/home/agent.db", "a", "last said"] }, look)).toBe(3);
  expect(lookOnce({ ...about, build: "c" }, look)).toBe(4);
});

it("P9: what cannot be read is looked at again, and nothing is made where there is no store", () => {
  let looks = 0;
  const about = looking();
  const look = (): null => {
    looks += 1;
    return null;
  };
  expect([lookOnce(about, look), lookOnce(about, look), looks]).toEqual([null, null, 2]);
  const home = join(temporaryFolder(), "none");
  expect(lookOnce({ ...about, env: { REFLOAT_HOME: home } }, () => 1)).toBe(1);
  expect(readdirSync(join(home, ".."))).toEqual([]);
});
