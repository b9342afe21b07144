import { EndedBySignal } from "../../app/run/ended-by-signal.ts";

/**
 * Work that runs a program of the user's: a signal that asks this process to end stops that program first, lets what lies
 * around be cleared away, and then ends this process as the signal it was. A second one ends it the hard way.
 */
const STOPS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export async function untilSignalled<Result>(work: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController();
  const forget = (): void => {
    for (const name of STOPS) process.off(name, onSignal);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    forget();
    stop.abort(new EndedBySignal(signal));
  };
  for (const name of STOPS) process.on(name, onSignal);
  try {
    const result = await work(stop.signal);
    stop.signal.throwIfAborted();
    return result;
  } finally {
    forget();
  }
}
