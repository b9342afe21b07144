/**
 * A kill after every commit of one conversation: from the first record of the gateway to the delivery's end. The
 * places between answer and delivery are among them. Sampled; all of them with REFLOAT_SWEEP=full.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { report } from "../chaos/sweep.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { ChatProcess } from "./chat-process.ts";
import { checkConversation } from "./check-town.ts";
import { openTown } from "./lifecycle.ts";

const SAMPLE = 6;
const LIMIT_MS = 60 * 60_000;
const inline = (folder: string) => ({ url: join(folder, "refloat.db"), open: { thread: false } });
const message = { session: "c1", id: "m1", text: "work 2", route: { kind: "webhook" } };

/** Sends until there is a receipt; the server may die before, then the next life gets it. */
async function trySend(life: ChatProcess): Promise<boolean> {
  return life.send(message).then(
    () => true,
    () => false,
  );
}

async function commitsOfOneLife(): Promise<number> {
  const { town, journal } = await openTown(inline);
  const log = join(temporaryFolder(), "hits");
  const life = town.live({}, { REFLOAT_CRASH_LOG: log });
  await life.send(message);
  await (await journal()).recorded("c1", "claim.released", { attempt: 2 });
  await life.kill();
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line === "append.after-commit").length;
}

test(
  "killed after any commit, the input is answered by the next start exactly once, or again with the words that it may be a duplicate (C1, L1, T1)",
  async () => {
    const commits = await commitsOfOneLife();
    const random = randomFrom(seed);
    const all = Array.from({ length: commits }, (_, i) => i + 1);
    // The end of the row is where the answer, its debt and its sends lie: half of a sample is taken there.
    const sample = Array.from({ length: SAMPLE }, (_, i) =>
      i % 2 === 0 ? 1 + random(commits) : commits - random(Math.min(6, commits)),
    );
    const hits = isFull ? all : [...new Set(sample)].sort((a, b) => a - b);
    let marked = 0;
    for (const hit of hits) {
      const { town, journal } = await openTown(inline);
      const one = town.live({}, { REFLOAT_CRASH_AT: `append.after-commit#${hit}` });
      const hasReceipt = await trySend(one);
      expect(await one.ended(), `commit ${hit}: ${one.errors}`).toBe("SIGKILL");
      const two = town.live();
      await two.start();
      if (!hasReceipt) expect(await trySend(two)).toBe(true);
      await town.platform.arrived("m1");
      two.signal("SIGTERM");
      expect(await two.ended(), two.errors).toBe(0);
      const { delivered } = town.platform;
      marked += delivered.filter(({ mayBeDuplicate }) => mayBeDuplicate).length;
      expect(await checkConversation(await journal(), "c1", delivered), `commit ${hit}`).toEqual([]);
    }
    report(`${hits.length} of ${commits} commits of a gateway's life`, [
      `  at ${hits.join(", ")}; ${marked} answers marked`,
    ]);
    expect(commits).toBeGreaterThan(8);
  },
  LIMIT_MS,
);
