/** `status --fleet`: machines, what is cut off, what waits (app/fleet/fleet-status.ts). */
import { type FleetStatus, fleetStatus } from "../../../app/fleet/fleet-status.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, oneLine } from "../../screen/words.ts";

/** So much of a machine's id tells it from others on a screen; `sessions --all --host` takes as much. */
const HOST_CHARS = 12;

export async function showFleet(context: Context): Promise<CommandEnd> {
  const found = await fleetStatus(context);
  const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  await context.out.result({
    command: "status",
    json: {
      hosts: found.hosts.map(({ lastSeenMs, ...host }) => ({ ...host, last_seen: time(lastSeenMs) })),
      counts: found.counts,
      queues: found.queues.map(({ oldestMs, ...queue }) => ({ ...queue, oldest: time(oldestMs) })),
    },
    text: () => lines(context, found),
  });
  return EXIT.done;
}

function lines(context: Context, { hosts, counts, queues }: FleetStatus): string[] {
  const { style, columns } = context.out;
  const nowMs = context.clock.nowMs();
  const ago = (ms: number | null): string => (ms === null ? "-" : agoText(ms, nowMs));
  const { live, idle, interrupted, suspended, strikes } = counts;
  return [
    ...(hosts.length === 0
      ? ["No machine holds a session."]
      : tableLines(
          [
            { title: "HOST", paint: style.bold },
            { title: "NAME", shrinkTo: 8 },
            { title: "SEEN" },
            { title: "WORKERS" },
            { title: "LIVE" },
            { title: "LOST" },
            { title: "STRIKES" },
          ],
          hosts.map((one) => [
            oneLine(one.host.slice(0, HOST_CHARS)),
            oneLine(one.name ?? "-"),
            ago(one.lastSeenMs),
            ...[one.workers, one.live, one.lost, one.strikes].map(String),
          ]),
          columns,
          style.dim,
        )),
    "",
    `sessions: ${live} live, ${idle} idle, ${interrupted} interrupted, ${suspended} suspended; strikes: ${strikes}`,
    ...queues.map(
      (one) =>
        `queue of ${oneLine(one.name)}: ${one.waiting} waiting${one.oldestMs === null ? "" : `, the first since ${ago(one.oldestMs)}`}, ${one.deferred} deferred, ${one.taken} taken`,
    ),
  ];
}
