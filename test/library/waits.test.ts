/** Every wait of the library that takes a signal ends by it, whatever it waits for: a holder, a record, an answer, a server that says nothing. */
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openGateway } from "../../src/app/run/open-gateway.ts";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { toEventStream } from "../../src/conversation/event-stream.ts";
import { openWorkspace } from "../../src/library/workspace.ts";
import { openedHere, STORES } from "../support/both-stores.ts";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { leftTwoFiles } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ME = { id: "s", agent: "a", workspace: "/w" };
const CALLED_OFF = { name: "AbortError", code: "E_ABORTED" };

/** Accepts, and says nothing. */
async function silentServer(): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
}

/** Its reads are never answered from now on. */
function neverAnswering(store: RefloatStore): void {
  const never = (): Promise<never> => new Promise(() => undefined);
  Object.assign(store.raw.driver, { version: never, readRecords: never, waitForCommit: never });
}

type Wait = (signal: AbortSignal, store: RefloatStore) => Promise<unknown>;

/** By the type that has the signal, as docs/api-report.md lists them. Each waits for what never comes. */
const WAITS: Readonly<
  Record<string, readonly (readonly [how: string, wait: Wait, ends: "throws" | "ends"])[]>
> = {
  OpenStoreOptions: [
    ["a server that says nothing", async (signal) => openStore(await silentServer(), { signal }), "throws"],
  ],
  BeginOptions: [
    [
      "a session that another holds",
      async (signal, store) => {
        await store.begin(ME);
        await store.begin({ ...ME, wait: true, signal });
      },
      "throws",
    ],
  ],
  FollowOptions: [
    [
      "a record",
      async (signal, store) => drained(store.follow((await store.begin(ME)).id, 1, { signal })),
      "ends",
    ],
    ["a session that is not there", (signal, store) => drained(store.follow("none", 1, signal)), "ends"],
    [
      "a record, by its own handle",
      async (signal, store) => drained((await store.begin(ME)).follow(1, { signal })),
      "ends",
    ],
    [
      "a store that does not answer",
      (signal, store) => {
        neverAnswering(store);
        return drained(store.follow("s", 1, { signal }));
      },
      "ends",
    ],
  ],
  EventStreamOptions: [
    [
      "a record",
      async (signal, store) =>
        drained(toEventStream(await store.begin(ME), { signal }) as AsyncIterable<unknown>),
      "ends",
    ],
    [
      "a store that does not answer",
      async (signal, store) => {
        const session = await store.begin(ME);
        neverAnswering(store);
        return drained(toEventStream(session, { signal }) as AsyncIterable<unknown>);
      },
      "ends",
    ],
  ],
  OwnRecordsRange: [
    [
      "a store that does not answer",
      async (signal, store) => {
        const session = await store.begin(ME);
        await session.record("t.n", { n: 1 });
        neverAnswering(store);
        return drained(session.records("t.n", { signal }));
      },
      "ends",
    ],
  ],
  Gateway: [
    [
      "an answer",
      async (signal, store) => {
        let answered = (): void => undefined;
        const answer = new Promise<void>((resolve) => {
          answered = resolve;
        });
        const gateway = await openGateway(store, {
          ...{ name: "g", agent: "t", deliver: async () => ({ kind: "delivered" }) as const },
          answer: () => answer.then(() => ({ kind: "silent" }) as const),
        });
        onTestFinished(async () => {
          answered();
          await gateway.close();
        });
        await gateway.receive({ session: "c", input: "?", route: {} });
        await gateway.idle({ signal });
      },
      "throws",
    ],
  ],
};

async function drained(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}

const REPORT = readFileSync(join(import.meta.dirname, "../../docs/api-report.md"), "utf8");

/** Types of the doors of the store with a signal that a caller gives; one that is handed to him is none. */
const listed = [...REPORT.matchAll(/^export (?:declare class|interface) (\w+)[^\n]*\{\n(.*?)^\}/gms)]
  .filter(([, , members = ""]) => /signal\?: AbortSignal/.test(members))
  .map(([, name = ""]) => name);

test("are all listed here: no type with a signal is without its case", () => {
  expect(listed.sort()).toEqual([...Object.keys(WAITS), "InspectOptions"].sort());
});

describe.each(STORES)("on %s", (_, make) => {
  const cases = Object.entries(WAITS).flatMap(([type, waits]) =>
    waits.map((wait) => [type, ...wait] as const),
  );
  test.each(cases)(
    "%s: a wait for %s is over when it is called off, also where it was before it began",
    async (_type, _how, wait, ends) => {
      for (const isBefore of [false, true]) {
        const store = await openedHere(make());
        const off = new AbortController();
        if (isBefore) off.abort(new Error("enough"));
        const waiting = wait(off.signal, store);
        if (!isBefore) setTimeout(() => off.abort(new Error("enough")), 30);
        if (ends === "ends") await waiting;
        else await expect(waiting).rejects.toMatchObject({ ...CALLED_OFF, cause: { message: "enough" } });
      }
    },
  );
});

test("InspectOptions: a check that never ends is over when it is called off", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  await leftTwoFiles(place, repo);
  const workspace = await openWorkspace(place.workspace, {
    env: { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home },
  });
  onTestFinished(() => workspace.close());
  const off = new AbortController();
  const began = join(temporaryFolder(), "began");
  const waiting = workspace.inspect({ verify: `touch ${began}; sleep 1000`, signal: off.signal });
  await expect.poll(() => existsSync(began), { timeout: 20_000 }).toBe(true);
  off.abort(new Error("enough"));
  await expect(waiting).rejects.toMatchObject({ ...CALLED_OFF, cause: { message: "enough" } });
});
