/** Who waits for work hears of it in whichever queue it is put, and of nothing else (docs/fleet.md). */
import { expect, it, vi } from "vitest";
import { describeOnBoth, openedHere } from "../../test/support/both-stores.ts";
import { newRecord } from "../session/new-record.ts";
import { ensureJournal } from "./own-journals.ts";
import { addItem } from "./queue.ts";
import { queuesOf, type RepositoryId } from "./queue-place.ts";
import { queueHeads, queueMoved } from "./watch-queues.ts";

const [ALPHA, BETA] = ["0123456789abcdef01234567", "89abcdef0123456701234567"] as [
  RepositoryId,
  RepositoryId,
];
const NEVER_MS = 600_000;

describeOnBoth((make) => {
  it.each([
    ["of the repository that is served first", ALPHA, 9],
    ["of another repository", BETA, 9],
    ["of a lower priority", ALPHA, 0],
    ["that nothing was ever added to", BETA, 3],
  ])(
    "who waits is woken by what is added to a queue %s, also before he began to wait",
    async (_which, repository, priority) => {
      const { raw } = await openedHere(make());
      const add = (to: RepositoryId, at: number) =>
        addItem(raw, {
          ...{
            repository: to,
            name: "app",
            priority: at,
            prompt: "p",
            notBeforeMs: null,
            after: null,
            retries: null,
          },
        });
      for (const [to, at] of [
        [ALPHA, 9],
        [ALPHA, 0],
        [BETA, 9],
      ] as const)
        await add(to, at); // prettier-ignore
      const heads = async () => queueHeads(await queuesOf(raw, [ALPHA, BETA]), [ALPHA, BETA]);
      const { signal } = new AbortController();
      const woken = queueMoved(raw, await heads(), NEVER_MS, signal);
      const seen = await heads();
      await add(repository, priority);
      expect(await woken).toBe(true);
      expect(await queueMoved(raw, seen, NEVER_MS, signal)).toBe(true);
    },
  );

  it("who waits for many queues waits once where any commit wakes him, else for each of them", async () => {
    const { raw } = await openedHere(make());
    const heads = queueHeads([], [ALPHA, BETA]);
    const changed = vi.spyOn(raw, "changed");
    const called = new AbortController();
    const waiting = queueMoved(raw, heads, NEVER_MS, called.signal);
    const asked = (): number => new Set(changed.mock.calls.map(([id]) => id)).size;
    await expect.poll(asked, { timeout: 30_000 }).toBe(raw.driver.kind === "sqlite" ? 1 : heads.size);
    expect(heads.size).toBe(20);
    called.abort();
    expect(await waiting).toBe(false);
  });

  it("who waits sleeps on while others write what is in none of his queues, until his time is up or he is called", async () => {
    const { raw } = await openedHere(make());
    await ensureJournal(raw, "other" as never, "fleet");
    const heads = queueHeads([], [ALPHA]);
    let writes = 0;
    const busy = new AbortController();
    const writing = (async () => {
      for (; !busy.signal.aborted; writes++)
        await raw.append("other" as never, "anyone", [
          newRecord(raw.clock, "session.lifted", { reason: "x" }),
        ]);
    })();
    expect(await queueMoved(raw, heads, 300, new AbortController().signal)).toBe(false);
    const called = new AbortController();
    const waiting = queueMoved(raw, heads, NEVER_MS, called.signal);
    called.abort();
    expect(await waiting).toBe(false);
    busy.abort();
    await writing;
    expect(writes).toBeGreaterThan(0);
  });
});
