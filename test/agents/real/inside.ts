/**
 * One run of a real agent, in namespaces of its own: nothing is reachable but the mock model, and everything it started ends with it. Run by the
 * Node that the agents need, as `node inside.ts ORDER.json`; writes evidence.json.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { prepareCli, transcriptsOf } from "./agent-clis.ts";
import { agentsBelow, cleanEnv, processes } from "./agent-processes.ts";
import type { Evidence, Order, Resumed, ResumedRequest, Told } from "./evidence.ts";
import { allText, type Body, faultsOf } from "./model/conversation.ts";
import { BRIEF_HEAD } from "./model/decide-answer.ts";
import { COMMITTED, promptOf, type ScriptedTool } from "./model/scripts.ts";
import { type Asked, startModel } from "./model/server.ts";
import { type Situation, situationOf } from "./situations.ts";

/** Only ends a run that hangs; nothing is judged by it. */
const PATIENCE_MS = 120_000;

/** So that the agent has printed and written down what it had at the moment of its death. */
const SETTLES_MS = 1500;

/** What a torn tail loses. */
const TORN_BYTES = 40;

const FILES = ["notes.txt", "half.txt", "s.txt", "long.txt", "par.txt", "code.js", "lib.js"];

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Order;
const situation: Situation = situationOf(order.situation);
const home = join(order.folder, "home");
const repo = join(order.folder, "repo");
const troubles: string[] = [];

spawnSync("ip", ["link", "set", "lo", "up"]);
mkdirSync(home, { recursive: true });
mkdirSync(repo, { recursive: true });
const model = await startModel(repo);
const server = order.situation === "mcp" ? { mcp: [...order.refloat, "mcp"] } : {};
const cli = prepareCli(order.agent, { root: order.root, home, repo, port: model.port, ...server });

function makeRepository(): void {
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
    const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: repo, env: ownEnv({}) });
    if (status !== 0) throw new Error(String(stderr));
  };
  git("init", "-q", "-b", "main", ".");
  for (const [path, text] of Object.entries(COMMITTED)) writeFileSync(join(repo, path), text);
  git("add", ".");
  git("commit", "-qm", "one");
}

const ownEnv = (more: Readonly<Record<string, string>>): Record<string, string> =>
  cleanEnv({ root: order.root, home }, more);

async function happened(): Promise<Evidence> {
  const out = join(order.folder, "first.out");
  const command = cli.command(promptOf(order.situation === "mcp" ? "mcp" : situation.script));
  const child = started(situation.isPlain ? command : [...order.refloat, "run", "--", ...command], out);
  const isReached = situation.signal === null || (await until(() => isWantedMoment(), child));
  if (situation.signal !== null) {
    await after(SETTLES_MS);
    struck(child, situation);
  }
  const ran = await ending(child);
  if (situation.isTorn)
    for (const path of transcriptsOf(cli, home)) truncateSync(path, Math.max(0, sizeOf(path) - TORN_BYTES));
  const printed = textOf(out);
  const toolsLeft = toolsAlive();
  const tree = files();
  const sessions = await asked("sessions", "--json");
  const inspect = await asked("inspect", "--json");
  const log = await asked("log", "--json");
  const handoff = await asked("handoff", "--json");
  const isToResume = situation.isPlain && situation.signal !== null;
  const wouldResume = isToResume ? await asked("resume", "--print", "--json") : null;
  if (toolsLeft.length > 0) await told(["inspect", "--stop-leftovers", "--yes"]);
  for (const pid of toolsAlive()) process.kill(pid, "SIGKILL");
  const resumes: Resumed[] = [];
  const [session] = (sessions.sessions ?? []) as Body[];
  for (let left = situation.isPlain ? 0 : order.resumes; left > 0; left -= 1) {
    // After some deaths in a row a session is suspended until somebody lifts that.
    if (left < order.resumes) await told(["lift", String(session?.id), "--reason", "goes on"]);
    resumes.push(await resumed(left === 1));
  }
  const { agent, situation: name } = order;
  const said = { sessions, inspect, log, handoff, wouldResume, resumes, troubles };
  return { agent, situation: name, isReached, ran, printed, toolsLeft, tree, treeAtEnd: files(), ...said };
}

/** With a session and a group of its own: what is signalled is what we choose. */
function started(command: readonly string[], out: string): ChildProcess {
  const [program = "", ...args] = command;
  const env = ownEnv(cli.env);
  const stdio = ["ignore", openSync(out, "a"), openSync(`${out}.err`, "a")] as const;
  return spawn(program, args, { cwd: repo, env, stdio: [...stdio], detached: true });
}

