/**
 * `refloat serve`: the page and its API on a port of this machine, for as long as the command runs. No daemon: it ends with its terminal. Clients that
 * are slow, idle or many are bounded by the server below (T5).
 */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { type OpenedPlace, openPlace, type PlaceOptions } from "../../app/place/open-place.ts";
import { sessionsAbove } from "../../app/salvage/standing-under.ts";
import { shownRecords } from "../../app/sessions/session-records.ts";
import { watchStore } from "../../app/sessions/watch-store.ts";
import { writtenPages } from "../../app/sessions/written-pages.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import {
  HTTP_CONNECTIONS,
  HTTP_HEAD_MS,
  HTTP_IDLE_MS,
  HTTP_REQUEST_MS,
  HTTP_SHOWN_BYTES,
  HTTP_WRITTEN_BYTES,
} from "../../model/limits.ts";
import { randomId, randomToken } from "../../platform/random.ts";
import { isLoopback } from "./guard.ts";
import { changeBell } from "./live.ts";
import { pageApp } from "./page-app.ts";
import { readPageFiles } from "./page-files.ts";

export interface ServeOptions extends PlaceOptions {
  readonly version: string;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Null: a new one for this start. */
  readonly token: string | null;
  readonly typedWith: { readonly directory: string | null; readonly store: string | null };
  readonly stop: AbortSignal;
  /** A page is open: it has the address. */
  readonly onFirstAsked?: () => void;
  /** It listens. */
  readonly onReady: (served: ServedPage) => Promise<void>;
}

export interface ServedPage {
  readonly host: string;
  readonly port: number;
  /** With the token: whoever has it may do what the user may. `to`: a place on the page, as /session/ID. */
  address(to?: string): string;
}

export async function servePage(options: ServeOptions): Promise<void> {
  const { host, stop } = options;
  if (!isLoopback(host) && options.token === null)
    throw new RefloatError("E_USAGE", {
      why: "Another host than this machine wants --token-file: whoever has the token may do what you may.",
    });
  const token = options.token ?? randomToken();
  // Kept from now on: an agent that started this may be gone when somebody asks.
  const began = sessionsAbove(options.env);
  const at = { ...threaded(openPlace(options)), standsUnder: () => began };
  const bell = changeBell(randomId(8));
  const shown = shownRecords(HTTP_SHOWN_BYTES);
  const ending = new AbortController();
  const app = pageApp({
    ...{ at, files: readPageFiles(), bell, token, host, stop: ending.signal },
    onFirstAsked: options.onFirstAsked ?? (() => undefined),
    ...{ shown, pages: writtenPages(shown, HTTP_WRITTEN_BYTES) },
    ...{ version: options.version, typedWith: options.typedWith },
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    // Node looks at who is late only so often.
    serverOptions: { connectionsCheckingInterval: HTTP_HEAD_MS / 4 },
  }) as Server;
  bound(server);
  try {
    const port = await listening(server, host, options.port);
    const watching = watchStore(at, { stop: ending.signal, onChange: bell.ring });
    await options.onReady({ host, port, address: (to) => addressOf(host, port, token, to) });
    if (!stop.aborted) await once(stop, "abort");
    ending.abort();
    await watching;
  } finally {
    ending.abort();
    server.closeAllConnections();
    server.close();
    await at.close();
  }
}

/** The store is read on a thread of its own: while it reads, pages are still answered. */
function threaded(opened: OpenedPlace): OpenedPlace {
  const thread = true;
  return {
    ...opened,
    findStore: (options) => opened.findStore({ thread, ...options }),
    openStore: (options) => opened.openStore({ thread, ...options }),
    openOrMakeStore: (options) => opened.openOrMakeStore({ thread, ...options }),
  };
}

function bound(server: Server): void {
  server.maxConnections = HTTP_CONNECTIONS;
  server.headersTimeout = HTTP_HEAD_MS;
  server.requestTimeout = HTTP_REQUEST_MS;
  server.setTimeout(HTTP_IDLE_MS);
}

async function listening(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (thrown) {
    throw new RefloatError("E_PAGE_PORT", { host, port, why: ensureError(thrown).message }, thrown);
  }
  return (server.address() as AddressInfo).port;
}

/** The token stands behind the #: no browser sends that to anybody. */
function addressOf(host: string, port: number, token: string, to?: string): string {
  const name = host.includes(":") ? `[${host}]` : host;
  const place = to === undefined ? "" : `&to=${encodeURIComponent(to)}`;
  return `http://${name}:${port}/#token=${encodeURIComponent(token)}${place}`;
}
