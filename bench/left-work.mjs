// @ts-check
// Work that a dead session left, for P10 and for the memory of large manifests: a repository with so many JavaScript files of
// 4 KiB among its files, every one of them changed by one call of a session whose end is on record.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openStore } from "refloat";
import { selfOwner } from "../dist/platform/identity.js";
import { OUT } from "./raw.mjs";
import { git } from "./repositories.mjs";

const FILES_PER_FOLDER = 20;
const FOLDERS_PER_FOLDER = 100;
/** No process can have this number: it is above the kernel's own limit. */
const NO_PID = 4_194_999;

/** @typedef {{ files: number, changed: number }} Size */

/** @param {Size} size @param {number} i */
function nameOf({ files, changed }, i) {
  const folder = Math.floor(i / FILES_PER_FOLDER);
  const ending = i % (files / changed) === 0 ? "js" : "txt";
  return `d${Math.floor(folder / FOLDERS_PER_FOLDER)}/e${folder % FOLDERS_PER_FOLDER}/file-${i}.${ending}`;
}

/** Functions that are all used by nobody but the file twenty before it. @param {Size} size @param {number} i @param {number | string} round */
function sourceOf(size, i, round) {
  const before = i - (size.files / size.changed) * 20;
  let text = "";
  if (before >= 0)
    text += `import { work${before}_0 } from "../../${nameOf(size, before)}";\nexport const again${i} = work${before}_0;\n`;
  for (let k = 0; text.length < 3900; k++)
    text += `export function work${i}_${k}(value, other) {
  const total = value * ${k} + other.length${k === 3 ? ` + "${round}".length` : ""};
  if (total > ${k * 7}) return [total, ...other].map((one) => one + 1);
  return { total, value, label: "part ${k} of ${i}" };
}
`;
  return text;
}

/** What is parsed of each file that was changed: as it was, and as it is. @param {Size} size @param {number | string} round */
export function bothSides(size, round) {
  const step = size.files / size.changed;
  return Array.from({ length: size.changed }, (_, at) =>
    [0, round].map((one) => sourceOf(size, at * step, one)),
  ).flat();
}

/** Made once and kept. @param {Size} size */
export function repositoryWithSources(size) {
  const root = join(OUT, "repositories", `${size.files}-js-${size.changed}`);
  const done = join(root, ".git", "bench-is-complete");
  if (existsSync(done)) return root;
  process.stderr.write(`making a repository of ${size.files} files, ${size.changed} of them sources ...\n`);
  rmSync(root, { recursive: true, force: true });
  for (let i = 0; i < size.files; i += FILES_PER_FOLDER)
    mkdirSync(dirname(join(root, nameOf(size, i))), { recursive: true });
  for (let i = 0; i < size.files; i++) {
    const name = nameOf(size, i);
    const text = name.endsWith(".js") ? sourceOf(size, i, 0) : `file ${i}\n`.repeat(20);
    writeFileSync(join(root, name), text);
  }
  git(root, ["init", "-q", "-b", "main"]);
  git(root, ["config", "gc.auto", "0"]);
  git(root, ["add", "-A"]);
  git(root, ["commit", "-qm", "all of it"]);
  git(root, ["gc", "-q"]);
  writeFileSync(done, "");
  return root;
}

/** A store of its own in `home`, in which the session is. @param {string} root @param {Size} size @param {string} home @param {number | string} round */
export async function leaveWork(root, size, home, round) {
  mkdirSync(home, { recursive: true });
  const step = size.files / size.changed;
  for (let i = 0; i < size.files; i += step) writeFileSync(join(root, nameOf(size, i)), sourceOf(size, i, 0));
  git(root, ["update-index", "-q", "--refresh"]);
  const store = await openStore(join(home, "refloat.db"), { thread: false });
  const owner = { ...selfOwner("bench"), pid: NO_PID, started: 1 };
  const session = await store.begin({ id: "left", agent: "bench", workspace: root, goal: "bench", owner });
  await session.capture("begin");
  const turn = await session.turn("go");
  const call = await turn.call({ tool: "shell", input: { command: "change all of them" } });
  for (let i = 0; i < size.files; i += step)
    writeFileSync(join(root, nameOf(size, i)), sourceOf(size, i, round));
  await call.result("ok");
  await session.capture("end");
  await turn.end("completed");
  await store.close();
}
