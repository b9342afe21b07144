// Builds dist/: plain tsc, then the executable bit on the program. No bundler, no network. Built aside and put
// in place by rename, so that whoever runs the old build is not left with half of the new one.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, renameSync, rmSync } from "node:fs";

const fresh = `dist.new-${process.pid}`;
const old = `dist.old-${process.pid}`;
const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", fresh];
const { status } = spawnSync(process.execPath, tsc, { stdio: "inherit" });
cpSync("package.json", `${fresh}/package.json`);
chmodSync(`${fresh}/cli/bin.js`, 0o755);
if (existsSync("dist")) renameSync("dist", old);
renameSync(fresh, "dist");
rmSync(old, { recursive: true, force: true });
// With type errors the build is there to look at, and still a failed one.
process.exit(status ?? 1);
