/** What a list may leave out (store/contract/at-rest.ts): sessions that are over and left nothing, and no other (L6, W5). */
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Rest } from "../../src/store/contract/at-rest.ts";
import { begun, inputQueued, type MakePlace, newRecord, open, type Store, sessionId } from "./harness.ts";

type NewRecord = ReturnType<typeof newRecord>;

const FOREVER = Number.MAX_SAFE_INTEGER;
const finished = (atMs = 1) => newRecord("session.finished", { cause: "clean" }, undefined, atMs);

const captured = (reason: string): NewRecord =>
  newRecord("capture.taken", {
    ...{
      capture: "c",
      reason,
      note: null,
      how: "status",
      partial: false,
      head: null,
      moved: null,
      hidden: 0,
    },
    workspace: { path: "/w", kind: "folder", common_dir: "/w", clone: "/w", root_commit: "r" },
    ...{ index: null, in_progress: [], scopes: [], limits: [], entries: [], gaps: [], others: [] },
  });

const left = (attempt: number, changes: number) =>
  newRecord("session.left", {
    ...{ attempt, capture: "c" },
    changes: Array.from({ length: changes }, (_, i) => ({ path: `f${i}`, from: "clean", to: "gone" })),
  });

/** A session that is over, with what it did before that. */
async function over(
  store: Store,
  name: string,
  records: readonly NewRecord[] = [],
  { facts = {}, atMs = 1 }: { readonly facts?: JsonObject; readonly atMs?: number } = {},
): Promise<void> {
  const { session, attempt } = await begun(store, sessionId(name), facts);
  await store.release(session, attempt, [...records, finished(atMs)]);
}

async function awake(store: Store, rest: Rest, endedBeforeMs = FOREVER): Promise<string[]> {
  const filter = { workspace: "/w", without: { rest, endedBeforeMs } };
  const rows = (await store.sessions(filter)).map(({ id }) => id);
  expect(await store.driver.listSessionIds(filter)).toEqual(rows);
  return rows;
}

export function restLaws(make: MakePlace): void {
  test("L6: sessions that are over and left nothing are left out, and never one that lives, waits, is held back or may have left something", async () => {
    const store = await open(make());
    await over(store, "quiet");
    await over(store, "left-none", [captured("end"), left(1, 0)]);
    await over(store, "left-some", [captured("end"), left(1, 2)]);
    await over(store, "left-none-before", [captured("end"), left(0, 0)]);
    await over(store, "not-looked-at", [captured("begin")]);
    await over(store, "suspended", [newRecord("session.suspended", { reason: "why" })]);
    await over(store, "asked", [inputQueued("i")]);
    await over(store, "elsewhere", [], { facts: { workspace: "/other" } });
    await begun(store, sessionId("live"));
    const idle = await begun(store, sessionId("idle"));
    await store.release(idle.session, 1, []);
    expect(await awake(store, "left-nothing")).toEqual(
      ["asked", "idle", "left-none-before", "left-some", "live", "not-looked-at", "suspended"].sort(),
    );
  });

  test("W5: of those that may claim a change, none that anybody captured, heard of, or that took up another's work is left out", async () => {
    const store = await open(make());
    await over(store, "quiet");
    await over(store, "left-none", [captured("end"), left(1, 0)]);
    await over(store, "continues", [], { facts: { continues: "quiet" } });
    await over(store, "heard", [], { facts: { heard: "a" } });
    expect(await awake(store, "never-seen")).toEqual(["continues", "heard", "left-none"]);
  });

  test("of those at rest the ones that ended since a time are listed, and one that goes on is at rest no more", async () => {
    const store = await open(make());
    await over(store, "old", [], { atMs: 1000 });
    await over(store, "newer", [], { atMs: 2000 });
    expect(await awake(store, "never-seen", 1000)).toEqual(["newer", "old"]);
    expect(await awake(store, "never-seen", 1001)).toEqual(["newer"]);
    expect(await awake(store, "never-seen")).toEqual([]);
    await store.append(sessionId("old"), "anyone", [inputQueued("again")]);
    expect(await awake(store, "never-seen")).toEqual(["old"]);
  });

  test("ids are listed alone, by the same filters and page by page; a beginning finds what begins so and nothing beside it", async () => {
    const store = await open(make());
    const ids = ["a", "ab", "ab\u{10FFFF}x", "ab%", "aba", "abä", "ac", "b", "Ab"];
    for (const id of ids) await begun(store, sessionId(id));
    const byBytes = (some: string[]) => some.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await store.driver.listSessionIds({})).toEqual(byBytes([...ids]));
    const beginning = byBytes(["ab", "ab\u{10FFFF}x", "ab%", "aba", "abä"]);
    expect(await store.driver.listSessionIds({ prefix: "ab" })).toEqual(beginning);
    expect((await store.sessions({ prefix: "ab" })).map(({ id }) => id)).toEqual(beginning);
    expect(await store.driver.listSessionIds({ prefix: "ab", after: sessionId("ab%") })).toEqual(
      beginning.slice(beginning.indexOf("ab%") + 1),
    );
    expect(await store.driver.listSessionIds({ limit: 2 })).toHaveLength(2);
  });
}
