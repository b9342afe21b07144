/**
 * `worker --repo DIR... -- CMD...`: takes what waits and what was cut off (app/fleet/worker.ts). Its log goes to stderr, a line for each thing
 * that happened; what agents print is kept with their sessions.
 */
import { basename, resolve } from "node:path";
import { Writable } from "node:stream";
import { readPolicy } from "../../../app/fleet/read-policy.ts";
import { type EndedWorker, worker } from "../../../app/fleet/worker.ts";
import { WorkerMetrics } from "../../../app/fleet/worker-metrics.ts";
import { workerSignals } from "../../../app/fleet/worker-signals.ts";
import { serveMetrics } from "../../../server/metrics.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import {
  type CommandInput,
  countOption,
  isSet,
  listArgument,
  listOption,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";
import { EXIT, type ExitCode } from "../../screen/exit-code.ts";
import { stamped } from "../run/loop-lines.ts";
import { limitSigns } from "../run/run-order.ts";
import { workerLine } from "./worker-lines.ts";

/** More agents than this on one machine are several workers. */
const MAX_SLOTS = 256;
/** As `run` and `loop` end at a usage limit: what is left to do waits. */
const AT_A_LIMIT = 75;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const command = listArgument(input, 0);
  if (command.length === 0) throw usage("worker needs a command, after --.");
  const repos = listOption(input, "repo");
  const drain = textOption(input, "drain");
  const order = {
    repos: (repos.length > 0 ? repos : ["."]).map((path) => resolve(context.place(), path)),
    name: textOption(input, "name"),
    slots: countOption(input, "slots", MAX_SLOTS) ?? 1,
    policy: readPolicy(context, textOption(input, "policy")),
    drainMs: drain === null ? null : parseDuration("--drain", drain),
    command,
    agent: textOption(input, "agent") ?? basename(command[0] ?? ""),
    limit: limitSigns(input),
    store: context.flags.store,
    ...(isSet(input, "untilIdle") ? { isUntilIdle: true } : {}),
  };
  const metrics = new WorkerMetrics(context);
  const port = metricsAt(textOption(input, "metrics"));
  const server = port ? await serveMetrics(port, () => metrics.text()) : null;
  if (server) context.out.narrate(`refloat: metrics at ${server.address}`);
  const signals = workerSignals();
  try {
    const outcome = await worker(context, order, faceOf(context, metrics), signals);
    const { ended, failed, signal, left, pausedUntilMs } = outcome;
    await context.out.result({
      command: "worker",
      json: {
        ...{ ended, failed, signal, left },
        paused_until: pausedUntilMs === null ? null : new Date(pausedUntilMs).toISOString(),
      },
      text: () => [],
    });
    return { code: codeOf(outcome) };
  } finally {
    signals.stop();
    await server?.close();
  }
}

/** A signal is how a worker is meant to end; one that ends by itself says whether it was done with what there was. */
function codeOf({ signal, left, pausedUntilMs }: EndedWorker): ExitCode {
  if (signal !== null) return EXIT.done;
  if (pausedUntilMs !== null) return AT_A_LIMIT;
  return left > 0 ? EXIT.failed : EXIT.done;
}

/** A port, on loopback; or an address with one. */
function metricsAt(typed: string | null): { host: string; port: number } | null {
  if (typed === null) return null;
  const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d{1,5})$/.exec(typed) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw usage(`--metrics wants a port, or ADDRESS:PORT, not ${typed}.`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function faceOf({ out, clock }: Context, metrics: WorkerMetrics): Parameters<typeof worker>[2] {
  return {
    tell: (news) => {
      metrics.hear(news);
      const line = workerLine(news, out);
      if (line !== null) out.narrate(`refloat: ${stamped(line, clock.nowMs())}`);
    },
    streams: () => ({ stdin: process.stdin, stdout: nowhere(), stderr: nowhere() }),
  };
}

/** Of several agents at once nobody could read a line: each one's output is kept with its session. */
const nowhere = (): NodeJS.WriteStream =>
  new Writable({ write: (_piece, _encoding, done) => done() }) as unknown as NodeJS.WriteStream;
