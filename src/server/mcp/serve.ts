/**
 * `refloat mcp`: MCP over stdin and stdout, for an agent that wants to say what it is doing and to know what was left. Each call stands at a
 * place of its own, opened and closed like a command's: a store that is locked, gone or unreachable costs that call an answer that says
 * so, and nothing else. The end of the input is how an agent's death looks from here; it is recorded (K1: an observation).
 */
import type { Readable, Writable } from "node:stream";
import { setImmediate as immediate } from "node:timers/promises";
import { McpServer, ProtocolErrorCode, ResourceTemplate } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { hearAgents } from "../../app/agents/hear-agents.ts";
import { keepNotice } from "../../app/handoff/keep-notice.ts";
import { type OpenedPlace, openPlace, type PlaceOptions } from "../../app/place/open-place.ts";
import { scopeOf } from "../../app/place/scope.ts";
import { agentDisconnected } from "../../app/sessions/agent-disconnected.ts";
import { RefloatError } from "../../model/errors.ts";
import {
  MCP_LAST_CALLS_MS,
  MCP_LOCK_WAIT_MS,
  MCP_MESSAGE_BYTES,
  MCP_WAITING_CALLS,
} from "../../model/limits.ts";
import { asTyped, programTyped } from "../../text/typed-command.ts";
import { answerOf, errorAnswer, type McpAnswer } from "./answer.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { READING_TOOLS } from "./reading-tools.ts";
import { RESOURCES, type Resource } from "./resources.ts";
import type { Tool, ToolPlace } from "./tool.ts";
import { WRITING_TOOLS } from "./writing-tools.ts";

export interface McpOptions extends PlaceOptions {
  readonly version: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Aborted by the signal that asks for the end; its name is the reason. */
  readonly stop: AbortSignal;
  /** -C and --store as they can be typed from anywhere; null: neither was given (T6). */
  readonly typedWith: { readonly directory: string | null; readonly store: string | null };
  /** For whoever reads stderr. */
  readonly complain: (line: string) => void;
}

/** How it came to its end. */
export type McpEnd = { readonly kind: "end-of-input" } | { readonly kind: "signal"; readonly signal: string };

export async function serveMcp(options: McpOptions): Promise<McpEnd> {
  const { stdin, stdout, stop, complain } = options;
  const client: { name: string | null } = { name: null };
  const waiting = inTurn(MCP_WAITING_CALLS);
  const lines = new BoundedLines(MCP_MESSAGE_BYTES, ({ id, why }) => {
    if (id === null) complain(`Refused: ${why}.`);
    else stdout.write(`${JSON.stringify(invalidRequest(id, why))}\n`);
  });
  // Without its end, at which the transport would let go of what is still to be answered.
  stdin.pipe(lines, { end: false });
  const wire = new StdioServerTransport(lines, stdout, { maxBufferSize: 2 * MCP_MESSAGE_BYTES });
  const ended = new Promise<McpEnd>((resolve) => {
    const gone = (): void => resolve({ kind: "end-of-input" });
    for (const end of ["end", "close", "error"]) stdin.once(end, gone);
    stdout.once("error", gone);
    const stopped = (): void => resolve({ kind: "signal", signal: String(stop.reason) });
    if (stop.aborted) stopped();
    stop.addEventListener("abort", stopped, { once: true });
  });
  const handle = serveStdio(() => newServer(options, waiting.run, (name) => (client.name = name)), {
    transport: wire,
    onerror: ({ message }) => complain(message),
  });
  const end = await ended;
  stdin.unpipe(lines);
  await handedOn();
  await waiting.idle(MCP_LAST_CALLS_MS);
  await handedOn();
  await handle.close();
  await recordEnd(options, end, client.name);
  return end;
}

/** What was read is with whoever answers it, or its answer with the stream: the SDK hands both on in promises, and in nothing that waits. */
async function handedOn(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await immediate();
}

const invalidRequest = (id: string | number, why: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code: ProtocolErrorCode.InvalidRequest, message: `Refused: ${why}.` },
});

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** One call after the other, in the order they came: an operation is begun before it is ended. */
function inTurn(most: number): { readonly run: InTurn; idle(ms: number): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  let isOver = false;
  return {
    run: async (work) => {
      if (count >= most) throw new RefloatError("E_STORE_BUSY", { ms: 0 });
      count++;
      const mine = last.then(() => {
        if (isOver) throw new RefloatError("E_STORE_BUSY", { ms: 0 });
        return work();
      });
      // Whoever asked for it hears why it failed; the next one goes on.
      last = mine.then(
        () => count--,
        () => count--,
      );
      return mine;
    },
    // The one at work is awaited whatever it takes: each of its waits is bounded. Those behind it are not begun any more.
    idle: async (ms) => {
      const timer = setTimeout(() => (isOver = true), ms);
      await last;
      clearTimeout(timer);
    },
  };
}

