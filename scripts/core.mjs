// Builds packages/core: @refloat/core, a cut of the same tree (docs/decisions/0026-core-is-a-cut-of-the-same-tree.md). One file that is imported, a few
// that are loaded when they are needed, and the store's thread inside, as text: so it can be bundled into one file by whoever uses it.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";
import { licensesOf } from "./bundle.mjs";

const SRC = resolve("src");
const HOME = "packages/core";

/** Installed beside the core; everything else is in it. */
const EXTERNAL = new Set(["postgres", "@photostructure/sqlite"]);

/**
 * Modules of which the core has another: where its own files lie it does not know (a bundle moves them), and a terminal's screen
 * is read by nobody here.
 */
const INSTEAD = {
  "platform/own-files.ts": `
    import { createRequire } from "node:module";
    import { join } from "node:path";
    import { workerData } from "node:worker_threads";
    // In the thread: where the program lies that started it. A bundler may not know where a module is.
    const home = workerData?.refloatHome ?? import.meta.url;
    export const ownHome = home;
    // Asked for by who keeps what a judge found out; the core judges nothing and only drops it.
    export const programBuild = () => { throw new Error("the core has no judge"); };
    export function requireInstalled(name) {
      const builtIn = process.getBuiltinModule?.(name);
      if (builtIn) return builtIn;
      for (const from of [home, join(process.cwd(), "here.js")])
        try { if (from) return createRequire(from)(name); } catch (thrown) { if (thrown.code !== "MODULE_NOT_FOUND") throw thrown; }
      throw new Error(name + " is not installed: a runtime without SQLite of its own (Node before 22.13) needs it for a store in a file");
    }
    export const requireCarried = requireInstalled;`,
  "text/screen-words.ts": `
    import { RefloatError } from "../model/errors.ts";
    export const sizeMark = ({ cols, rows }) => "\\x1b[8;" + rows + ";" + cols + "t";
    const no = () => { throw new RefloatError("E_UNSUPPORTED", { what: "A terminal's screen", why: "the core has no terminal", instead: "Use the package refloat." }); };
    export const screenWords = no;`,
};

const THREAD = `
  import { Worker } from "node:worker_threads";
  import { ownHome } from "../../platform/own-files.ts";
  import source from "refloat:thread";
  export const startThread = (input) => new Worker(source, { eval: true, workerData: { ...input, refloatHome: ownHome }, execArgv: [] });`;

function replacing(instead, thread = "") {
  const byPath = new Map(Object.entries(instead).map(([name, text]) => [join(SRC, name), text]));
  return {
    name: "refloat-core",
    resolveId: (id) => (id === "refloat:thread" ? id : null),
    load: (id) =>
      id === "refloat:thread" ? `export default ${JSON.stringify(thread)};` : (byPath.get(id) ?? null),
  };
}

async function bundled(input, plugin, output) {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: (id) => id.startsWith("node:") || EXTERNAL.has(id),
    plugins: [plugin],
    onLog: (level, log, write) => {
      if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT" && log.code !== "EMPTY_IMPORT_META") write(level, log);
    },
  });
  const made = await bundle.generate({ comments: { jsdoc: false }, ...output });
  await bundle.close();
  return made.output;
}

/** The declarations that the card's own need, as tsc wrote them, at their places. */
function typesFrom(dist) {
  const found = new Map();
  const wanted = [join(dist, "core.d.ts")];
  for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
    if (found.has(path)) continue;
    const text = readFileSync(path, "utf8");
    found.set(path, text);
    for (const [, to] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g))
      wanted.push(`${join(dirname(path), to)}.d.ts`);
  }
  return [...found].map(([path, text]) => [relative(dist, path), text]);
}

function packageJson() {
  const { version, description, license, engines, os, dependencies, devDependencies, repository } =
    JSON.parse(readFileSync("package.json", "utf8"));
  return {
    name: "@refloat/core",
    version,
    description: `The durable journal of refloat alone: store, sessions, conversations, gateways. ${description}`,
    license,
    ...(repository ? { repository } : {}),
    type: "module",
    engines,
    os,
    exports: {
      ".": { types: "./dist/core.d.ts", default: "./dist/core.js" },
      "./package.json": "./package.json",
    },
    files: ["dist", "README.md", "LICENSE"],
    // zod is in the bundle; its types are in ours.
    dependencies: { postgres: dependencies.postgres, zod: dependencies.zod },
    peerDependencies: { "@photostructure/sqlite": devDependencies["@photostructure/sqlite"] },
    peerDependenciesMeta: { "@photostructure/sqlite": { optional: true } },
  };
}

/** `dist`: where tsc has written the declarations. */
export async function buildCore(dist) {
  const [thread] = await bundled(join(SRC, "store/sqlite/worker.ts"), replacing(INSTEAD), {
    format: "cjs",
    codeSplitting: false,
    minify: true,
  });
  const files = await bundled(
    { core: join(SRC, "core.ts") },
    replacing({ ...INSTEAD, "store/sqlite/start-thread.ts": THREAD }, thread.code),
    { format: "esm", entryFileNames: "[name].js", chunkFileNames: "core/[name]-[hash].js" },
  );
  const fresh = join(HOME, `dist.new-${process.pid}`);
  const modules = files.flatMap(({ moduleIds = [] }) => moduleIds);
  const made = [...files.map(({ fileName, code }) => [fileName, code]), ...typesFrom(dist)];
  for (const [name, text] of [...made, ["LICENSES.txt", licensesOf(modules)]]) {
    mkdirSync(dirname(join(fresh, name)), { recursive: true });
    writeFileSync(join(fresh, name), text);
  }
  const old = join(HOME, `dist.old-${process.pid}`);
  if (existsSync(join(HOME, "dist"))) renameSync(join(HOME, "dist"), old);
  renameSync(fresh, join(HOME, "dist"));
  rmSync(old, { recursive: true, force: true });
  cpSync("LICENSE", join(HOME, "LICENSE"));
  writeFileSync(join(HOME, "package.json"), `${JSON.stringify(packageJson(), null, 2)}\n`);
}
