/** A repository, a store, a fake agent under `refloat run`, and somebody beside them who must not be touched. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { processRow } from "../../src/platform/process-list.ts";
import { ended, makePlace, type Place, type Ran } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export const FAKE_AGENT = join(import.meta.dirname, "../fakes/fake-agent.mjs");
const WAIT_MS = 60_000;

export interface Plan {
  readonly reexec?: boolean;
  readonly tool?: "session" | "group" | "die-with";
  readonly clear?: boolean;
  readonly calls?: "one" | "batch" | "none";
  readonly ignores?: readonly string[];
  readonly says?: readonly string[];
  readonly tail?: string;
  readonly flood?: number;
  readonly daemon?: readonly string[];
  readonly wait?: boolean;
  readonly code?: number;
}

export interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly notes: string;
  /** A process of the same user, in the same workspace, that nobody may stop. */
  readonly bystander: number;
  command(plan: Plan): string[];
  start(plan: Plan, flags?: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  /** What the agent noted under that name, once it has. */
  noted(name: string): Promise<string>;
  /** Lets waiting tools go on. */
  go(): void;
  half(): string | null;
  report(): Record<string, unknown>;
  readonly reportPath: string;
}

export function scene(): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.commit();
  const notes = temporaryFolder();
  const reportPath = join(notes, "report.json");
  const command = (plan: Plan): string[] => [
    process.execPath,
    FAKE_AGENT,
    JSON.stringify({ ...plan, notes }),
  ];
  return {
    place,
    repo,
    notes,
    reportPath,
    bystander: bystanderIn(place.workspace),
    command,
    start: (plan, flags = [], env = {}) => {
      const child = place.start(["run", "--report", reportPath, ...flags, "--", ...command(plan)], { env });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    noted: async (name) => {
      await until(() => existsSync(join(notes, name)), name);
      return readFileSync(join(notes, name), "utf8").trim();
    },
    go: () => writeFileSync(join(notes, "go"), ""),
    half: () => (existsSync(join(repo.root, "half.txt")) ? repo.read("half.txt") : null),
    report: () => JSON.parse(readFileSync(reportPath, "utf8")) as Record<string, unknown>,
  };
}

export async function until(condition: () => boolean | Promise<boolean>, what = "it"): Promise<void> {
  await expect.poll(condition, { timeout: WAIT_MS, interval: 20, message: `waiting for ${what}` }).toBe(true);
}

/** Whether a process runs; one whose last thread is over does not. */
export function isAlive(pid: number): boolean {
  const row = processRow(pid);
  return row !== null && !row.hasExited;
}

export function endOf(child: ChildProcess): Promise<Ran> {
  child.stdin?.end();
  return ended(child);
}

function bystanderIn(cwd: string): number {
  const child = spawn("sleep", ["1000"], { cwd, stdio: "ignore", detached: true });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid as number;
}
