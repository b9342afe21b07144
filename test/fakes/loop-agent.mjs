/**
 * An agent for a loop: does one piece of work a session and commits it, and dies by SIGKILL where its plan says so. The
 * first argument is JSON: `notes` (a folder outside the workspace), `seed`, and `stuck` (it always dies before it has
 * done anything).
 *
 * A piece is a file of two lines; one line alone is half done.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { notes, seed, stuck = false } = JSON.parse(process.argv[2] ?? "{}");
const counter = join(notes, "sessions");
const session = existsSync(counter) ? Number(readFileSync(counter, "utf8")) + 1 : 1;
writeFileSync(counter, String(session));

const brief = process.env.REFLOAT_HANDOFF_FILE;
appendFileSync(
  join(notes, "briefs.jsonl"),
  `${JSON.stringify({ session, text: brief ? readFileSync(brief, "utf8") : null })}\n`,
);

const git = (...args) =>
  execFileSync("git", ["-c", "user.name=Agent", "-c", "user.email=agent@example.invalid", ...args], {
    encoding: "utf8",
  });

/** Where it dies in this session; most of the points are points of death. */
const DEATHS = ["half", "whole", "committed", "start", "none", "half", "none"];
const point = stuck ? "start" : DEATHS[mix(seed, session) % DEATHS.length];

function mix(a, b) {
  let x = (a * 2654435761 + b * 40503) >>> 0;
  x ^= x >>> 13;
  x = Math.imul(x, 2246822507) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

function dieAt(here) {
  // Never three times in a row without anything done: that is the other scene.
  const last = existsSync(join(notes, "last")) ? readFileSync(join(notes, "last"), "utf8") : "";
  if (here !== point || (!stuck && here === "start" && last === "start")) return;
  writeFileSync(join(notes, "last"), here);
  process.kill(process.pid, "SIGKILL");
  for (;;);
}

const done = git("log", "--format=%s")
  .split("\n")
  .filter((subject) => subject.startsWith("piece ")).length;
const piece = done + 1;
const file = `pieces/${piece}.txt`;
console.log(`session ${session}: piece ${piece}`);
dieAt("start");
mkdirSync("pieces", { recursive: true });
writeFileSync(file, `begin ${piece} in session ${session}\n`);
dieAt("half");
appendFileSync(file, `end ${piece} in session ${session}\n`);
dieAt("whole");
git("add", file);
git("commit", "-q", "-m", `piece ${piece}`);
dieAt("committed");
writeFileSync(join(notes, "last"), "none");
console.log(`piece ${piece} is done`);
