// docs/triage.md: how changes are grouped and judged. Rules and globs from the code's tables, figures as the bench
// wrote them (bench/triage/figures.json).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKED_LANGUAGES, LANGUAGES, natureOf } from "../../dist/triage/languages.js";
import { NOTE_RULES, RISKY_RULES, SAFE_RULES } from "../../dist/triage/rules.js";

const FIGURES = join(import.meta.dirname, "../../bench/triage/figures.json");

export function triagePage() {
  return `${[head(), rules(), groups(), claims(), paths(), languages(), measured(), limits()].join("\n\n")}\n`;
}

const head = () => `# Triage: what a half-done change is worth

<!-- Made from the code's tables and bench/triage/figures.json: npm run docs -->

Changes are put into **groups** that must be kept or dropped together, and each group gets a **verdict** with its reasons.

- **safe** needs evidence from the workspace for every file of the group.
- **risky** needs one piece of evidence against it; it wins over everything that speaks for safe (S3).
- **unknown** is everything else: nothing speaks against it, nothing shows that it is whole.

What could not be looked at (a gap, a file over a limit, a language without a parser) is never evidence for safe. What
may still be written is unknown, whatever it looks like now. Rules compare before and after: what did not parse before is
not newly broken. The judge is \`src/triage/\`; it reads nothing itself but its parsers.`;

function rules() {
  const row = ({ slug, about, detail }) => `| ${slug} | ${cell(about)} | ${cell(detail ?? "")} |`;
  const table = (title, lead, list, column) =>
    `## ${title}\n${lead}\n\n| slug | ${column} | details |\n|---|---|---|\n${list.map(row).join("\n")}`;
  return [
    table("Risky", "Each of these alone makes a group risky.", RISKY_RULES, "risky when"),
    table(
      "Notes",
      "These are stricter than a parser can be. None of them makes a group risky; each takes the agent's word away, so that\n`closed-and-sound` says nothing. They are what tells a file cut at a line that still parses, a stub, or half a move from\nfinished work.",
      NOTE_RULES,
      "not counted as sound when",
    ),
    table(
      "Safe",
      "A group is safe when these together speak for every file of it, and nothing is risky.",
      SAFE_RULES,
      "evidence",
    ),
  ].join("\n\n");
}

const groups = () => `## Groups
Changes are linked by operation, by call, by moves (a file that went and one of the same name, the same stem, or much the
same that came), by symlink and directory (one change), by manifest and lockfile, by imports between changed files, and by
a source and its test. Never across owners: an act touches only what one of them owns.

An operation that names paths groups and taints those and no others. One that names none has everything that changed while
it was open, but for appends to journal-like and updates of record-like files. Group ids are hashes of owner, paths and
states: the same work has the same id.`;

const claims = () => `## Operations in text
\`# BEGIN: LABEL\` and \`# END: LABEL\`, alone on a line, count in the agent's own messages and in lines the session appended to
journal-like files, never in what a tool returned. END closes only what the same channel opened.`;

function paths() {
  const list = [...RISKY_RULES, ...SAFE_RULES].filter(({ globs }) => globs);
  const rows = list.map(({ slug, globs }) => `**${slug}**: ${globs.map((glob) => `\`${glob}\``).join(" ")}`);
  return `## Globs
As in .gitignore: a glob without a slash means the name wherever it lies, a leading slash the root. \`journal\`, \`records\` and
\`config\` of the user's config add to them. \`rules\` there is a list of \`{"paths": [...], "off": ["slug"], "verdict":
"risky"|"unknown", "reason": "..."}\`: it switches risky rules off for some paths, or keeps paths from being safe. No rule of
the user's makes anything safe by its path alone; \`refloat judge\` does, for these bytes and no others.

${rows.join("\n\n")}`;
}

