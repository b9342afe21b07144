/** The commands about the workflow state file and its steps. */
import type { CommandSpec } from "./command-spec.ts";
import type { ArgumentSpec } from "./grammar.ts";

const FILES: ArgumentSpec = {
  name: "[files...]",
  about: "state files or their folders; left out: those of this folder or of agent-output/",
  isPath: true,
};

export const WORKFLOW_SPECS: readonly CommandSpec[] = [
  {
    words: "state validate",
    group: "Workflow",
    summary: "every finding, with the command that helps; exit 1 on errors",
    about:
      "An error means that the schema is broken or a command would go wrong; everything else is a warning. Changes nothing.",
    args: [FILES],
    options: [
      {
        flags: "--format <format>",
        about: "github: annotations of a workflow; sarif: for code scanning",
        choices: ["text", "json", "github", "sarif"],
      },
    ],
    examples: [
      ["refloat state validate", "the files of this folder"],
      ["refloat state validate --format sarif agent-output/*/ > findings.sarif", "for code scanning"],
    ],
    load: () => import("./commands/state-validate.ts"),
  },
];
