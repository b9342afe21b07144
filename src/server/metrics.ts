/** One page of text on a port: what Prometheus reads. On loopback unless another address is named; it tells counts, and nothing of anybody's work. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ensureError, RefloatError } from "../model/errors.ts";

export interface MetricsServer {
  readonly address: string;
  close(): Promise<void>;
}

export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  text: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) =>
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(body),
      // The store is not to be had: a scrape that fails is what says so.
      () => response.writeHead(503).end(),
    );
  });
  await listening(server, host, port);
  server.unref();
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    address: `http://${address.includes(":") ? `[${address}]` : address}:${bound}/metrics`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (thrown) => {
      const { message } = ensureError(thrown);
      reject(new RefloatError("E_USAGE", { why: `--metrics ${host}:${port}: ${message}` }, thrown));
    });
    server.listen(port, host, resolve);
  });
}
