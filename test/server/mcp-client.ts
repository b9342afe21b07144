/** The SDK's own client at the built server, as an agent starts it. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BIN, type JsonObject, type Place } from "../support/cli.ts";

export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly json: JsonObject;
}

export interface McpConnection {
  readonly client: Client;
  readonly pid: number;
  call(name: string, given?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
  /** The server's input ends and nothing else is done to it: its exit code. */
  endInput(): Promise<number | null>;
}

export interface ConnectOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
}

export async function connected(place: Place, options: ConnectOptions = {}): Promise<McpConnection> {
  const wire = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, ...(options.args ?? []), "mcp"],
    cwd: options.cwd ?? place.workspace,
    env: { PATH: process.env.PATH ?? "", HOME: place.home, REFLOAT_HOME: place.home, ...options.env },
    stderr: "ignore",
  });
  const client = new Client({ name: "test client", version: "1.0.0" });
  await client.connect(wire);
  return {
    client,
    pid: wire.pid ?? 0,
    call: async (name, given = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
      const [first] = content as { readonly text?: string }[];
      return {
        isError: isError === true,
        text: first?.text ?? "",
        json: (structuredContent ?? {}) as JsonObject,
      };
    },
    close: () => client.close(),
    endInput: async () => {
      // The SDK's own end sends signals where the server takes its time.
      const { _process: child } = wire as unknown as { readonly _process: ChildProcess };
      const over = once(child, "exit");
      child.stdin?.end();
      return (await over)[0] as number | null;
    },
  };
}

/** The server of `use`, ended with it. */
export async function withMcp<T>(
  place: Place,
  use: (mcp: McpConnection) => Promise<T>,
  options: ConnectOptions = {},
): Promise<T> {
  const mcp = await connected(place, options);
  try {
    return await use(mcp);
  } finally {
    await mcp.close();
  }
}
