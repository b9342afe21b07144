import { describe, expect, it } from "vitest";
import { capturing } from "../../test/support/capturing.ts";
import type { StoredRecord } from "../model/record.ts";
import { AsItGoes, type CommitPass } from "./as-it-goes.ts";
import { RunJournal } from "./run-journal.ts";

const COMMITTED: CommitPass = { kind: "committed", commit: "c0ffee", plan: "p1" };
const failing = (code: string): CommitPass => ({ kind: "failed", code, message: `because of ${code}` });

async function scene(answers: readonly CommitPass[]) {
  const { store, session, capture } = await capturing();
  const raw = store.raw;
  const told: string[] = [];
  const started: (() => void)[] = [];
  let passes = 0;
  const journal = new RunJournal(raw, { session, attempt: 1 }, (error) => {
    throw error;
  });
  const pass = async (): Promise<CommitPass> => {
    const answer = answers[Math.min(passes, answers.length - 1)] as CommitPass;
    passes += 1;
    await new Promise<void>((resolve) => started.push(resolve));
    return answer;
  };
  const goes = new AsItGoes({ store: raw, journal, pass, tell: (line) => told.push(line) });
  /** As the supervisor hears it: an operation that began and ended, and the capture right after. */
  const operation = async (label: string, from = "mark"): Promise<StoredRecord[]> => {
    await journal.write(journal.record("operation.began", { operation: label, label, paths: null }));
    await journal.write(journal.record("operation.ended", { operation: label, aborted: false, from }));
    await capture({ reason: "operation-end" });
    const kinds = ["operation.ended", "capture.taken"] as const;
    return (await raw.records({ session, kinds, order: "backward", limit: 2 })).reverse();
  };
  const hears = async (label: string, from?: string): Promise<void> => {
    for (const record of await operation(label, from)) goes.hear(record);
  };
  const notes = (): Promise<StoredRecord[]> => raw.records({ session, kinds: ["operations.not-committed"] });
  /** Lets every pass that has begun come to its end, until `done` holds. */
  const letGo = async (done: () => boolean): Promise<void> => {
    await expect
      .poll(
        () => {
          for (const go of started.splice(0)) go();
          return done();
        },
        { timeout: 60_000, interval: 5 },
      )
      .toBe(true);
  };
  return { goes, operation, hears, told, notes, letGo, passes: () => passes };
}

/** Ends it while passes are let go. */
async function ended(
  { goes, letGo }: Awaited<ReturnType<typeof scene>>,
  options = { isHurried: false },
): Promise<void> {
  let isOver = false;
  const over = goes.end(options).then(() => {
    isOver = true;
  });
  await letGo(() => isOver);
  await over;
}

describe("committing as it goes", () => {
  it("makes one pass for operations that end while one is at work, and one at a time", async () => {
    const it = await scene([COMMITTED]);
    await it.hears("a");
    for (const label of ["b", "c", "d"]) await it.hears(label);
    expect(it.passes()).toBe(1);
    await it.letGo(() => it.passes() === 2);
    await ended(it);
    expect(it.passes()).toBe(2);
    expect(it.goes.committed).toHaveLength(2);
  });

  it("T2: makes no pass for an END that the agent only printed, neither as it goes nor at the end", async () => {
    const it = await scene([COMMITTED]);
    await it.hears("a", "stdout");
    await ended(it);
    expect(it.passes()).toBe(0);
  });

  it("looks once more at the end when an operation ended that nobody heard of, and not when there is none", async () => {
    const it = await scene([COMMITTED]);
    await ended(it);
    expect(it.passes()).toBe(0);
    const late = await scene([COMMITTED]);
    await late.operation("late");
    await ended(late);
    expect(late.passes()).toBe(1);
  });

  it("notes a failure once, tries it again only when the next operation ends, and notes it anew after a commit", async () => {
    const it = await scene([
      failing("E_HOOK_FAILED"),
      failing("E_HOOK_FAILED"),
      COMMITTED,
      failing("E_HOOK_FAILED"),
    ]);
    for (let n = 1; n <= 4; n++) {
      await it.hears(`${n}`);
      await it.letGo(() => it.passes() === n);
    }
    await ended(it);
    expect(it.passes()).toBe(4);
    expect(it.told).toHaveLength(2);
    expect(await it.notes()).toHaveLength(2);
  });

  it("tries again what was only in the way, a few times, and says nothing when that helped", async () => {
    const it = await scene([failing("E_INDEX_LOCKED"), failing("E_REF_MOVED"), COMMITTED]);
    await it.hears("a");
    await it.letGo(() => it.goes.committed.length === 1);
    await ended(it);
    expect(it.told).toEqual([]);
    const busy = await scene([failing("E_ACT_BUSY")]);
    await busy.hears("a");
    await busy.letGo(() => busy.told.length === 1);
    await ended(busy);
    expect(busy.passes()).toBe(3);
    expect(await busy.notes()).toHaveLength(1);
  });

  it("begins nothing more when a signal asked for the end", async () => {
    const it = await scene([COMMITTED]);
    await it.operation("late");
    await ended(it, { isHurried: true });
    expect(it.passes()).toBe(0);
  });
});
