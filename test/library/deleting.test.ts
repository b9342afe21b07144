/** `store.delete`: a session removed whole. Nothing of it stays but, where it is wanted, the fact (D2). */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openStore as openCore } from "../../src/app/store/open-core.ts";
import { DELETIONS_SESSION } from "../../src/model/ids.ts";
import { checkStore } from "../../src/store/check.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import { describeOnBoth, type FreshStore, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ME = { agent: "a", workspace: "/w" };
const SECRET = "SECRET-7f3a91";

async function contentOf(stream: AsyncGenerator<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describeOnBoth((make) => {
  test("D2: a deletion whose answer was lost is one all the same; repeated after a kill between the rows and their files it clears the files, and says that nothing is there", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "gone", ...ME, goal: SECRET });
    await session.release();
    const { driver } = store.raw;
    const removed = driver.deleteSession.bind(driver);
    let asked = 0;
    // As the server answers an order that comes a second time.
    driver.deleteSession = async (change) => {
      asked++;
      await removed(change);
      return { kind: "moved" };
    };
    expect(await store.delete("gone")).toMatchObject({ records: session.head, contents: 0 });
    expect(asked).toBe(1);
    await expect(store.delete("gone")).rejects.toMatchObject({ code: "E_NO_SESSION" });
    expect(asked, "the files are cleared again").toBe(2);
  });

  test("D3: who follows a session that is removed is told so: he does not wait for the number after the last one, over what is begun anew under its id", async () => {
    const place = make();
    const store = await openedHere(place);
    const first = await store.begin({ id: "s", ...ME });
    await first.record("t.n", { n: 1 });
    await first.release();
    const followed = store.follow("s");
    for (let seen = 0; seen < first.head; seen++) await followed.next();
    const waiting = expect(followed.next()).rejects.toMatchObject({ code: "E_NO_SESSION" });
    const other = await openedHere(place);
    await other.delete("s");
    await (await other.begin({ id: "s", ...ME })).record("t.n", { n: 2 });
    await waiting;
    const again: unknown[] = [];
    for await (const { kind } of store.follow("s", 1)) if (again.push(kind) === 3) break;
    expect(again).toEqual(["session.began", "claim.taken", "t.n"]);
  });

  test("D2: records, row, open things and the contents only it named are gone, what others name stays, and check finds nothing wrong", async () => {
    const store = await openedHere(make());
    const own = await store.putContent(Buffer.from(`${SECRET} own`));
    const shared = await store.putContent(Buffer.from("shared"));
    const other = await store.begin({ id: "other", ...ME });
    await other.record("t.named", {}, { contents: [shared.hash] });
    const session = await store.begin({ id: "gone", ...ME, goal: SECRET });
    await session.record("t.named", { text: SECRET }, { contents: [own.hash, shared.hash] });
    await session.record("t.large", { text: SECRET.repeat(40_000) });
    await session.enqueue(SECRET);
    const records = session.head;
    await expect(store.delete("gone")).rejects.toMatchObject({ code: "E_HELD" });
    await session.release();
    const done = await store.delete("gone");
    expect(done).toMatchObject({ records: records + 1, contents: 2 });
    expect(await store.session("gone")).toBeNull();
    expect(await store.raw.open("gone" as never)).toEqual([]);
    expect(await store.raw.driver.readRefs("gone" as never, 0, 1e9)).toEqual([]);
    await expect(contentOf(store.readContent(own.hash))).rejects.toMatchObject({ code: "E_NO_CONTENT" });
    expect(await contentOf(store.readContent(shared.hash))).toBe("shared");
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["other"]);
    expect((await checkStore(store.raw)).damage).toEqual([]);
    await expect(store.delete("gone")).rejects.toMatchObject({ code: "E_NO_SESSION" });
    // The id is free again, and its numbers begin at one.
    const again = await store.begin({ id: "gone", ...ME });
    expect([again.attempt, again.head]).toEqual([1, 2]);
    await again.finish();
    await other.finish();
  });

  test("the fact stays where it is wanted, and of what is forced away every later write is refused and its owner told (K1)", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "held", ...ME });
    const turn = await session.turn("go");
    await store.delete("held", { force: true, keepFact: "the user asked" });
    await expect(turn.append({ role: "assistant", parts: "late" })).rejects.toMatchObject({
      code: "E_NO_SESSION",
    });
    const facts = [];
    for await (const { kind, body } of store.records(DELETIONS_SESSION, { kinds: ["session.deleted"] }))
      facts.push([kind, body]);
    expect(facts).toEqual([["session.deleted", { session: "held", records: 3, reason: "the user asked" }]]);
    await expect(store.delete(DELETIONS_SESSION)).rejects.toMatchObject({ code: "E_DELETE_REFUSED" });
    expect((await checkStore(store.raw)).damage).toEqual([]);
  });
});

