// One agent of bench/run-agents.mjs, inside its namespaces: plain and under `run` in turns, by the Node that the agents need.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFolder, prepareCli } from "../test/agents/real/agent-clis.ts";
import { COMMITTED, promptOf } from "../test/agents/real/model/scripts.ts";
import { startModel } from "../test/agents/real/model/server.ts";

const { agent, folder, root, refloat, rounds } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const home = join(folder, "home");
const repo = join(folder, "repo");
execFileSync("ip", ["link", "set", "lo", "up"]);
for (const path of [home, repo]) mkdirSync(path);
const model = await startModel(repo);
const cli = prepareCli(agent, { root, home, repo, port: model.port });
const env = {
  PATH: `${nodeFolder(root)}:/usr/bin:/bin`,
  HOME: home,
  ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local/share"),
  XDG_STATE_HOME: join(home, ".local/state"),
  XDG_CACHE_HOME: join(home, ".cache"),
  ...cli.env,
};
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@e", ...args], { cwd: repo });
git("init", "-q", "-b", "main", ".");
for (const [path, text] of Object.entries(COMMITTED)) writeFileSync(join(repo, path), text);
git("add", ".");
git("commit", "-qm", "one");

const command = cli.command(promptOf("clean"));
// The same by a name that nobody knows: what is left of `run` without what reads agents.
const unknown = join(folder, "some-agent");
writeFileSync(unknown, `#!/bin/sh\nexec "$@"\n`, { mode: 0o755 });
// The first start of an agent makes its folders and caches.
await processorMs(command);
const times = [];
for (let round = 0; round < rounds; round++)
  times.push({
    plain: await processorMs(command),
    supervised: await processorMs([...refloat, "run", "--", ...command]),
    unknown: await processorMs([...refloat, "run", "--", unknown, ...command]),
  });
writeFileSync(join(folder, "times.json"), JSON.stringify(times));
process.exit(0);

/** User and system time of a process and all that is waited for, by bash, which waits for it alone. */
async function processorMs(words) {
  rmSync(join(repo, "notes.txt"), { force: true });
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>"$0"; }';
  const said = join(folder, "said");
  const child = spawn("bash", ["-c", script, said, ...words], {
    cwd: repo,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let timed = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    timed += text;
  });
  const [code] = await once(child, "close");
  const made = readFileSync(join(repo, "notes.txt"), "utf8");
  if (code !== 0 || made !== "line one\nline two\n")
    throw new Error(`${words.join(" ")}: ${code}: ${readFileSync(said, "utf8")}`);
  const [user, system] = timed.trim().split(" ").map(Number);
  return (user + system) * 1000;
}
