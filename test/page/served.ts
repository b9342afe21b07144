/** `refloat serve` as a process of its own, asked as programs ask it, and as a browser. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JsonObject, Place, RunOptions } from "../support/cli.ts";
import { ANN } from "../support/left-session.ts";

export interface ServedTest {
  readonly address: string;
  readonly origin: string;
  readonly token: string;
  readonly pid: number;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json(path: string): Promise<JsonObject>;
  /** The last line; the others are what was said before. */
  order(path: string, body: unknown): Promise<{ last: JsonObject; said: readonly JsonObject[] }>;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function served(
  place: Place,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<ServedTest> {
  return started(place, ["serve", "--no-open", "--json", ...args], options);
}

/** Any command that ends up serving the page. */
export async function started(
  place: Place,
  args: readonly string[],
  options: RunOptions = {},
): Promise<ServedTest> {
  const child = place.start(args, { env: ANN, ...options });
  let stderr = "";
  child.stderr?.on("data", (piece) => (stderr += piece));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ended = once(child, "exit") as Promise<[number | null, string | null]>;
  const first = await Promise.race([once(lines, "line"), ended.then(() => null)]);
  if (first === null) throw new Error(`It did not start: ${stderr}`);
  const { address, port } = JSON.parse(String(first[0])) as { address: string; port: number };
  const url = new URL(address);
  const token = new URLSearchParams(url.hash.slice(1)).get("token") ?? "";
  const own = { "x-refloat-token": token };
  const get = (path: string, headers: Record<string, string> = own): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return {
    address,
    origin: url.origin,
    token,
    pid: child.pid ?? 0,
    get,
    json: async (path) => (await (await get(path)).json()) as JsonObject,
    order: async (path, body) => {
      const headers = { ...own, "content-type": "application/json" };
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const all = (await answer.text()).trim().split("\n");
      const said = all.map((line) => JSON.parse(line) as JsonObject);
      return { last: said.at(-1) ?? {}, said: said.slice(0, -1) };
    },
    end: async (signal = "SIGTERM") => {
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

export async function withPage<T>(place: Place, use: (page: ServedTest) => Promise<T>): Promise<T> {
  const page = await served(place);
  try {
    return await use(page);
  } finally {
    await page.end();
  }
}
