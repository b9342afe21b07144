/** A repository whose config asks for safe work to be committed as each operation ends, and an agent that works in operations. */
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const AGENT = join(import.meta.dirname, "../fakes/operations-agent.mjs");
const WAIT_MS = 120_000;

export type Step = readonly [what: string, ...args: (string | number)[]];

export interface OperationsScene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly notes: string;
  command(steps: readonly Step[]): string[];
  start(steps: readonly Step[], env?: Readonly<Record<string, string>>): ChildProcess;
  /** Waits until the agent has noted that. */
  noted(name: string): Promise<string>;
  /** Lets a step that awaits it go on. */
  note(name: string): void;
  json(...args: string[]): ReturnType<Place["json"]>;
  /** Subjects of the commits, newest first. */
  subjects(): string[];
  status(): string[];
  report(): JsonObject;
}

const ENDED_CONFIG = '{ "commit": { "at": "operation-end" } }\n';

export function operationsScene(config: string | null = ENDED_CONFIG): OperationsScene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("notes.md", "# Notes\n\nFirst.\n");
  if (config !== null) repo.write("refloat.json", config);
  repo.commit("base");
  const notes = temporaryFolder();
  const command = (steps: readonly Step[]): string[] => [
    process.execPath,
    AGENT,
    notes,
    JSON.stringify(steps),
    BIN,
  ];
  const reportPath = join(notes, "report.json");
  return {
    place,
    repo,
    notes,
    command,
    start: (steps, env = {}) => {
      const args = ["run", "--report", reportPath, "--", ...command(steps)];
      const child = place.start(args, { env: { ...ANN, ...env } });
      child.stdin?.end();
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    noted: async (name) => {
      await until(() => existsSync(join(notes, name)), name);
      return readFileSync(join(notes, name), "utf8");
    },
    note: (name) => writeFileSync(join(notes, name), ""),
    json: (...args) => place.json(args, { env: ANN }),
    subjects: () => repo.git("log", "--format=%s").split("\n"),
    status: () => repo.git("status", "--porcelain").split("\n").filter(Boolean),
    report: () => JSON.parse(readFileSync(reportPath, "utf8")) as JsonObject,
  };
}

export async function until(condition: () => boolean, what: string): Promise<void> {
  await expect.poll(condition, { timeout: WAIT_MS, interval: 30, message: `waiting for ${what}` }).toBe(true);
}

/** A hook of git's own folder, which no change of a tree reaches. */
export function hook(repo: TestRepository, name: string, script: string): void {
  const path = join(repo.root, ".git/hooks", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
