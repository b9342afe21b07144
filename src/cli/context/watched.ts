/** A progress bar for work that only says how far it is once it has begun. */

import { type ProgressBar, progressBar } from "../screen/progress-bar.ts";
import type { Context } from "./context.ts";

export interface WatchedProgress {
  readonly onProgress: (done: number, total: number) => void;
  end(): void;
}

export function watched(context: Context): WatchedProgress {
  let bar: ProgressBar | null = null;
  let known = 0;
  return {
    onProgress: (done, total) => {
      // Another stretch of work of another length: its own bar.
      if (bar === null || total !== known) {
        bar?.end();
        bar = progressBar(total, { clock: context.clock, isQuiet: context.flags.isQuiet });
        known = total;
      }
      bar.at(done);
    },
    end: () => {
      bar?.end();
      bar = null;
    },
  };
}
