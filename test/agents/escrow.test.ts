/** Transcripts kept in the store: byte for byte, their beginnings once, for a while, and never with a secret in an export. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { dropTranscripts, type KeptFacts, tooMuch } from "../../src/agents/escrow/drop-transcripts.ts";
import { GrowingTranscript } from "../../src/agents/escrow/growing-transcript.ts";
import { type KeepTranscriptOrder, keepTranscript } from "../../src/agents/escrow/keep-transcript.ts";
import { keptBytes, keptTranscripts } from "../../src/agents/escrow/kept-transcripts.ts";
import { opencode } from "../../src/agents/opencode/agent.ts";
import { opencodeTranscript } from "../../src/agents/opencode/transcript.ts";
import { pi } from "../../src/agents/pi/agent.ts";
import { sessionsInDatabase } from "../../src/agents/transcript/read-database.ts";
import type { KeptTranscript } from "../../src/model/agent-kinds.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { TRANSCRIPT_PIECE_BYTES } from "../../src/model/limits.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { giveBack, takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { checkStore } from "../../src/store/check.ts";
import { exportLines } from "../../src/store/export.ts";
import { forget } from "../../src/store/forget.ts";
import { importLines } from "../../src/store/import.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import { openDatabase } from "../../src/store/sqlite/load.ts";
import type { Store } from "../../src/store/store.ts";
import { describeOnBoth, type MakeStore } from "../support/both-stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { homeOf } from "./fixture-home.ts";

const S = "s" as SessionId;
const SECRET = "AKIAIOSFODNN7EXAMPLQ";

async function newStore(make: MakeStore): Promise<Store> {
  const { url, open } = make();
  const store = await openRawStore(url, { thread: false, ...open });
  onTestFinished(() => store.close());
  return store;
}

async function begun(make: MakeStore, session = S, inStore?: Store) {
  const store = inStore ?? (await newStore(make));
  const owner = selfOwner("test");
  const began = { agent: "pi", workspace: "/w", goal: null, name: null };
  const { attempt } = await takeClaim(store, {
    session,
    owner,
    records: () => [newRecord(store.clock, "session.began", began)],
  });
  const order = (path: string): KeepTranscriptOrder => ({
    session,
    attempt,
    adapter: pi,
    path,
    nativeId: "native",
  });
  return { store, order, end: () => giveBack(store, { session, attempt, owner }) };
}

/** Lines that differ, so that every piece does. */
const lines = (from: number, count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `{"n":${from + n},"text":"${SECRET} line ${(from + n) ** 2}"}\n`,
  ).join("");

function transcript(text = lines(0, 20_000)): string {
  const path = join(temporaryFolder(), "session.jsonl");
  writeFileSync(path, text);
  return path;
}

async function keptIn(store: Store, session = S): Promise<KeptTranscript[]> {
  const found: KeptTranscript[] = [];
  for await (const { kept } of keptTranscripts(store, session)) found.push(kept);
  return found;
}

