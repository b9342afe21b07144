import { expect, test } from "vitest";
import { RefloatError } from "../model/errors.ts";
import { ioError } from "./io-error.ts";

test.each([
  ["ENOSPC", "E_STORE_FULL"],
  ["EDQUOT", "E_STORE_FULL"],
  ["EROFS", "E_STORE_READ_ONLY"],
  ["EACCES", "E_STORE_READ_ONLY"],
  ["EPERM", "E_STORE_READ_ONLY"],
  ["EIO", "E_STORE_IO"],
  ["ENOENT", "E_STORE_IO"],
  ["EMFILE", "E_STORE_IO"],
])("D6: %s becomes %s and keeps what the system said as its cause", (code, expected) => {
  const thrown = Object.assign(new Error(`${code}: said the system`), { code });
  const error = ioError(thrown, "/somewhere");
  expect([error.code, error.cause, error.data.path]).toEqual([expected, thrown, "/somewhere"]);
  expect(error.message).not.toMatch(/\{\w+\}/);
});

test.each([["text"], [undefined], [Object.assign(new Error("odd"), { code: 7 })]])(
  "D6: something else that is thrown (%s) is an input/output error, never nothing",
  (thrown) => {
    expect(ioError(thrown, "/somewhere").code).toBe("E_STORE_IO");
  },
);

test("an error of the catalogue is passed on as it is, not wrapped again", () => {
  const error = new RefloatError("E_EXISTS", { path: "/somewhere" });
  expect(ioError(error, "/elsewhere")).toBe(error);
});
