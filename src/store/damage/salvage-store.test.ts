import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { beginSession } from "../../conversation/begin.ts";
import { RefloatError } from "../../model/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { markPath } from "../../platform/store-address.ts";
import { checkStore } from "../check.ts";
import { openRawStore } from "../open-raw-store.ts";
import { Connection } from "../sqlite/connection.ts";
import { readMark } from "../sqlite/mark.ts";
import { PAGE_BYTES } from "../sqlite/migrations.ts";
import { salvageStore } from "./salvage-store.ts";

const MESSAGES = 50;

/** A store with one session of MESSAGES messages; its path and the session's id and head. */
async function filledStore(): Promise<{ path: string; session: string; head: number }> {
  const path = join(temporaryFolder(), "store.db");
  const store = await openRawStore(path, { thread: false });
  const session = await beginSession(store, { agent: "test", workspace: "/w" });
  const turn = await session.turn("go");
  for (let i = 0; i < MESSAGES; i++) await turn.append({ role: "assistant", parts: `message ${i}` });
  await turn.end("completed");
  await session.finish();
  const head = session.head;
  await store.close();
  return { path, session: session.id, head };
}

async function headIn(path: string, session: string): Promise<number> {
  const store = await openRawStore(path, { thread: false });
  try {
    expect((await checkStore(store)).damage).toEqual([]);
    return (await store.session(session as never))?.head ?? 0;
  } finally {
    await store.close();
  }
}

const codeOf = (path: string): Promise<string | null> =>
  openRawStore(path, { thread: false }).then(
    async (store) => {
      await store.close();
      return null;
    },
    (thrown: unknown) => (thrown instanceof RefloatError ? thrown.code : String(thrown)),
  );

describe("putting a salvaged store in place (D5)", () => {
  test("gives every record back and keeps the old files under another name", async () => {
    const { path, session, head } = await filledStore();
    const result = await salvageStore(path, { clock: systemClock });
    expect(result).toMatchObject({ store: path, records: head, lost: [], broken: [] });
    expect(existsSync(result.kept ?? "")).toBe(true);
    expect(await headIn(path, session)).toBe(head);
  });

  test("killed after the database was renamed: no empty store is started, and the same command goes on", async () => {
    const { path, session, head } = await filledStore();
    renameSync(path, `${path}.damaged-2026-01-01T00-00-00-000Z`);
    expect(await codeOf(path)).toBe("E_STORE_MISSING");
    await salvageStore(path, { clock: systemClock });
    expect(await headIn(path, session)).toBe(head);
  });

  test("written elsewhere: the damaged store stays as it was", async () => {
    const { path, session, head } = await filledStore();
    const to = `${path}.rescued`;
    const before = readdirSync(join(path, ".."));
    expect((await salvageStore(path, { clock: systemClock, to })).kept).toBeNull();
    expect(readdirSync(join(path, "..")).filter((name) => !before.includes(name))).toEqual([
      "store.db.rescued",
    ]);
    expect(await headIn(to, session)).toBe(head);
  });
});

describe("a lost end is named, by the note beside the store (D7)", () => {
  /** All of it in the database file, nothing in the log. */
  const checkpointed = async (): ReturnType<typeof filledStore> => {
    const filled = await filledStore();
    const db = new Connection(filled.path);
    db.get("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    return filled;
  };
  const lostIn = async (path: string) => salvageStore(path, { clock: systemClock });
  /** Every record of the session is there or named as lost, and no number is given twice. */
  async function expectTold(path: string, { session, head, records, lost }: Told): Promise<void> {
    const missing = lost.flatMap(({ ranges }) => ranges).reduce((sum, [from, to]) => sum + to - from + 1, 0);
    expect(records + missing).toBe(head);
    // The note of the loss stands behind everything that was ever there; `check` finds no gap that is not told.
    expect(await headIn(path, session)).toBe(head + 1);
    const store = await openRawStore(path, { thread: false });
    const { losses } = await store.driver.info();
    await store.close();
    const last = lost[0]?.ranges.at(-1) ?? expect.unreachable();
    expect(losses).toEqual([{ session, found: last[0] - 1, expected: head }]);
  }
  interface Told {
    readonly session: string;
    readonly head: number;
    readonly records: number;
    readonly lost: readonly {
      readonly session: string;
      readonly ranges: readonly (readonly [number, number])[];
    }[];
  }

  test("the last pages of the file are cut off", async () => {
    const { path, session, head } = await checkpointed();
    const size = statSync(path).size;
    for (let pages = 1; pages <= 40; pages++) {
      truncateSync(path, size - pages * PAGE_BYTES);
      const to = `${path}.${pages}`;
      const { records, lost, endsKnown } = await salvageStore(path, { clock: systemClock, to });
      expect(endsKnown).toBe(1);
      if (records === head) continue;
      expect(lost).toEqual([{ session, ranges: expect.any(Array) }]);
      if (records > 0 && lost[0]?.ranges.at(-1)?.[1] === head) {
        await expectTold(to, { session, head, records, lost });
        return;
      }
    }
    expect.unreachable("no cut lost an end");
  });

  test("pages that are zeroed, whichever they are: nothing is missing that is not named", async () => {
    const { path, head } = await checkpointed();
    const whole = readFileSync(path);
    for (let page = 1; page < whole.length / PAGE_BYTES; page++) {
      const damaged = Buffer.from(whole);
      damaged.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
      writeFileSync(path, damaged);
      const { records, lost } = await salvageStore(path, { clock: systemClock, to: `${path}.${page}` });
      const missing = lost
        .flatMap(({ ranges }) => ranges)
        .reduce((sum, [from, to]) => sum + to - from + 1, 0);
      expect({ page, sum: records + missing }).toEqual({ page, sum: head });
    }
  });

  test("nothing of a session is left: it is named whole, and stays named", async () => {
    const { path, session, head } = await checkpointed();
    const whole = readFileSync(path);
    // The header stays; the rest is gone.
    writeFileSync(path, whole.subarray(0, PAGE_BYTES));
    const { records, lost } = await lostIn(path);
    expect({ records, lost }).toEqual({ records: 0, lost: [{ session, ranges: [[1, head]] }] });
    const store = await openRawStore(path, { thread: false });
    expect((await store.driver.info()).losses).toEqual([{ session, found: 0, expected: head }]);
    await store.close();
  });

  test("without a note, or with that of another store, it is said that it cannot be known", async () => {
    const { path } = await checkpointed();
    const mark = readMark(path) ?? expect.unreachable();
    writeFileSync(markPath(path), JSON.stringify({ store: "another", heads: [...mark.heads] }));
    expect((await salvageStore(path, { clock: systemClock, to: `${path}.other` })).endsKnown).toBeNull();
    rmSync(markPath(path));
    expect((await salvageStore(path, { clock: systemClock, to: `${path}.none` })).endsKnown).toBeNull();
  });
});