async function bytesOf(store: Store, kept: KeptTranscript | null | undefined): Promise<Buffer> {
  const pieces: Buffer[] = [];
  if (kept) for await (const piece of keptBytes(store, kept)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const contentsOf = async (store: Store): Promise<number> => (await store.driver.info()).contents;

/** What the pieces of all that was kept take, each once. */
async function storedOf(store: Store): Promise<number> {
  const pieces = (await keptIn(store)).flatMap(({ chunks }) => chunks);
  return [...new Map(pieces.map(({ hash, stored }) => [hash, stored])).values()].reduce((a, b) => a + b, 0);
}

describeOnBoth((make) => {
  describe("a kept transcript", () => {
    it("comes back byte for byte, takes less than it had, and is whole by the store's own check (D1, T1)", async () => {
      const { store, order } = await begun(make);
      const path = transcript(`${lines(0, 20_000)}\u0000\udead torn`);
      const kept = await keepTranscript(store, order(path));
      expect(kept).toMatchObject({
        agent: "pi",
        native_id: "native",
        path,
        bytes: readFileSync(path).byteLength,
      });
      expect((await bytesOf(store, (await keptIn(store))[0])).equals(readFileSync(path))).toBe(true);
      expect(kept?.chunks.length).toBe(Math.ceil(readFileSync(path).byteLength / TRANSCRIPT_PIECE_BYTES));
      expect(kept?.chunks.reduce((sum, { stored }) => sum + stored, 0)).toBeLessThan((kept?.bytes ?? 0) / 2);
      expect((await checkStore(store)).damage).toEqual([]);
    });

    it("shares its beginning with what it was before, and with another session's; the same again is nothing new (D4)", async () => {
      const { store, order } = await begun(make);
      const path = transcript();
      const first = await keepTranscript(store, order(path));
      const before = await contentsOf(store);
      await keepTranscript(store, order(path));
      expect([(await keptIn(store)).length, await contentsOf(store)]).toEqual([1, before]);
      appendFileSync(path, lines(20_000, 10));
      const second = await keepTranscript(store, order(path));
      expect(second?.chunks.slice(0, -1)).toEqual(first?.chunks.slice(0, -1));
      expect(await contentsOf(store)).toBe(before + 1);
      const other = await begun(make, "other" as SessionId, store);
      await keepTranscript(store, other.order(path));
      expect(await contentsOf(store)).toBe(before + 1);
      const texts = await Promise.all((await keptIn(store)).map((kept) => bytesOf(store, kept)));
      expect(texts.map((text) => text.toString())).toEqual([lines(0, 20_000), lines(0, 20_010)]);
    });

    it("is kept while it grows: every byte of each growth, and little more than once; it is sound whatever became of the file (D4, T5)", async () => {
      const { store, order } = await begun(make);
      const path = transcript(lines(0, 3000));
      const growing = new GrowingTranscript(store, order(path));
      const grown = async (): Promise<string> => {
        const kept = await growing.keep();
        return kept === null ? "" : (await bytesOf(store, kept)).toString();
      };
      expect(await grown()).toBe(lines(0, 3000));
      expect(await grown(), "nothing is new").toBe("");
      const before = await storedOf(store);
      for (let at = 0; at < 40; at++) {
        appendFileSync(path, lines(3000 + at * 50, 50));
        expect(await grown()).toBe(readFileSync(path, "utf8"));
      }
      expect((await keptIn(store)).length).toBe(41);
      const added = deflateRawSync(lines(3000, 2000)).length;
      const whole = deflateRawSync(readFileSync(path)).length;
      const put = (await storedOf(store)) - before;
      expect(put).toBeLessThan(8 * added + whole);
      writeFileSync(path, lines(90_000, 3500));
      expect(await grown(), "another text in its place").toBe(lines(90_000, 3500));
      writeFileSync(path, lines(90_000, 3));
      expect(await grown(), "cut off").toBe(lines(90_000, 3));
      const last = await keepTranscript(store, order(path));
      expect((await bytesOf(store, last)).toString()).toBe(lines(90_000, 3));
      expect((await checkStore(store)).damage).toEqual([]);
      rmSync(path);
      expect(await grown()).toBe("");
    });

    it("is none where the file is gone, empty or a folder, or a database that holds others' sessions, too", async () => {
      const { store, order } = await begun(make);
      const folder = temporaryFolder();
      for (const path of [join(folder, "gone"), transcript(""), folder])
        expect(await keepTranscript(store, order(path)), path).toBeNull();
      expect(await keepTranscript(store, { ...order(transcript()), adapter: opencode })).toBeNull();
      expect([await keptIn(store), await contentsOf(store)]).toEqual([[], 0]);
    });

    it("of a database are the session's own rows, once, and no other session's (D4)", async () => {
      const { store, order } = await begun(make);
      const home = homeOf(join(import.meta.dirname, "transcripts/opencode/killed-in-tool"));
      const path = join(home, ".local/share/opencode/opencode.db");
      const [own] = sessionsInDatabase(path, opencodeTranscript, {});
      const db = openDatabase(path);
      db.exec("PRAGMA foreign_keys = OFF");
      const copied = "directory, title, version, slug, project_id, time_created, time_updated";
      db.exec(`INSERT INTO session (id, ${copied}) SELECT 'ses_other', ${copied} FROM session LIMIT 1`);
      db.exec(
        `INSERT INTO session (id, parent_id, ${copied}) SELECT 'ses_child', id, ${copied} FROM session WHERE id <> 'ses_other'`,
      );
      db.close();
      const asked = { ...order(path), adapter: opencode, nativeId: own?.nativeId ?? "" };
      const kept = await keepTranscript(store, asked);
      expect(kept).toMatchObject({ rows: true, path });
      const rows = (await bytesOf(store, kept))
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const ids = (table: string): unknown[] =>
        rows.flatMap((one) => (one.table === table && one.row ? [one.row.id] : []));
      expect(ids("session")).toEqual([own?.nativeId, "ses_child"]);
      expect(ids("message")).toHaveLength(3);
      expect(ids("part")).toHaveLength(9);
      expect(rows.find(({ table, sql }) => table === "part" && sql)?.sql).toContain("CREATE TABLE");
      await keepTranscript(store, asked);
      expect(await keptIn(store)).toHaveLength(1);
      expect(await keepTranscript(store, { ...asked, nativeId: "ses_none" })).toBeNull();
    });

    it("is refused, and no more is made of it than a piece has, where its pieces are not what they were (T1, T5)", async () => {
      const { store, order } = await begun(make);
      const kept = await keepTranscript(store, order(transcript()));
      if (!kept) throw new Error("nothing was kept");
      const [bomb] = await store.putContents([deflateRawSync(Buffer.alloc(8 * TRANSCRIPT_PIECE_BYTES))]);
      const hostile = kept.chunks.map((chunk) => ({ ...chunk, hash: bomb?.hash ?? "" }));
      for (const chunks of [hostile, [...kept.chunks].reverse(), kept.chunks.slice(1)])
        await expect(bytesOf(store, { ...kept, chunks })).rejects.toMatchObject({ code: "E_STORE_DAMAGED" });
      await expect(bytesOf(store, { ...kept, form: "zstd" })).rejects.toMatchObject({
        code: "E_UNSUPPORTED",
      });
    });
  });

  describe("how long transcripts are kept", () => {
    const DAY = 24 * 60 * 60_000;
    const kept = (name: string, day: number, pieces: readonly string[]): KeptFacts & { name: string } => ({
      ...{ name, session: S, seq: day, atMs: day * DAY, shape: "{}" },
      pieces: pieces.map((hash) => ({ hash, stored: 10 })),
    });
    const dropped = (all: readonly (KeptFacts & { name: string })[], bytes: number): string[] =>
      tooMuch(all, { days: 90, bytes }, 100 * DAY).map(({ name }) => name);

    it("drops what is older, then the oldest of what is too much; a shared piece is counted once", () => {
      const all = [
        kept("old", 9, ["a"]),
        kept("grew", 20, ["b", "c"]),
        kept("grown", 30, ["b", "c", "d"]),
        kept("young", 99, ["e"]),
      ];
      expect(dropped(all, 1000)).toEqual(["old"]);
      expect(dropped(all, 40)).toEqual(["old"]);
      expect(dropped(all, 39)).toEqual(["grown", "grew", "old"]);
      expect(dropped(all, 9)).toEqual(["young", "grown", "grew", "old"]);
    });

    it("leaves the record's shape and says that something went (D2); what a live session holds, and what others name, stays", async () => {
      const { store, order, end } = await begun(make);
      const path = transcript();
      const first = await keepTranscript(store, order(path));
      expect((await dropTranscripts(store, { days: 90, bytes: 1 })).transcripts).toBe(0);
      const other = await begun(make, "other" as SessionId, store);
      await keepTranscript(store, other.order(path));
      await end();
      expect(await dropTranscripts(store, { days: 90, bytes: 1 })).toMatchObject({
        transcripts: 1,
        contents: 0,
      });
      expect(await keptIn(store)).toEqual([]);
      const [record] = await store.records({ session: S, kinds: ["transcript.kept"] });
      expect(record?.body).toEqual({
        forgotten: true,
        agent: "pi",
        native_id: "native",
        bytes: first?.bytes,
      });
      expect(await store.records({ session: S, kinds: ["transcript.dropped"] })).toHaveLength(1);
      expect((await bytesOf(store, (await keptIn(store, "other" as SessionId))[0])).toString()).toBe(
        lines(0, 20_000),
      );
      await other.end();
      const last = await dropTranscripts(store, { days: 90, bytes: 1 });
      expect([last.contents, await contentsOf(store)]).toEqual([first?.chunks.length, 0]);
      expect((await checkStore(store)).damage).toEqual([]);
    });
  });

  describe("erasing", () => {
    it("takes a session's transcript with the first word of it that goes, and it does not come back (D2)", async () => {
      const { store, order, end } = await begun(make);
      const path = transcript();
      await store.append(S, { attempt: order(path).attempt }, [
        newRecord(store.clock, "agent.heard", {
          ...{ agent: "pi", native_id: "native", path: "/home/notes/secret.env", version: null },
          ...{ next: null, status: "lost", unknown_types: 0 },
        }),
      ]);
      await keepTranscript(store, order(path));
      await end();
      await forget(store, { path: "nothing.txt" });
      expect(await keptIn(store)).toHaveLength(1);
      await forget(store, { path: "secret.env" });
      expect([await keptIn(store), await contentsOf(store)]).toEqual([[], 0]);
      const again = await begun(make, S, store);
      appendFileSync(path, lines(0, 1));
      expect(await keepTranscript(store, again.order(path))).toBeNull();
      expect(await contentsOf(store)).toBe(0);
    });
  });

  describe("an export", () => {
    const exported = async (store: Store, raw: boolean): Promise<string[]> => {
      const found: string[] = [];
      for await (const line of exportLines(store, { raw })) found.push(line);
      return found;
    };
    async function* each(all: readonly string[]): AsyncGenerator<string> {
      yield* all;
    }

    it("names a transcript's pieces and leaves them out: compressed, nobody sees the secrets in them (T4); a raw one has them", async () => {
      const { store, order, end } = await begun(make);
      const kept = await keepTranscript(store, order(transcript()));
      await end();
      const shown = await exported(store, false);
      const chunks = kept?.chunks.map(({ hash }) => hash) ?? [];
      expect(shown.filter((line) => /^\{"type":"(chunk|content)"/.test(line))).toEqual([]);
      const there = await newStore(make);
      const result = await importLines(there, each(shown));
      expect([...result.left_out].toSorted()).toEqual(chunks.toSorted());
      await expect(bytesOf(there, (await keptIn(there))[0])).rejects.toMatchObject({ code: "E_NO_CONTENT" });
      const mine = await newStore(make);
      await importLines(mine, each(await exported(store, true)));
      expect((await bytesOf(mine, (await keptIn(mine))[0])).toString()).toBe(lines(0, 20_000));
    });
  });
});
