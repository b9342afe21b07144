/** State files and stores for the tests of claims: both drivers, and a clock that can be moved. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { identityOf } from "../../src/workflow/claim-ids.ts";
import { claimOwner } from "../../src/workflow/claim-owner.ts";
import { initState } from "../../src/workflow/new-state.ts";
import type { StateFinding } from "../../src/workflow/rule.ts";
import { actOnStep, type StepDone } from "../../src/workflow/step-acts.ts";
import type { StepOrder } from "../../src/workflow/step-transition.ts";
import { storeClaimsOf } from "../../src/workflow/store-claims.ts";
import { validateFiles } from "../../src/workflow/validate-files.ts";
import { openedHere, STORES } from "../support/both-stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const STATE = "00-session-state.json";
export const MINUTE_MS = 60_000;

const DRIVERS = Object.fromEntries(STORES);
export type DriverName = (typeof STORES)[number][0];
export const DRIVER_NAMES = STORES.map(([name]) => name);

export interface MovableClock extends Clock {
  move(ms: number): void;
}

export function movableClock(): MovableClock {
  let aheadMs = 0;
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + aheadMs,
    move: (ms) => {
      aheadMs += ms;
    },
  };
}

export async function storeOf(name: DriverName, clock: Clock = systemClock): Promise<RefloatStore> {
  const make = DRIVERS[name];
  if (!make) throw new Error(`no store of the kind ${name}`);
  return openedHere(make(), { clock });
}

export async function newState(store: RefloatStore): Promise<string> {
  const file = join(temporaryFolder(), "demo", STATE);
  await initState(store.raw, file, { project: "demo", branch: "main", region: "", version: "2.0" });
  return file;
}

export interface By {
  /** A name, or a mark as REFLOAT_SESSION has it. */
  readonly name?: string;
  readonly mark?: string;
  readonly token?: string | null;
}

export const step = (
  store: RefloatStore,
  file: string,
  number: string,
  order: StepOrder,
  { name, mark, token }: By,
): Promise<StepDone> =>
  actOnStep(store.raw, file, number, order, {
    owner: claimOwner(mark, name ?? null),
    token: token ?? null,
    extras: { artifacts: [], contextFiles: [], findings: [], resolved: [] },
  });

// biome-ignore lint/suspicious/noExplicitAny: a test reads into whatever the file holds.
export type Doc = any;
export const docOf = (file: string): Doc => JSON.parse(readFileSync(file, "utf8"));
export function edit(file: string, change: (doc: Doc) => void): void {
  const doc = docOf(file);
  change(doc);
  writeFileSync(file, JSON.stringify(doc, null, 2));
}

export async function findingsOf(store: RefloatStore, file: string): Promise<readonly StateFinding[]> {
  const claims = await storeClaimsOf(store.raw, identityOf(file).session);
  return validateFiles([file], { clock: store.raw.clock, claims: () => claims });
}
