/**
 * A real agent that `init` has set up, in namespaces of its own, as `node set-up-inside.ts ORDER.json`: the server in its settings is the one that
 * `init` wrote, and the model calls its tools. Writes evidence.json.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFolder, prepareCli } from "../../agents/real/agent-clis.ts";
import { promptOf } from "../../agents/real/model/scripts.ts";
import { startModel } from "../../agents/real/model/server.ts";
import type { JsonObject } from "../../support/cli.ts";
import type { SetUpEvidence, SetUpOrder } from "./set-up-run.ts";

/** Only ends a run that hangs; nothing is judged by it. */
const PATIENCE_MS = 120_000;

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as SetUpOrder;
const [home, repo] = [join(order.folder, "home"), join(order.folder, "repo")];
for (const folder of [home, repo]) mkdirSync(folder, { recursive: true });
spawnSync("ip", ["link", "set", "lo", "up"]);
const model = await startModel(repo);

const env = {
  PATH: `${nodeFolder(order.root)}:/usr/bin:/bin`,
  HOME: home,
  ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
};

function refloat(...args: readonly string[]): string {
  const [program = "", ...first] = order.refloat;
  const { stdout, stderr, status } = spawnSync(program, [...first, ...args], { cwd: repo, env });
  if (status !== 0 && status !== 3) throw new Error(`refloat ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString();
}

writeFileSync(join(repo, "README.md"), "hello\n");
const identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
for (const args of [
  ["init", "-q", "-b", "main", "."],
  ["add", "."],
  [...identity, "commit", "-qm", "one"],
])
  spawnSync("git", args, { cwd: repo, env });
const cli = prepareCli(order.agent, { root: order.root, home, repo, port: model.port });
refloat("init", "--yes", "--agent", order.agent);
const [program = "", ...words] = cli.command(promptOf("mcp"));
if (order.agent === "codex") words.splice(1, 0, "--dangerously-bypass-hook-trust");
const out = openSync(join(order.folder, "out"), "a");
// The model answers from this very process: it must not be blocked.
const child = spawn(program, words, { cwd: repo, env: { ...env, ...cli.env }, stdio: ["ignore", out, out] });
const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
await once(child, "exit");
clearTimeout(timer);
const sessions = (JSON.parse(refloat("sessions", "--json")) as JsonObject).sessions as JsonObject[];
const evidence: SetUpEvidence = {
  code: child.exitCode,
  printed: readFileSync(join(order.folder, "out"), "utf8").slice(-4000),
  inspected: sessions.map(({ id }) => JSON.parse(refloat("inspect", String(id), "--json")) as JsonObject),
};
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
