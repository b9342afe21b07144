import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { markText } from "../../session/leftovers.ts";
import { openStore } from "./open-store.ts";

const home = mkdtempSync(join(tmpdir(), "refloat-forget-"));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it("erases nothing for a process under a session's mark, by the library's door as by the command's (T2)", async () => {
  const env = {
    ...process.env,
    REFLOAT_HOME: home,
    REFLOAT_SESSION: markText({ session: "somebody", attempt: 1, random: "0123456789abcdef" }),
  };
  const store = await openStore(join(home, "refloat.db"), { env, thread: false });
  try {
    const session = await store.begin({ id: "mine", agent: "a", workspace: "", captures: "off" });
    await session.finish();
    await expect(store.forget({ session: "mine" })).rejects.toMatchObject({ code: "E_UNDER_MARK" });
    const records = await store.raw.records({ session: "mine" as never, kinds: ["session.began"], limit: 1 });
    expect(records[0]?.body).toMatchObject({ agent: "a" });
  } finally {
    await store.close();
  }
});
