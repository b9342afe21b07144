/** Eight processes on one state file: real mutual exclusion (K1, K5). */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bodyAs } from "../../src/model/record.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import { identityOf } from "../../src/workflow/claim-ids.ts";
import { decisionsIn } from "../../src/workflow/decision-log.ts";
import { initState } from "../../src/workflow/new-state.ts";
import { freshSchema } from "../support/postgres.ts";
import { disagreements, tornFiles } from "./check-state.ts";
import { runStepper, type StateStore } from "./run-stepper.ts";

const PROCESSES = 8;
const ROUNDS = 3;
const LIMIT_MS = 10 * 60_000;

const STORES: Record<string, (folder: string) => StateStore> = {
  SQLite: (folder) => ({ url: join(folder, "home", "refloat.db") }),
  PostgreSQL: () => freshSchema(),
};

test.each(Object.entries(STORES))(
  "eight processes claiming and stepping on %s: no step is done twice, no decision is lost, tokens only grow (K1, K5)",
  async (_name, storeIn) => {
    const folder = mkdtempSync(join(tmpdir(), "refloat-many-"));
    const place = {
      store: storeIn(folder),
      file: join(folder, "ws", "00-session-state.json"),
    };
    try {
      const { url, ...how } = place.store;
      const raw = await openRawStore(url, { thread: false, ...how });
      await initState(raw, place.file, { project: "many", branch: "main", region: "", version: "2.0" });
      const ends = await Promise.all(
        Array.from({ length: PROCESSES }, (_, i) =>
          runStepper({ ...place, owner: `p${i}`, seed: i, rounds: ROUNDS, mode: "share" }),
        ),
      );
      for (const { code, errors } of ends) expect(code, errors).toBe(0);
      const acks = ends.flatMap(({ lines }) => lines.filter(({ k }) => k === "ack"));
      const done = acks.filter(({ op }) => op === "done").map(({ step }) => step);
      expect(done.toSorted()).toEqual(["1", "2", "3", "3.5", "4", "5", "6"]);
      const kept = decisionsIn(JSON.parse(readFileSync(place.file, "utf8"))).map((one) => one?.key);
      const made = acks.filter(({ op }) => op === "decide").map(({ key }) => key);
      expect(made.length).toBeGreaterThanOrEqual(PROCESSES);
      expect(kept.filter((key) => key?.startsWith("p")).toSorted()).toEqual(made.toSorted());
      const last = acks.filter(({ op, step }) => op === "start" && step === "7");
      const byAttempt = last
        .toSorted((a, b) => (a.attempt ?? 0) - (b.attempt ?? 0))
        .map(({ token }) => token);
      expect(new Set(byAttempt).size).toBe(last.length);
      expect(byAttempt).toEqual(byAttempt.toSorted());
      const taken = await raw.records({
        session: identityOf(place.file).stepSession("7"),
        kinds: ["claim.taken"],
      });
      const attempts = taken.map((record) => bodyAs(record, "claim.taken")?.attempt ?? 0);
      expect(attempts).toEqual(attempts.map((_, i) => i + 1));
      // Each process had the last step in each round, whoever came first.
      expect(attempts.length).toBeGreaterThanOrEqual(PROCESSES * ROUNDS);
      expect([...tornFiles(place.file), ...disagreements(place.file)]).toEqual([]);
      await raw.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
