/** Defects found while the sweeps were made and run, each kept as the smallest case that shows it. */
import { expect, test } from "vitest";
import { MAX_RECORDS_PER_CHANGE } from "../../src/model/limits.ts";
import { checkStore } from "../../src/store/check.ts";
import { newStorePath, opened } from "./child.ts";

const WHO = { id: "s1", agent: "a", workspace: "/w" };
const whenDead = { ...WHO, liveness: () => ({ kind: "dead", because: "no-such-process" }) as const };

test("a session that died with more calls open than one append may hold is taken over and settled in one step all the same (C4)", async () => {
  const store = await opened(newStorePath());
  const turn = await (await store.begin(whenDead)).turn("a great many at once");
  const count = MAX_RECORDS_PER_CHANGE + 200;
  const ids = Array.from({ length: count }, (_, i) => `call-${i}`);
  await Promise.all(ids.map((id) => turn.call({ id, tool: "bash", input: id })));
  const next = await store.begin(whenDead);
  expect(next.recovered?.calls).toHaveLength(count);
  const results = next
    .view("people")
    .items.filter((item) => item.kind === "call" && item.result?.isSynthetic);
  expect(results).toHaveLength(count);
  expect((await checkStore(store.raw)).damage).toEqual([]);
});

test("forgetting a session takes its goal out of the session's own row too, and the store is sound afterwards (D2)", async () => {
  const store = await opened(newStorePath());
  const session = await store.begin({ ...WHO, goal: "to find the hidden treasure" });
  await session.finish();
  await store.forget({ session: "s1" });
  expect(JSON.stringify(await store.raw.sessions())).not.toContain("treasure");
  expect((await checkStore(store.raw)).damage).toEqual([]);
});
