/** Export and import: everything comes back, nothing that is here is ever replaced, and doing it again is harmless (D4). */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { checkStore } from "../../dist/store/check.js";
import { type ExportOptions, exportLines } from "../../dist/store/export.js";
import { forget } from "../../dist/store/forget.js";
import { importLines } from "../../dist/store/import.js";
import {
  begun,
  callEnded,
  callStarted,
  child,
  codeOf,
  decided,
  hashOf,
  inputQueued,
  journal,
  type MakePlace,
  newRecord,
  open,
  type Store,
  sessionId,
  take,
  turnBegan,
  valuesOf,
  whole,
} from "./harness.ts";
import { sqlitePlace } from "./places.ts";

async function exported(store: Store, options: ExportOptions = { raw: true }): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store, options)) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const SECRET = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7h8`;

/** Two sessions: a released one with everything in it, and one of two attempts that was forgotten in part. */
async function fill(store: Store): Promise<{ hash: string; bytes: Buffer }> {
  const bytes = Buffer.concat([randomBytes(1024 * 1024), Buffer.from("tail")]);
  const { hash } = await store.putContent(bytes);
  const { session, by } = await begun(store, sessionId("first"), { goal: "g\u0000\ud800" });
  await store.append(session, "anyone", [inputQueued("i")]);
  await store.append(session, by, [
    turnBegan("t"),
    callStarted("c", "t"),
    callStarted("left open", "t"),
    callEnded("c", "x".repeat(400_000)),
  ]);
  await store.append(session, by, [
    {
      ...decided("😀"),
      contents: [
        { hash, path: "/a" },
        { hash, path: "/b" },
      ],
    },
  ]);
  await store.append(session, by, [newRecord("x.future", { any: { thing: [1, null, -0] } })]);
  await store.release(session, 1, [newRecord("claim.released", { attempt: 1 })]);
  const second = await begun(store, sessionId("second"));
  for (let i = 0; i < 450; i++) void store.append(second.session, second.by, [decided(i, undefined, i)]);
  await take(store, second.session, { attempt: 1, holder: second.owner.instance }, second.owner, [
    decided("two"),
  ]);
  await store.release(second.session, 2, [newRecord("claim.released", { attempt: 2 })]);
  await forget(store, { beforeMs: 1 });
  return { hash, bytes };
}

const all = async (store: Store) => ({
  first: await journal(store, sessionId("first")),
  second: await journal(store, sessionId("second")),
  open: await store.open(sessionId("first")),
  facts: (await store.sessions()).map(({ id, head, facts, claim }) => [id, head, facts, claim.attempt]),
});

export function exportLaws(make: MakePlace): void {
  test("what was exported raw and imported elsewhere, into an engine of this kind or of SQLite, is the same in every record and content", async () => {
    const from = await open(make());
    const { hash, bytes } = await fill(from);
    const lines = await exported(from);
    for (const place of [make(), sqlitePlace({ thread: false })]) {
      const to = await open(place);
      const result = await importLines(to, each(lines));
      expect(result).toMatchObject({
        sessions: 2,
        records: 463,
        repeats: 0,
        contents: 1,
        kept: 0,
        conflicts: [],
      });
      expect(await all(to)).toEqual(await all(from));
      expect((await whole(to, hash as never)).equals(bytes)).toBe(true);
      expect((await to.driver.readRefs(sessionId("first"), 1, 99)).map(({ path }) => path)).toEqual([
        null,
        "/a",
        "/b",
      ]);
      expect((await checkStore(to)).damage).toEqual([]);
      expect(await exported(to)).toEqual([expect.stringContaining("header"), ...lines.slice(1)]);
    }
  });

  test("D1: an import cannot put other bytes under a content's hash: E_IMPORT, and who puts the true ones gets them back", async () => {
    const store = await open(make());
    const [truth, lie] = [Buffer.from("the true bytes"), Buffer.from("other bytes")];
    const head = JSON.stringify({ type: "header", schema: "refloat.export/1", store: "x", redacted: false });
    const chunk = { type: "chunk", hash: hashOf(lie), data: lie.toString("base64") };
    const content = { type: "content", hash: hashOf(truth), bytes: truth.byteLength, chunks: [chunk.hash] };
    const end = { type: "end", sessions: 0, records: 0 };
    const lines = [head, ...[chunk, content, end].map((line) => JSON.stringify(line))];
    expect(await codeOf(importLines(store, each(lines)))).toBe("E_IMPORT");
    const { hash } = await store.putContent(truth);
    expect((await whole(store, hash)).toString()).toBe("the true bytes");
  });

  test("T1: an export that lacks whole lines in the middle is E_IMPORT, because its last line counts them", async () => {
    const from = await open(make());
    await fill(from);
    const lines = await exported(from);
    const isLastOfFirst = (line: string): boolean =>
      line.includes('"claim.released"') && line.includes('"first"');
    const without = lines.filter((line) => !isLastOfFirst(line));
    expect(without).toHaveLength(lines.length - 1);
    expect(await codeOf(importLines(await open(make()), each(without)))).toBe("E_IMPORT");
  });

  test("K1: after an import no attempt that a record was written under is given again, whatever the session's line says; one that cannot be is E_IMPORT", async () => {
    const from = await open(make());
    const { session, by } = await begun(from, sessionId("s"));
    await from.append(session, by, [decided("x")]);
    const lines = await exported(from);
    const of = (attempt: number): string[] =>
      lines.map((line) => line.replace('"attempt":1,"at_ms"', `"attempt":${attempt},"at_ms"`));
    const to = await open(make());
    await importLines(to, each(of(7)));
    expect((await to.session(session))?.claim.attempt).toBe(7);
    const other = await open(make());
    for (const attempt of [-1, 2 ** 53 - 1])
      expect(await codeOf(importLines(other, each(of(attempt))))).toBe("E_IMPORT");
  });

  test("driver 2: an import that is refused because an id comes twice leaves no session behind that looks begun", async () => {
    const from = await open(make());
    const { session, by } = await begun(from, sessionId("s"));
    await from.append(session, by, [decided("x", "one"), decided("y", "two")]);
    const lines = (await exported(from)).map((line) => line.replace('"id":"two"', '"id":"one"'));
    const to = await open(make());
    expect(await codeOf(importLines(to, each(lines)))).toBe("E_ID_REUSED");
    expect(await to.session(session)).toBeNull();
  });

  test("D4: importing again changes nothing, and a session that went on meanwhile keeps what it wrote", async () => {
    const [from, to] = [await open(make()), await open(make())];
    await fill(from);
    const lines = await exported(from);
    await importLines(to, each(lines));
    const before = await all(to);
    expect(await importLines(to, each(lines))).toMatchObject({
      sessions: 0,
      records: 0,
      repeats: 463,
      conflicts: [],
    });
    expect(await all(to)).toEqual(before);
    await take(to, sessionId("first"), { attempt: 1, holder: null }, undefined, [decided("went on")]);
    expect(await importLines(to, each(lines))).toMatchObject({ records: 0, repeats: 463, conflicts: [] });
    expect(await valuesOf(to, sessionId("first"))).toEqual(["😀", "went on"]);
  });

  test("an import goes on where an earlier one of the same session ended, and only there", async () => {
    const [from, to] = [await open(make()), await open(make())];
    const { session, by } = await begun(from, sessionId("s"));
    await from.append(session, by, [decided(1)]);
    await importLines(to, each(await exported(from)));
    await from.append(session, by, [decided(2)]);
    const later = await exported(from);
    expect(await importLines(to, each(later))).toMatchObject({ sessions: 0, records: 1, repeats: 2 });
    expect(await valuesOf(to, session)).toEqual([1, 2]);
    const other = await open(make());
    await begun(other, session);
    await importLines(other, each(later)).then(
      (result) => expect(result.conflicts.length).toBeGreaterThan(0),
      (error: { code?: string }) => expect(error.code).toBe("E_IMPORT"),
    );
    expect((await journal(other, session)).map(({ kind }) => kind)).toEqual(["session.began"]);
  });

  test("an export that was cut off, or changed, is E_IMPORT with the line; what came before it whole is in", async () => {
    const from = await open(make());
    await fill(from);
    const lines = await exported(from);
    const into = async (changed: readonly string[]): Promise<string> =>
      codeOf(importLines(await open(make()), each(changed)));
    expect(await into(lines.slice(0, -1))).toBe("E_IMPORT");
    expect(await into(lines.slice(1))).toBe("E_IMPORT");
    expect(await into([])).toBe("E_IMPORT");
    expect(await into([...lines.slice(0, 5), lines[5]?.slice(0, 30) ?? ""])).toBe("E_IMPORT");
    const damaged = lines.map((line) =>
      line.includes('"type":"chunk"') ? line.replace(/"data":"..../, '"data":"AAAA') : line,
    );
    expect(await into(damaged)).toBe("E_IMPORT");
    const to = await open(make());
    await codeOf(importLines(to, each(lines.slice(0, -1))));
    expect(await importLines(to, each(lines))).toMatchObject({ sessions: 0, conflicts: [] });
    expect(await all(to)).toEqual(await all(from));
  });

  test("D1: an import killed in the middle leaves whole changes, and running it again finishes it", async () => {
    const from = await open(make());
    await fill(from);
    const lines = await exported(from);
    const place = make();
    const importer = child(
      place,
      `import { importLines } from "./store/import.js";
       import { createInterface } from "node:readline";
       await importLines(store, createInterface({ input: process.stdin }));`,
      { REFLOAT_CRASH_AT: "import.between-changes#2" },
    );
    for (const line of lines) importer.write(line);
    expect(await importer.ended()).toBe("SIGKILL");
    const to = await open(place);
    expect(await importLines(to, each(lines))).toMatchObject({ conflicts: [] });
    expect(await all(to)).toEqual(await all(from));
  });

  test("T4: an export is redacted unless it is asked for raw, says so, and its import never replaces an original", async () => {
    const store = await open(make());
    const { session, by } = await begun(store, sessionId("s"));
    const file = await store.putContent(Buffer.from(`token: ${SECRET}\n`));
    await store.append(session, by, [
      { ...decided(`use ${SECRET} now`), contents: [{ hash: file.hash, path: "/f" }] },
    ]);
    await store.release(session, 1, [newRecord("claim.released", { attempt: 1 })]);
    const [redacted, raw] = [await exported(store, {}), await exported(store)];
    expect([redacted.join("\n").includes(SECRET), raw.join("\n").includes(SECRET)]).toEqual([false, true]);
    expect(redacted.join("\n")).not.toContain(Buffer.from(SECRET).toString("base64").slice(4, 20));
    expect(await importLines(store, each(redacted))).toMatchObject({ records: 0, kept: 1, conflicts: [] });
    expect(await valuesOf(store, session)).toEqual([`use ${SECRET} now`]);
    const elsewhere = await open(make());
    await importLines(elsewhere, each(redacted));
    const [, record] = await journal(elsewhere, session);
    expect([record?.body.redacted, String(record?.body.value).includes(SECRET)]).toEqual([true, false]);
  });

  test("K1: a session somebody holds is not imported into: E_IMPORT, and nothing is changed", async () => {
    const [from, to] = [await open(make()), await open(make())];
    const { session, by } = await begun(from, sessionId("s"));
    await from.append(session, by, [decided(1)]);
    const short = (await exported(from)).map((line) =>
      line.includes('"type":"record"') && line.includes('"seq":2') ? "" : line,
    );
    await codeOf(importLines(to, each(short)));
    await take(to, session, { attempt: 1, holder: null });
    expect(await codeOf(importLines(to, each(await exported(from))))).toBe("E_IMPORT");
    expect((await to.session(session))?.head).toBe(1);
  });
}
