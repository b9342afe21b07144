/**
 * A real agent with our recorder in its hooks, or our plugin, three times in one folder, in namespaces of its own: killed in the middle of a tool, then twice
 * to its end. What the model was sent each time is counted. Run by the Node that the agents need, as `node notice-inside.ts ORDER.json`.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { pluginText, sharedCommand } from "../../../src/agents/install/commands.ts";
import { nodeFolder, prepareCli } from "../../agents/real/agent-clis.ts";
import { allText } from "../../agents/real/model/conversation.ts";
import { promptOf, type ScriptName } from "../../agents/real/model/scripts.ts";
import { startModel } from "../../agents/real/model/server.ts";
import type { NoticeEvidence, NoticeOrder } from "./notice-run.ts";

/** Only ends a run that hangs; nothing is judged by it. */
const PATIENCE_MS = 120_000;
const WORDS = "ended in the middle of a turn without saying so";

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as NoticeOrder;
const home = join(order.folder, "home");
const repo = join(order.folder, "repo");
const own = join(home, ".local/state/refloat");
for (const folder of [home, repo, join(own, "bin"), join(own, "inbox")])
  mkdirSync(folder, { recursive: true });
copyFileSync(order.recorder, join(own, "bin/refloat-hook"));
chmodSync(join(own, "bin/refloat-hook"), 0o755);

spawnSync("ip", ["link", "set", "lo", "up"]);
spawnSync("git", ["init", "-q", repo]);
const model = await startModel(repo);
const cli = prepareCli(order.agent, { root: order.root, home, repo, port: model.port });

const PLUGINS: Readonly<Record<string, string>> = {
  opencode: ".config/opencode/plugin/refloat.js",
  pi: ".pi/agent/extensions/refloat.ts",
};
const SETTINGS: Readonly<Record<string, string>> = {
  claude: ".claude/settings.json",
  qwen: ".qwen/settings.json",
  codex: ".codex/hooks.json",
  gemini: ".gemini/settings.json",
};
const EVENTS =
  order.agent === "gemini"
    ? ["SessionStart", "BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool"]
    : ["SessionStart", "UserPromptSubmit", "Stop", "PreToolUse", "PostToolUse"];

/** Of a repository, where an agent has them elsewhere than in a home. */
const SHARED: Readonly<Record<string, string>> = {
  opencode: ".opencode/plugin/refloat.js",
  pi: ".pi/extensions/refloat.ts",
};

/** As `init` writes it. */
function putPlugin(path: string, homes: readonly string[] | null): void {
  const packaged = (name: string): string => readFileSync(join(dirname(order.recorder), name), "utf8");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pluginText(homes, [packaged("inbox-writer.js"), packaged(`${order.agent}.js`)]));
}

function putHooks(): void {
  const plugin = PLUGINS[order.agent];
  if (plugin !== undefined) {
    putPlugin(join(home, plugin), [own]);
    if (order.shared) putPlugin(join(repo, SHARED[order.agent] ?? ""), null);
    return;
  }
  const settings = SETTINGS[order.agent] ?? "";
  putEntries(join(home, settings), (event) => `"${join(own, "bin/refloat-hook")}" ${order.agent} ${event}`);
  if (order.shared) putEntries(join(repo, settings), (event) => sharedCommand(order.agent, event));
}

function putEntries(path: string, commandOf: (event: string) => string): void {
  const old = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as object) : {};
  const entries = EVENTS.map((event) => [
    event,
    [{ matcher: "", hooks: [{ type: "command", command: commandOf(event) }] }],
  ]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...old, hooks: Object.fromEntries(entries) }));
}

function started(script: ScriptName, nth: number): ChildProcess {
  const [program = "", ...words] = cli.command(promptOf(script));
  const args =
    order.agent === "codex" ? [words[0] ?? "", "--dangerously-bypass-hook-trust", ...words.slice(1)] : words;
  const out = openSync(join(order.folder, `${nth}.out`), "a");
  const env = {
    PATH: `${nodeFolder(order.root)}:/usr/bin:/bin`,
    HOME: home,
    ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
    ...cli.env,
  };
  return spawn(program, args, { cwd: repo, env, stdio: ["ignore", out, out], detached: true });
}

/** Everything but us: nobody else is in this namespace. */
function killAll(): void {
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (pid > 1 && pid !== process.pid) spawnSync("kill", ["-9", name]);
  }
}

async function ended(child: ChildProcess): Promise<void> {
  const timer = setTimeout(killAll, PATIENCE_MS);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  clearTimeout(timer);
}

/** How often the notice stands in each request that was sent meanwhile. */
async function requestsOf(script: ScriptName, nth: number): Promise<readonly number[]> {
  const from = model.asked.length;
  await ended(started(script, nth));
  return model.asked.slice(from).map(({ body }) => allText({ ...body, tools: null }).split(WORDS).length - 1);
}

const isSeen = (nth: number): boolean =>
  readFileSync(join(order.folder, `${nth}.out`), "utf8").includes("refloat: an earlier session");

const isStart = (path: string): boolean =>
  path.endsWith(".hook") && /\nevent (?:SessionStart|chat\.message|input)\n/.test(readFileSync(path, "utf8"));

putHooks();
const first = started("tool", 1);
const half = join(repo, "half.txt");
for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
  if (existsSync(half) && /^begin$/m.test(readFileSync(half, "utf8"))) break;
  await after(100);
}
killAll();
await ended(first);
model.hang("none");
const evidence: NoticeEvidence = {
  beforeDeath: model.asked.map(({ body }) => allText({ ...body, tools: null }).split(WORDS).length - 1),
  next: await requestsOf("clean", 2),
  afterThat: await requestsOf("clean", 3),
  starts: readdirSync(join(own, "inbox")).filter((name) => isStart(join(own, "inbox", name))).length,
  seen: [isSeen(2), isSeen(3)],
};
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
