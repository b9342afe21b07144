/** A run that waits for a usage limit's end is not alone with its session meanwhile (K1, L4). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { describeOnBoth, openedHere } from "../../../test/support/both-stores.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { systemClock } from "../../platform/clock.ts";
import { selfOwner } from "../../platform/identity.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { runThroughLimits } from "./run.ts";
import { type RunFace, runOrder } from "./run-order.ts";

const HOUR_MS = 3_600_000;
/** Meets a limit the first time, and writes down each time that it is started. */
const AGENT =
  'echo x >> starts; [ -e met ] && exit 0; touch met; echo "limit|$(( $(date +%s) + 60 ))"; exit 3';

/** Runs it through its limit; `meanwhile`: as soon as it waits. How often it was started. */
async function started(
  store: RefloatStore,
  meanwhile: (raw: Store, row: SessionRow) => Promise<unknown>,
): Promise<{ readonly starts: number; readonly end: unknown }> {
  const [workspace, home] = [temporaryFolder(), temporaryFolder()];
  let aheadMs = 0;
  const clock = {
    ...{ nowMs: systemClock.nowMs, monotonicMs: () => systemClock.monotonicMs() + aheadMs },
    sleep: async () => {
      const [row] = await store.raw.sessions({ workspace });
      if (aheadMs === 0 && row) await meanwhile(store.raw, row);
      aheadMs = HOUR_MS;
    },
  };
  const door = async () => store;
  const at = {
    ...{ place: () => workspace, env: { HOME: home, PATH: process.env.PATH }, clock, home: async () => home },
    ...{ storeAddress: async () => home, findStore: door, openStore: door, openOrMakeStore: door },
  } as unknown as AppPlace;
  const nothing = (): undefined => undefined;
  const streams = { stdin: new PassThrough().end(), stdout: new PassThrough(), stderr: new PassThrough() };
  for (const out of [streams.stdout, streams.stderr]) out.resume();
  const face = { streams, isUnattended: true, hold: nothing, release: nothing, tell: nothing };
  const signals = {
    ...{ first: null, stop: nothing },
    forSession: () => ({ early: null, listen: nothing, stop: nothing }),
  };
  const order = await runOrder(at, {
    ...{ command: ["sh", "-c", AGENT], place: workspace, store: null, agent: "t", owner: "refloat run" },
    limit: { text: "limit", code: null },
  });
  const running = runThroughLimits(at, order, face as unknown as RunFace, signals);
  const end = await running.catch((thrown: unknown) => thrown);
  const starts = existsSync(join(workspace, "starts")) ? readFileSync(join(workspace, "starts"), "utf8") : "";
  return { starts: starts.length / 2, end };
}

describeOnBoth((make) => {
  it("that nobody touched it goes on by itself", async () => {
    const { starts, end } = await started(await openedHere(make()), async () => undefined);
    expect([starts, end]).toEqual([2, expect.objectContaining({ exitCode: 0 })]);
  });

  it.each([
    [
      "suspended",
      (raw: Store, { id }: SessionRow) =>
        raw.append(id, "anyone", [newRecord(raw.clock, "session.suspended", { reason: "by order" })]),
      "E_RESUME_SUSPENDED",
    ],
    [
      "gone on with by another",
      async (raw: Store, { id: session }: SessionRow) => {
        const owner = selfOwner("another");
        const { attempt } = await takeClaim(raw, { session, owner, records: () => [] });
        await raw.release(session, attempt, [newRecord(raw.clock, "claim.released", { attempt })]);
      },
      "E_FENCED",
    ],
  ] as const)("that it was %s meanwhile is seen: it is not started again", async (_how, meanwhile, code) => {
    const { starts, end } = await started(await openedHere(make()), meanwhile);
    expect([starts, end]).toEqual([1, expect.objectContaining({ code })]);
  });
});
