// Builds dist/: plain tsc for the library, its types and the tests, and the program as few files (scripts/bundle.mjs) in
// the place of its modules, and the page (scripts/page.mjs). No network. Built aside and put in place by rename, so that whoever runs the old build is
// not left with half of the new one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleProgram } from "./bundle.mjs";
import { bundlePage } from "./page.mjs";

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
cpSync("package.json", `${fresh}/package.json`);
// What `init` copies into the user's folders: no part of the program, and run without it.
cpSync("hooks", `${fresh}/hooks`, { recursive: true });
chmodSync(`${fresh}/cli/bin.js`, 0o755);
if (existsSync("dist")) renameSync("dist", old);
renameSync(fresh, "dist");
rmSync(old, { recursive: true, force: true });
// With type errors the build is there to look at, and still a failed one.
process.exit(typed.value?.[0] ?? 1);