async function until(holds: () => boolean, child: ChildProcess): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    if (holds()) return true;
    if (child.exitCode !== null || child.signalCode !== null) return false;
    await after(100);
  }
  return false;
}

function isWantedMoment(): boolean {
  switch (situation.script) {
    case "tool":
      return /^begin$/m.test(textOf(join(repo, "half.txt")));
    case "parallel":
      return (
        /^slow-begin$/m.test(textOf(join(repo, "par.txt"))) && /^fast$/m.test(textOf(join(repo, "par.txt")))
      );
    case "stream":
    case "arguments":
      return model.isHeld;
    case "halfedits":
      return /^look$/m.test(textOf(join(repo, "look.txt")));
    case "clean":
    case "edits":
      return true;
  }
}

function struck(child: ChildProcess, { signal, who }: Situation): void {
  const pid = child.pid;
  if (pid === undefined || signal === null) return;
  if (signal === "SIGINT") process.kill(-pid, signal);
  else if (who === "run") process.kill(pid, signal);
  else {
    const agents = agentsBelow(pid, order);
    for (const one of who === "both" ? [pid, ...agents] : agents) process.kill(one, "SIGKILL");
  }
}

const isTool = (command: string): boolean => /\bsleep \d/.test(command);

const toolsAlive = (): number[] =>
  processes()
    .filter(({ command }) => isTool(command))
    .map(({ pid }) => pid);

async function ending(child: ChildProcess): Promise<Evidence["ran"]> {
  if (child.exitCode === null && child.signalCode === null) {
    const timer = setTimeout(() => {
      troubles.push("it did not end and was killed");
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, PATIENCE_MS);
    await once(child, "exit");
    clearTimeout(timer);
  }
  return { code: child.exitCode, signal: child.signalCode };
}

async function told(args: readonly string[]): Promise<Told> {
  const [program = "", ...first] = order.refloat;
  const child = spawn(program, [...first, ...args], {
    cwd: repo,
    env: ownEnv(cli.env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pieces = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (piece: string) => {
      pieces[name] += piece;
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, ...pieces };
}

async function asked(...args: readonly string[]): Promise<Body> {
  const { code, stdout, stderr } = await told(args);
  if (code !== 0) troubles.push(`${args.join(" ")}: ${code} ${stdout}${stderr}`.slice(0, 500));
  return stdout.startsWith("{") ? (JSON.parse(stdout) as Body) : {};
}

/** The last time to its end; before that it is killed as soon as it has sent its first request. */
async function resumed(isLast: boolean): Promise<Resumed> {
  model.hang(isLast ? "none" : "all");
  const from = model.asked.length;
  const out = join(order.folder, `resumed-${from}.out`);
  const child = started([...order.refloat, "resume", "--yes"], out);
  if (!isLast && (await until(() => model.asked.length > from, child))) {
    await after(SETTLES_MS);
    if (child.pid !== undefined)
      for (const pid of agentsBelow(child.pid, order)) process.kill(pid, "SIGKILL");
  }
  const { code } = await ending(child);
  const ran = { code, stdout: textOf(out).slice(-2000), stderr: textOf(`${out}.err`).slice(-2000) };
  const log = await asked("log", "--json");
  const history = ((log.items ?? []) as Body[]).map(({ id }) => String(id));
  return { ran, requests: model.asked.slice(from).map(summaryOf), history };
}

function askedFor(of: ScriptedTool): string {
  if (of.kind === "mcp") return of.tool;
  return of.kind === "shell" ? of.command : of.path;
}

function summaryOf({ body, items, answer }: Asked): ResumedRequest {
  return {
    briefs: allText({ ...body, tools: null }).split(BRIEF_HEAD).length - 1,
    faults: faultsOf(items),
    shape: items.map((item) => (item.kind === "text" ? item.role : `${item.kind} ${item.id}`)).join(", "),
    asksFor: answer.calls.map(({ of }) => askedFor(of)),
  };
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
const sizeOf = (path: string): number => readFileSync(path).length;

function files(): Record<string, string> {
  return Object.fromEntries(
    FILES.filter((name) => existsSync(join(repo, name))).map((name) => [name, textOf(join(repo, name))]),
  );
}

makeRepository();
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(await happened()));
process.exit(0);
