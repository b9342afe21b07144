import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { beginSession } from "../../conversation/begin.ts";
import { RefloatError } from "../../model/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { checkStore } from "../check.ts";
import { openRawStore } from "../open-raw-store.ts";
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
