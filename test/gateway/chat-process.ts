/** Starts the chat server of the example as a process, talks to it, kills it; and the platform its answers go to. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { GatewayPolicy } from "../../src/gateway/policy.ts";
import type { GatewayReceipt, GatewayStart } from "../../src/index.ts";

export interface ChildOrders {
  readonly url: string;
  readonly open: { readonly thread?: boolean; readonly schema?: string };
  readonly platform: string;
  /** The file its tools write to. */
  readonly world: string;
  readonly toolMs: number;
  readonly drainMs: number;
  readonly nowMs?: number;
  /** A file with the time of day, to be moved while it runs. */
  readonly clock?: string;
  readonly authorise?: string;
  readonly breakStore?: boolean;
  /** A kind of record: it kills itself when the commit with one is on disk, before anybody hears of it. */
  readonly dieAfter?: string;
  /** A kind of record: the first commit with one fails, nothing of it is written. */
  readonly failOnce?: string;
  readonly policy?: Partial<GatewayPolicy>;
}

export interface Message {
  readonly session: string;
  readonly id: string;
  readonly text: string;
  readonly route?: unknown;
  readonly from?: string;
  readonly confirms?: string;
}

/** Nothing asserts a time; this only ends what hangs. */
const HANG_MS = 150_000;

export class ChatProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly said: Record<string, unknown>[] = [];
  errors = "";

  constructor(orders: ChildOrders, env: NodeJS.ProcessEnv = {}) {
    const program = join(import.meta.dirname, "chat-child.mjs");
    this.#child = spawn(process.execPath, [program, JSON.stringify(orders)], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    this.#ended = once(this.#child, "close");
    const { stdout, stderr } = this.#child;
    if (stdout) createInterface({ input: stdout }).on("line", (line) => this.said.push(JSON.parse(line)));
    stderr?.on("data", (bytes) => {
      this.errors += String(bytes);
    });
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The first line that has this key. */
  async line<T>(key: string): Promise<T> {
    const found = await until(`${key} of a chat server`, () => {
      const line = this.said.find((one) => key in one);
      if (!line && this.isOver) throw new Error(`it ended without saying ${key}: ${this.errors}`);
      return line;
    });
    return found[key] as T;
  }

  async start(): Promise<GatewayStart> {
    return this.line<GatewayStart>("start");
  }

  async post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const port = await this.line<number>("port");
    const request = { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, request).catch((thrown: unknown) => {
      throw new Error(`the server does not answer: ${this.errors}`, { cause: thrown });
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  /** The receipt, or an error that says why there is none. */
  async send(message: Message): Promise<GatewayReceipt> {
    const { status, body } = await this.post("/messages", message);
    if (status !== 202) throw new Error(`no receipt: ${JSON.stringify(body)}`);
    return body as unknown as GatewayReceipt;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async ended(): Promise<number | string> {
    await this.#ended;
    return this.#child.signalCode ?? this.#child.exitCode ?? "unknown";
  }
}

export interface Delivered {
  readonly session: string;
  readonly input: string | null;
  readonly text: string;
  readonly mayBeDuplicate: boolean;
}

/** The other side: remembers what arrived. `onDelivery` decides what it answers; false: never. */
class Platform {
  readonly delivered: Delivered[] = [];
  onDelivery: (delivered: Delivered) => number | false = () => 200;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Platform> {
    const server = createServer();
    const platform = new Platform(server);
    server.on("request", async (request, response) => {
      let text = "";
      for await (const bytes of request) text += bytes;
      const delivery = JSON.parse(text);
      const delivered = {
        session: delivery.session,
        input: delivery.input,
        text: delivery.parts.map((part: { text: string }) => part.text).join("\n"),
        mayBeDuplicate: delivery.mayBeDuplicate,
      };
      platform.delivered.push(delivered);
      const status = platform.onDelivery(delivered);
      if (status !== false) response.writeHead(status).end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  of(session: string): Delivered[] {
    return this.delivered.filter((one) => one.session === session);
  }

  async arrived(input: string): Promise<Delivered> {
    return until(`the answer to ${input}`, () => this.delivered.find((one) => one.input === input));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Waits for a condition, never for a time. */
export async function until<T>(
  what: string,
  look: () => T | undefined | null | false | Promise<T | undefined | null | false>,
): Promise<T> {
  const giveUpMs = performance.now() + HANG_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > giveUpMs) throw new Error(`waited in vain for ${what}`);
    await sleep(5);
  }
}

/** One store, one world, one platform, as many lives of the server as it takes; all gone when the test is over. */
export class Town {
  readonly platform: Platform;
  readonly orders: ChildOrders;
  readonly #lives: ChatProcess[] = [];
  readonly #home: string;

  private constructor(platform: Platform, orders: ChildOrders, home: string) {
    this.#home = home;
    this.platform = platform;
    this.orders = orders;
  }

  static async open(store: Pick<ChildOrders, "url" | "open">, folder: string): Promise<Town> {
    const platform = await Platform.open();
    const orders = { ...store, platform: platform.url, world: join(folder, "world") };
    const town = new Town(platform, { ...orders, toolMs: 1, drainMs: 10_000 }, folder);
    onTestFinished(async () => {
      await Promise.all(town.#lives.map((life) => life.kill()));
      await platform.close();
    });
    return town;
  }

  live(more: Partial<ChildOrders> = {}, env: NodeJS.ProcessEnv = {}): ChatProcess {
    const life = new ChatProcess({ ...this.orders, ...more }, { REFLOAT_HOME: this.#home, ...env });
    this.#lives.push(life);
    return life;
  }
}
