import { expect, test } from "vitest";
import { isSameProcess } from "./owner.ts";

const ONE = { host: "h", boot: "b", pid_namespace: "n", pid: 7, started: 100 };

test("a process is known by all that K2 names: a pid alone is none", () => {
  expect(isSameProcess(ONE, { ...ONE })).toBe(true);
  const others = [{ host: "x" }, { boot: "x" }, { pid_namespace: "x" }, { pid: 8 }, { started: null }];
  for (const other of others) expect(isSameProcess(ONE, { ...ONE, ...other })).toBe(false);
});
