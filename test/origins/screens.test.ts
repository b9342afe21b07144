/** The second origin's words on screens: what a session's records prove and no more, with the command that goes on from there (T1, T6). */
import { describe, expect, test } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { displayWidth } from "../../src/text/width.ts";
import { deadOwner, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";

const SAYING_NOTHING = /without saying so/;

interface Scene {
  readonly place: Place;
  readonly env: Readonly<Record<string, string>>;
  withStore<T>(use: (store: RefloatStore) => Promise<T>): Promise<T>;
  says(...args: string[]): Promise<string>;
}

function scene(address: (place: Place) => string): Scene {
  const place = makePlace();
  const url = address(place);
  const env = { REFLOAT_STORE: url, COLUMNS: "80" };
  return {
    place,
    env,
    withStore: async (use) => {
      const store = await openStore(url, { thread: false });
      try {
        return await use(store);
      } finally {
        await store.close();
      }
    },
    says: async (...args) => {
      const { code, stdout, stderr } = await place.refloat(args, { env });
      expect([args, code, stderr]).toEqual([args, 0, ""]);
      for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
      return stdout;
    },
  };
}

/** Ids are told apart in one database. */
let made = 0;
const newId = (): string => `screen-${++made}-${"abcdefgh".repeat(2)}`;

/** One turn from its beginning to its end, and the claim given back. */
async function oneGoodTurn(store: RefloatStore, place: Place, id: string): Promise<void> {
  const session = await store.begin({ id, agent: "tester", workspace: place.workspace });
  const turn = await session.turn("hello");
  await turn.end("completed");
  await session.release();
}

async function cutOffTurn(store: RefloatStore, place: Place, id: string): Promise<void> {
  const session = await store.begin({ id, agent: "tester", workspace: place.workspace, owner: deadOwner() });
  const turn = await session.turn("write me a poem");
  const message = turn.message("assistant");
  message.write("Roses are re");
  await message.flushed();
}

describe.each([
  ["SQLite", (place: Place) => place.store],
  ["Postgres", () => freshSchema().url],
])("on %s", (_name, address) => {
  test("origin 002.36: released cleanly and suspended by order, it is never said to have ended without saying so (T1)", async () => {
    const { place, withStore, says } = scene(address);
    const id = newId();
    await withStore((store) => oneGoodTurn(store, place, id));
    await says("suspend", id, "--reason", "it waits for a review");
    const screens = [
      await says("status"),
      await says("show", id),
      await says("sessions"),
      await says("inspect", id),
    ];
    for (const screen of screens) expect(screen).not.toMatch(SAYING_NOTHING);
    const [status = "", show = "", , inspect = ""] = screens;
    expect(status).toContain("it waits for a review");
    expect(inspect.replaceAll(/\s+/g, " ")).toContain("suspended: it waits for a review");
    expect(show).toMatch(/suspended +it waits for a review/);
  });

  test("origin 002.36: cut off once, gone on with, ended well and suspended by order: the old end is not told as the last one", async () => {
    const { place, withStore, says } = scene(address);
    const id = newId();
    await withStore(async (store) => {
      await cutOffTurn(store, place, id);
      await oneGoodTurn(store, place, id);
    });
    expect(await withStore((store) => store.sessions({ workspace: place.workspace }))).toMatchObject([
      { state: "idle", cause: null, dirty_ends: 0 },
    ]);
    await says("suspend", id);
    expect(await says("status")).toContain("by order");
    for (const command of ["status", "inspect"]) expect(await says(command)).not.toMatch(SAYING_NOTHING);
  });

  test("origin 002.35: `sessions` and `show` end in the command that lifts a suspension, and it does when typed (T6)", async () => {
    const { place, env, withStore, says } = scene(address);
    const [calm, stuck] = [newId(), newId()];
    await withStore(async (store) => {
      await oneGoodTurn(store, place, calm);
      await cutOffTurn(store, place, stuck);
    });
    expect(await says("sessions")).not.toContain("refloat lift");
    await says("suspend", stuck);
    for (const screen of [await says("sessions"), await says("show", stuck)]) {
      const typed = /refloat (lift \S+)/.exec(screen)?.[1]?.split(" ") ?? [];
      expect(typed).toHaveLength(2);
      expect((await place.json(typed, { env })).json).toMatchObject({ session: stuck, done: true });
      await says("suspend", stuck);
    }
    expect(await says("sessions")).toContain("1 session is suspended; to end that: refloat lift");
  });

  test("origin 002.37: a dead owner's message is cut off in `log`, a living one's is still being written (C3)", async () => {
    const { place, withStore, says } = scene(address);
    const id = newId();
    await withStore((store) => cutOffTurn(store, place, id));
    const log = await says("log", id);
    expect(log).toContain("Roses are re");
    expect(log).toContain("assistant (cut off)");
    expect(log).not.toContain("still being written");
    await withStore(async (store) => {
      const session = await store.begin({ id: newId(), agent: "tester", workspace: place.workspace });
      const turn = await session.turn("another");
      const message = turn.message("assistant");
      message.write("Violets");
      await message.flushed();
      expect(await says("log", session.id)).toContain("assistant (still being written)");
      await message.end();
      await turn.end("completed");
      await session.finish();
    });
  });

  test("origin 002.42: `show`, `sessions` and bare `refloat` say the count that the next `begin` is told", async () => {
    const { place, env, withStore, says } = scene(address);
    const id = newId();
    for (let death = 1; death <= 2; death++) {
      await withStore((store) => cutOffTurn(store, place, id));
      const { json } = await place.json(["show", id], { env });
      expect(json.session).toMatchObject({ state: "interrupted", dirty_ends: death });
    }
    expect(await says("status")).toContain("2 times in a row");
    await withStore((store) => cutOffTurn(store, place, id));
    const told = await withStore((store) => store.sessions({ workspace: place.workspace }));
    expect(told).toMatchObject([{ dirty_ends: 3 }]);
    const refused = await withStore((store) =>
      store.begin({ id, agent: "tester", workspace: place.workspace }).catch((thrown) => thrown),
    );
    expect(refused).toMatchObject({ code: "E_SUSPENDED", dirtyEnds: 3 });
    const { json } = await place.json(["sessions"], { env });
    expect(json.sessions).toMatchObject([
      { state: "suspended", dirty_ends: 3, suspended_for: refused.reason },
    ]);
  });
});

test("origin 002.36: idle with changes of its own, it is between turns, not ended without saying so (L5, L6)", async () => {
  const { place, withStore, says } = scene(({ store }) => store);
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.commit("base");
  await withStore(async (store) => {
    const session = await store.begin({ id: newId(), agent: "tester", workspace: repo.root });
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "edit", input: { path: "a.txt" } });
    repo.write("a.txt", "two\n");
    await call.result("ok");
    await turn.end("completed");
    await session.release();
  });
  const status = await says("status");
  expect(status).toContain("idle, unsettled");
  expect(status).toContain("between turns");
  expect(status).not.toMatch(SAYING_NOTHING);
});
