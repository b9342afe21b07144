/** The signals of a loop: heard from its beginning to its end, passed on to whichever session runs, never forgotten. */
import { type HeardSignals, hearSignals } from "../../supervise/hear-stop.ts";

export interface LoopSignals {
  /** The first that came, whoever heard it. */
  readonly first: NodeJS.Signals | null;
  /** For one session: what comes while it runs goes on to it. */
  forSession(): HeardSignals;
  stop(): void;
}

export function loopSignals(): LoopSignals {
  const heard = hearSignals();
  let first: NodeJS.Signals | null = null;
  let session: ((signal: NodeJS.Signals) => void) | null = null;
  heard.listen((signal) => {
    first ??= signal;
    session?.(signal);
  });
  return {
    get first() {
      return first ?? heard.early;
    },
    forSession: () => ({
      get early() {
        return first ?? heard.early;
      },
      listen: (onSignal) => {
        session = onSignal;
      },
      stop: () => {
        session = null;
      },
    }),
    stop: () => heard.stop(),
  };
}
