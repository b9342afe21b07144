// Builds dist/: plain tsc for the library, its types and the tests, and the program as few files (scripts/bundle.mjs) in
// the place of its modules, and the page (scripts/page.mjs). No network. Built aside and put in place by rename, so that whoever runs the old build is
// not left with half of the new one.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { bundleProgram } from "./bundle.mjs";
import { carrySqlite } from "./carry-sqlite.mjs";
import { buildCore } from "./core.mjs";
import { bundlePage } from "./page.mjs";

/** tsc leaves `.ts` in what declarations import; whoever resolves them as Node does looks for the files that are there. */
function withBuiltNames(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'));
  }
}

/** Of 0 to 11: the last two take ten times as long for a tenth less. */
const PACKING = 9;

/** The grammars that are used, one twentieth of their size (src/triage/facts/parse/grammars.ts). */
async function packGrammars(folder) {
  const { GRAMMARS, packedGrammar, installedGrammar } = await import(
    resolve(folder, "triage/facts/parse/grammars.js")
  );
  const { resolve: found } = createRequire(import.meta.url);
  for (const name of GRAMMARS) {
    const bytes = readFileSync(found(installedGrammar(name)));
    const packed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: PACKING } });
    mkdirSync(dirname(join(folder, packedGrammar(name))), { recursive: true });
    writeFileSync(join(folder, packedGrammar(name)), packed);
  }
  cpSync(found("@vscode/tree-sitter-wasm/LICENSE"), `${folder}/grammars/LICENSE`);
}

/** All code, and the grammars: what is found out of files rests on them. */
function buildOf(folder) {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()) {
    if (!name.endsWith(".js") && !name.startsWith("grammars/")) continue;
    const path = join(folder, name);
    if (statSync(path).isFile()) hash.update(`\n${name}\n`).update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 16);
}

const fresh = `dist.new-${process.pid}`;
const old = `dist.old-${process.pid}`;
const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", fresh];
const compiled = once(spawn(process.execPath, tsc, { stdio: "inherit" }), "exit");
const [bundled, page, typed] = await Promise.allSettled([bundleProgram(), bundlePage(), compiled]);
for (const { status, reason } of [bundled, page]) {
  if (status !== "rejected") continue;
  console.error(reason);
  rmSync(fresh, { recursive: true, force: true });
  process.exit(1);
}
for (const [name, text] of [...bundled.value, ...page.value]) {
  mkdirSync(dirname(join(fresh, name)), { recursive: true });
  writeFileSync(join(fresh, name), text);
}
await packGrammars(fresh);
// Which package the built files are, and of which build: what it exports only the root's can say.
const { name, version, license, type } = JSON.parse(readFileSync("package.json", "utf8"));
writeFileSync(
  `${fresh}/package.json`,
  `${JSON.stringify({ name, version, license, type, build: buildOf(fresh) }, null, 2)}\n`,
);
await carrySqlite(`${fresh}/sqlite`);
// What `init` copies into the user's folders: no part of the program, and run without it.
cpSync("hooks", `${fresh}/hooks`, { recursive: true });
chmodSync(`${fresh}/cli/bin.js`, 0o755);
withBuiltNames(fresh);
if (existsSync("dist")) renameSync("dist", old);
renameSync(fresh, "dist");
rmSync(old, { recursive: true, force: true });
await buildCore("dist");
// With type errors the build is there to look at, and still a failed one.
process.exit(typed.value?.[0] ?? 1);
