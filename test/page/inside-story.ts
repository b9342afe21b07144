/**
 * A real agent works under `refloat run`, is killed, and a person decides on the page what stays: agent, model, server and Chromium in namespaces of
 * their own, where nothing else can be reached. `node inside-story.ts ORDER.json`, by the Node that the agents need; writes evidence.json.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import { type AgentName, prepareCli } from "../agents/real/agent-clis.ts";
import { agentsBelow, cleanEnv } from "../agents/real/agent-processes.ts";
import { promptOf } from "../agents/real/model/scripts.ts";
import { startModel } from "../agents/real/model/server.ts";
import { SHOP } from "./shop.ts";
import { type Decided, decidedInTab, launched, tabAt } from "./tab.ts";

export interface StoryOrder {
  readonly agent: AgentName;
  readonly folder: string;
  readonly root: string;
  readonly refloat: readonly string[];
  readonly chromium: string;
}

export interface Look {
  readonly status: string;
  readonly log: string;
}

export interface StoryEvidence extends Decided<Look> {
  readonly before: Look;
  readonly committed: string;
  /** The page had them on its screen: while it lived, and after it was killed. */
  readonly seen: { readonly alive: string; readonly dead: string; readonly said: string };
  readonly wrong: readonly string[];
}

/** Only ends a story that hangs. */
const PATIENCE_MS = 120_000;
/** So that the agent has printed and written down what it had at the moment of its death. */
const SETTLES_MS = 1500;

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as StoryOrder;
const [home, folder, bin] = ["home", "repo", "bin"].map((name) => join(order.folder, name)) as [
  string,
  string,
  string,
];
for (const one of [home, folder, bin]) mkdirSync(one, { recursive: true });
spawnSync("ip", ["link", "set", "lo", "up"]);
const repo = realpathSync(folder);
const clean = cleanEnv({ root: order.root, home });
const identity = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.invalid" };
const committer = { GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.invalid" };
const words = order.refloat.map((word) => `'${word}'`).join(" ");
writeFileSync(join(bin, "refloat"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
const model = await startModel(repo);
const cli = prepareCli(order.agent, { root: order.root, home, repo, port: model.port });
const env = { ...clean, ...identity, ...committer, ...cli.env, PATH: `${bin}:${clean.PATH}` };

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: repo, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

const look = (): Look => ({ status: git("status", "--porcelain", "-uall"), log: git("log", "--format=%s") });

function makeShop(): void {
  git("init", "-q", "-b", "main", ".");
  for (const [path, text] of Object.entries(SHOP)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  git("add", ".");
  git("commit", "-qm", "base");
}

function started(command: readonly string[], stdout: "pipe" | number): ChildProcess {
  const [program = "", ...args] = command;
  const errors = openSync(join(order.folder, "errors"), "a");
  return spawn(program, args, { cwd: repo, env, stdio: ["ignore", stdout, errors] });
}

/** The agent has written half of the cart and is in the middle of saying so. */
async function atWork(): Promise<ChildProcess> {
  const command = cli.command(promptOf("shop"));
  const out = openSync(join(order.folder, "first.out"), "a");
  const child = started([...order.refloat, "run", "--name", "shop", "--", ...command], out);
  for (let waited = 0; !model.isHeld && waited < PATIENCE_MS && child.exitCode === null; waited += 100)
    await after(100);
  if (!model.isHeld) throw new Error("The agent did not come to its middle.");
  await after(SETTLES_MS);
  return child;
}

async function servedHere(): Promise<{ address: string; origin: string; end: () => void }> {
  const child = started([...order.refloat, "serve", "--no-open", "--json"], "pipe");
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  const { address } = JSON.parse(String(line)) as { address: string };
  return { address, origin: new URL(address).origin, end: () => child.kill("SIGTERM") };
}

async function happened(): Promise<StoryEvidence> {
  const child = await atWork();
  const page = await servedHere();
  const browser = await launched(order.chromium);
  const tab = await tabAt(browser, page);
  const main = tab.locator("main");
  await tab.getByText("At work now").waitFor();
  const alive = await main.innerText();
  const before = look();
  for (const pid of agentsBelow(child.pid ?? 0, order)) process.kill(pid, "SIGKILL");
  // Nobody reloads the page.
  await tab.getByRole("link", { name: "Decide what stays" }).waitFor();
  const dead = await main.innerText();
  const decided = await decidedInTab(tab, look);
  const committed = git("show", "--stat", "--format=%s", "HEAD");
  await tab.getByRole("link", { name: "What happened" }).click();
  await tab.getByText("Its checkout first.").waitFor();
  const said = await main.innerText();
  await browser.close();
  page.end();
  return { ...decided, before, committed, seen: { alive, dead, said }, wrong: tab.wrong };
}

makeShop();
writeFileSync(join(order.folder, "evidence.json"), JSON.stringify(await happened()));
process.exit(0);
