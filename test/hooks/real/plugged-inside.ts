/**
 * Our plugin for a real agent, or our extension, in namespaces of its own, as `node plugged-inside.ts ORDER.json`: added from a local folder to a home with
 * nothing but what is the user's, and taken away; then, where the agent knows its model, added, worked with, taken away, worked with. Writes evidence.json.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentName, nodeFolder, prepareCli } from "../../agents/real/agent-clis.ts";
import { promptOf } from "../../agents/real/model/scripts.ts";
import { startModel } from "../../agents/real/model/server.ts";
import { waitingFiles } from "./waiting-files.ts";

export interface PlugOrder {
  readonly agent: AgentName & ("claude" | "codex" | "gemini");
  readonly folder: string;
  readonly root: string;
  readonly plugins: string;
  /** A file of the user's own, below his home. */
  readonly mine: { readonly path: string; readonly text: string };
}

type Tree = Readonly<Record<string, string>>;

export interface PlugEvidence {
  /** Every file below the home with its bytes. */
  readonly before: Tree;
  readonly added: Tree;
  readonly after: Tree;
  /** What its hooks told with the plugin, and without it. */
  readonly events: readonly string[];
  readonly without: readonly string[];
}

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as PlugOrder;
spawnSync("ip", ["link", "set", "lo", "up"]);

const WORDS: Readonly<Record<PlugOrder["agent"], (plugins: string) => readonly (readonly string[])[][]>> = {
  claude: (plugins) => [
    [
      ["plugin", "marketplace", "add", plugins],
      ["plugin", "install", "refloat@refloat"],
    ],
    [
      ["plugin", "uninstall", "refloat@refloat"],
      ["plugin", "marketplace", "remove", "refloat"],
    ],
    [["plugin", "list"]],
  ],
  codex: (plugins) => [
    [
      ["plugin", "marketplace", "add", join(plugins, "codex")],
      ["plugin", "add", "refloat@refloat"],
    ],
    [
      ["plugin", "remove", "refloat@refloat"],
      ["plugin", "marketplace", "remove", "refloat"],
    ],
    [["plugin", "list"]],
  ],
  gemini: (plugins) => [
    [["extensions", "install", join(plugins, "gemini"), "--consent"]],
    [["extensions", "uninstall", "refloat"]],
    [
      ["extensions", "validate", join(plugins, "gemini")],
      ["extensions", "list"],
    ],
  ],
};
const [ADD = [], REMOVE = [], LOOK = []] = WORDS[order.agent](order.plugins);
/** How many words of its command line are its program's. */
const PROGRAM = order.agent === "gemini" ? 2 : 1;

interface Home {
  readonly home: string;
  readonly repo: string;
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

function homeAt(name: string, port: number): Home {
  const [home, repo] = [join(order.folder, name), join(order.folder, `${name}-repo`)];
  for (const folder of [home, repo]) mkdirSync(folder, { recursive: true });
  spawnSync("git", ["init", "-q", repo]);
  const cli = prepareCli(order.agent, {
    root: order.root,
    home: port === 0 ? `${home}-unused` : home,
    repo,
    port,
  });
  const command = [...cli.command(promptOf("clean"))];
  if (order.agent === "codex") command.splice(2, 0, "--dangerously-bypass-hook-trust");
  const env = {
    PATH: `${nodeFolder(order.root)}:/usr/bin:/bin`,
    ...{ TERM: "xterm-256color", LANG: "C.UTF-8", NO_COLOR: "1", DO_NOT_TRACK: "1", TZ: "UTC" },
    ...cli.env,
    ...(order.agent === "codex" ? { CODEX_HOME: join(home, ".codex") } : {}),
    HOME: home,
  };
  return { home, repo, command, env };
}

function did({ home, command, env }: Home, steps: readonly (readonly string[])[]): void {
  const [program = "", ...first] = command.slice(0, PROGRAM);
  for (const step of steps) {
    const { status, stdout, stderr } = spawnSync(program, [...first, ...step], {
      cwd: home,
      env,
      input: "y\n",
    });
    if (status !== 0) throw new Error(`${step.join(" ")}: ${stdout}${stderr}`);
  }
}

function treeOf({ home }: Home): Tree {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names
      .toSorted()
      .flatMap((name) =>
        statSync(join(home, name)).isFile() ? [[name, readFileSync(join(home, name), "latin1")]] : [],
      ),
  );
}

async function told(at: Home): Promise<readonly string[]> {
  const inbox = join(at.home, ".local/state/refloat/inbox");
  const waiting = (): readonly string[] => waitingFiles(dirname(inbox));
  const before = new Set(waiting());
  const [program = "", ...args] = at.command;
  await once(spawn(program, args, { cwd: at.repo, env: at.env, stdio: "ignore" }), "exit");
  return waiting()
    .filter((name) => !before.has(name))
    .map((name) => /^event (.*)$/m.exec(readFileSync(join(inbox, name), "utf8"))?.[1] ?? "");
}

const bare = homeAt("bare", 0);
const mine = join(bare.home, order.mine.path);
mkdirSync(dirname(mine), { recursive: true });
writeFileSync(mine, order.mine.text);
// Whatever it lays down at any start is there before.
did(bare, LOOK);
const before = treeOf(bare);
did(bare, ADD);
const added = treeOf(bare);
did(bare, REMOVE);
const after = treeOf(bare);
const model = await startModel(join(order.folder, "used-repo"));
model.hang("none");
const used = homeAt("used", model.port);
did(used, ADD);
const events = await told(used);
did(used, REMOVE);
const evidence: PlugEvidence = { before, added, after, events, without: await told(used) };
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(evidence));
process.exit(0);
