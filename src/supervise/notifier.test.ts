import { describe, expect, it } from "vitest";
import { manualClock } from "../../test/support/manual-clock.ts";
import type { ProgramOutcome } from "../platform/run-program.ts";
import { NOTIFY_EVERY_MS, Notifier } from "./notifier.ts";

const OK: ProgramOutcome = { kind: "ended", code: 0, stdout: Buffer.alloc(0), stderr: "" };
const LIMIT = {
  event: "limit",
  session: "s1",
  message: "usage limit",
  details: { resets_at: null },
} as const;

function started(outcome: ProgramOutcome = OK) {
  const clock = manualClock(Date.UTC(2026, 10, 15));
  const sent: Record<string, unknown>[] = [];
  const said: string[] = [];
  const run = async (input: string): Promise<ProgramOutcome> => {
    sent.push(JSON.parse(input));
    return outcome;
  };
  return { clock, sent, said, notifier: new Notifier(run, clock, (line) => said.push(line)) };
}

describe("notifying", () => {
  it("hands the news over as one JSON object", async () => {
    const { notifier, sent } = started();
    await notifier.notify(LIMIT);
    expect(sent).toEqual([
      {
        schema: "refloat.notify/1",
        event: "limit",
        at: "2026-11-15T00:00:00.000Z",
        session: "s1",
        message: "usage limit",
        held_back: 0,
        resets_at: null,
      },
    ]);
  });

  it("holds the same news back for a while and counts it, never other news and never the end", async () => {
    const { notifier, sent, clock } = started();
    for (let i = 0; i < 5; i++) await notifier.notify(LIMIT);
    await notifier.notify({ ...LIMIT, event: "interrupted" });
    await notifier.notify({ ...LIMIT, event: "stopped" });
    await notifier.notify({ ...LIMIT, event: "stopped" });
    expect(sent.map(({ event }) => event)).toEqual(["limit", "interrupted", "stopped", "stopped"]);
    clock.step(NOTIFY_EVERY_MS);
    await notifier.notify(LIMIT);
    expect(sent.at(-1)).toMatchObject({ event: "limit", held_back: 4 });
  });

  it("says that a command failed, hung or was not there, and never throws", async () => {
    const outcomes: readonly ProgramOutcome[] = [
      { ...OK, code: 3 },
      { kind: "signalled", signal: "SIGSEGV", stderr: "" },
      { kind: "too-slow", limitMs: 30_000 },
      { kind: "too-long", limit: 1 },
      { kind: "not-started", error: new Error("no such file") },
    ];
    for (const outcome of outcomes) {
      const { notifier, said } = started(outcome);
      await notifier.notify(LIMIT);
      expect(said).toHaveLength(1);
    }
  });
});
