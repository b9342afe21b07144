/**
 * The engine on Node 20 crashes the process when a connection is collected while a statement of it lives. So
 * a connection and its statements are kept together (store/sqlite/connection.ts); here the collector runs as
 * often as it can, in every order, and the process must come to its end.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { startChild } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FLAGS = ["--expose-gc"];

test.each([
  ["on the caller's thread", false],
  ["on its own thread", true],
])(
  "stores %s that are opened, used, dropped and closed while the collector runs do not crash the process",
  async (_how, thread) => {
    const text = `
      import { openRawStore } from "./store/open-raw-store.js";
      import { selfOwner } from "./platform/identity.js";
      const folder = ${JSON.stringify(join(temporaryFolder(), "home"))};
      const collect = async () => { for (let i = 0; i < 3; i++) { globalThis.gc(); await new Promise(setImmediate); } };
      const use = async (store, session, n) => {
        const seen = await store.session(session);
        if (!seen) await store.take({ session, seen: null, owner: selfOwner(), nowMs: 1, thresholdMs: 1, records: [] });
        const body = { key: "k", value: n, reason: null, step: null };
        await store.append(session, { attempt: 1 }, [{ id: String(n), kind: "decided", atMs: 1, body }]);
        await store.putContent(Buffer.from("content " + n));
        let count = 0;
        for await (const record of store.journal(session)) count += record.isDamaged ? 1000 : 1;
        return count;
      };
      const kept = await openRawStore(folder + "/kept.db", { thread: ${thread} });
      const options = { thread: ${thread} };
      for (let round = 0; round < 12; round++) {
        const store = await openRawStore(folder + "/round" + (round % 3) + ".db", options);
        await use(store, "s", round);
        await collect();
        if (round % 4 !== 3) await store.close(); // the others are dropped without a close
        await collect();
        if ((await use(kept, "k", round)) !== round + 1) throw new Error("records are missing");
      }
      await collect();
      if ((await use(kept, "k", 12)) !== 13) throw new Error("records are missing");
      await kept.close();
      await collect();
      console.log(JSON.stringify("whole"));`;
    const child = startChild(text, {}, FLAGS);
    expect(await child.said()).toBe("whole");
    expect(await child.ended()).toBe(0);
  },
);

test("connections whose last reference goes away in the middle of their work, with their statements in any order, do not crash the process", async () => {
  const text = `
    import { Connection } from "./store/sqlite/connection.js";
    import { buildEmptyStore } from "./store/sqlite/open-file.js";
    const path = ${JSON.stringify(join(temporaryFolder(), "refloat.db"))};
    buildEmptyStore(path);
    const rows = (connection) => connection.all("SELECT name FROM sqlite_schema").length;
    for (let round = 0; round < 60; round++) {
      let connection = new Connection(path);
      const before = rows(connection);
      connection.number("PRAGMA user_version");
      if (round % 3 === 0) globalThis.gc();
      if (rows(connection) !== before) throw new Error("rows are missing");
      if (round % 2 === 0) connection.close();
      try { connection.transaction(() => { throw new Error("undone"); }); } catch (thrown) { if (!/undone|closed/.test(String(thrown))) throw thrown; }
      connection = null;
      globalThis.gc();
      await new Promise(setImmediate);
    }
    for (let i = 0; i < 5; i++) { globalThis.gc(); await new Promise(setImmediate); }
    console.log(JSON.stringify("whole"));`;
  const child = startChild(text, {}, FLAGS);
  expect(await child.said()).toBe("whole");
  expect(await child.ended()).toBe(0);
});
