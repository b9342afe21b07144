/** `maxConnections`: so many connections of one process at most, whatever it does at once, and everything is done with them. */
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { freshSchema } from "../support/postgres.ts";
import { postgresProxy } from "../support/postgres-proxy.ts";

const SESSIONS = 12;

test.each([
  ["maxConnections", 1],
  ["maxConnections", 2],
  ["maxConnections", 4],
  ["connections", 4],
] as const)(
  "%s %i: writes, reads, contents and followers at once are served by no more",
  async (option, most) => {
    const { url, schema } = freshSchema();
    const proxy = await postgresProxy(url);
    onTestFinished(() => proxy.close());
    const store = await openStore(proxy.url, { schema, [option]: most });
    onTestFinished(() => store.close());
    const work = async (n: number): Promise<unknown> => {
      const session = await store.begin({ id: `s${n}`, agent: "a", workspace: "w" });
      const following = store.follow(session.id, session.head + 1);
      const heard = following.next();
      const { hash } = await store.putContent(Buffer.alloc(10_000, n));
      await session.record("t.n", { n }, { contents: [hash] });
      const bytes: Uint8Array[] = [];
      for await (const piece of store.readContent(hash)) bytes.push(piece);
      const { value } = await heard;
      await following.return(undefined);
      await session.finish();
      return [
        value?.body,
        Buffer.concat(bytes).length,
        (await store.sessions({ prefix: session.id })).length > 0,
      ];
    };
    const done = await Promise.all(Array.from({ length: SESSIONS }, (_, n) => work(n)));
    expect(done).toEqual(Array.from({ length: SESSIONS }, (_, n) => [{ n }, 10_000, true]));
    expect(proxy.connections.most).toBe(most);
  },
);
