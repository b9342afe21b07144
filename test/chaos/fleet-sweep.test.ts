/**
 * A fleet under everything at once: machines killed, stopped, cut off and lost with their disks, the server killed, its standby promoted, clocks minutes
 * apart; then it is looked at from outside what became of the work (docs/proof.md). A sample in each run; REFLOAT_SWEEP=full has 12 machines and 200 kills.
 */
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import { addItem } from "../../src/fleet/queue.ts";
import type { RepositoryId } from "../../src/fleet/queue-place.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { checkStore } from "../../src/store/check.ts";
import { testRepository } from "../support/git-repository.ts";
import { startPair } from "../support/postgres-pair.ts";
import { postgresProxy } from "../support/postgres-proxy.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { Note } from "./fleet/agent.ts";
import { FIRST_LINE, faultsOf } from "./fleet/check.ts";
import { type EventKind, eventsOf, type Fleet, type Happened, happen } from "./fleet/events.ts";
import { Machine } from "./fleet/machine.ts";
import { type NamedItem, statesOf, storyOf } from "./fleet/story.ts";

/** Of the full counts: REFLOAT_SWEEP_SHARE=0.2 has a fifth of them, for half an hour that nobody has. */
const share = Number(process.env.REFLOAT_SWEEP_SHARE ?? 1);
const part = (count: number): number => Math.ceil(count * share);
const SIZE = isFull
  ? { machines: part(12), items: part(60), steps: 6, pauseMs: 500, gapMs: 2500 }
  : { machines: 3, items: 10, steps: 2, pauseMs: 200, gapMs: 600 };
const COUNTS: Record<EventKind, number> = isFull
  ? { kill: part(170), lose: part(30), freeze: part(20), cut: part(20), crash: part(10), promote: 1 }
  : { kill: 12, lose: 3, freeze: 1, cut: 1, crash: 1, promote: 1 };
/** After everything has healed, without anything that ends: then somebody is stuck. Nothing is asserted of how long it takes. */
const NOTHING_ENDS_MS = 120_000;

function repository(name: string): { readonly root: string; readonly id: RepositoryId } {
  const made = testRepository(`${temporaryFolder()}/${name}`);
  made.write("lines.txt", `${FIRST_LINE}\n`);
  // Two repositories are told apart by the commit they begin with.
  made.write("name.txt", name);
  return { root: made.root, id: made.commit("base").slice(0, 24) as RepositoryId };
}

it(`a fleet of ${SIZE.machines} machines loses nothing acknowledged and runs nothing twice, whatever is killed, cut off, stopped or promoted (D1, K1 to K3, L2, W8)`, async () => {
  const below = randomFrom(seed);
  const origins = [repository("alpha"), repository("beta")];
  const servers = await startPair({ max_connections: "100", wal_retrieve_retry_interval: "200ms" });
  onTestFinished(() => servers.stop());
  const nets = [await postgresProxy(servers.current.url)];
  const [eye] = nets;
  const store = await openStore(eye?.url ?? "", { thread: false, env: {} });
  const everyone: Machine[] = [];
  const machine = async (): Promise<Machine> => {
    const number = everyone.length + 1;
    const offsetMinutes = [0, 11, -9][number % 3] as number;
    const options = {
      ...SIZE,
      server: servers.current.url,
      origins: origins.map(({ root }) => root),
      slots: 2,
    };
    const made = await Machine.made({ ...options, name: `m${number}`, offsetMinutes });
    everyone.push(made);
    nets.push(made.net);
    return made;
  };
  onTestFinished(async () => {
    for (const one of everyone) await one.kill();
    await store.close();
    for (const net of nets) await net.close();
  });
  const fleet: Fleet = {
    machines: [],
    servers,
    moveAll: (url) => {
      for (const net of nets) net.moveTo(url);
    },
    isWorkLeft: () => {
      const ended = everyone.flatMap((one) => one.notes()).filter(({ kind }) => kind === "end");
      return new Set(ended.map(({ session }) => session)).size < SIZE.items;
    },
    replace: machine,
  };
  for (let i = 0; i < SIZE.machines; i++) fleet.machines.push(await machine());
  const items: NamedItem[] = [];
  for (let i = 0; i < SIZE.items; i++) {
    const { root, id } = origins[i % 2] as (typeof origins)[number];
    const name = `${basename(root)}-${i}`;
    const order = { repository: id, name: basename(root), priority: 5, prompt: name };
    items.push({
      name,
      ...(await addItem(store.raw, { ...order, notBeforeMs: null, after: null, retries: null })),
    });
  }
  for (const one of fleet.machines) one.boot();
  const happened = await happen(fleet, eventsOf(COUNTS, SIZE.gapMs, below), below);
  const repositories = origins.map(({ id }) => id);
  const lifted = await allEnded(store, repositories);
  for (const one of fleet.machines) await one.drain();
  const notes = everyone.flatMap((one) => one.notes());
  const story = await storyOf(store, fleet.machines, { items, notes, steps: SIZE.steps }, repositories);
  const said = everyone.map((one) => `${one.name}: ${one.said}`).join("\n");
  const faults = faultsOf(story);
  expect(faults, `seed ${seed}\n${faults.join("\n")}\n${faults.length > 0 ? said : ""}`).toEqual([]);
  expect((await checkStore(store.raw)).damage).toEqual([]);
  report(happened, notes, lifted);
  const inWork = happened.filter(({ kind, isInWork }) => (kind === "kill" || kind === "lose") && isInWork);
  expect(inWork.length, "machines were killed in the middle of work").toBeGreaterThan(0);
}, 3_600_000);

/** Sessions that three deaths suspended (L2) are lifted, as somebody would who looked at them; how many. */
async function allEnded(store: RefloatStore, repositories: readonly RepositoryId[]): Promise<number> {
  let lifted = 0;
  let [before, sinceMs] = [-1, performance.now()];
  for (;;) {
    const states = await statesOf(store, repositories);
    const open = [...states].filter(([, state]) => state !== "done");
    if (open.length === 0) return lifted;
    if (open.length !== before) [before, sinceMs] = [open.length, performance.now()];
    if (performance.now() - sinceMs > NOTHING_ENDS_MS) return lifted;
    const rows = await Promise.all(open.map(([id]) => store.raw.session(id as NamedItem["id"])));
    for (const { id, state } of await store.describe(rows.flatMap((row) => row ?? [])))
      if (state === "suspended") {
        const record = newRecord(store.raw.clock, "session.lifted", { reason: "somebody looked at it" });
        await store.raw.append(id as NamedItem["id"], "anyone", [record]);
        lifted++;
      }
    await sleep(300);
  }
}

function report(happened: readonly Happened[], notes: readonly Note[], lifted: number): void {
  const kinds = Object.keys(COUNTS).map((kind) => {
    const these = happened.filter((one) => one.kind === kind);
    return `  ${kind} ${these.length}, ${these.filter(({ isInWork }) => isInWork).length} of them in the middle of work`;
  });
  console.log(
    `seed ${seed}: ${notes.filter(({ kind }) => kind === "captured").length} captures acknowledged in ${notes.filter(({ kind }) => kind === "begin").length} runs of agents, ${lifted} sessions lifted\n${kinds.join("\n")}`,
  );
}
