import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { RefloatError } from "../model/errors.ts";
import { openRawStore } from "../store/open-raw-store.ts";
import { beginSession } from "./begin.ts";

test("K1, D6: a beginning that takes the claim and then cannot read the session gives it back, so that its own process is not locked out", async () => {
  const store = await openRawStore(`${temporaryFolder()}/refloat.db`, { thread: false });
  const options = { id: "s", agent: "a", workspace: "/w" };
  const first = await beginSession(store, options);
  await first.release();
  const read = store.driver.readRecords;
  let failures = 1;
  Object.assign(store.driver, {
    readRecords: (query: Parameters<typeof read>[0]) =>
      query.order === "backward" && failures-- > 0
        ? Promise.reject(new RefloatError("E_STORE_IO", { why: "for the test" }))
        : read(query),
  });
  await expect(beginSession(store, options)).rejects.toMatchObject({ code: "E_STORE_IO" });
  const next = await beginSession(store, options);
  expect(next.attempt).toBe(3);
  await next.finish();
  await store.close();
});