function languages() {
  const named = (list) => list.join(", ");
  const followed = [...CHECKED_LANGUAGES];
  const parsed = LANGUAGES.filter(
    (one) => natureOf(one) === "source" && one !== "source" && !CHECKED_LANGUAGES.has(one),
  );
  return `## Languages
| what | which | evidence |
|---|---|---|
| parsed, references followed | ${named(followed)} | for and against |
| parsed | ${named(parsed)} | against only |
| data | ${named(LANGUAGES.filter((one) => natureOf(one) === "data"))} | for and against; references are not needed |
| prose | Markdown and plain text | its end and its links |
| everything else | | none for safe, beyond the user's check |

References are followed in HEAD with the group laid upon it, which is what a commit of it would be: a name that only stands
in somebody else's uncommitted work does not count.`;
}

function measured() {
  if (!existsSync(FIGURES)) return "## Measured\n`npm run bench:triage` has not been run yet.";
  const { packages, pairs, seed, rows, missed, at } = JSON.parse(readFileSync(FIGURES, "utf8"));
  const total = ({ safe, risky, unknown }) => safe + risky + unknown;
  const line = (row) =>
    `| ${row.kind} | ${row.agent} | ${row.level} | ${total(row)} | ${row.safe} | ${row.risky} | ${row.unknown} |`;
  const halfDone = rows.filter(({ agent }) => agent === "cut off" || agent === "lying");
  const done = rows.find(({ kind, level }) => kind === "finished" && level === "operations");
  const sum = halfDone.reduce((all, row) => all + total(row), 0);
  const wrong = halfDone.reduce((all, { safe }) => all + safe, 0);
  return `## Measured
\`npm run bench:triage\` takes ${pairs} pairs of neighbouring published versions of ${packages} npm packages as the work of an agent and
cuts it. The rules were developed on other packages than these (\`bench/triage/packages.mjs\`). Seed ${seed}, ${at}.

- Half-done groups called safe: **${wrong} of ${sum}** (goal: none of at least 2,000).
- Finished groups called safe, with operations: **${((done.safe / total(done)) * 100).toFixed(1)} %** of ${total(done)} (goal: at least 70 %).
${missed.length === 0 ? "- Every goal is met." : missed.map((sentence) => `- Missed: ${sentence}.`).join("\n")}

The first run on these packages, before anything was learned from them, had 15 of 9,750 half-done groups called safe: copies
of very short files left behind by a half-done rename, a new file of six lines cut between two exports, and states that were
not half-done at all (types that name types; a name handed on by another file). The rules for the first two and the making of
the others were mended; the figures here are of a run with another seed after that, so these packages are no longer unseen.
What that run still called safe was one state at two levels: a function that had a body and came to return null. \`unfinished\`
speaks of it now; the figures stay as they were measured until the next run.

*cut off*: the agent was killed; its operation is open, its turn interrupted. *lying*: the same files, but the operation
ended and the turn completed. *operations*: operations and turns are known; *turns*: no operations; *diff*: the two trees
alone. A group counts as half-done when it holds a file that the cut damaged, or one that names what is missing.
Configuration is left out of the work but for its own kind and the row that says so: every change of it is risky by rule.

| kind | agent | level | groups | safe | risky | unknown |
|---|---|---|---|---|---|---|
${rows.map(line).join("\n")}

**Not tellable**: a file of the work was left as it was, and the agent says it is done. Where no other file needs the change,
what lies there is a smaller piece of work that is whole, and no reader of the tree can know that more was meant. Only an
operation that names its files tells (\`unmet-operation\`), or the user's check. These are printed and not counted.`;
}

const limits = () => `## What it cannot know
- Whether the work is right. Safe means: whole, as far as the workspace shows.
- That a test file or a list of plain exports was meant to go on: new statements at the end of such a file are noted, so it
  stays unknown more often than it needs to.
- References through strings, injection, or a build. Files found by their names alone (plug-ins) look unused to nobody.
- Files larger than 1 MiB are not parsed (lockfiles: 16 MiB); more than 20,000 changes are not looked at one by one.`;

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
