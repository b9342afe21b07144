/**
 * A real agent that is set up by `init` in an older version and upgraded under it, in namespaces of its own, as `node upgraded-inside.ts ORDER.json`: in
 * each version killed in a tool and started again, then without us. Writes evidence.json.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { type AgentCli, nodeFolder, prepareCli } from "../../agents/real/agent-clis.ts";
import { allText } from "../../agents/real/model/conversation.ts";
import { promptOf, type ScriptName } from "../../agents/real/model/scripts.ts";
import { startModel } from "../../agents/real/model/server.ts";
import type { JsonObject } from "../../support/cli.ts";
import type { Ran, UpgradeEvidence, UpgradeOrder } from "./upgraded-run.ts";

/** Only ends a run that hangs; nothing is judged by it. */
const PATIENCE_MS = 120_000;
/** So that the agent has written down what it had at the moment of its death. */
const SETTLES_MS = 1500;
const NOTICE = "ended in the middle of a turn without saying so";

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as UpgradeOrder;
const [home, repo] = [join(order.folder, "home"), join(order.folder, "repo")];
const inbox = join(home, ".local/state/refloat/inbox");
for (const folder of [home, repo]) mkdirSync(folder, { recursive: true });
spawnSync("ip", ["link", "set", "lo", "up"]);
const model = await startModel(repo);

const ownEnv = (root: string, more: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: `${nodeFolder(root)}:/usr/bin:/bin`,
  HOME: home,
  ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
  ...more,
});

function refloat(...args: readonly string[]): string {
  const [program = "", ...first] = order.refloat;
  const env = ownEnv(order.older, {});
  const { stdout, stderr, status } = spawnSync(program, [...first, ...args], { cwd: repo, env });
  if (status !== 0 && status !== 3) throw new Error(`refloat ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString();
}

/** Every event that its hooks left, by name: the server that `init` registered takes them in before the agent is gone. */
function seenEvents(): { readonly names: () => Promise<readonly string[]> } {
  const before = new Set(existsSync(inbox) ? readdirSync(inbox) : []);
  const names = new Set<string>();
  const note = (name: string | null): void => {
    if (name?.endsWith(".hook") && !before.has(name)) names.add(name);
  };
  const watcher = existsSync(inbox) ? watch(inbox, (_kind, name) => note(name)) : null;
  return {
    names: async () => {
      await after(SETTLES_MS);
      watcher?.close();
      return [...names].toSorted();
    },
  };
}

function started(root: string, cli: AgentCli, script: ScriptName): ChildProcess {
  const words = [...cli.command(promptOf(script))];
  if (order.agent === "codex") words.splice(2, 0, "--dangerously-bypass-hook-trust");
  // No hook of it fires: what it does is kept where it goes through `run`.
  const [program = "", ...args] =
    order.agent === "continue" ? [...order.refloat, "run", "--", ...words] : words;
  const out = openSync(join(order.folder, "out"), "a");
  const env = ownEnv(root, cli.env);
  return spawn(program, args, { cwd: repo, env, stdio: ["ignore", out, out], detached: true });
}

/** Everything but us, at once: nobody else is in this namespace. */
function killAll(): void {
  const others = readdirSync("/proc").flatMap((name) =>
    /^[0-9]+$/.test(name) && name !== "1" && Number(name) !== process.pid ? [Number(name)] : [],
  );
  for (const pid of others)
    try {
      process.kill(pid, "SIGKILL");
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
    }
}

async function ended(child: ChildProcess): Promise<number | null> {
  const timer = setTimeout(killAll, PATIENCE_MS);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  clearTimeout(timer);
  return child.exitCode;
}

/** A start of the agent, what its hooks told meanwhile, and how often the notice stood in each request. */
async function ran({ root, cli }: Version, script: "tool" | "clean"): Promise<Ran> {
  for (const name of ["half.txt", "notes.txt"]) rmSync(join(repo, name), { force: true });
  model.hang(script === "tool" ? "scripted" : "none");
  const [events, from] = [seenEvents(), model.asked.length];
  const child = started(root, cli, script);
  if (script === "tool") await inTool(child);
  const code = await ended(child);
  return {
    code,
    events: await events.names(),
    notices: model.asked
      .slice(from)
      .map(({ body }) => allText({ ...body, tools: null }).split(NOTICE).length - 1),
  };
}

async function inTool(child: ChildProcess): Promise<void> {
  const half = join(repo, "half.txt");
  const isThere = (): boolean => existsSync(half) && /^begin$/m.test(readFileSync(half, "utf8"));
  for (let waited = 0; waited < PATIENCE_MS && !isThere() && child.exitCode === null; waited += 100)
    await after(100);
  await after(SETTLES_MS);
  killAll();
}

interface Version {
  readonly root: string;
  readonly cli: AgentCli;
}

const at = { home, repo, port: model.port };
const versionAt = (root: string): Version => ({ root, cli: prepareCli(order.agent, { ...at, root }) });
writeFileSync(join(repo, "README.md"), "hello\n");
const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
for (const args of [
  ["init", "-q", "-b", "main", "."],
  ["add", "."],
  [...identity, "commit", "-qm", "one"],
])
  spawnSync("git", args, { cwd: repo, env: ownEnv(order.older, {}) });
// All write the same files of its own; what `init` puts into them comes afterwards, and nobody touches them again.
const versions = [order.older, ...(order.newer === undefined ? [] : [order.newer])].map(versionAt);
refloat("init", "--yes", "--agent", order.agent);
const lives: UpgradeEvidence["lives"][number][] = [];
for (const version of versions)
  lives.push({ killed: await ran(version, "tool"), next: await ran(version, "clean") });
const sessions = (JSON.parse(refloat("sessions", "--json")) as JsonObject).sessions as JsonObject[];
const inspected = sessions.map(
  ({ id }) => JSON.parse(refloat("inspect", String(id), "--json")) as JsonObject,
);
refloat("uninstall", "--yes");
const left = readdirSync(home, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && !one.parentPath.startsWith(join(home, ".local/state/refloat")))
  .map(({ name, parentPath }) => join(parentPath, name))
  .filter((file) => readFileSync(file).includes("refloat-hook"));
const without = await ran(versions.at(-1) as Version, "clean");
const evidence: UpgradeEvidence = { lives, without, left, sessions, inspected };
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
