/**
 * What a command works with: the flags, the output, and where it was given (open-place.ts): the directory, the environment, and the
 * store, which is opened inline, for a short-lived command needs no thread of its own.
 */
import { type OpenedPlace, openPlace } from "../../app/place/open-place.ts";
import { type Tell, tellOnce } from "../../app/telling/news.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { Flags } from "../grammar/flags.ts";
import { usage } from "../grammar/options.ts";
import type { Output } from "../screen/output.ts";

export interface Context extends OpenedPlace {
  readonly flags: Flags;
  readonly out: Output;
}

/** `teller`: how what use cases tell is worded. */
export function createContext(
  flags: Flags,
  out: Output,
  env: NodeJS.ProcessEnv,
  teller: (context: Context) => Tell,
): Context {
  if (flags.directory !== null) enter(flags.directory);
  const context: Context = {
    ...openPlace({ place, env, store: flags.store }),
    ...{ flags, out },
    tell: tellOnce((news) => teller(context)(news)),
  };
  return context;
}

/** As git's -C: everything after it, relative paths too, means that directory. */
function enter(directory: string): void {
  try {
    process.chdir(directory);
  } catch (thrown) {
    throw usage(`-C ${directory}: ${ensureError(thrown).message.replace(/^(\w+: [^,]*).*$/s, "$1")}.`);
  }
}

function place(): string {
  try {
    return process.cwd();
  } catch (thrown) {
    throw new RefloatError(
      "E_USAGE",
      { why: "The directory this was started in is gone; give another with -C DIR." },
      thrown,
    );
  }
}
