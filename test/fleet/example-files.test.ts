/** The files of examples/fleet as they stand: what a container starts does the fleet's work and drains, and what others parse is well-formed. */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { BIN, ended, type JsonObject } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FOLDER = join(import.meta.dirname, "../../examples/fleet");

it("worker.sh clones, does what waits in the queue, and ends when nothing is left; without its settings it says which", async () => {
  const { url, schema } = freshSchema();
  const home = temporaryFolder();
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "refloat"), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`);
  chmodSync(join(bin, "refloat"), 0o755);
  const origin = testRepository(temporaryFolder());
  origin.write("a.txt", "one\n");
  origin.commit("base");
  const env = {
    ...{ PATH: `${bin}:${process.env.PATH}`, HOME: home, REFLOAT_HOME: join(home, "refloat"), ...ANN },
    ...{ REFLOAT_STORE: `${url}?schema=${schema}` },
  };
  const run = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const child = spawn("sh", words, { cwd: home, env: { ...env, ...more } });
    child.stdin.end();
    return ended(child);
  };
  const script = join(FOLDER, "worker.sh");
  const without = await run([script]);
  expect(without.code).not.toBe(0);
  expect(without.stderr).toContain("REPOSITORY");
  const added = await run(["-c", `refloat queue add "write it down" --repo ${origin.root}`]);
  expect(added.code, added.stderr).toBe(0);
  const said = join(home, "said");
  const ran = await run([script], {
    ...{ REPOSITORY: origin.root, WORKER_FLAGS: "--until-idle", SLOTS: "1", DRAIN: "5s" },
    AGENT_COMMAND: `sh -c 'printf %s "$1" > ${said}' sh {prompt}`,
  });
  expect(ran.code, ran.stderr).toBe(0);
  expect(readFileSync(said, "utf8")).toBe("write it down");
}, 120_000);

it("what stops a container or a unit waits longer than the drain that it asks for", () => {
  const seconds = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1]);
  const compose = readFileSync(join(FOLDER, "compose.yaml"), "utf8");
  expect(seconds(compose, /stop_grace_period: (\d+)s/)).toBeGreaterThan(seconds(compose, /DRAIN: (\d+)s/));
  const unit = readFileSync(join(FOLDER, "refloat-worker@.service"), "utf8");
  expect(seconds(unit, /TimeoutStopSec=(\d+)/)).toBeGreaterThan(seconds(unit, /--drain (\d+)s/));
});

it("the files for containers and CI are YAML that says what it is to say: a worker whose work goes through the store, and a clone with its history", () => {
  const read = (name: string): JsonObject => {
    const file = parseDocument(readFileSync(join(FOLDER, name), "utf8"), { strict: true, uniqueKeys: true });
    expect([file.errors, file.warnings], name).toEqual([[], []]);
    return file.toJS() as JsonObject;
  };
  const { services } = read("compose.yaml");
  const workers = Object.values<JsonObject>(services).filter(({ environment }) => environment?.DRAIN);
  expect(workers).toHaveLength(1);
  expect(workers[0]?.environment).toMatchObject({
    REFLOAT_STORE: expect.stringMatching(/^postgres|\$\{/),
    REPOSITORY: expect.any(String),
    AGENT_COMMAND: expect.any(String),
  });
  const { jobs } = read("github-actions.yml");
  const [job] = Object.values<JsonObject>(jobs);
  const steps: readonly JsonObject[] = job?.steps;
  expect(steps.find(({ uses }) => uses?.startsWith("actions/checkout@"))?.with).toMatchObject({
    "fetch-depth": 0,
  });
  expect(steps.some(({ run }) => run?.includes("refloat worker") && run.includes("--until-idle"))).toBe(true);
});
