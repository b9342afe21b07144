/**
 * Real agents with hooks and without a supervisor, in namespaces of their own, as `node inside.ts ORDER.json`: each does its script in the
 * same repository, those that are to be killed are killed in their tool, then refloat is asked. Writes evidence.json.
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
  readlinkSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { nodeFolder, prepareCli } from "../../agents/real/agent-clis.ts";
import { promptOf } from "../../agents/real/model/scripts.ts";
import { startModel } from "../../agents/real/model/server.ts";
import type { HookedEvidence, HookedOrder, HookedRun } from "./evidence.ts";
import { hookFlags, prepareHooks } from "./prepare-hooks.ts";
import { waitingFiles } from "./waiting-files.ts";

/** Only ends a run that hangs; nothing is judged by it. */
const PATIENCE_MS = 120_000;
/** So that the agent has written down what it had at the moment of its death. */
const SETTLES_MS = 1500;

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as HookedOrder;
const [home, repo] = [join(order.folder, "home"), join(order.folder, "repo")];
const refloatHome = join(order.folder, "refloat");
const inbox = join(refloatHome, "inbox");

spawnSync("ip", ["link", "set", "lo", "up"]);
for (const folder of [home, repo, inbox, join(refloatHome, "bin")])
  mkdirSync(folder, { recursive: true, mode: 0o700 });
const recorder = join(refloatHome, "bin/refloat-hook");
for (const name of ["refloat-hook", "refloat-hold"])
  copyFileSync(join(import.meta.dirname, "../../../hooks", name), join(refloatHome, "bin", name));
chmodSync(recorder, 0o755);
const model = await startModel(repo);

const ownEnv = (more: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: `${nodeFolder(order.root)}:/usr/bin:/bin`,
  ...{ HOME: home, REFLOAT_HOME: refloatHome },
  // Nothing is judged by how long holding takes on a busy machine.
  REFLOAT_HOOK_WAIT: "60",
  ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_STATE_HOME: join(home, ".local/state"),
  XDG_CACHE_HOME: join(home, ".cache"),
  ...more,
});

function git(...args: string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: repo, env: ownEnv({}) });
  if (status !== 0) throw new Error(String(stderr));
}

function started({ agent, script }: HookedRun): ChildProcess {
  const cli = prepareCli(agent, { root: order.root, home, repo, port: model.port });
  prepareHooks(agent, { home, recorder, refloat: refloatHome });
  const [program = "", ...args] = cli.command(promptOf(script));
  args.splice(1, 0, ...hookFlags(agent));
  const out = join(order.folder, `${agent}.out`);
  const stdio = ["ignore", openSync(out, "a"), openSync(`${out}.err`, "a")] as const;
  return spawn(program, args, { cwd: repo, env: ownEnv(cli.env), stdio: [...stdio], detached: true });
}

const TO_THEIR_END: ReadonlySet<HookedRun["script"]> = new Set<HookedRun["script"]>(["clean", "remove"]);

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

const isInTool = ({ script }: HookedRun): boolean =>
  script === "tool"
    ? /^begin$/m.test(textOf(join(repo, "half.txt")))
    : /^slow-begin$/m.test(textOf(join(repo, "par.txt")));

async function until(holds: () => boolean, child: ChildProcess): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS && !holds(); waited += 100) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    await after(100);
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
}

const processes = (): Process[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [{ pid: Number(name), parent: Number(parent), program: readlinkSync(`/proc/${name}/exe`) }];
    } catch (_gone) {
      return [];
    }
  });

/** The agent's own processes; never its tools, whose programs are the system's. */
function killAgent({ agent }: HookedRun, root: number): void {
  const all = processes();
  const below = (pid: number): Process[] =>
    all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...below(one.pid)]);
  const folders = ["node22", agent].map((name) => realpathSync(join(order.root, name)));
  for (const { pid, program } of [...all.filter(({ pid }) => pid === root), ...below(root)])
    if (folders.some((folder) => program.startsWith(`${folder}/`))) process.kill(pid, "SIGKILL");
}

function asked(...args: readonly string[]): HookedEvidence["sessions"] {
  const [program = "", ...first] = order.refloat;
  const env = ownEnv({});
  const { stdout, stderr } = spawnSync(program, [...first, ...args, "--json"], { cwd: repo, env });
  const text = stdout.toString();
  if (!text.startsWith("{")) throw new Error(`${args.join(" ")}: ${text}${stderr.toString()}`);
  return JSON.parse(text) as HookedEvidence["sessions"];
}

function heldBefore(): HookedEvidence["held"] {
  const captures = asked("captures").captures as { id: string; before?: string }[];
  return captures.flatMap(({ id, before }, nth) => {
    if (before === undefined) return [];
    const to = join(order.folder, `held-${nth}`);
    asked("restore", id, "--to", to);
    const names = readdirSync(to, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const files = names.map(({ name, parentPath }) => [name, textOf(join(parentPath, name))] as const);
    return [{ before, files: Object.fromEntries(files) }];
  });
}

git("init", "-q", "-b", "main", ".");
writeFileSync(join(repo, "README.md"), "hello\n");
git("add", ".");
git("commit", "-qm", "one");
const children = order.runs.map((run) => ({ run, child: started(run) }));
for (const { run, child } of children)
  if (!TO_THEIR_END.has(run.script)) await until(() => isInTool(run), child);
  else if (child.exitCode === null) await once(child, "exit");
await after(SETTLES_MS);
const waiting = waitingFiles(refloatHome);
const heads = waiting.map((name) => textOf(join(inbox, name)).split("\nbody\n")[0] ?? "");
for (const { run, child } of children) if (run.isKilled && child.pid !== undefined) killAgent(run, child.pid);
await after(SETTLES_MS);
const sessions = asked("sessions");
const inspected = Object.fromEntries(
  (sessions.sessions as { id: string }[]).map(({ id }) => [id, asked("inspect", id)]),
);
const evidence: HookedEvidence = { heads, sessions, inspected, held: heldBefore(), files: readdirSync(repo) };
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
