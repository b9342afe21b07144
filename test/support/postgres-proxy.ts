/**
 * A loopback proxy before a PostgreSQL server: it counts the statements that a client sends and can hold every packet back, as a
 * network does, or all of them, as one that is cut. Only plain connections: of an encrypted one nothing can be counted.
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface PostgresProxy {
  /** The server's address, through here. */
  readonly url: string;
  /** Statements sent through here so far, in order. */
  readonly statements: readonly string[];
  /** Connections made through here so far, those that are open, and the most that were so at once. */
  readonly connections: { readonly made: number; readonly open: number; readonly most: number };
  reset(): void;
  /** Nothing comes through in either direction, and nobody is told: neither is a connection closed nor a new one refused. */
  cut(): void;
  /** What was sent meanwhile arrives now, late, as TCP has it. */
  heal(): void;
  /** Another server answers from now on; connections to the old one are lost. */
  moveTo(serverUrl: string): void;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Held back on the way to the server, and so long again on the way back: a round trip takes twice as long. */
  readonly delayMs?: number;
}

export async function postgresProxy(
  serverUrl: string,
  { delayMs = 0 }: ProxyOptions = {},
): Promise<PostgresProxy> {
  let target = new URL(serverUrl);
  const statements: string[] = [];
  const sockets = new Set<Socket>();
  const connections = { made: 0, open: 0, most: 0 };
  let isCut = false;
  /** Connected while it was cut: nobody answered them yet. */
  const waiting = new Set<Socket>();
  const join = (client: Socket): void => {
    if (client.destroyed) return;
    const upstream = connect(Number(target.port), target.hostname);
    connections.made++;
    connections.most = Math.max(connections.most, ++connections.open);
    client.once("close", () => connections.open--);
    const read = statementReader((text) => statements.push(text));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      let sent = Promise.resolve();
      from.on("data", (piece: Buffer) => {
        if (from === client) read(piece);
        if (delayMs === 0) to.write(piece);
        else {
          const due = sleep(delayMs);
          sent = sent.then(() => due).then(() => void to.write(piece));
        }
      });
      from.once("close", () => {
        sockets.delete(from);
        // What it said last is still on its way.
        if (delayMs === 0) to.destroy();
        else void sent.then(() => to.destroy());
      });
    }
  };
  const server = createServer((client) => {
    if (!isCut) return join(client);
    // Its end may come before the network does.
    client.on("error", () => undefined);
    waiting.add(client);
    client.once("close", () => waiting.delete(client));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was given.");
  const url = new URL(serverUrl);
  url.port = String(address.port);
  return {
    url: url.href,
    statements,
    connections,
    reset: () => {
      statements.length = 0;
      connections.made = 0;
      connections.most = connections.open;
    },
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal: () => {
      isCut = false;
      for (const socket of sockets) socket.resume();
      for (const client of waiting) join(client);
      waiting.clear();
    },
    moveTo: (url) => {
      target = new URL(url);
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of [...sockets, ...waiting]) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const SSL_REQUEST = 80_877_103;

/** Messages of the protocol: a type, a length, a body; before them one start-up message without a type. */
function statementReader(onStatement: (text: string) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  const prepared = new Map<string, string>();
  let bound = "";
  const text = (body: Buffer, from = 0): string => body.toString("utf8", from, body.indexOf(0, from));
  const take = (type: string, body: Buffer): void => {
    if (type === "Q") onStatement(text(body));
    else if (type === "P") {
      const name = text(body);
      prepared.set(name, text(body, Buffer.byteLength(name) + 1));
    } else if (type === "B") {
      const portal = text(body);
      bound = prepared.get(text(body, Buffer.byteLength(portal) + 1)) ?? "";
    } else if (type === "E") onStatement(bound);
  };
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = rest.readUInt32BE(head);
      if (rest.length < head + length) return;
      if (isStarted) take(String.fromCharCode(rest[0] as number), rest.subarray(5, 1 + length));
      // A client that would like TLS asks before it begins, and begins when it is told no.
      const isQuestion = !isStarted && rest.readUInt32BE(4) === SSL_REQUEST;
      rest = rest.subarray(head + length);
      isStarted ||= !isQuestion;
    }
  };
}
