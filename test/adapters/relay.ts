/** What comes in at one place goes on to another: a server that is reached by a file from where there is no network. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type ListenOptions, type NetConnectOpts } from "node:net";

/** Ends with the process. Where it listens. */
export async function relay(at: ListenOptions, to: NetConnectOpts): Promise<AddressInfo | string | null> {
  const server = createServer((from) => {
    const into = connect(to);
    from.on("error", () => into.destroy()).pipe(into); // who is killed in the middle closes both
    into.on("error", () => from.destroy()).pipe(from);
  });
  server.listen(at);
  await once(server, "listening");
  server.unref();
  return server.address();
}
