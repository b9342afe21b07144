/** P14: what is over and left nothing costs nobody anything: rows and journals that are read of it, counted at the driver. */
import { expect, test } from "vitest";
import { openPlace } from "../../src/app/place/open-place.ts";
import { scopeOf } from "../../src/app/place/scope.ts";
import { inspect } from "../../src/app/salvage/inspect.ts";
import { status } from "../../src/app/status/status.ts";
import { openStore } from "../../src/app/store/open-store.ts";
import { quietFace } from "../../src/library/workspace-acts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Driver } from "../../src/store/contract/driver.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";
import { leftTwoFiles } from "../support/left-session.ts";

const LONG_AGO_MS = 30 * 24 * 60 * 60_000;
const [FEW, MANY] = [5, 200];

/** Sessions that ended long ago, each with a call that may have written; then one that died and left two files. */
async function leftAfter(old: number): Promise<{ place: Place; repo: TestRepository }> {
  const [place, repo] = [makePlace(), testRepository()];
  const clock = { ...systemClock, nowMs: () => Date.now() - LONG_AGO_MS };
  const store = await openStore(place.store, { thread: false, clock });
  for (let i = 0; i < old; i++) {
    const session = await store.begin({ id: `old-${i}`, agent: "t", workspace: repo.root, captures: "off" });
    const turn = await session.turn("go");
    await (await turn.call({ tool: "shell", input: { command: "make" } })).result("ok");
    await turn.end("completed");
    await session.finish();
  }
  await store.close();
  await leftTwoFiles(place, repo);
  return { place, repo };
}

type Counted = Record<"rows" | "journals", number>;

/** How many rows of sessions a use case read, and how often it read in a journal. */
async function readsOf<T>(
  { place, repo }: Awaited<ReturnType<typeof leftAfter>>,
  use: (at: ReturnType<typeof openPlace>) => Promise<T>,
): Promise<{ readonly reads: Counted; readonly found: T }> {
  const env = { ...DOOR_ENV, REFLOAT_HOME: place.home, HOME: place.home };
  const at = openPlace({ place: () => repo.root, env, store: place.store });
  try {
    const driver = (await at.findStore())?.raw.driver as Driver;
    const reads: Counted = { rows: 0, journals: 0 };
    const { listSessions, readRecords } = driver;
    Object.assign(driver, {
      listSessions: async (...asked: Parameters<Driver["listSessions"]>) => {
        const rows = await listSessions(...asked);
        reads.rows += rows.length;
        return rows;
      },
      readRecords: (...asked: Parameters<Driver["readRecords"]>) => {
        reads.journals += 1;
        return readRecords(...asked);
      },
    });
    return { found: await use(at), reads };
  } finally {
    await at.close();
  }
}

test("P14, W5: the screen and `inspect` read as much with two hundred sessions that ended long ago as with five, and say the same of what was left", {
  timeout: 120_000,
}, async () => {
  const [few, many] = [await leftAfter(FEW), await leftAfter(MANY)];
  const screen = (at: ReturnType<typeof openPlace>) =>
    status(at, scopeOf(at.place(), "repository"), quietFace(undefined), { isAwakeOnly: true });
  const [a, b] = [await readsOf(few, screen), await readsOf(many, screen)];
  expect(b.reads).toEqual(a.reads);
  expect(b.found.sessions.map(({ id }) => id)).toEqual(["left-session"]);
  expect(b.found.counts).toEqual({ ...a.found.counts, finished: MANY });
  expect(a.found.counts.finished).toBe(FEW);
  expect(b.found.next).toEqual(a.found.next);
  expect(b.found.ids).toHaveLength(MANY + 1);
  const look = (at: ReturnType<typeof openPlace>) =>
    inspect(
      at,
      { session: "left-session", verify: null, isLinking: false, stopsLeftovers: false },
      quietFace(undefined),
    );
  const [c, d] = [await readsOf(few, look), await readsOf(many, look)];
  expect(d.reads).toEqual(c.reads);
  const told = ({ found }: typeof c) =>
    found.manifest.groups.map(({ verdict, changes }) => [
      verdict,
      ...changes.map((one) => [one.kind, one.owner, one.owner_evidence.map(({ message }) => message)]),
    ]);
  expect(told(d)).toEqual(told(c));
  expect(told(d)).not.toEqual([]);
});

test("S7: for who asks for every session the list is whole, and counts as the screen does", async () => {
  const left = await leftAfter(FEW);
  const lists = [false, true].map((isAwakeOnly) =>
    readsOf(left, (at) =>
      status(at, scopeOf(at.place(), "repository"), quietFace(undefined), { isAwakeOnly }),
    ),
  );
  const [whole, awake] = [(await lists[0])?.found, (await lists[1])?.found];
  expect(whole?.sessions).toHaveLength(FEW + 1);
  expect(awake?.counts).toEqual(whole?.counts);
  expect(awake?.next).toEqual(whole?.next);
  expect(new Set(awake?.ids)).toEqual(new Set(whole?.ids));
});