test("T2: @refloat/core removes no journal of the store's own either, by force neither", async () => {
  const store = await openCore(join(temporaryFolder(), "refloat.db"), { thread: false });
  const session = await store.begin({ id: "s", ...ME });
  await session.finish();
  await store.delete("s", { keepFact: "the user asked" });
  await expect(store.delete(DELETIONS_SESSION, { force: true })).rejects.toMatchObject({
    code: "E_DELETE_REFUSED",
  });
  expect((await store.raw.session(DELETIONS_SESSION))?.head).toBeGreaterThan(0);
  await store.close();
});

const bytesBeside = (path: string): string =>
  readdirSync(dirname(path))
    .map((name) => readFileSync(join(dirname(path), name), "latin1"))
    .join("");

test("D7: a store whose marked session was removed opens without a word of loss, and none of its files holds a byte of it", async () => {
  const url = join(temporaryFolder(), "refloat.db");
  const store = await openedHere({ url, open: {} } satisfies FreshStore);
  const session = await store.begin({ id: "gone", ...ME, goal: SECRET });
  await session.enqueue(SECRET);
  await session.finish();
  const beside = await openedHere({ url, open: {} });
  const late = await beside.begin({ id: "kept", ...ME });
  await late.enqueue("x");
  await late.release();
  expect(bytesBeside(url)).toContain(SECRET);
  await store.delete("gone");
  expect(bytesBeside(url)).not.toContain(SECRET);
  expect(bytesBeside(url)).not.toContain('"gone"');
  await beside.close();
  await store.close();
  const raw = await openRawStore(url, { thread: false });
  expect((await raw.sessions()).map(({ id }) => id)).toEqual(["kept"]);
  await raw.close();
});

test("S6: killed before the deletion is committed, the session is there whole; after it, it is gone whole", async () => {
  const url = join(temporaryFolder(), "refloat.db");
  const store = await openedHere({ url, open: {} });
  const session = await store.begin({ id: "s", ...ME });
  for (let n = 0; n < 50; n++) await session.record("t.n", { n });
  await session.finish();
  const { head } = session;
  const child = startChild(
    `import { openStore } from "./app/store/open-store.js";
     const store = await openStore(${JSON.stringify(url)}, { thread: false });
     await store.delete("s");`,
    { REFLOAT_CRASH_AT: "forget.before-commit" },
  );
  expect(await child.ended()).toBe("SIGKILL");
  expect((await store.raw.session("s" as never))?.head).toBe(head);
  expect((await checkStore(store.raw)).damage).toEqual([]);
  await store.delete("s");
  expect(await store.session("s")).toBeNull();
});

test.each(["delete", "forget"] as const)(
  "D2: what refloat found out about files in the same home goes with a %s of the core, too",
  async (how) => {
    const home = temporaryFolder();
    const store = await openCore(join(home, "refloat.db"), { env: { REFLOAT_HOME: home }, thread: false });
    await (await store.begin({ id: "gone", ...ME, goal: SECRET })).finish();
    const found = join(home, "analysis.cache");
    writeFileSync(found, SECRET);
    if (how === "delete") await store.delete("gone");
    else await store.forget({ session: "gone" });
    await store.close();
    expect(existsSync(found)).toBe(false);
  },
);
