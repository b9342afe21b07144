/** `serve`: the page of server/http, until a signal ends it. Nothing else loads its parts. */
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { ensureError, RefloatError } from "../../../model/errors.ts";
import { MIN_TOKEN_CHARS } from "../../../model/limits.ts";
import { type OpenedAddress, openInBrowser } from "../../../platform/open-in-browser.ts";
import { packageVersion } from "../../../platform/own-files.ts";
import { type ServedPage, servePage } from "../../../server/http/serve.ts";
import { oneLine } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, countOption, isSet, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { storeTyped } from "../../screen/output.ts";

const STOPS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
const MAX_PORT = 65_535;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  return servedAt(context, {
    host: textOption(input, "host") ?? "127.0.0.1",
    port: portOption(input),
    tokenFile: textOption(input, "tokenFile"),
    isOpening: input.options.open !== false && (isSet(input, "open") || process.stdout.isTTY === true),
    to: null,
  });
}

function portOption(input: CommandInput): number {
  const port = countOption(input, "port", MAX_PORT + 1) ?? 0;
  if (port > MAX_PORT) throw usage(`--port wants a number up to ${MAX_PORT}.`);
  return port;
}

export interface ServeOrder {
  readonly host: string;
  readonly port: number;
  readonly tokenFile: string | null;
  readonly isOpening: boolean;
  /** A place on the page; null: its first view. */
  readonly to: string | null;
}

/** The page, until a signal ends it; that is how it always ends, so it is no failure. */
export async function servedAt(context: Context, order: ServeOrder): Promise<CommandEnd> {
  const { flags, env } = context;
  const place = context.place();
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => stop.abort(signal);
  for (const name of STOPS) process.on(name, onSignal);
  let opened: OpenedAddress | null = null;
  try {
    await servePage({
      ...{ place: () => place, env, store: flags.store, version: packageVersion() },
      ...{ host: order.host, port: order.port, stop: stop.signal },
      token: order.tokenFile === null ? null : tokenIn(order.tokenFile),
      typedWith: { directory: flags.directory === null ? null : place, store: storeTyped(flags.store) },
      // The file with the address lies there no longer than a browser needs it (T2).
      onFirstAsked: () => opened?.forget(),
      onReady: async (served) => {
        const address = served.address(order.to ?? undefined);
        await tell(context, served, address);
        const folder = (await context.hasStore()) ? await context.home() : tmpdir();
        if (order.isOpening) opened = openInBrowser(address, folder, env);
      },
    });
    return EXIT.done;
  } finally {
    for (const name of STOPS) process.off(name, onSignal);
    (opened as OpenedAddress | null)?.forget();
  }
}

async function tell({ out }: Context, { host, port }: ServedPage, address: string): Promise<void> {
  await out.result({
    command: "serve",
    json: { address, host, port },
    text: () => [
      `The page is at ${out.style.bold(oneLine(address))}`,
      out.style.dim("Ctrl-C ends it. Who has the address may do what you may: keep it to yourself."),
    ],
  });
}

/** It is the user's alone, or it is no secret. */
function tokenIn(path: string): string {
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) throw usage(`${oneLine(path)} can be read by others: chmod 600 it.`);
    const token = readFileSync(path, "utf8").trim();
    if (!/^[\x21-\x7e]+$/.test(token) || token.length < MIN_TOKEN_CHARS)
      throw usage(`${oneLine(path)} must hold one word of at least ${MIN_TOKEN_CHARS} characters.`);
    return token;
  } catch (thrown) {
    if (thrown instanceof RefloatError) throw thrown;
    throw usage(`--token-file ${oneLine(path)}: ${ensureError(thrown).message}`);
  }
}
