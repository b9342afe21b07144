/**
 * One run that is killed, and everything that must hold afterwards. The fake agent prints numbered lines, records a
 * call and waits in a tool of its own session; somebody kills the agent, the supervisor, or both.
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import { commandOf, listProcesses } from "../../src/platform/process-list.ts";
import type { RecoverOptions } from "../../src/recover/recover-one.ts";
import { recoverWorkspace } from "../../src/recover/recover-sessions.ts";
import { type SurveyOptions, surveySession } from "../../src/recover/survey-session.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { BIN } from "../support/cli.ts";
import { DOOR_ENV, testRepository } from "../support/git-repository.ts";
import { FAKE_AGENT, isAlive } from "./run-scene.ts";

export interface KillPlan {
  readonly victim: "agent" | "supervisor" | "both";
  /** What has happened before the kill: refloat was started, the agent runs, it is in its tool, it was let go on. */
  readonly after: "start" | "agent" | "tool" | "go";
  readonly delayMs: number;
  /** The tool clears its environment. */
  readonly isCleared: boolean;
  readonly crashAt?: string;
}

export interface Landing {
  readonly plan: KillPlan;
  readonly problems: readonly string[];
  /** How far the journal had come. */
  readonly where: string;
}

/** What the dead left, for who would break it. */
export interface Remains {
  readonly home: string;
  readonly root: string;
  readonly bystander: number;
  readonly store: RefloatStore;
  readonly session: SessionId;
}

/** A law broken on purpose (broken.test.ts): the judge must see it. */
export interface Break {
  /** Done to what the dead left, before anybody looks at it. */
  readonly remains?: (remains: Remains) => void | Promise<void>;
  /** What the survey before the recovery is told. */
  readonly survey?: SurveyOptions;
  /** False: the recovery may not stop what is left. */
  readonly isStopping?: boolean;
  /** What else the recovery is told; null: there is none. */
  readonly recovery?: Partial<RecoverOptions> | null;
}

