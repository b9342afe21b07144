/** The sweep itself, the same for both stores (DESIGN 14); REFLOAT_SWEEP=full runs the full count. */
import { expect, test } from "vitest";
import { report } from "../chaos/sweep.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { Chaos } from "./chaos.ts";
import type { Delivered } from "./chat-process.ts";
import { missedPlaces, shareInFlight } from "./landings.ts";
import { type FreshStore, openTown } from "./lifecycle.ts";

const KILLS = isFull ? 200 : 20;
const LIMIT_MS = 60 * 60_000;
const LEAST_IN_FLIGHT = 0.3;

export function describeChaos(name: string, fresh: FreshStore): void {
  test(
    `on ${name}, 50 conversations and ${KILLS} kills: every receipt is true, every input answered once or marked a possible duplicate, order kept, no conversation reset or stuck (C1, K1, L1, T1)`,
    async () => {
      const { town, journal } = await openTown(fresh);
      const chaos = new Chaos(town, journal, randomFrom(seed));
      for (let kill = 0; kill < KILLS; kill++) await chaos.liveAndDie();
      await chaos.rest();
      const { delivered } = town.platform;
      const duplicates = delivered.filter(({ mayBeDuplicate }) => mayBeDuplicate).length;
      report(`${KILLS} kills of a chat server on ${name}`, [
        `  ${chaos.receipts.length} receipts, ${delivered.length} arrivals, ${duplicates} of them marked`,
        chaos.histogram(),
      ]);
      expect(await chaos.check()).toEqual([]);
      expect(shareInFlight(chaos.landings)).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
      expect(missedPlaces(chaos.landings)).toEqual([]);
      await expectCheckerToSee(chaos, delivered);
    },
    LIMIT_MS,
  );
}

/** The checker can fail: each law broken on paper is found. */
async function expectCheckerToSee(chaos: Chaos, delivered: readonly Delivered[]): Promise<void> {
  const first = delivered.find(({ mayBeDuplicate }) => !mayBeDuplicate);
  const [receipt] = chaos.receipts;
  if (!first || !receipt) throw new Error("nothing arrived");
  const see = (arrived: readonly Delivered[]): Promise<string[]> =>
    chaos.check([...arrived], [], first.session);
  expect(await see(delivered)).toEqual([]);
  expect(await see([...delivered, first])).toContainEqual(expect.stringContaining("without a word"));
  const without = delivered.filter(({ input }) => input !== first.input);
  expect(await see(without)).toContainEqual(expect.stringContaining("never answered"));
  expect(await see(delivered.toReversed())).toContainEqual(expect.stringContaining("answered"));
  const never = [{ ...receipt, id: "never-sent" }];
  expect(await chaos.check([...delivered], never, first.session)).toHaveLength(1);
}
