// The program as few files instead of hundreds: most of a short command's time is the loading of modules
// (docs/decisions/0016-bundled-program.md). The library stays as tsc writes it, file by file, with its types.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const SRC = resolve("src");

/** Started or imported by name: a few lines take the place that tsc gives each. Commands are found by their imports. */
const ENTRIES = ["cli/main", "cli/commands/demo/child", "store/sqlite/worker"];

const COMMAND = {
  any: ["cli/main.ts"],
  store: ["store/sqlite/driver.ts"],
  thread: ["store/sqlite/worker.ts"],
  status: [
    ...["cli/commands/status/status.ts", "app/store/open-store.ts", "session/describe.ts"],
    "app/handoff/keep-notice.ts",
  ],
  // Asked of every list with a session that left something, and after every command where hooks are installed.
  left: ["workspace/unsettled/unsettled.ts", "app/handoff/notice-ahead.ts"],
  transcript: ["app/agents/check-transcript.ts"],
  capture: ["cli/commands/workspace/capture.ts"],
  inspect: ["cli/commands/salvage/inspect.ts", "app/status/status-groups.ts"],
  undo: ["cli/commands/acts/undo.ts"],
  settle: ["cli/commands/salvage/settle.ts"],
  handoff: ["cli/commands/handoff/handoff.ts", "app/handoff/session-brief.ts"],
  run: ["cli/commands/run/run.ts"],
};

/**
 * What is loaded together lies in one file: each takes what its roots import, directly or not, but for what an earlier
 * one has; of two lists of roots what both import. So a file only ever needs earlier ones, and a command loads little that is
 * another's. What only some commands need stays in files of its own.
 */
const FILES = {
  // The store's own thread needs no command line.
  base: [COMMAND.any, COMMAND.thread],
  start: [COMMAND.any],
  // Nor what a record means: its kinds are checked before it comes to the thread.
  store: [COMMAND.store],
  common: [COMMAND.transcript, [...COMMAND.store, ...COMMAND.status]],
  status: [COMMAND.status],
  left: [COMMAND.left],
  redact: [COMMAND.transcript, COMMAND.inspect],
  acts: [COMMAND.undo, COMMAND.inspect],
  // A run judges nothing before there is something to tell of.
  work: [COMMAND.inspect, COMMAND.run],
  inspect: [COMMAND.inspect],
  settle: [COMMAND.settle, COMMAND.undo],
  recover: [COMMAND.settle, COMMAND.run],
  told: [COMMAND.handoff, COMMAND.run],
  agents: [COMMAND.transcript],
  run: [COMMAND.run],
};

/**
 * Plain JavaScript that short commands need, and what only the program's own faces speak: of an SDK of several megabytes a part. Every other package
 * stays where npm puts it: native code, what the library needs, too.
 */
const BUNDLED = [
  ...[
    "commander",
    "jsonc-parser",
    "semver",
    "smol-toml",
    "yaml",
    "zod",
    "@secretlint/secretlint-rule-preset-recommend",
  ],
  ...["@hono/node-server", "@modelcontextprotocol/core", "@modelcontextprotocol/server", "hono"],
];

/** The files of the program: name under dist/, text. */
export async function bundleProgram() {
  const bundle = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(SRC, `${name}.ts`)])),
    platform: "node",
    // jsonc-parser's main is a module no bundler can see through; its other one is what it is.
    resolve: { mainFields: ["module", "main"] },
    external: isInstalled,
    onLog: (level, log, write) => {
      // A module that one command loads late and another at once: that is what is wanted.
      if (log.code !== "INEFFECTIVE_DYNAMIC_IMPORT") write(level, log);
    },
  });
  const { output } = await bundle.generate({
    format: "cjs",
    // The hash keeps a program that was started before an update from loading half of the new one.
    entryFileNames: ({ name }) => `${name.replaceAll("/", "-")}-[hash].js`,
    chunkFileNames: "[name]-[hash].js",
    comments: { jsdoc: false },
    codeSplitting: { groups: Object.entries(FILES).map(fileOf) },
  });
  await bundle.close();
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  return [
    ...output.map((chunk) => [`program/${chunk.fileName}`, inAscii(asBody(chunk))]),
    ...output.filter(({ isEntry }) => isEntry).map((chunk) => [`${chunk.name}.js`, startOf(chunk)]),
    ["program/LICENSES.txt", licensesOf(modules)],
  ];
}

/**
 * One function expression, for src/platform/load-program.ts. A package that is loaded late may be a module, which is not known to such a body:
 * `require.late` imports it.
 */
function asBody({ code }) {
  const body = code.replace(LATE, (whole, before, name) =>
    isInstalled(name) ? `${before}require.late("${name}")` : whole,
  );
  return `(function (exports, require, module, __filename, __dirname) {${body}\n})`;
}

/** As rolldown writes it in code: `await import("x")`, `=> import("x")`; in a text it has other things before it, or other quotes. */
const LATE = /((?:await|=|=>|\?|\(|return|&&) ?)import\("([^"\n]+)"\)/g;

/** Where somebody looks for the module by its name: loads it, and says what it says. */
function startOf({ name, fileName, exports }) {
  const up = "../".repeat(name.split("/").length - 1);
  const load = `programLoader(new URL("${up}program/", import.meta.url))("${fileName}")`;
  const said = exports.length === 0 ? load : `export const { ${exports.join(", ")} } = ${load}`;
  return `import { programLoader } from "${up}platform/load-program.js";\n${said};\n`;
}

function isInstalled(id) {
  if (id.startsWith("node:")) return true;
  const isPackage = !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("\0");
  return isPackage && !BUNDLED.some((name) => id === name || id.startsWith(`${name}/`));
}

/** V8 keeps a source with one character beyond Latin-1 at two bytes for each, and reads it half as fast. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** One of FILES; the first has the first choice. */
function fileOf([name, lists], at) {
  let wanted = null;
  return {
    name: (id, graph) => {
      wanted ??= lists.map((roots) => reached(roots, graph));
      return wanted.every((found) => found.has(id)) ? name : null;
    },
    priority: Object.keys(FILES).length - at,
  };
}

function reached(roots, graph) {
  const found = new Set();
  const toVisit = roots.map((root) => join(SRC, root));
  for (const root of toVisit) if (!existsSync(root)) throw new Error(`${root} is gone: name another root`);
  for (let id = toVisit.pop(); id !== undefined; id = toVisit.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    toVisit.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** Of every package that is copied into the program: its licence, as it asks for. */
export function licensesOf(modules) {
  const homes = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []);
  return [...new Set(homes)]
    .toSorted()
    .map((home) => {
      const { name, version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
      const file = readdirSync(home).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined) throw new Error(`${home} has no licence to copy: leave it out of BUNDLED`);
      return `${name} ${version} (${license})\n\n${readFileSync(join(home, file), "utf8")}`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