const WAIT_MS = 60_000;
const PAUSE_MS = 10;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function killedRun(plan: KillPlan, broken: Break = {}): Promise<Landing> {
  const folder = mkdtempSync(join(tmpdir(), "refloat-killed-"));
  const [home, notes] = [join(folder, "home"), join(folder, "notes")];
  for (const each of [home, notes]) mkdirSync(each);
  const repo = testRepository(join(folder, "repo"));
  repo.write("a.txt", "one\n");
  repo.commit();
  const bystander = spawn("sleep", ["1000"], { cwd: repo.root, stdio: "ignore", detached: true });
  const doing = { tool: "session", calls: "one", chatter: true, clear: plan.isCleared, notes };
  const command = [process.execPath, FAKE_AGENT, JSON.stringify(doing)];
  const env = { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home };
  const crash = plan.crashAt === undefined ? {} : { REFLOAT_CRASH_AT: plan.crashAt };
  const args = [BIN, "run", "--drain", "300ms", "--report", join(notes, "report"), "--", ...command];
  const refloat = spawn(process.execPath, args, { cwd: repo.root, env: { ...env, ...crash } });
  const story = new KilledRun({ plan, home, notes, root: repo.root, refloat, bystander: bystander.pid ?? 0 });
  try {
    await story.kill();
    return await story.judge(broken);
  } finally {
    for (const pid of [refloat.pid, bystander.pid, story.agent(), story.noted("tool")])
      if (pid && isAlive(Number(pid))) process.kill(Number(pid), "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Parts {
  readonly plan: KillPlan;
  readonly home: string;
  readonly notes: string;
  readonly root: string;
  readonly refloat: ChildProcess;
  readonly bystander: number;
}

class KilledRun {
  readonly #parts: Parts;
  readonly #problems: string[] = [];
  #stdout = "";
  /** What the supervisor had seen of its agent's processes. */
  #seen = "";
  #stderr = "";
  readonly #ended: Promise<[number | null, NodeJS.Signals | null]>;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { refloat } = parts;
    refloat.stdin?.end();
    refloat.stdout?.on("data", (piece) => {
      this.#stdout += piece;
    });
    refloat.stderr?.on("data", (piece) => {
      this.#stderr += piece;
    });
    this.#ended = new Promise((resolve) => refloat.once("exit", (code, signal) => resolve([code, signal])));
  }

  noted(name: string): string | null {
    const path = join(this.#parts.notes, name);
    return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
  }

  async kill(): Promise<void> {
    const { plan, refloat, notes } = this.#parts;
    if (plan.crashAt !== undefined) return this.#crash();
    if (plan.after !== "start") await this.#untilNoted(plan.after === "agent" ? "agent" : "tool");
    if (plan.after === "go") writeFileSync(join(notes, "go"), "");
    await pause(plan.delayMs);
    if (plan.victim !== "agent") refloat.kill("SIGKILL");
    if (plan.victim !== "supervisor") await this.#killAgent();
    await this.#ended;
  }

  /** The supervisor dies by itself at a point; whatever ends the agent before it gets there is done here. */
  async #crash(): Promise<void> {
    const { plan, refloat, notes } = this.#parts;
    await Promise.race([this.#untilNoted("tool"), this.#ended]);
    if (plan.crashAt?.includes("drain")) refloat.kill("SIGTERM");
    else writeFileSync(join(notes, "go"), "");
    const [, signal] = await this.#ended;
    if (signal !== "SIGKILL") this.#problems.push(`did not die at ${plan.crashAt}: ${this.#stderr}`);
  }

  async #killAgent(): Promise<void> {
    const isOver = this.#ended.then(() => true);
    while (this.noted("agent") === null) {
      if (await Promise.race([isOver, pause(PAUSE_MS).then(() => false)])) return;
    }
    await this.#endAgent();
  }

  async #untilNoted(name: string): Promise<void> {
    for (let waited = 0; this.noted(name) === null; waited += PAUSE_MS) {
      if (waited > WAIT_MS) throw new Error(`the agent never noted ${name}: ${this.#stderr}`);
      await pause(PAUSE_MS);
    }
  }

  async judge({ remains, survey = {}, isStopping = true, recovery = {} }: Break): Promise<Landing> {
    const { home, root, plan, bystander } = this.#parts;
    const store = await openStore(join(home, "refloat.db"), { thread: false });
    try {
      const workspace = openWorkspace(root, { env: DOOR_ENV });
      const [row] = await store.raw.sessions();
      if (!row) return { plan, problems: this.#problems, where: "before the session" };
      await remains?.({ home, root, bystander, store, session: row.id });
      const before = await store.raw.records({ session: row.id });
      const wasAlive = this.#isAgentAlive();
      this.#judgeLiving(await surveySession(store.raw, row, survey), before, wasAlive);
      await this.#endAgent();
      // With no pid on record nobody can tell the agent from its tool: while one of them runs, the session is live (K2).
      if (!before.some(({ kind }) => kind === "agent.started")) await this.#endTools();
      this.#seen = seenIn(home);
      const stopping = isStopping ? { stopping: { onFound: () => undefined } } : {};
      const options = { env: DOOR_ENV, home, place: root, ...stopping };
      if (recovery) await recoverWorkspace(store.raw, workspace, { ...options, ...recovery });
      const after = await store.raw.session(row.id);
      const records = await store.raw.records({ session: row.id });
      if (after) this.#judgeEnd(await surveySession(store.raw, after), before, records);
      this.#judgeProcesses();
      if (foldersIn(home).length > 0) this.#problems.push("its run folder is left behind");
      this.#judgeOutput(records);
      return { plan, problems: this.#problems, where: whereOf(before) };
    } finally {
      await store.close();
    }
  }

  #isAgentAlive(): boolean {
    const agent = this.agent();
    return agent !== null && isAlive(agent);
  }

  /** By its own note, or, killed before it could write one, by its command line, which names this run's folder. */
  agent(): number | null {
    const { notes, refloat } = this.#parts;
    const noted = this.noted("agent");
    if (noted !== null) return Number(noted);
    const isIt = (line: string): boolean => line.includes(FAKE_AGENT) && line.includes(notes);
    const found = (listProcesses() ?? []).find((row) => row.pid !== refloat.pid && isIt(commandOf(row)));
    return found?.pid ?? null;
  }

  /** K2: an agent that outlived its supervisor is live and unsupervised; never one that is gone. It may end meanwhile. */
  #judgeLiving(
    { state, supervised }: { state: string; supervised: boolean },
    records: readonly StoredRecord[],
    wasAlive: boolean,
  ): void {
    const isStarted = records.some(({ kind }) => kind === "agent.started");
    if (supervised) this.#problems.push("supervised by a dead supervisor");
    // Killed before the agent's pid was on record, only the mark tells, and its tool carries that, too: then live is right.
    const isCarried = !isStarted && isAlive(Number(this.noted("tool") ?? 0));
    if (state === "live" && !wasAlive && !isCarried) this.#problems.push("live, but its agent is dead");
    if (state !== "live" && wasAlive && this.#isAgentAlive())
      this.#problems.push(`its agent lives, and it is called ${state}`);
  }

  /** By SIGKILL; over when it returns. */
  async #endAgent(): Promise<void> {
    const agent = this.agent();
    if (agent !== null) await this.#end(agent);
  }

  /** By their command lines, which name this run's folder: one that was just started has not noted itself yet. */
  async #endTools(): Promise<void> {
    const { notes, refloat } = this.#parts;
    const isTool = (line: string): boolean => line.includes(notes);
    const tools = (listProcesses() ?? []).filter((row) => row.pid !== refloat.pid && isTool(commandOf(row)));
    for (const { pid } of tools) await this.#end(pid);
    await this.#end(Number(this.noted("tool") ?? 0));
  }

  async #end(pid: number): Promise<void> {
    if (pid > 1 && isAlive(pid)) process.kill(pid, "SIGKILL");
    for (let waited = 0; isAlive(pid) && waited < WAIT_MS; waited += PAUSE_MS) await pause(PAUSE_MS);
  }

  #judgeEnd(
    {
      state,
      row,
      open,
    }: { state: string; row: { facts: Record<string, unknown> }; open: readonly unknown[] },
    before: readonly StoredRecord[],
    records: readonly StoredRecord[],
  ): void {
    const has = (kind: string): boolean => before.some((record) => record.kind === kind);
    const exit = before.find(({ kind }) => kind === "agent.exited")?.body;
    const expected = expectedEnd({ has, exit, hasTurn: has("turn.began"), drain: has("drain.marked") });
    const found = `${state} ${row.facts.cause ?? "-"}`;
    if (!expected.includes(found)) this.#problems.push(`it is ${found}, not ${expected.join(" or ")}`);
    if (open.length > 0) this.#problems.push(`left open: ${JSON.stringify(open)}`);
    this.#judgeCalls(records);
  }

  /** C2, C4: what was acknowledged is there, and every call has exactly one result. */
  #judgeCalls(records: readonly StoredRecord[]): void {
    const started = records.filter(({ kind }) => kind === "call.started");
    const ended = records.filter(({ kind }) => kind === "call.ended");
    if (this.noted("recorded") !== null && started.length !== 1)
      this.#problems.push("an acknowledged call is gone");
    if (ended.length !== started.length)
      this.#problems.push(`${started.length} calls, ${ended.length} results`);
    const isDone = ended[0]?.body.synthetic === false;
    const isEndWritten = existsSync(join(this.#parts.root, "half.txt")) && this.#half().includes("end");
    if (isDone && !isEndWritten) this.#problems.push("a call is done whose tool is not");
  }

  #judgeProcesses(): void {
    const { bystander, notes } = this.#parts;
    const tool = this.noted("tool");
    if (tool !== null && isAlive(Number(tool)) && !this.#isUnseen(tool))
      this.#problems.push("its tool still runs");
    if (!isAlive(bystander)) this.#problems.push("somebody else's process was killed");
    if (existsSync(join(notes, "go"))) return;
    if (this.#half().includes("end")) this.#problems.push("the tool went on writing");
  }

  /** A child that cleared its environment can only be known if a look fell into its life (docs/run.md). */
  #isUnseen(tool: string): boolean {
    return this.#parts.plan.isCleared && !this.#seen.includes(`"pid":${tool},`);
  }

  #half(): string {
    const path = join(this.#parts.root, "half.txt");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** Every whole line that reached us was kept before it did; what is kept is whole lines in order. */
  #judgeOutput(records: readonly StoredRecord[]): void {
    const passed = this.#stdout.split("\n").slice(0, -1);
    const kept = records.find(({ kind }) => kind === "output.kept")?.body.text;
    const lines = typeof kept === "string" && kept !== "" ? kept.split("\n") : [];
    const last = passed.at(-1);
    if (last !== undefined && numberOf(lines.at(-1)) < numberOf(last))
      this.#problems.push(`the last line that passed is ${last}, the last one kept ${lines.at(-1)}`);
    const isInOrder = lines.every((line, at) => at === 0 || numberOf(line) === numberOf(lines[at - 1]) + 1);
    if (!isInOrder || lines.some((line) => !/^line \d+$/.test(line)))
      this.#problems.push(`kept are not whole lines in order: ${lines.slice(-3).join(" | ")}`);
  }
}

