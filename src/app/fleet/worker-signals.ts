/** The signals of a worker: heard from its beginning to its end, passed on to every session that runs, never forgotten. */
import { type HeardSignals, hearSignals } from "../../supervise/hear-stop.ts";
import type { LoopSignals } from "../run/loop-signals.ts";

export interface WorkerSignals extends LoopSignals {
  /** For one of many sessions; `stop` of the handle ends its own only. `tell` is for that one alone. */
  forSession(): HeardSignals & { tell(signal: NodeJS.Signals): void };
  /** Called with the first. */
  onFirst(listener: () => void): void;
}

export function workerSignals(): WorkerSignals {
  const heard = hearSignals();
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const first = { signal: null as NodeJS.Signals | null, told: [] as (() => void)[] };
  heard.listen((signal) => {
    const isFirst = first.signal === null;
    first.signal ??= signal;
    for (const listener of [...listeners]) listener(signal);
    if (isFirst) for (const told of first.told) told();
  });
  const current = (): NodeJS.Signals | null => first.signal ?? heard.early;
  return {
    get first() {
      return current();
    },
    forSession: () => sessionEars(listeners, current),
    onFirst: (listener) => {
      first.told.push(listener);
    },
    stop: () => heard.stop(),
  };
}

function sessionEars(
  listeners: Set<(signal: NodeJS.Signals) => void>,
  current: () => NodeJS.Signals | null,
): ReturnType<WorkerSignals["forSession"]> {
  let own: ((signal: NodeJS.Signals) => void) | null = null;
  let told: NodeJS.Signals | null = null;
  return {
    get early() {
      return told ?? current();
    },
    listen: (onSignal) => {
      if (own) listeners.delete(own);
      own = onSignal;
      listeners.add(onSignal);
    },
    stop: () => {
      if (own) listeners.delete(own);
    },
    tell: (signal) => {
      told = signal;
      own?.(signal);
    },
  };
}
