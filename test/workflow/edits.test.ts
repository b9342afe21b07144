/** Somebody edits the file while, or after, a command of ours dies: the edit is never lost, the change never half done (issue: never overwritten blindly). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { changeState, usableDoc } from "../../src/workflow/change-state.ts";
import { identityOf } from "../../src/workflow/claim-ids.ts";
import { claimOwner } from "../../src/workflow/claim-owner.ts";
import { initState } from "../../src/workflow/new-state.ts";
import { keptVersions } from "../../src/workflow/state-journal.ts";
import { handoffOf } from "../../src/workflow/state-paths.ts";
import { actOnStep, decide } from "../../src/workflow/step-acts.ts";
import { decided } from "../../src/workflow/step-transition.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { disagreements, tornFiles } from "./check-state.ts";
import { runStepper, type StateStore } from "./run-stepper.ts";

const STORES: Record<string, () => StateStore> = {
  SQLite: () => ({ url: join(temporaryFolder(), "refloat.db") }),
  PostgreSQL: () => freshSchema(),
};
const OWNER = claimOwner(undefined, "a");
const EXTRAS = { artifacts: [], contextFiles: [], findings: [], resolved: [] };

interface Opened {
  readonly raw: Store;
  readonly file: string;
  readonly store: StateStore;
}

async function withState(store: StateStore, use: (opened: Opened) => Promise<void>): Promise<void> {
  const { url, ...how } = store;
  const file = join(temporaryFolder(), "00-session-state.json");
  const raw = await openRawStore(url, { thread: false, ...how });
  try {
    await initState(raw, file, { project: "edits", branch: "main", region: "", version: "2.0" });
    await use({ raw, file, store });
  } finally {
    await raw.close();
  }
}

const doc = (file: string) => JSON.parse(readFileSync(file, "utf8"));
function editByHand(file: string): string {
  const text = readFileSync(file, "utf8").replace('"region": ""', '"region": "by-hand"');
  writeFileSync(file, text);
  return text;
}
const outcomes = async (raw: Store, file: string): Promise<string[]> =>
  (await keptVersions(raw, identityOf(file).session)).map(({ what, isGivenUp }) =>
    isGivenUp ? `${what}: given up` : what,
  );
const start = (raw: Store, file: string) =>
  actOnStep(raw, file, "1", { kind: "start" }, { owner: OWNER, token: null, extras: EXTRAS });

test.each(Object.entries(STORES))(
  "on %s, a file edited in the very moment of a change keeps the edit: the change is refused, given up on record, and the next one takes the edit in",
  async (_name, storeIn) =>
    withState(storeIn(), async ({ raw, file }) => {
      let edited = "";
      const change = changeState(raw, file, async (opened) => {
        const at = { step: null, key: "k", value: "v", reason: null, timestamp: "2026-01-01T00:00:00Z" };
        const next = decided(usableDoc(opened), at);
        edited = editByHand(file);
        return { doc: next, what: "decide", result: null };
      });
      await expect(change).rejects.toMatchObject({ code: "E_STATE_EDITED" });
      expect(readFileSync(file, "utf8")).toBe(edited);
      expect(await outcomes(raw, file)).toEqual(["decide: given up", "init"]);
      await decide(raw, file, { key: "k", value: "v", reason: null, step: null });
      expect(doc(file)).toMatchObject({ region: "by-hand", decisions: { k: "v" } });
      expect(await outcomes(raw, file)).toEqual(["decide", "edited elsewhere", "decide: given up", "init"]);
      expect([...tornFiles(file), ...disagreements(file)]).toEqual([]);
    }),
);

test.each(Object.entries(STORES))(
  "on %s, killed with a change in the journal, then edited by hand: the change nobody was told of is given up, the edit stays (T1)",
  async (_name, storeIn) =>
    withState(storeIn(), async ({ raw, file, store }) => {
      const crashAt = "state.after-journal";
      const end = await runStepper({ store, file, owner: "a", seed: 0, rounds: 1, mode: "sweep", crashAt });
      expect(end.signal).toBe("SIGKILL");
      const edited = editByHand(file);
      await changeState(raw, file, async () => ({ doc: null, what: "look", result: null }));
      expect(readFileSync(file, "utf8")).toBe(edited);
      expect((await outcomes(raw, file))[1]).toContain("given up");
      await decide(raw, file, { key: "k", value: "v", reason: null, step: null });
      expect(doc(file)).toMatchObject({ region: "by-hand", decisions: { k: "v" } });
      expect(readFileSync(handoffOf(file), "utf8")).toContain(doc(file).updated);
      expect([...tornFiles(file), ...disagreements(file)]).toEqual([]);
    }),
);

test("killed between the claim on a step and the file, its owner starts it again: the file shows the claim and its token, not a heartbeat of nobody (K5)", () =>
  withState({ url: join(temporaryFolder(), "refloat.db") }, async ({ raw, file, store }) => {
    const crashAt = "step.after-claim";
    const end = await runStepper({ store, file, owner: "a", seed: 0, rounds: 1, mode: "sweep", crashAt });
    expect(end.signal).toBe("SIGKILL");
    expect(doc(file).steps["1"].claim.owner_id).toBeNull();
    const { attempt, token } = await start(raw, file);
    expect(attempt).toBe(1);
    expect(token).toMatch(/^00000001-/);
    expect(doc(file).steps["1"].claim).toMatchObject({ owner_id: "a", attempt_token: token, retry_count: 0 });
    expect(doc(file).lock).toMatchObject({ owner_id: "a", attempt_token: token });
    expect(disagreements(file)).toEqual([]);
  }));
