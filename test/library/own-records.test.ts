/** Records of a caller's own kinds: what is written fits, what is read is typed, and nothing else of the journal minds them. */
import { expect, test } from "vitest";
import { z } from "zod";
import { ownKind } from "../../src/model/own-kind.ts";
import type { StandardSchema } from "../../src/model/standard-schema.ts";
import { checkStore } from "../../src/store/check.ts";
import { exportLines } from "../../src/store/export.ts";
import { importLines } from "../../src/store/import.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";

const vote = ownKind("poll:vote", z.object({ choice: z.string(), weight: z.number().default(1) }));
const ME = { agent: "a", workspace: "/w" };

async function all<T>(stream: AsyncGenerator<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of stream) found.push(one);
  return found;
}

describeOnBoth((make) => {
  test("D1, D4: what is recorded is read back by the handle and by whoever has only the store, in order, and the same id once", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", ...ME });
    const first = await session.record(vote, { choice: "a" }, { id: "vote-1" });
    expect(await session.record(vote, { choice: "a" }, { id: "vote-1" })).toEqual(first);
    await expect(session.record(vote, { choice: "b" }, { id: "vote-1" })).rejects.toMatchObject({
      code: "E_ID_REUSED",
    });
    await session.record("poll:note", { any: [1, null] });
    const [, third] = await session.recordAll([
      { kind: vote, body: { choice: "b", weight: 2 } },
      { kind: vote, body: { choice: "c" } },
    ]);
    expect((await all(session.records(vote))).map(({ body }) => body)).toEqual([
      { choice: "a", weight: 1 },
      { choice: "b", weight: 2 },
      { choice: "c", weight: 1 },
    ]);
    const [newest] = await all(store.records("s", vote, { order: "backward", limit: 1 }));
    expect(newest).toMatchObject({ seq: third?.seq, body: { choice: "c", weight: 1 } });
    expect((await all(store.records("s", "poll:note"))).map(({ body }) => body)).toEqual([
      { any: [1, null] },
    ]);
    // What is stored is what was given, not what the schema makes of it.
    const stored = await all(store.records("s", { kinds: ["poll:vote"] }));
    expect(stored[0]?.body).toEqual({ choice: "a" });
    expect(session.view("model").items).toEqual([]);
    await session.release();
    await expect(session.record(vote, { choice: "late" })).rejects.toMatchObject({ code: "E_FENCED" });
    expect(await all(store.records("nobody", vote))).toEqual([]);
  });

  test("a body that does not fit is refused before anything is written, and so is a kind that could be refloat's", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", ...ME });
    const { head } = session;
    // @ts-expect-error: the compiler knows it, too
    await expect(session.record(vote, { choice: 1 })).rejects.toMatchObject({ code: "E_BAD_RECORD" });
    for (const kind of ["turn.ended", "turn.of-tomorrow", "decided", "mine", ":x", "x:", "x."])
      await expect(session.record(kind, {})).rejects.toMatchObject({ code: "E_BAD_RECORD" });
    await expect(
      session.recordAll([
        { kind: vote, body: { choice: "a" } },
        { kind: vote, body: {} },
      ]),
    ).rejects.toMatchObject({ code: "E_BAD_RECORD" });
    await session.refresh();
    expect(session.head).toBe(head);
  });

  test("D5: a record that an older schema let pass stops the reader unless he asks to be told, and is then passed over", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", ...ME });
    await session.record("poll:vote", { choice: 7 });
    await session.record(vote, { choice: "a" });
    await expect(all(session.records(vote))).rejects.toMatchObject({ code: "E_BAD_RECORD" });
    const misfits: string[] = [];
    const read = await all(session.records(vote, { onMisfit: (_, why) => misfits.push(why) }));
    expect(read.map(({ body }) => body.choice)).toEqual(["a"]);
    expect(misfits).toEqual([expect.stringContaining("choice")]);
  });

  test("a schema of any library that keeps the standard will do, one that answers later too; pages are read to the end", async () => {
    const even: StandardSchema<{ n: number }, { half: number }> = {
      "~standard": {
        version: 1,
        vendor: "by hand",
        validate: async (value) => {
          const { n } = value as { n: number };
          return n % 2 === 0 ? { value: { half: n / 2 } } : { issues: [{ message: "odd", path: ["n"] }] };
        },
      },
    };
    const kind = ownKind("by:hand", even);
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", ...ME });
    await expect(session.record(kind, { n: 1 })).rejects.toMatchObject({
      message: expect.stringContaining("n: odd"),
    });
    for (let from = 0; from < 1200; from += 400)
      await session.recordAll(Array.from({ length: 400 }, (_, i) => ({ kind, body: { n: 2 * (from + i) } })));
    const forward = (await all(session.records(kind))).map(({ body }) => body.half);
    expect(forward).toEqual(Array.from({ length: 1200 }, (_, i) => i));
    const backward = (await all(session.records(kind, { order: "backward" }))).map(({ body }) => body.half);
    expect(backward).toEqual(forward.toReversed());
  });

  test("a content that a record names outlives gc, and what forget erases is not read any more", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", ...ME });
    const { hash } = await store.putContent(Buffer.from("a picture"));
    await session.record("poll:picture", { hash }, { contents: [hash] });
    await session.finish();
    await store.raw.driver.gc(Number.MAX_SAFE_INTEGER);
    expect(Buffer.concat(await all(store.readContent(hash))).toString()).toBe("a picture");
    await store.forget({ session: "s" });
    expect(await all(store.records("s", "poll:picture"))).toEqual([]);
    await expect(all(store.readContent(hash))).rejects.toMatchObject({ code: "E_NO_CONTENT" });
  });

  test("D1: an export, and so a backup and a move, takes along the contents that such a record names, and not its large body twice", async () => {
    const store = await openedHere(make());
    const session = await store.begin({ id: "s", ...ME });
    const { hash } = await store.putContent(Buffer.from("a picture"));
    await session.record("poll:picture", { hash, large: "x".repeat(300_000) }, { contents: [hash] });
    await session.finish();
    const other = await openedHere(make());
    await importLines(other.raw, exportLines(store.raw, { raw: true }));
    expect(Buffer.concat(await all(other.readContent(hash))).toString()).toBe("a picture");
    expect(await all(other.records("s", "poll:picture"))).toEqual(
      await all(store.records("s", "poll:picture")),
    );
    expect((await checkStore(other.raw)).damage).toEqual([]);
  });

  test("a summary says when the last record was written, and the handle does", async () => {
    const store = await openedHere(make(), {});
    expect(await store.session("s")).toBeNull();
    const session = await store.begin({ id: "s", ...ME });
    const { seq } = await session.record("poll:note", {});
    const [last] = await all(store.records("s", { fromSeq: seq }));
    expect(session.lastWrittenAt?.getTime()).toBe(last?.atMs);
    const summary = await store.session("s");
    expect(summary?.last_written_at).toBe(new Date(last?.atMs ?? 0).toISOString());
    expect((await store.sessions())[0]?.last_written_at).toBe(summary?.last_written_at);
    await session.finish();
  });
});
