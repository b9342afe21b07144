/**
 * A person at Codex's own window after `init`, in namespaces of its own, as `node trusted-inside.ts ORDER.json`: what it asks is answered as `init` says, work is
 * given, then Codex is started without a window. Writes evidence.json.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import type { Terminal } from "@xterm/headless";
import { nodeFolder, prepareCli } from "../../agents/real/agent-clis.ts";
import { promptOf } from "../../agents/real/model/scripts.ts";
import { startModel } from "../../agents/real/model/server.ts";
import { waitingFiles } from "./waiting-files.ts";

export interface TrustOrder {
  readonly folder: string;
  readonly root: string;
  readonly refloat: readonly string[];
}

export interface TrustEvidence {
  readonly init: string;
  /** Without a window, before anybody trusted anything. */
  readonly before: readonly string[];
  /** The screen that asked, as it stood. */
  readonly asked: string;
  /** What hooks told of the work in the window, and of the same afterwards without one. */
  readonly events: readonly string[];
  readonly later: readonly string[];
  /** Codex's own settings: before `init`, and after `uninstall`. */
  readonly settings: readonly [string, string];
}

/** Only ends a run that hangs; nothing is judged by it. */
const PATIENCE_MS = 240_000;
const [COLUMNS, ROWS] = [100, 40];

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as TrustOrder;
const [home, repo] = [join(order.folder, "home"), join(order.folder, "repo")];
const inbox = join(home, ".local/state/refloat/inbox");
for (const folder of [home, repo]) mkdirSync(folder, { recursive: true });
spawnSync("ip", ["link", "set", "lo", "up"]);
spawnSync("git", ["init", "-q", "-b", "main", repo]);
const model = await startModel(repo);
model.hang("none");
const cli = prepareCli("codex", { root: order.root, home, repo, port: model.port });
const env = {
  PATH: `${nodeFolder(order.root)}:/usr/bin:/bin`,
  HOME: home,
  ...{ TERM: "xterm-256color", LANG: "C.UTF-8", TZ: "UTC" },
  ...cli.env,
};

function refloat(...args: readonly string[]): string {
  const [program = "", ...first] = order.refloat;
  const { stdout, stderr, status } = spawnSync(program, [...first, ...args], { cwd: repo, env });
  if (status !== 0) throw new Error(`refloat ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString();
}

function told(): readonly string[] {
  return waitingFiles(dirname(inbox)).map(
    (name) => /^event (.*)$/m.exec(readFileSync(join(inbox, name), "utf8"))?.[1] ?? "",
  );
}

/** Not waited for by a blocked process: the model answers in this one. */
async function withoutWindow(): Promise<void> {
  const [program = "", ...args] = cli.command(promptOf("clean"));
  await once(spawn(program, args, { cwd: repo, env, stdio: "ignore", timeout: PATIENCE_MS }), "exit");
}

interface Window {
  screen(): string;
  type(keys: string): void;
  end(): void;
}

function opened(program: string): Window {
  const require = createRequire(import.meta.url);
  const terminal = require("@lydell/node-pty") as typeof import("@lydell/node-pty");
  const headless = require("@xterm/headless") as { Terminal: typeof Terminal };
  const term = new headless.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const pty = terminal.spawn(program, [], { cwd: repo, env, cols: COLUMNS, rows: ROWS });
  pty.onData((piece) => term.write(piece));
  // What it asks its terminal is answered.
  term.onData((keys) => pty.write(keys));
  const line = (y: number): string =>
    term.buffer.active.getLine(term.buffer.active.viewportY + y)?.translateToString(true) ?? "";
  return {
    screen: () => Array.from({ length: ROWS }, (_, y) => line(y)).join("\n"),
    type: (keys) => pty.write(keys),
    end: () => pty.kill("SIGKILL"),
  };
}

/** What a person does at a screen of it, whenever it comes; the second is the one that `init` speaks of. */
const FOLDER = { sees: /Trust this folder\?/, types: "1" };
const HOOKS = { sees: /Hooks need review[\s\S]*2\. Trust all/, types: "2" };

async function trusted(window: Window): Promise<string> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 500) {
    await after(500);
    const screen = window.screen();
    const answer = [FOLDER, HOOKS].find(({ sees }) => sees.test(screen));
    if (answer === undefined) continue;
    window.type(answer.types);
    await after(500);
    // Some lists only move to the row of a digit.
    if (answer.sees.test(window.screen())) window.type("\r");
    if (answer === HOOKS) return screen.replace(/\s+\n/g, "\n");
  }
  throw new Error(`nobody was asked to trust anything:\n${window.screen()}`);
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS && !holds(); waited += 500) await after(500);
}

const settings = join(home, ".codex/config.toml");
const own = readFileSync(settings, "utf8");
const init = refloat("init", "--yes", "--agent", "codex");
await withoutWindow();
const before = told();
const window = opened(cli.command("")[0] ?? "");
const asked = await trusted(window);
await until(() => /^› /m.test(window.screen()));
window.type(promptOf("clean"));
await until(() => window.screen().includes("SCENARIO:clean"));
await after(500);
window.type("\r");
await until(() => told().includes("Stop"));
window.end();
await after(1500);
const events = told().slice(before.length);
await withoutWindow();
const later = told().slice(before.length + events.length);
refloat("uninstall", "--yes");
const evidence: TrustEvidence = {
  ...{ init, before, asked, events, later },
  settings: [own, readFileSync(settings, "utf8")],
};
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
