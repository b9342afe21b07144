/**
 * A machine of the sweep: namespaces of its own (test/fleet/host.ts), a clock of its own, a way to the server that can be cut, and one worker. It is
 * killed whole, comes up again as after a reboot, is stopped and goes on, or is lost with its disk.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readOrNull } from "../../../src/platform/io-error.ts";
import { childrenOf, listProcesses } from "../../../src/platform/process-list.ts";
import { type Host, startHost } from "../../fleet/host.ts";
import { BIN } from "../../support/cli.ts";
import { type PostgresProxy, postgresProxy } from "../../support/postgres-proxy.ts";
import { AGENT, type Note, notesOf } from "./agent.ts";

/** The shortest that a policy takes. */
export const LOST_AFTER_MS = 4000;
const POLICY = {
  ...{ lost_after: `${LOST_AFTER_MS}ms`, look: "300ms", backoff: "0ms", max_attempts: 1000 },
};
/** Before a worker that ended by itself is started again. */
const RESTART_MS = 500;
/** Kept of what a worker says, for the report of a failure. */
const SAID_CHARS = 4000;

export interface MachineOptions {
  readonly name: string;
  readonly server: string;
  /** Repositories it has clones of. */
  readonly origins: readonly string[];
  /** By how much its clock is wrong. */
  readonly offsetMinutes: number;
  readonly slots: number;
  readonly steps: number;
  readonly pauseMs: number;
}

export class Machine {
  readonly name: string;
  readonly net: PostgresProxy;
  readonly #host: Host;
  readonly #options: MachineOptions;
  readonly #clones: readonly string[];
  #worker: { readonly child: ChildProcess; readonly closed: Promise<number | null> } | null = null;
  #said = "";
  #notedBefore = 0;

  private constructor(options: MachineOptions, net: PostgresProxy) {
    this.name = options.name;
    this.#options = options;
    this.net = net;
    this.#host = startHost(options.name, net.url);
    const { disk } = this.#host;
    this.#clones = options.origins.map((origin) => join(disk, basename(origin)));
    for (const [i, origin] of options.origins.entries())
      this.#host.git(disk, "clone", "-q", origin, this.#clones[i] as string);
    writeFileSync(join(disk, "policy.json"), JSON.stringify(POLICY));
    const ahead = options.offsetMinutes * 60_000;
    writeFileSync(join(disk, "clock.mjs"), `const now = Date.now; Date.now = () => now() + ${ahead};`);
  }

  static async made(options: MachineOptions): Promise<Machine> {
    return new Machine(options, await postgresProxy(options.server));
  }

  get isUp(): boolean {
    return this.#worker !== null;
  }

  /** Its worker, and what git told its agents. */
  get said(): string {
    return `${this.#said}${readOrNull(() => readFileSync(`${this.#ledger()}.git`, "utf8")) ?? ""}`;
  }

  /** Whether an agent is at work: a kill between two sessions proves little. */
  get isInWork(): boolean {
    const notes = this.notes().slice(this.#notedBefore);
    const count = (kind: Note["kind"]): number => notes.filter((note) => note.kind === kind).length;
    return count("begin") > count("end");
  }

  notes(): Note[] {
    return notesOf(this.name, this.#ledger());
  }

  #ledger(): string {
    return join(this.#host.disk, "ledger");
  }

  git(cwd: string, ...args: string[]): string {
    return this.#host.git(cwd, ...args);
  }

  /** A new start of the same machine: what ran before is provably gone (K2). */
  boot(): void {
    const { disk } = this.#host;
    const { slots, steps, pauseMs } = this.#options;
    const repos = this.#clones.flatMap((clone) => ["--repo", clone]);
    const own = ["--slots", String(slots), "--policy", join(disk, "policy.json"), "--drain", "10s"];
    this.#said += "\n--- boots\n";
    this.#notedBefore = this.notes().length;
    const child = this.#host.start(["worker", ...repos, ...own, "--", "sh", "-c", AGENT], {
      cwd: disk,
      env: {
        ...{ REFLOAT_BOOT_ID: randomBytes(8).toString("hex"), MACHINE: this.name, LEDGER: this.#ledger() },
        ...{ STEPS: String(steps), PAUSE: String(pauseMs / 1000), REFLOAT: `${process.execPath} ${BIN}` },
        NODE_OPTIONS: `--import=${join(disk, "clock.mjs")}`,
      },
    });
    child.stdin?.end();
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (piece: Buffer) => {
        this.#said = `${this.#said}${piece}`.slice(-SAID_CHARS);
      });
    const closed = once(child, "close").then(([code]) => code as number | null);
    const worker = { child, closed };
    this.#worker = worker;
    // Nobody ordered that: it found no server when it began. As systemd and containers have it, it is started again.
    void closed.then(async () => {
      await sleep(RESTART_MS);
      if (this.#worker === worker) this.boot();
    });
  }

  /** SIGKILL to everything that runs on it. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** As a container is stopped: SIGTERM to the worker; its exit code. */
  async drain(): Promise<number | null> {
    const worker = this.#processes().find(({ parent }) => parent === this.#init())?.pid;
    if (worker !== undefined) process.kill(worker, "SIGTERM");
    return this.#end(null);
  }

  async #end(signal: "SIGKILL" | null): Promise<number | null> {
    const worker = this.#worker;
    this.#worker = null;
    if (signal) worker?.child.kill(signal);
    return (await worker?.closed) ?? null;
  }

  freeze(): void {
    // Until none is left that one of them may have started meanwhile.
    for (;;) {
      const going = this.#processes().filter(({ isStopped, hasExited }) => !isStopped && !hasExited);
      if (going.length === 0) return;
      for (const { pid } of going) this.#signal(pid, "SIGSTOP");
    }
  }

  thaw(): void {
    for (const { pid } of this.#processes()) this.#signal(pid, "SIGCONT");
  }

  #signal(pid: number, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal);
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
    }
  }

  #init(): number | null {
    return childrenOf(this.#worker?.child.pid ?? 0)?.[0] ?? null;
  }

  #processes() {
    const spaceOf = (pid: number): string | null => readOrNull(() => readlinkSync(`/proc/${pid}/ns/pid`));
    const init = this.#init();
    const space = init === null ? null : spaceOf(init);
    if (space === null) return [];
    return (listProcesses() ?? []).filter(({ pid }) => spaceOf(pid) === space);
  }
}
