// @ts-check
/**
 * LangGraph's own published suite for checkpointers, whole: its own savers and ours, on SQLite and on Postgres, in one run.
 *   node bench/peers/langgraph-suite.mjs
 * Installs what run.mjs installs; needs `npm ci && npm run build`. Prints how many of its tests each passes and the names of those it does not; everything goes to
 * bench/out/langgraph-suite.json. Exit code 1 where ours does not pass them all.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { OUT } from "../raw.mjs";
import { install, installedVersion } from "./install.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
/** Of one checkpointer: more would say no more. */
const NAMED = 10;

const installation = await install((line) => process.stderr.write(`${line}\n`));
if (installation.kind === "failed") throw new Error(installation.reason);
mkdirSync(OUT, { recursive: true });
const out = join(OUT, "langgraph-suite.json");
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "bench/peers/langgraph-suite.config.ts"];
spawnSync(installation.node, [...vitest, "--reporter=json", `--outputFile=${out}`], {
  cwd: ROOT,
  stdio: ["ignore", "ignore", "inherit"],
});

/** @type {{ testResults: { assertionResults: { ancestorTitles: string[], title: string, status: string }[] }[] }} */
const { testResults } = JSON.parse(readFileSync(out, "utf8"));
const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
const names = [...new Set(tests.map(({ ancestorTitles }) => ancestorTitles[0] ?? ""))];
const checkpoints = installedVersion("@langchain/langgraph-checkpoint");
const versions = ["sqlite", "postgres"].map((of) =>
  installedVersion(`@langchain/langgraph-checkpoint-${of}`),
);
console.log(
  `LangGraph's suite for checkpointers (checkpoint ${checkpoints}, its savers ${versions.join(" and ")})\n`,
);
console.log("| checkpointer | passed | of |\n|---|---|---|");
let isOursWhole = names.some((name) => name.startsWith("Refloat"));
for (const name of names) {
  const own = tests.filter(({ ancestorTitles }) => ancestorTitles[0] === name);
  const passed = own.filter(({ status }) => status === "passed").length;
  console.log(`| ${name} | ${passed} | ${own.length} |`);
  if (name.startsWith("Refloat") && passed < own.length) isOursWhole = false;
}
for (const name of names) {
  const failed = tests.filter(
    ({ ancestorTitles, status }) => ancestorTitles[0] === name && status !== "passed",
  );
  if (failed.length === 0) continue;
  console.log(`\nNot passed by ${name}: ${failed.length}`);
  for (const { ancestorTitles, title } of failed.slice(0, NAMED))
    console.log(`- ${[...ancestorTitles.slice(2), title].join(" > ")}`);
}
process.exitCode = isOursWhole ? 0 : 1;
