/** What happens to a fleet: drawn by a seed, carried out one after the other, several at a time; somebody is always left to go on. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresPair } from "../../support/postgres-pair.ts";
import { LOST_AFTER_MS, type Machine } from "./machine.ts";

export type EventKind = "kill" | "lose" | "freeze" | "cut" | "crash" | "promote";

export interface FleetEvent {
  readonly kind: EventKind;
  /** Before it. */
  readonly afterMs: number;
  /** How long it lasts. */
  readonly forMs: number;
}

type Below = (below: number) => number;

/** Each kind so often, in an order of the seed's. */
export function eventsOf(
  counts: Readonly<Record<EventKind, number>>,
  gapMs: number,
  below: Below,
): FleetEvent[] {
  const kinds = Object.entries(counts).flatMap(([kind, count]) =>
    Array<EventKind>(count).fill(kind as EventKind),
  );
  for (let i = kinds.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [kinds[i], kinds[j]] = [kinds[j] as EventKind, kinds[i] as EventKind];
  }
  return kinds.map((kind) => ({ kind, afterMs: below(gapMs), forMs: lastsMs(kind, below) }));
}

function lastsMs(kind: EventKind, below: Below): number {
  switch (kind) {
    case "kill":
    case "lose":
      return below(1500);
    case "freeze":
      // Long enough to be taken for dead, and then it is there again.
      return LOST_AFTER_MS + below(2000);
    case "cut":
      return below(2 * LOST_AFTER_MS);
    case "crash":
      return below(1500);
    case "promote":
      return 0;
    default:
      return kind satisfies never;
  }
}

/** Until somebody is at work, where there is work left: a kill of a machine that has just booted proves little. */
const WORK_WAIT_MS = 8000;
const LOOK_MS = 100;

export interface Fleet {
  readonly machines: Machine[];
  readonly servers: PostgresPair;
  /** Everybody who has a way to the server. */
  moveAll(url: string): void;
  /** Some item was not brought to its end by any agent yet. */
  isWorkLeft(): boolean;
  /** Another machine in the place of one that is lost. */
  replace(lost: Machine): Promise<Machine>;
}

export interface Happened {
  readonly kind: EventKind;
  /** Whether an agent was at work there. */
  readonly isInWork: boolean;
}

/** Resolves when everything has happened and is healed: all machines are up, the network is whole, a server is there. */
export async function happen(fleet: Fleet, events: readonly FleetEvent[], below: Below): Promise<Happened[]> {
  const away = new Set<Machine>();
  const going = new Set<Promise<void>>();
  const happened: Happened[] = [];
  let server: Promise<void> = Promise.resolve();
  for (const event of events) {
    await sleep(event.afterMs);
    if (event.kind === "crash" || event.kind === "promote") {
      // One after the other: there is one server at a time.
      server = server.then(() => toServer(fleet, event));
      happened.push({ kind: event.kind, isInWork: true });
      continue;
    }
    while (away.size >= fleet.machines.length - 1) await Promise.race(going);
    const here = await atWork(fleet, away);
    const machine = here[below(here.length)] as Machine;
    happened.push({ kind: event.kind, isInWork: machine.isInWork });
    away.add(machine);
    const done = toMachine(fleet, machine, event).then(() => {
      away.delete(machine);
      going.delete(done);
    });
    going.add(done);
  }
  await Promise.all([server, ...going]);
  return happened;
}

/** Of those that are there the ones that are at work; all of them where nobody is. */
async function atWork(fleet: Fleet, away: ReadonlySet<Machine>): Promise<readonly Machine[]> {
  const untilMs = performance.now() + WORK_WAIT_MS;
  for (;;) {
    const here = fleet.machines.filter((machine) => !away.has(machine));
    const busy = here.filter(({ isInWork }) => isInWork);
    if (busy.length > 0) return busy;
    if (here.length > 0 && (performance.now() > untilMs || !fleet.isWorkLeft())) return here;
    await sleep(LOOK_MS);
  }
}

async function toServer({ servers, moveAll }: Fleet, { kind, forMs }: FleetEvent): Promise<void> {
  if (kind === "promote") {
    await servers.promote();
    moveAll(servers.current.url);
    return;
  }
  await servers.current.kill();
  await sleep(forMs);
  await servers.current.start();
}

async function toMachine(fleet: Fleet, machine: Machine, { kind, forMs }: FleetEvent): Promise<void> {
  switch (kind) {
    case "kill":
      await machine.kill();
      await sleep(forMs);
      machine.boot();
      return;
    case "lose": {
      await machine.kill();
      await sleep(forMs);
      const next = await fleet.replace(machine);
      fleet.machines.splice(fleet.machines.indexOf(machine), 1, next);
      next.boot();
      return;
    }
    case "freeze":
      machine.freeze();
      await sleep(forMs);
      machine.thaw();
      return;
    case "cut":
      machine.net.cut();
      await sleep(forMs);
      machine.net.heal();
      return;
    default:
      throw new Error(`${kind} happens to no machine`);
  }
}
