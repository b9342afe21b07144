// Chooses the commits of a set and pins them in sets/, by rule and seed, before anything of them is judged; run once, and again only to
// make a set nobody has seen.
//   node bench/histories/choose.mjs SEED NAME COMMITS [--migrations] OWNER/NAME...
// --migrations: only commits that add a migration beside code.
// The rule: of each repository's history as its mirror has it, the commits of candidatesOf that no set has yet, shuffled by the seed; the
// first COMMITS of them that leave work to judge.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomFrom } from "../triage/random.mjs";
import { candidatesOf, pairOf } from "./commits.mjs";
import { withoutMigration, withoutUnnamedMigration } from "./cuts.mjs";
import { git, mirrorOf } from "./mirrors.mjs";

const MIGRATIONS = ["*migrations/*", "*migration/*", "*db/migrate/*", "*drizzle/*", "*alembic/versions/*"];
const SETS = join(import.meta.dirname, "sets");
const [seed, name, most, ...rest] = process.argv.slice(2);
const repositories = rest.filter((word) => word !== "--migrations");
const isWanted = rest.includes("--migrations")
  ? (pair) => (withoutMigration(pair) ?? withoutUnnamedMigration(pair)) !== null
  : () => true;
const taken = new Set(
  readdirSync(SETS)
    .filter((file) => file !== `${name}.json`)
    .flatMap((file) => Object.values(JSON.parse(readFileSync(join(SETS, file), "utf8")).repositories))
    .flatMap(({ commits }) => commits),
);
const chosen = {};
for (const repository of repositories) {
  const mirror = mirrorOf(repository);
  if (mirror === null) throw new Error(`no mirror of ${repository}: set REFLOAT_BENCH_MIRRORS`);
  const head = git(mirror, ["rev-parse", "HEAD"]).toString().trim();
  const random = randomFrom(`${seed} ${repository}`);
  const candidates = candidatesOf(mirror, head, rest.includes("--migrations") ? MIGRATIONS : []).filter(
    (commit) => !taken.has(commit),
  );
  const commits = [];
  while (candidates.length > 0 && commits.length < Number(most)) {
    const [commit] = candidates.splice(random.below(candidates.length), 1);
    const pair = pairOf(mirror, repository, commit);
    if (pair !== null && isWanted(pair)) commits.push(commit);
  }
  chosen[repository] = { head, commits };
  console.error(`${repository}: ${commits.length}`);
}
writeFileSync(join(SETS, `${name}.json`), `${JSON.stringify({ seed, repositories: chosen }, null, 1)}\n`);
