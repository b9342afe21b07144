// docs/triage.md: what a user needs to know of the judge, on two screens. The rules come from its table.
import { REMAINING_LANGUAGES } from "../../dist/triage/rules/evidence/remaining-languages.js";
import { BESIDE, NOTE_RULES, RISKY_RULES, SAFE_RULES } from "../../dist/triage/rules/table.js";
import { doubtsAnswered } from "./doubts-answered.mjs";
import { modelsBelieved } from "./histories-figures.mjs";
import { figuresInShort } from "./triage-measured.mjs";

export function triagePage() {
  return `${[head(), words(), rules(), groups(), neverSeen(), figuresInShort()].join("\n\n")}\n`;
}

const head = () => `# Triage: what a half-done change is worth

<!-- Made from the code's tables: npm run docs -->

Changes are put into **groups** that must be kept or dropped together, and each group gets a **verdict** with its reasons.

- **safe** needs evidence from the workspace for every file of the group.
- **risky** needs one piece of evidence against it; it wins over everything that speaks for safe (S3).
- **unknown** is everything else. What could not be looked at, and what may still be written, is unknown.

References are followed in JavaScript, TypeScript, Python, Go, Rust and Java; work in a language that is only parsed is never safe on a word alone.
Every reason names its rule. [triage-rules.md](triage-rules.md) has their numbers, globs and languages; the judge is \`src/triage/\`.`;

const words = () => `## Who says that it is done
Work that stopped half-way often looks whole. So safe needs somebody who says, after the last change, that it is done.

| word | code and configuration | prose and data |
|---|---|---|
| its operation ended by \`refloat op end\` or the library, which waits for a capture, and the files still have these bytes | yes, and nobody doubts their ends | the same |
| its operation ended by a marker in text; or the agent's own end record (\`turn.end("completed")\`, an adapter) | yes, with every doubt | the same |
| its process exited with 0, and nobody had asked it to | no: \`no-evidence\` | yes, with every doubt |
| its last answer reads like an end, in what was heard of it afterwards; nothing more | no | no |
| nothing: it was cut off, or nobody was there | no | no |

Your check (\`--verify\`) is a witness of its own: of work that was said to be done, if only by an exit code, it answers
${doubtsAnswered()}. Work that is on record as cut off it does not make safe: half of it would pass as well. \`refloat judge\` is your own word, for these bytes and no others.

Two things that the agent says itself speak against safe: items of its own plan that are open (\`open-plan\`), and last words by which work remains
(\`work-remains\`). Those are understood in English, ${titles()}; that nothing remains is understood, too.`;

const titles = () => {
  const list = REMAINING_LANGUAGES.map(({ title }) => title);
  return `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`;
};

function rules() {
  const row = ({ slug, about }) => `| ${slug} | ${cell(about)} |`;
  const table = (title, lead, list) =>
    `## ${title}\n${lead}\n\n| rule | when |\n|---|---|\n${list.map(row).join("\n")}`;
  return [
    table("Risky", "Each of these alone.", RISKY_RULES),
    table(
      "Notes",
      "None makes a group risky. Each takes the agent's word away, and most of them a check's, for what they speak of.",
      NOTE_RULES,
    ),
    table("Safe", "Together they must speak for every file, and nothing be risky.", SAFE_RULES),
    table(
      "Beside the rules",
      "Nobody switches these off. Who runs a check, and who does not: [salvage.md](salvage.md#who-runs-it-and-who-does-not).",
      Object.values(BESIDE),
    ),
  ].join("\n\n");
}

const groups = () => `## Groups and your own rules
Changes are linked by operation, call, move, symlink and directory, manifest and lockfile, imports, and source and test; never
across owners. An operation that names paths has those and no others. The same work has the same group id.

\`rules\` in \`refloat.json\` switches rules off for some paths, or keeps paths from being safe; no rule of yours makes anything safe
by its path. \`journal\`, \`records\` and \`config\` add to the globs ([triage-rules.md](triage-rules.md#globs)).`;

const neverSeen = () => `## What it never sees
Some half-done work leaves no trace in any byte or record. There safe rests on the agent's word alone, and an agent that is wrong,
or lies, is believed:

- **Two things that belong together and that nothing ties to each other**: an endpoint and its client, a migration that only changes what stands
  in old columns. That a model's table has no migration is told where a mapper declares it that is known here (\`unmigrated-model\`);
  of such states that nobody had looked at ${modelsBelieved()} were believed on a completed turn.
- **Some of a file's edits**: three of five places changed, and all five work as they are.
- **A lie about a whole file**: an operation ended although a function below the last one was still to come.
- **Whether the work is right.** Nothing here reads what was asked for.

Your check sees more: give it with \`--verify\`. Or look at the lines: \`refloat settle\` shows them group by group.`;

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
