/** `refloat/mastra`: what Mastra's own in-memory storage does is what ours does, on both stores; its own types; runs that were suspended. */
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { describeOnBoth, type FreshStore } from "../support/both-stores.ts";
import { ended } from "../support/cli.ts";
import { runtimesRoot } from "../support/runtimes.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { mastraRuntime } from "./mastra-runtime.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const OPERATIONS = isFull ? 5000 : 400;
const LONG = 600_000;

/** A program beside this file, on a store; the last line that it says. */
async function said(script: string, { url, open }: FreshStore, more: NodeJS.ProcessEnv = {}) {
  const { node, args, env } = mastraRuntime();
  const child = spawn(node, [...args, join(import.meta.dirname, script)], {
    env: { ...process.env, ...env, STORE: url, SCHEMA: open.schema ?? "", NODE_ENV: "production", ...more },
  });
  const { code, stdout, stderr } = await ended(child);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as unknown;
}

describeOnBoth((make) => {
  it(
    "answers and refuses as Mastra's own in-memory storage, operation by operation, also when another process has gone on (C5)",
    async () => {
      const found = await said("mastra-same.mjs", make(), {
        SEED: String(seed),
        OPERATIONS: String(OPERATIONS),
      });
      const { differ, done, reopened } = found as {
        differ: object[];
        done: Record<string, number>;
        reopened: number;
      };
      expect(differ).toEqual([]);
      expect(Object.values(done).reduce((sum, times) => sum + times, 0)).toBe(OPERATIONS);
      expect(Object.keys(done).length).toBeGreaterThanOrEqual(isFull ? 25 : 20);
      expect(reopened).toBeGreaterThan(0);
    },
    LONG,
  );

  it(
    "resumes a suspended run in another process, moves no row by a refused change, and says which domains it has not",
    async () => {
      const place = make();
      const before = await said("mastra-words.mjs", place, { PART: "suspend" });
      expect(before).toEqual({ status: "suspended", suspended: [["ask"]] });
      expect(await said("mastra-words.mjs", place, { PART: "resume" })).toEqual({
        status: "success",
        result: { answer: "yes", asked: 1 },
        domains: ["memory", "workflows"],
        isThreadStateThere: false,
        refused: {
          noThread: "E_BAD_RECORD",
          retention: "E_UNSUPPORTED",
          observational: "not implemented by this storage adapter",
        },
        isHeld: "E_HELD",
        afterHeld: ["kept"],
        isThereAfterDelete: [false, "new"],
      });
    },
    LONG,
  );
});

it(
  "has the types that Mastra's own storage has: it is taken where Mastra takes one, and what it is asked is what Mastra asks",
  () => {
    const { env } = mastraRuntime();
    expect(env.MASTRA).toBeDefined();
    const folder = temporaryFolder();
    const src = relative(folder, join(ROOT, "src"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const core = join(runtimesRoot(), "mastra/node_modules/@mastra/core/dist");
    const paths = Object.fromEntries(
      ["storage", "mastra"].map((name) => [`@mastra/core/${name}`, [join(core, name, "index.d.ts")]]),
    );
    writeFileSync(
      join(folder, "program.ts"),
      `import { Mastra } from "@mastra/core/mastra";
       import type { RefloatStore } from "${src}/index.ts";
       import { RefloatMastra } from "${src}/adapters/mastra.ts";
       export const program = (store: RefloatStore) => new Mastra({ storage: new RefloatMastra(store) });
       export async function ask({ threads }: RefloatMastra) {
         const { messages } = await threads.listMessages({ threadId: "t", filter: { metadata: { a: 1 } } });
         // @ts-expect-error: a thread has no such field
         await threads.saveThread({ thread: { nope: 1 } });
         return messages[0]?.content.parts;
       }`,
    );
    const compilerOptions = { rootDir: "/", typeRoots: [join(ROOT, "node_modules/@types")], paths };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(ROOT, "tsconfig.json"),
        compilerOptions,
        include: [],
        files: ["program.ts"],
      }),
    );
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  },
  LONG,
);

it(
  "the example goes on after its kill, pays the third bill, and says of the second that it may be paid",
  async () => {
    const { node, args, env } = mastraRuntime();
    const child = spawn(node, [join(ROOT, "examples/killed.mjs"), "mastra"], {
      env: { ...process.env, ...env, NODE_OPTIONS: args.join("=") },
    });
    const { code, stdout, stderr } = await ended(child);
    expect(code, stderr).toBe(0);
    const [, second = ""] = stdout.split("Second try");
    expect(second).toMatch(/pays bill 3/);
    expect(second).not.toMatch(/pays bill [12]/);
    expect(second).toMatch(/of 1 payments please look yourself/);
    expect(stdout.trim().split("\n").at(-1)).toMatch(/^Paid: 1,( 2,)? 3$/);
  },
  LONG,
);
