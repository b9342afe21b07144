/** `mcp`: the server of server/mcp on this process' own streams. Nothing else loads the protocol's SDK. */
import { packageVersion } from "../../../platform/own-files.ts";
import { serveMcp } from "../../../server/mcp/serve.ts";
import { oneLine } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { storeTyped } from "../../screen/output.ts";

const STOPS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export async function run(context: Context): Promise<CommandEnd> {
  const { flags, env, out } = context;
  const { stdin, stdout } = process;
  const place = context.place();
  // A reader that is gone is the agent's death, which is still to be recorded: not the quiet end of other commands.
  stdout.removeAllListeners("error");
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => stop.abort(signal);
  for (const name of STOPS) process.on(name, onSignal);
  try {
    await serveMcp({
      ...{ place: () => place, env, store: flags.store, version: packageVersion() },
      ...{ stdin, stdout, stop: stop.signal },
      typedWith: { directory: flags.directory === null ? null : place, store: storeTyped(flags.store) },
      complain: (line) => out.narrate(`refloat: ${oneLine(line)}`),
    });
    return EXIT.done;
  } finally {
    for (const name of STOPS) process.off(name, onSignal);
    // What is left unread is nobody's: an open input would keep us here.
    stdin.destroy();
  }
}
