// @ts-check
// P14: what a person types must not depend on what was there before: ten changed files and one session that died, in a
// store with few and with many old sessions of the same workspace, and in a small and in a large one. As processes, in turns.
// REFLOAT_BENCH_GB=10 makes the large store that large (ten minutes, and so much disk); without it, it has one.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "refloat";
import { systemClock } from "../dist/platform/clock.js";
import { BIN, processMs } from "./as-process.mjs";
import { leaveWork, repositoryWithSources } from "./left-work.mjs";
import { incompressibleText, median, scratchDirectory } from "./raw.mjs";
import { git } from "./repositories.mjs";

const SIZE = { files: 500, changed: 10 };
const ROUNDS = 7;
const MONTH_MS = 30 * 24 * 60 * 60_000;
const MESSAGE_BYTES = 256 * 1024;
const LARGE_MB = Number(process.env.REFLOAT_BENCH_GB ?? 1) * 1024;
const PLACES = [
  { name: "10 sessions", sessions: 10, megabytes: 0 },
  { name: "1,000 sessions", sessions: 1000, megabytes: 0 },
  { name: "10,000 sessions", sessions: 10_000, megabytes: 0 },
  { name: "10 MB", sessions: 10, megabytes: 10 },
  { name: `${LARGE_MB} MB`, sessions: 10, megabytes: LARGE_MB },
];
const COMMANDS = [
  { name: "status", argvs: [["status"]] },
  { name: "inspect", argvs: [["inspect", "left"]] },
  { name: "run -- true", argvs: [["run", "--", "true"]] },
  { name: "undo", argvs: [["undo", "--yes"]], before: ["settle", "left", "--yes"] },
];

/** @typedef {{ name: string, root: string, home: string, times: Map<string, number[]> }} Place */

export async function run() {
  const dir = scratchDirectory("p14");
  const places = [];
  for (const place of PLACES) places.push(await made(dir, place));
  for (let round = 0; round <= ROUNDS; round++)
    for (const { name, argvs, before } of COMMANDS)
      for (const place of round % 2 === 0 ? places : places.toReversed()) {
        if (before) processMs([BIN, ...before], place);
        const ms = argvs.reduce((sum, argv) => sum + processMs([BIN, ...argv], place), 0);
        // The first round finds nothing kept.
        if (round > 0) place.times.get(name)?.push(ms);
      }
  rmSync(dir, { recursive: true });
  const [few, , many, small, large] = places;
  return COMMANDS.flatMap(({ name }) => [row(name, few, many), row(name, small, large)]);
}

/** @param {string} dir @param {typeof PLACES[number]} place @returns {Promise<Place>} */
async function made(dir, { name, sessions, megabytes }) {
  process.stderr.write(`making a store with ${name} ...\n`);
  const [root, home] = [join(dir, `${name} clone`), join(dir, `${name} home`)];
  git(dir, ["clone", "-q", repositoryWithSources(SIZE), root]);
  // A session that ended today is still noted by captures (workspace-sessions.ts): an old one ended a month ago.
  const clock = { ...systemClock, nowMs: () => Date.now() - MONTH_MS };
  const store = await openStore(join(home, "refloat.db"), { thread: false, clock });
  const messages = Math.ceil((megabytes * 1024 * 1024) / MESSAGE_BYTES / sessions);
  for (let i = 0; i < sessions; i++) {
    // Without captures: the look at each tree would be what takes the time.
    const session = await store.begin({
      id: `old-${i}`,
      agent: "bench",
      workspace: root,
      captures: "off",
    });
    const turn = await session.turn("go");
    for (let k = 0; k < messages; k++) {
      const message = turn.message("assistant");
      message.write(incompressibleText(MESSAGE_BYTES));
      await message.end();
    }
    await turn.end("completed");
    await session.finish();
  }
  await store.close();
  await leaveWork(root, SIZE, home, 1);
  return { name, root, home, times: new Map(COMMANDS.map((command) => [command.name, []])) };
}

/** @param {string} name @param {Place | undefined} small @param {Place | undefined} large */
function row(name, small, large) {
  const [a, b] = [small, large].map((place) => median(place?.times.get(name) ?? []));
  return {
    goal: "P14",
    what: `\`${name}\` as a process: a store with ${large?.name} against ${small?.name}`,
    value: (b ?? Number.NaN) / (a ?? Number.NaN),
    target: 1.5,
    want: "at most",
    note: `p50 ${b?.toFixed(0)} ms against ${a?.toFixed(0)} ms`,
  };
}
