/**
 * The kill sweep on SQLite (DESIGN 14): a writer that does everything is killed at every crash point and at
 * random, again and again on the same store; after each kill the checker looks at everything (check.ts).
 */
import { expect, test } from "vitest";
import { isFull } from "../support/seed.ts";
import { sqliteStore } from "./sweep.ts";
import { countHits, killAtPoints, killAtRandom, killInRecovery } from "./sweeps.ts";

const MODES = [
  ["inline", sqliteStore(false)],
  ["on a worker thread", sqliteStore(true)],
] as const;
const KILLS = isFull ? 500 : 40;
const LIMIT_MS = 60 * 60_000;

test.each(MODES)(
  "%s, a writer killed at each crash point, first and later, loses nothing acknowledged and is followed at once (D1, D3, C1, C4, K1)",
  async (mode, address) => {
    const hits = await countHits(address);
    expect([...hits].filter(([, count]) => count === 0)).toEqual([]);
    await killAtPoints(mode, address, hits);
  },
  LIMIT_MS,
);

/** The first commit of a life is the taking of its claim. */
const IN_RECOVERY = [
  "append.before-begin",
  "take.before-commit",
  "append.before-commit",
  "append.after-commit",
  "take.after-commit",
  "append.before-ack",
];

test.each(MODES)(
  "%s, a recovery killed at each of its own crash points in turn settles everything once when it gets through (C4, K4)",
  async (_mode, address) => {
    await killInRecovery(address, IN_RECOVERY);
  },
  LIMIT_MS,
);

test(
  `${KILLS} kills at random lose nothing acknowledged, leave each input in one place and the claim free, at least 30 % of them before an acknowledgement (D1, D3, C1, C4, K1)`,
  async () => {
    await killAtRandom("SQLite", KILLS, (story) => (MODES[story % MODES.length] ?? MODES[0])[1]);
  },
  LIMIT_MS,
);
