// An agent that wraps each piece of work in `op begin` and `op end` and is killed somewhere, by its seed: between two steps, inside of a
// write, or by somebody else after a while. What it knows to have ended it notes outside of the workspace.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { piecesOf, randomOf } from "./killed-pieces.mjs";

const { BIN, NOTES, SEED } = process.env;
const n = Number(readFileSync(`${NOTES}/n`, "utf8")) + 1;
writeFileSync(`${NOTES}/n`, String(n));
const random = randomOf(`${SEED} ${n}`);
const pieces = piecesOf(SEED, n);
const die = () => process.kill(process.pid, "SIGKILL");

/** Steps: begin, two of each file, end. In a third of the sessions somebody else kills it, wherever it is then. */
const steps = pieces.reduce((sum, { files }) => sum + 2 + 2 * files.length, 0);
const isTimed = random() < 1 / 3;
const deathAt = isTimed || random() < 1 / 8 ? -1 : Math.floor(random() * steps);
if (isTimed)
  spawn("sh", ["-c", `sleep ${(random() * 3).toFixed(2)}; kill -9 ${process.pid}`], {
    stdio: "ignore",
  }).unref();

let step = 0;
const dies = () => step++ === deathAt && die();
const refloat = (...args) => execFileSync(process.execPath, [BIN, ...args], { stdio: "ignore" });

for (const { label, files } of pieces) {
  refloat("op", "begin", label);
  dies();
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.slice(0, Math.max(1, Math.floor(text.length * random()))));
    dies();
    writeFileSync(path, text);
    dies();
  }
  refloat("op", "end", label);
  appendFileSync(`${NOTES}/ended`, `${label}\n`);
  dies();
}
