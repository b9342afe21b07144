/** What a worker counts of itself, and the fleet as it sees it, in the text that Prometheus reads. */
import type { AppPlace } from "../place/app-place.ts";
import { fleetStatus } from "./fleet-status.ts";
import type { WorkerNews } from "./worker-order.ts";

interface Sample {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

export class WorkerMetrics {
  readonly #at: AppPlace;
  readonly #begun = new Map<string, number>();
  readonly #ended = new Map<string, number>();
  /** By their ids: an end may be told twice, or only as trouble. */
  readonly #running = new Set<string>();
  #notDone = 0;
  #troubles = 0;
  #seconds = 0;
  #pausedUntilMs = 0;

  constructor(at: AppPlace) {
    this.#at = at;
  }

  hear(news: WorkerNews): void {
    switch (news.kind) {
      case "begins":
        this.#running.add(news.session);
        this.#begun.set(news.what, (this.#begun.get(news.what) ?? 0) + 1);
        return;
      case "ended":
        this.#running.delete(news.session);
        this.#seconds += news.ms / 1000;
        this.#ended.set(news.cause ?? "none", (this.#ended.get(news.cause ?? "none") ?? 0) + 1);
        return;
      case "not-done":
        this.#running.delete(news.session);
        this.#notDone++;
        return;
      case "trouble":
        if (news.session !== undefined) this.#running.delete(news.session);
        this.#troubles++;
        return;
      case "paused":
        this.#pausedUntilMs = news.untilMs;
        return;
      default:
        return;
    }
  }

  /** The fleet is asked anew each time: whoever scrapes says how often. */
  async text(): Promise<string> {
    const { hosts, counts, queues } = await fleetStatus(this.#at);
    const of = (label: string, values: ReadonlyMap<string, number>): Sample["values"] =>
      [...values].map(([name, value]) => [{ [label]: name }, value]);
    const states = (["live", "idle", "interrupted", "suspended"] as const).map(
      (state) => [{ state }, counts[state]] as const,
    );
    const gauge = { type: "gauge" } as const;
    const counter = { type: "counter" } as const;
    const samples: Sample[] = [
      {
        name: "refloat_worker_begun_total",
        help: "sessions begun, by what they are",
        ...counter,
        values: of("what", this.#begun),
      },
      {
        name: "refloat_worker_ended_total",
        help: "tries that ended, by cause",
        ...counter,
        values: of("cause", this.#ended),
      },
      {
        name: "refloat_worker_not_done_total",
        help: "sessions that could not be begun",
        ...counter,
        values: [[{}, this.#notDone]],
      },
      {
        name: "refloat_worker_troubles_total",
        help: "failures of the store",
        ...counter,
        values: [[{}, this.#troubles]],
      },
      {
        name: "refloat_worker_session_seconds_total",
        help: "time that agents ran",
        ...counter,
        values: [[{}, this.#seconds]],
      },
      {
        name: "refloat_worker_running",
        help: "sessions that run now",
        ...gauge,
        values: [[{}, this.#running.size]],
      },
      {
        name: "refloat_worker_paused_until_seconds",
        help: "end of the usage limit, 0: none",
        ...gauge,
        values: [[{}, this.#pausedUntilMs / 1000]],
      },
      {
        name: "refloat_fleet_hosts",
        help: "machines that hold a session or have a worker",
        ...gauge,
        values: [[{}, hosts.length]],
      },
      { name: "refloat_fleet_sessions", help: "sessions that have not ended", ...gauge, values: states },
      {
        name: "refloat_fleet_strikes",
        help: "dirty ends without progress",
        ...gauge,
        values: [[{}, counts.strikes]],
      },
      {
        name: "refloat_queue_items",
        help: "items of a repository's queue",
        ...gauge,
        values: queues.flatMap(itemValues),
      },
      {
        name: "refloat_queue_oldest_seconds",
        help: "age of the item that waits longest",
        ...gauge,
        values: queues.map((one) => [
          { repository: one.repository, name: one.name },
          this.#ageOf(one.oldestMs),
        ]),
      },
    ];
    return samples.map(sampleText).join("");
  }

  #ageOf(ms: number | null): number {
    return ms === null ? 0 : Math.max(0, (this.#at.clock.nowMs() - ms) / 1000);
  }
}

type Queue = Awaited<ReturnType<typeof fleetStatus>>["queues"][number];

const itemValues = ({ repository, name, waiting, deferred, taken }: Queue): Sample["values"] =>
  Object.entries({ waiting, deferred, taken }).map(([state, value]) => [{ repository, name, state }, value]);

function sampleText({ name, help, type, values }: Sample): string {
  const lines = values.map(([labels, value]) => {
    const inside = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${inside.length === 0 ? "" : `{${inside.join(",")}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
