// Builds dist/: plain tsc, then the executable bit on the program. No bundler, no network.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
cpSync("package.json", "dist/package.json");
chmodSync("dist/cli/bin.js", 0o755);
