#!/usr/bin/env node
/** The program. `--version` is answered before anything else is loaded; the rest is main.ts. */
import { readFileSync } from "node:fs";

const argv = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

if (process.platform === "win32") {
  process.stderr.write("refloat: native Windows is not supported: use WSL. (E_UNSUPPORTED)\n");
  process.exitCode = 1;
} else if (argv.length === 1 && argv[0] === "--version") {
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import("./main.ts");
  await main(argv, version);
}
