/**
 * The Claude Agent SDK with its real program, killed at random and resumed from our store alone, in namespaces of its own: nothing is
 * reachable but the mock model, and each life has a home without a file in it. Run by the Node that the agents need; writes evidence.json.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { prepareCli } from "../agents/real/agent-clis.ts";
import { cleanEnv } from "../agents/real/agent-processes.ts";
import { allText, faultsOf } from "../agents/real/model/conversation.ts";
import { COMMITTED, promptOf } from "../agents/real/model/scripts.ts";
import { startModel } from "../agents/real/model/server.ts";
import { relay } from "./relay.ts";

const HERE = import.meta.dirname;
const DIST = resolve(HERE, "../../dist");

export interface SdkOrder {
  readonly folder: string;
  readonly root: string;
  /** Of each life that is killed: after so many lines that it said. The last one is left alone. */
  readonly kills: readonly number[];
  /** A Postgres behind a socket file, which is reachable from where there is no network; left out: SQLite. */
  readonly postgres?: { readonly socket: string; readonly url: string; readonly schema: string };
  /** The example, as it is copied, instead of the program that says what was acknowledged. */
  readonly isExample?: boolean;
}

export interface SdkEvidence {
  readonly acked: number;
  /** Acknowledged, and not there after a death; of them all. */
  readonly missing: readonly string[];
  /** Lives that were killed before they came to their end, and those that went on with what was in the store. */
  readonly killed: number;
  readonly resumed: number;
  readonly mirrorErrors: readonly string[];
  /** Of every conversation that the model was asked with: calls without a result and the like. */
  readonly faults: readonly string[];
  readonly results: readonly string[];
  /** Whether the last conversation that the model was asked with has the first prompt, and how often it was told to go on. */
  readonly hasFirstPrompt: boolean;
  readonly goOns: number;
  /** What was printed by the lives, in one piece. */
  readonly printed: string;
  readonly stderr: string;
}

interface Line {
  readonly key?: { readonly projectKey: string; readonly sessionId: string };
  readonly acked?: string;
  readonly result?: string;
  readonly text?: string;
  readonly mirrorError?: string;
}

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as SdkOrder;
const repo = join(order.folder, "repo");
const session = "6b1c0e1e-0000-4000-8000-000000000001";
spawnSync("ip", ["link", "set", "lo", "up"]);
mkdirSync(repo, { recursive: true });
for (const [path, text] of Object.entries(COMMITTED)) writeFileSync(join(repo, path), text);
const model = await startModel(repo);
const place = await placeOf(order.postgres);
let stderr = "";
let printed = "";

async function placeOf(postgres: SdkOrder["postgres"]): Promise<{ url: string; schema: string }> {
  if (!postgres) return { url: join(order.folder, "refloat.db"), schema: "" };
  const url = new URL(postgres.url);
  const { port } = (await relay({ host: "127.0.0.1", port: 0 }, { path: postgres.socket })) as AddressInfo;
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, schema: postgres.schema };
}

/** Copied beside what it needs. */
function example(): string {
  const modules = join(order.folder, "node_modules");
  mkdirSync(join(modules, "@anthropic-ai"), { recursive: true });
  symlinkSync(resolve(HERE, "../.."), join(modules, "refloat"));
  symlinkSync(
    moduleOf("claude-agent-sdk", "claude-agent-sdk"),
    join(modules, "@anthropic-ai/claude-agent-sdk"),
  );
  cpSync(resolve(HERE, "../../examples/claude-agent-sdk.mjs"), join(order.folder, "example.mjs"));
  return join(order.folder, "example.mjs");
}

const moduleOf = (name: string, path: string): string =>
  join(order.root, name, "node_modules/@anthropic-ai", path);
const program = order.isExample ? example() : join(HERE, "claude-agent-sdk-agent.mjs");

/** In its own group: the program that the SDK started dies with it. */
async function live(life: number, isResumed: boolean, killAfter: number | null): Promise<Line[]> {
  const home = join(order.folder, `home-${life}`);
  mkdirSync(home, { recursive: true });
  const cli = prepareCli("claude", { root: order.root, home, repo, port: model.port });
  const child = spawn(process.execPath, [program, promptOf("edits")], {
    cwd: repo,
    env: cleanEnv(
      { root: order.root, home },
      {
        ...cli.env,
        SDK: moduleOf("claude-agent-sdk", "claude-agent-sdk/sdk.mjs"),
        CLAUDE: moduleOf("claude", "claude-code-linux-x64/claude"),
        ...{ REPO: repo, SESSION: session, STORE: place.url, SCHEMA: place.schema },
        REFLOAT_HOME: join(order.folder, "refloat"),
        PROMPT: isResumed ? "Go on." : promptOf("edits"),
        ...(isResumed ? { IS_RESUMED: "1" } : {}),
      },
    ),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  child.stderr.on("data", (bytes) => {
    stderr = `${stderr}${bytes}`.slice(-2000);
  });
  const closed = once(child, "close");
  const said: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    said.push(order.isExample ? {} : (JSON.parse(line) as Line));
    if (killAfter !== null && said.length > killAfter && child.pid !== undefined)
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown; // killed already, or at its end
      }
  }
  await closed;
  return said;
}

async function held(key: Line["key"]): Promise<string[]> {
  const { openStore } = (await import(join(DIST, "index.js"))) as typeof import("../../src/index.ts");
  const { RefloatTranscripts } = (await import(
    join(DIST, "adapters/claude-agent-sdk.js")
  )) as typeof import("../../src/adapters/claude-agent-sdk.ts");
  const store = await openStore(place.url, {
    thread: false,
    ...(place.schema ? { schema: place.schema } : {}),
  });
  const entries = key ? await new RefloatTranscripts(store).load(key) : null;
  await store.close();
  return (entries ?? []).map((entry) => JSON.stringify(entry));
}

const said: Line[] = [];
const missing: string[] = [];
const seen = { killed: 0, resumed: 0 };
for (const [life, killAfter] of [...order.kills, null].entries()) {
  const isResumed = said.some(({ key }) => key !== undefined);
  const lines = await live(life, isResumed, killAfter);
  said.push(...lines);
  if (order.isExample) continue;
  if (killAfter !== null && !lines.some(({ result }) => result)) seen.killed += 1;
  if (isResumed) seen.resumed += 1;
  const key = said.find((line) => line.key)?.key;
  const there = new Set(await held(key));
  const lost = said.flatMap((line) =>
    line.acked && line.key && JSON.stringify(line.key) === JSON.stringify(key) && !there.has(line.acked)
      ? [line.acked]
      : [],
  );
  missing.push(...lost);
}
const lastAsked = allText({ ...model.asked.at(-1)?.body, tools: null });
const evidence: SdkEvidence = {
  acked: said.filter(({ acked }) => acked).length,
  missing,
  ...seen,
  mirrorErrors: said.flatMap(({ mirrorError }) => mirrorError ?? []),
  faults: model.asked.flatMap(({ items }) => faultsOf(items)),
  results: said.flatMap(({ result, text }) => (result ? [`${result} ${text}`] : [])),
  hasFirstPrompt: lastAsked.includes(promptOf("edits")),
  goOns: lastAsked.split("Go on.").length - 1,
  printed: printed.slice(-5000),
  stderr,
};
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
