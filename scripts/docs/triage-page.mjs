// docs/triage.md: how changes are grouped and judged. Rules and globs from the code's tables, figures as the bench
// wrote them (triage-measured.mjs).
import { CHECKED_LANGUAGES, LANGUAGES, natureOf } from "../../dist/triage/facts/paths/languages.js";
import { NOTE_RULES, RISKY_RULES, SAFE_RULES } from "../../dist/triage/rules/table.js";
import { measured } from "./triage-measured.mjs";

export function triagePage() {
  return `${[head(), rules(), witnesses(), groups(), claims(), paths(), languages(), measured(), limits(), neverSeen()].join("\n\n")}\n`;
}

const head = () => `# Triage: what a half-done change is worth

<!-- Made from the code's tables and bench/triage/figures: npm run docs -->

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
      "These are stricter than a parser can be. None of them makes a group risky; each takes the agent's word away, so that\n`closed-and-sound` says nothing, and most of them that of a check for the same file. They are what tells a file cut at a line that still parses, a stub, or half a move from\nfinished work. Where a check is trusted and was not run on this very content, `not-checked` does the same, whatever the judge\nfound ([salvage.md](salvage.md#who-runs-it-and-who-does-not)).",
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

const witnesses = () => `## Who says that it is done, and who saw it
Work that stopped half-way often looks whole. So safe needs somebody who says, after the last change, that it is done, and the
weaker the word, the less may rest on it.

| word | for code and configuration | for prose and data |
|---|---|---|
| its operation ended, by \`refloat op end\` or the library: whoever ended it waited while the tree was captured, and the files still have these very bytes | yes; nobody doubts their ends (\`open-end\`) | yes, the same |
| its operation ended otherwise (a marker on stdout or in a journal), and nothing changed since | yes, with every doubt | yes, with every doubt |
| the agent's own end record: \`turn.end("completed")\` of the library, an adapter | yes, with every doubt | yes, with every doubt |
| its process exited with 0, and nobody had asked it to | no: \`no-evidence\` | yes, with every doubt |
| nothing: it was cut off, or nobody was there | no | no |

An ended operation closes what is in it and nothing else. An edit after its end is not what was captured, and one that never
ended is risky. A call that ended well and recorded the whole file (\`content\`) has seen the file's end, and closes nothing.

Your check (\`--verify\`) is a witness of its own: where the work was said to be done, if only by an exit code, it takes away
the doubts \`open-end\`, \`no-evidence\` and \`unseen-name\`. Of work that was cut off it proves no end.

What the agent says last counts against it (\`work-remains\`), also beside an operation that it ended and a check that passes.`;

const groups = () => `## Groups
Changes are linked by operation, by call, by moves (a file that went and one of the same name, the same stem, or much the
same that came), by symlink and directory (one change), by manifest and lockfile, by imports between changed files, and by
a source and its test. Never across owners: an act touches only what one of them owns. What the session left and somebody
edited after its end stays in the session's group, which is then left whole and untouched.

An operation that names paths groups and taints those and no others. One that names none has everything that changed while
it was open, but for appends to journal-like and updates of record-like files. Group ids are hashes of owner, paths and
states: the same work has the same id.`;

const claims = () => `## Operations in text
\`# BEGIN: LABEL\` and \`# END: LABEL\`, alone on a line, count in the agent's own messages and in lines the session appended to
journal-like files, never in what a tool returned. END closes only what the same channel opened. What an agent prints or writes
into a file is read in passing, while it goes on and through buffers nobody sees into: its BEGIN makes a group of what follows,
and risky while no END comes; its END says that the operation is over, and vouches for no bytes. For \`refloat op begin\` and
\`op end\` the agent waits until the tree is captured: that is a witness. Of a session with more than
210,000 records of what it said and did, the oldest are not looked at, and nothing is safe.

Where no session was recorded, lines that nobody's commit has yet in journal-like files count the same: an open BEGIN groups and
taints whatever may have come while it was open, which without a record is every change that is not itself an append or a record; an
END is told and closes nothing. Of an operation that did not end the manifest says how far it got (\`so_far\`): what changed in it, the
files it named and did not touch, what ended inside of it, and the last line that was noted below its BEGIN.`;

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

const neverSeen = () => `## What it never sees
Some half-done work leaves no trace in any byte or record. There safe rests on the agent's word alone, and an agent that is wrong,
or lies, is believed:

- **A model without its migration**, an endpoint without its client, a feature without its documentation: two things that belong
  together and that nothing in the files ties to each other.
- **Some of a file's edits**: three of five places changed, and every one of the five works as it is. No byte is missing. Only an
  operation that names its files (\`--path\`) tells, and only where a whole file was left out.
- **A lie about a whole file**: an operation that was ended although a function below the last one was still to come, captured
  as it then was. What was to come is nowhere.
- **Whether the work is right.** Nothing here reads what was asked for.

Your check is what sees more: a test that needs the migration, the client or the fifth place fails without it. Give it with
\`--verify\`, or look at the lines: \`refloat settle\` shows them group by group.`;

const limits = () => `## What it cannot know
- Whether the work is right. Safe means: whole, as far as the workspace shows.
- That more was to follow where a file of its kind could end: after \`module.exports = ...\` something more may be set on it,
  below \`export =\` of types a helper may stand, and a file may go on after the statement it ended with before.
- That a test file or a list of plain exports was meant to go on: new statements at the end of such a file are noted, so it
  stays unknown more often than it needs to.
- References through strings, injection, or a build. Methods are told by their names alone: one that another class has, too, is
  not missed. Files found by their names alone (plug-ins) look unused to nobody.
- Arguments of what is called through a value that is handed around, a member of a member, what a package wraps, or (Python) a
  name that is bound again in its file: only the count of what is certainly called is compared, never what the arguments are.
- Files larger than 1 MiB are not parsed (lockfiles: 16 MiB); more than 20,000 changes are not looked at one by one.
- What may need much of a parser (source and YAML by their tokens, from about 15 KB on; data nested deeper than 200; the rest from 96 KB on) is looked into by a
  process of its own: 20 seconds and 1 GB for each. A file it dies of is \`not-looked-into\`; after five of them the rest of these
  files is not tried.`;

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
