#!/usr/bin/env node
/** The program. `--version` is answered before anything else is loaded; the rest is main.ts. */
import { readFileSync } from "node:fs";

const argv = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

if (process.platform === "win32") {
  refuseWindows();
} else if (argv.length === 1 && argv[0] === "--version") {
  process.stdout.on("error", ({ message }) => {
    process.stderr.write(`refloat: ${message}\n`);
    process.exitCode = 75;
  });
  process.stdout.write(`${version}\n`);
} else {
  // Not awaited: modules that wait cannot be put together as few files (scripts/bundle.mjs).
  void import("./main.ts").then(({ main }) => main(argv, version));
}

/** What is supported on Windows is Linux in it. */
function refuseWindows(): void {
  const [code, message, hint] = [
    "E_UNSUPPORTED",
    "Native Windows is not supported: use WSL.",
    "Run it inside WSL.",
  ];
  if (argv.includes("--json"))
    process.stdout.write(`${JSON.stringify({ schema: "refloat.error/1", code, message, hint })}\n`);
  else process.stderr.write(`refloat: ${message} (${code})\n`);
  process.exitCode = 1;
}