function newServer(options: McpOptions, run: InTurn, onClient: (name: string) => void): McpServer {
  const server = new McpServer(
    { name: "refloat", title: "refloat", version: options.version },
    { instructions: INSTRUCTIONS },
  );
  server.server.oninitialized = () => onClient(clientOf(server));
  for (const tool of [...READING_TOOLS, ...WRITING_TOOLS]) addTool(server, tool, options, run);
  for (const resource of RESOURCES) addResource(server, resource, options, run);
  return server;
}

function clientOf(server: McpServer): string {
  const { name = "", version = "" } = server.server.getClientVersion() ?? {};
  return `${name} ${version}`.trim().slice(0, MAX_CLIENT_CHARS);
}

/** What the other end calls itself, for people. */
const MAX_CLIENT_CHARS = 100;

function addTool(server: McpServer, tool: Tool, options: McpOptions, run: InTurn): void {
  const { name, title, description, input, readsOnly } = tool;
  const annotations = { readOnlyHint: readsOnly, destructiveHint: false, openWorldHint: false };
  server.registerTool(name, { title, description, inputSchema: input, annotations }, (given) =>
    run(() => answered(options, (at) => tool.answer(at, given).then(answerOf))),
  );
}

function addResource(server: McpServer, resource: Resource, options: McpOptions, run: InTurn): void {
  const { name, uri, title, description, mimeType } = resource;
  const about = { title, description, mimeType };
  const read = (asked: string, session: string | null) =>
    run(() =>
      atPlace(options, async (at) => ({
        contents: [{ uri: asked, mimeType, text: await resource.read(at, session) }],
      })),
    );
  server.registerResource(name, uri, about, ({ href }) => read(href, null));
  const template = new ResourceTemplate(`${uri}/{session}`, { list: undefined });
  server.registerResource(`${name}-of-session`, template, about, ({ href }, { session }) =>
    read(href, decodeURIComponent(String(session))),
  );
}

async function answered(
  options: McpOptions,
  answer: (at: ToolPlace) => Promise<McpAnswer>,
): Promise<McpAnswer> {
  let typed = (text: string): string => text;
  try {
    return await atPlace(options, (at) => {
      typed = at.typed;
      return answer(at);
    });
  } catch (thrown) {
    return errorAnswer(thrown, typed);
  }
}

/** Opened for one call, and closed whatever came of it. */
async function atPlace<T>(options: McpOptions, use: (at: ToolPlace) => Promise<T>): Promise<T> {
  // A model asks, and may have read the question in a file: for this repository and no other (T2).
  const opened = openPlace({ ...options, lockWaitMs: MCP_LOCK_WAIT_MS, isConfined: true });
  try {
    return await use(toolPlace(opened, options));
  } finally {
    await opened.close();
  }
}

function toolPlace(opened: OpenedPlace, { typedWith }: McpOptions): ToolPlace {
  let about: string | null = null;
  return {
    ...opened,
    typed: (text) => asTyped(text, programTyped({ about, ...typedWith })),
    face: {
      tell: (news) => {
        if (news.kind !== "about") return;
        about = scopeOf(opened.place(), "here").workspace === news.root ? null : news.root;
      },
      progress: { onProgress: () => undefined, end: () => undefined },
      untilStopped: (work) => work(new AbortController().signal),
    },
  };
}

/** That it could not be recorded changes nothing about the end: it is said, and that is all. */
async function recordEnd(options: McpOptions, end: McpEnd, client: string | null): Promise<void> {
  const how = end.kind === "signal" ? end.signal : end.kind;
  try {
    await atPlace(options, async (at) => {
      await agentDisconnected(at, { channel: "mcp", how, client });
      // It may have died just now, and nobody may ask refloat anything before the next one starts here (DESIGN 9).
      await hearAgents(at);
      await keepNotice(at, await at.findStore());
    });
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    options.complain(`The end of the connection was not recorded: ${thrown.message}`);
  }
}
