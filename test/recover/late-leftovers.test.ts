/** A process of an attempt that is long over is known by its mark, however many attempts came after it (S2, T5). */
import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import { READ_PAGE_ROWS } from "../../src/model/limits.ts";
import { stopLateLeftovers } from "../../src/recover/recover-sessions.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { isAlive } from "../run/run-scene.ts";
import { makePlace } from "../support/cli.ts";

const LONG = 300_000;

function startMarked(mark: string): number {
  const env = { PATH: process.env.PATH, REFLOAT_SESSION: mark };
  const child = spawn("sleep", ["1000"], { stdio: "ignore", detached: true, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid as number;
}

test(
  "the first of more marks than one page of records has is still known, and what carries it is stopped; a guessed mark is nobody's",
  async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      // Marks are looked for on the whole host: these are of this process alone.
      const id = `often-${process.pid}`;
      const session = await store.begin({ id, agent: "tester", workspace: place.workspace });
      const markOf = (n: number): string => `${id}.1.${String(n).padStart(8, "0")}`;
      const marks = Array.from({ length: READ_PAGE_ROWS + 2 }, (_, n) =>
        newRecord(store.raw.clock, "agent.marked", { attempt: 1, mark: markOf(n), command: ["agent"] }),
      );
      await store.raw.append(id as SessionId, { attempt: session.attempt }, marks);
      await session.finish();
      const [left, stranger] = [startMarked(markOf(0)), startMarked(markOf(999_999))];
      const found: number[] = [];
      const onFound = (processes: readonly { readonly pid: number }[]): void =>
        void found.push(...processes.map(({ pid }) => pid));
      const ends = await stopLateLeftovers(store.raw, () => true, { onFound });
      expect(ends).toMatchObject([{ pid: left, outcome: "stopped", evidence: "mark" }]);
      expect(found).toEqual([left]);
      expect([isAlive(left), isAlive(stranger)]).toEqual([false, true]);
    });
  },
  LONG,
);
