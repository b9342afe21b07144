// The tables of docs/state-file.md and docs/doctor.md, from the code's own; test/workflow/docs.test.ts compares.
const cell = (text) => text.replaceAll("|", "\\|");

export const rulesTable = (rules) =>
  [
    "| rule | severity | when | command |",
    "|---|---|---|---|",
    ...rules.map(
      ({ id, severity, about, command }) =>
        `| ${id} | ${severity} | ${cell(about)} | \`${cell(command.replace("{file}", "FILE").replace("{step}", "N").replace("{accept}", `accept.${id}.PATH`))}\` |`,
    ),
  ].join("\n");

export const stepsTable = ({ steps }) =>
  [
    "| step | name | files it may load | sub-steps |",
    "|---|---|---|---|",
    ...steps.map(
      ({ id, name, budget, subSteps }) => `| ${id} | ${name} | ${budget} | ${subSteps.join(", ")} |`,
    ),
  ].join("\n");

export const checksTable = (checks) =>
  [
    "| check | severity | finds | command | `--fix` |",
    "|---|---|---|---|---|",
    ...checks.map(
      ({ id, severity, about, command, fix }) =>
        `| ${id} | ${severity} | ${cell(about)} | \`${cell(command)}\` | ${fix ? "yes" : ""} |`,
    ),
  ].join("\n");

/** One question after the other: the answer that is wrong leads to its command. */
export const checksTree = (checks) =>
  [
    "```mermaid",
    "flowchart TD",
    ...checks.flatMap(({ question, command }, i) => {
      const next = i + 1 < checks.length ? `q${i + 1}` : "sound";
      return [
        `  q${i}{"${question}"} -- yes --> ${next}`,
        `  q${i} -- no --> c${i}["${command.replaceAll('"', "'")}"]`,
      ];
    }),
    '  sound["Nothing is wrong here"]',
    "```",
  ].join("\n");