interface EndFacts {
  readonly has: (kind: string) => boolean;
  readonly exit: Record<string, unknown> | undefined;
  readonly hasTurn: boolean;
  readonly drain: boolean;
}

/** By what the journal said when everybody was dead. */
function expectedEnd({ has, exit, hasTurn, drain }: EndFacts): string[] {
  if (has("session.finished")) return ["finished clean", "finished signal"];
  if (has("recovered")) return ["interrupted crash", "interrupted signal"];
  if (exit?.why === "exit") return ["finished clean"];
  if (exit?.why === "signal") return ["interrupted crash"];
  if (exit?.why === "signal-through-us" || drain) return ["interrupted signal"];
  return hasTurn ? ["interrupted unknown"] : ["idle -", "idle unknown"];
}

const numberOf = (line: string | undefined): number => Number(/^line (\d+)$/.exec(line ?? "")?.[1] ?? 0);

function whereOf(records: readonly StoredRecord[]): string {
  const steps = [
    "claim.taken",
    "turn.began",
    "agent.started",
    "call.started",
    "agent.exited",
    "output.kept",
    "claim.released",
  ];
  const last = steps.findLast((step) => records.some(({ kind }) => kind === step));
  return last ?? "session.began";
}

export function foldersIn(home: string): string[] {
  const runs = join(home, "runs");
  return existsSync(runs) ? readdirSync(runs).map((name) => join(runs, name)) : [];
}

function seenIn(home: string): string {
  return foldersIn(home)
    .map((folder) => join(folder, "seen.json"))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"))
    .join("");
}
