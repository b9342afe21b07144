// Chooses the packages of the report sets and pins their versions in sets/. By rule and seed, before anything of them is
// judged; run once, and again only to make sets nobody has seen.
//   node bench/triage/choose.mjs SEED NAME...
// The rule: every package that a package of the sets there are names in its newest manifest, without those sets' own and
// without @types, and apart from them the packages of mixed.mjs; each list sorted, shuffled by the seed and dealt out, one
// part to each NAME. Of a part the first are taken that can be had, are no larger than MAX_BYTES and have two stable
// versions, until there are enough.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeOf, unpackAll, versionsOf } from "./fetch.mjs";
import { MIXED } from "./mixed.mjs";
import { randomFrom } from "./random.mjs";

const SETS = join(import.meta.dirname, "sets");
/** Packages per set: so many give some 400 pieces of work. */
const NAMED = 130;
const MIXED_TAKEN = 25;
/** Newest version, unpacked: ten versions of a larger one are data, bundles, or a long wait. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Versions per package, the newest of the stable ones. */
const VERSIONS = 10;

const [seed, ...names] = process.argv.slice(2);
const known = readdirSync(SETS)
  .filter((file) => !names.includes(file.replace(".json", "")))
  .map((file) => JSON.parse(readFileSync(join(SETS, file), "utf8")).packages);
const taken = new Set(known.flatMap((packages) => Object.keys(packages)));
const named = await namedByAll(known);
const mixed = MIXED.split(/\s+/).filter((name) => !taken.has(name));
const lists = [
  { from: shuffled(named.filter((name) => !mixed.includes(name))), most: NAMED },
  { from: shuffled(mixed), most: MIXED_TAKEN },
];
for (const [at, set] of names.entries()) {
  const packages = {};
  for (const { from, most } of lists) {
    let count = 0;
    for (const [index, name] of from.entries()) {
      if (index % names.length !== at || count >= most) continue;
      const versions = await versionsOf(name);
      if (versions.length < 2 || (await sizeOf(name, versions.at(-1))) > MAX_BYTES) continue;
      packages[name] = versions.slice(-VERSIONS);
      count++;
    }
  }
  const lines = Object.entries(packages).map(
    ([name, list]) => `  ${JSON.stringify(name)}: ${JSON.stringify(list)}`,
  );
  writeFileSync(
    join(SETS, `${set}.json`),
    `{"seed": ${JSON.stringify(seed)}, "packages": {\n${lines.join(",\n")}\n}}\n`,
  );
  console.error(`${set}: ${lines.length} packages`);
}

async function sizeOf(name, version) {
  await unpackAll([{ name, version }]);
  return [...treeOf(name, version).values()].reduce((sum, { length }) => sum + length, 0);
}

async function namedByAll(sets) {
  const found = new Set();
  for (const [name, versions] of sets.flatMap((packages) => Object.entries(packages))) {
    const version = versions.at(-1);
    await unpackAll([{ name, version }]);
    const manifest = JSON.parse(treeOf(name, version).get("package.json")?.toString() ?? "{}");
    for (const field of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"])
      for (const one of Object.keys(manifest[field] ?? {})) found.add(one);
  }
  return [...found].filter((name) => !taken.has(name) && !name.startsWith("@types/")).sort();
}

function shuffled(list) {
  const random = randomFrom(`${seed} choose`);
  const order = list.toSorted();
  for (let at = order.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
