/** The signals that ask a supervisor to end, heard from the very beginning: one that comes early is not lost. */
const HEARD = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface HeardSignals {
  /** The first that came while nobody listened. */
  readonly early: NodeJS.Signals | null;
  listen(onSignal: (signal: NodeJS.Signals) => void): void;
  stop(): void;
}

export function hearSignals(): HeardSignals {
  let early: NodeJS.Signals | null = null;
  let listener: ((signal: NodeJS.Signals) => void) | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (listener) listener(signal);
    else early ??= signal;
  };
  for (const signal of HEARD) process.on(signal, onSignal);
  return {
    get early() {
      return early;
    },
    listen: (onHeard) => {
      listener = onHeard;
    },
    stop: () => {
      for (const signal of HEARD) process.off(signal, onSignal);
    },
  };
}
