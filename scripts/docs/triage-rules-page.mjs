// docs/triage-rules.md: the judge's rules one by one, with their numbers, globs and languages, from the code's tables.
import { CHECKED_LANGUAGES, LANGUAGES, natureOf } from "../../dist/triage/facts/paths/languages.js";
import { NOTE_RULES, RISKY_RULES, SAFE_RULES } from "../../dist/triage/rules/table.js";
import { doubtsAnswered } from "./doubts-answered.mjs";

export function triageRulesPage() {
  return `${[head(), rules(), witnesses(), groups(), claims(), paths(), languages(), limits()].join("\n\n")}\n`;
}

const head = () => `# The judge's rules, one by one

<!-- Made from the code's tables: npm run docs -->

[triage.md](triage.md) says what they are for; here is what each of them looks at. Rules compare before and after: what did not
parse before is not newly broken. A note **voids** the agent's word, the check's, too, or all evidence there is, also what a journal's
own bytes show; evidence for safe **rests on** one of them. How they were measured: [bench/triage/NOTES.md](../bench/triage/NOTES.md).`;

function rules() {
  const row = ({ slug, voids, restsOn, detail }) =>
    `| ${slug} | ${[voids ?? restsOn]
      .filter(Boolean)
      .map((one) => `${one} | `)
      .join("")}${cell(detail ?? "")} |`;
  const table = (title, list, column) =>
    `## ${title}\n| rule | ${column ? `${column} | ` : ""}details |\n|---|${column ? "---|" : ""}---|\n${list.map(row).join("\n")}`;
  return [
    table(
      "Risky",
      RISKY_RULES.filter(({ detail }) => detail),
    ),
    table("Notes", NOTE_RULES, "voids"),
    table("Safe", SAFE_RULES, "rests on"),
  ].join("\n\n");
}

const witnesses = () => `## Who says that it is done
An ended operation closes what is in it and nothing else. An edit after its end is not what was captured, and one that never
ended is risky. A call that ended well and recorded the whole file (\`content\`) has seen the file's end, and closes nothing.

Your check (\`--verify\`) is a witness of its own: where the work was said to be done, if only by an exit code, it takes away
the doubts ${doubtsAnswered()}. Of work that was cut off it proves no end.

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

const limits = () => `## What it cannot know
- Whether the work is right. Safe means: whole, as far as the workspace shows.
- That more was to follow where a file of its kind could end: after \`module.exports = ...\` something more may be set on it,
  below \`export =\` of types a helper may stand, and a file may go on after the statement it ended with before.
- That a test file or a list of plain exports was meant to go on: new statements at the end of such a file are noted, so it
  stays unknown more often than it needs to.
- References through strings (but templates of Go), injection, or a build. Methods are told by their names alone: one that another class has, too, is
  not missed. Files found by their names alone (plug-ins) look unused to nobody.
- What a value's type is, beyond receivers, parameters and what is written with its type: elsewhere fields and methods of Go and Rust are told by their names alone, and those of Java not at all. What stands inside of a macro of Rust may be
  anything, and a module in which a macro makes items may have any. What a generator of Go makes before a build, and HEAD does not have, is missing here.
- Arguments of what is called through a value that is handed around, a member of a member, what a package wraps, or (Python) a
  name that is bound again in its file: only the count of what is certainly called is compared, never what the arguments are.
- Files larger than 1 MiB are not parsed (lockfiles: 16 MiB); more than 20,000 changes are not looked at one by one.
- What may need much of a parser (source and YAML by their tokens, from about 15 KB on; data nested deeper than 200; the rest from 96 KB on) is looked into by a
  process of its own: 20 seconds and 1 GB for each. A file it dies of is \`not-looked-into\`; after five of them the rest of these
  files is not tried.`;

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
