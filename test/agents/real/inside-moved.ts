/**
 * A real agent that was started plainly and killed in a tool, its repository moved, and gone on with at a terminal by `refloat resume`: the agents
 * here go on in a copy, under a new id. In namespaces of its own, as inside.ts; writes evidence.json.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { nodeFolder, prepareCli, transcriptsOf } from "./agent-clis.ts";
import { allText, type Body, faultsOf } from "./model/conversation.ts";
import { BRIEF_HEAD } from "./model/decide-answer.ts";
import { promptOf } from "./model/scripts.ts";
import { startModel } from "./model/server.ts";

/** What is left out of its command line so that it opens its own screen; its program's name as a person types it. */
const SCREENS = {
  pi: { program: "pi", without: ["--mode", "json", "-p", ""] },
  gemini: { program: "gemini", without: ["--output-format", "stream-json", "-p", ""] },
  continue: { program: "cn", without: ["-p", ""] },
} as const;

export interface MovedOrder {
  readonly agent: keyof typeof SCREENS;
  readonly folder: string;
  readonly root: string;
  readonly refloat: readonly string[];
  /** `run`: refloat is told to stop; `both`: it and the agent are killed. */
  readonly ends: "run" | "both";
}

export interface MovedEvidence {
  /** What refloat tells before the agent goes on, and afterwards. */
  readonly before: { readonly sessions: Body[]; readonly items: Body[] };
  readonly afterwards: { readonly sessions: Body[]; readonly items: Body[] };
  /** Of the first request of the agent that goes on. */
  readonly request: { readonly briefs: number; readonly faults: readonly string[]; readonly hasOld: boolean };
  /** How many transcripts there were, and how many there are. */
  readonly transcripts: readonly number[];
  readonly nextCommand: string;
}

/** So that what was said is written down. */
const SETTLES_MS = 3000;

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as MovedOrder;
const { agent } = order;
const place = realpathSync(order.folder);
const [home, repo, moved, bin] = ["home", "repo", "moved", "bin"].map((name) => join(place, name)) as [
  ...[string, string, string, string],
];
spawnSync("ip", ["link", "set", "lo", "up"]);
for (const one of [home, repo, bin]) mkdirSync(one, { recursive: true });
const model = await startModel(repo);
const cli = prepareCli(agent, { root: order.root, home, repo, port: model.port });
const env = {
  PATH: `${bin}:${nodeFolder(order.root)}:/usr/bin:/bin`,
  HOME: home,
  ...{ TERM: "xterm-256color", LANG: "C.UTF-8", DO_NOT_TRACK: "1", TZ: "UTC", SHELL: "/bin/bash" },
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_STATE_HOME: join(home, ".local/state"),
  XDG_CACHE_HOME: join(home, ".cache"),
  ...cli.env,
};
const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
for (const args of [
  ["init", "-q", "-b", "main", "."],
  [...identity, "commit", "-qm", "one", "--allow-empty"],
])
  spawnSync("git", args, { cwd: repo, env });

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");

/** The program a person would type, with this model. */
function putProgram(): void {
  const { program, without } = SCREENS[agent];
  const words = cli.command("").filter((word) => !(without as readonly string[]).includes(word));
  const path = join(bin, program);
  writeFileSync(path, `#!/bin/sh\nexec ${quoted(words)} "$@"\n`);
  chmodSync(path, 0o755);
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** With `-p` Continue leaves nothing where it is killed: it is let end. */
async function workedPlainly(): Promise<void> {
  const isKilled = agent !== "continue";
  const [program = "", ...args] = cli.command(promptOf(isKilled ? "tool" : "clean"));
  const own = { ...env, GEMINI_CLI_NO_RELAUNCH: "true" };
  const child = spawn(program, args, { cwd: repo, env: own, stdio: "ignore", detached: true });
  const ending = once(child, "exit");
  if (isKilled) {
    while (!/^begin$/m.test(textOf(join(repo, "half.txt")))) await after(100);
    await after(SETTLES_MS);
    child.kill("SIGKILL");
  }
  await ending;
  for (const pid of processes((words) => /\bsleep \d/.test(words))) process.kill(pid, "SIGKILL");
}

function processes(isMeant: (words: string) => boolean): number[] {
  return readdirSync("/proc").flatMap((name) => {
    const words = /^\d+$/.test(name) ? textOf(`/proc/${name}/cmdline`).replaceAll("\0", " ") : "";
    return words !== "" && Number(name) !== process.pid && isMeant(words) ? [Number(name)] : [];
  });
}

function told(...args: string[]): Body {
  const [program = "", ...first] = order.refloat;
  const asked = [...first, ...args, "--json"];
  const { stdout, stderr } = spawnSync(program, asked, { cwd: moved, env, maxBuffer: 1 << 26 });
  if (!String(stdout).startsWith("{")) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
  return JSON.parse(String(stdout)) as Body;
}

const standing = (id: string): MovedEvidence["before"] => ({
  sessions: told("sessions").sessions as Body[],
  items: told("log", id).items as Body[],
});

/** At a terminal: the agent's own screen. */
function goingOn(id: string): ChildProcess {
  const command = quoted([...order.refloat, "resume", id, "--yes"]);
  const child = spawn("script", ["-qfec", command, join(place, "screen")], {
    ...{ cwd: moved, env, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  return child;
}

putProgram();
await workedPlainly();
renameSync(repo, moved);
const [session] = told("sessions").sessions as Body[];
const id = String(session?.id);
const before = standing(id);
const transcripts = [transcriptsOf(cli, home).length];
model.hang("none");
const from = model.asked.length;
const child = goingOn(id);
const ending = once(child, "exit");
while (model.asked.length === from && child.exitCode === null) await after(100);
await after(SETTLES_MS);
const bundle = order.refloat.at(-1) ?? "";
const supervisors = processes((words) => words.includes(`${bundle} resume`) && !words.startsWith("script"));
const agents = processes(
  (words) => words.includes(order.root) && !words.includes(bundle) && !words.includes("inside-moved"),
);
if (order.ends === "run") for (const pid of supervisors) process.kill(pid, "SIGTERM");
else for (const pid of [...supervisors, ...agents]) process.kill(pid, "SIGKILL");
await ending;
const { body, items } = model.asked[from] ?? { body: {}, items: [] };
const words = allText({ ...body, tools: null });
const evidence: MovedEvidence = {
  ...{ before, afterwards: standing(id) },
  request: {
    briefs: words.split(BRIEF_HEAD).length - 1,
    faults: faultsOf(items),
    hasOld: items.some((item) => item.kind !== "text" || item.role === "assistant"),
  },
  transcripts: [...transcripts, transcriptsOf(cli, home).length],
  nextCommand: JSON.stringify(told("resume", id, "--print").sessions ?? null),
};
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
