/** The commands about the workflow state file and its steps. */
import type { CommandSpec } from "../../context/command-spec.ts";
import type { ArgumentSpec, OptionSpec } from "../../grammar/command-grammar.ts";
import { DRY_RUN, RAW } from "../../grammar/spec-parts.ts";

const FILES: ArgumentSpec = {
  name: "[files...]",
  about: "state files or their folders; left out: those of this folder or of agent-output/",
  isPath: true,
};
const FILE: OptionSpec = {
  flags: "--file <path>",
  about: "the state file or its folder; left out: the one of this folder",
  isPath: true,
};
const TO: OptionSpec = { flags: "--to <version>", about: "2.0 unless said", choices: ["2.0", "3.0"] };
const STEP: ArgumentSpec = { name: "<step>", about: "its number: 1, 3.5" };
const STEP_NAME: ArgumentSpec = { name: "[name]", about: "its name, for you: another than its own is noted" };
const OWNER: OptionSpec = {
  flags: "--owner <id>",
  about: "who claims; left out: the session in REFLOAT_SESSION, else `manual`",
};
const REASON: OptionSpec = { flags: "--reason <why>", about: "recorded" };
const EXTRAS: readonly OptionSpec[] = [
  {
    flags: "--artifact <path>",
    about: "a file the step made; may be repeated",
    isPath: true,
    isRepeated: true,
  },
  {
    flags: "--context <path>",
    about: "a file the step loaded; may be repeated",
    isPath: true,
    isRepeated: true,
  },
  { flags: "--finding <text>", about: "opens a finding; may be repeated", isRepeated: true },
  { flags: "--resolved <text>", about: "closes a finding; may be repeated", isRepeated: true },
  OWNER,
  { flags: "--token <uuid>", about: "refuse unless this is still the claim's token" },
  FILE,
];
const loadStep = () => import("./step.ts");

const FRESH: OptionSpec = {
  flags: "--fresh",
  about: "start over where one is gone that left something; what is left stays",
};

const STATE_SPECS: readonly CommandSpec[] = [
  {
    words: "state init",
    group: "Workflow",
    summary: "a new state file and its handoff",
    args: [{ name: "[file]", about: "the file or its folder; left out: this folder", isPath: true }],
    options: [
      { flags: "--project <name>", about: "left out: the folder's name" },
      { flags: "--region <name>", about: "where it runs" },
      { flags: "--branch <name>", about: "left out: main" },
      FRESH,
      TO,
    ],
    examples: [["refloat state init agent-output/my-webapp", "the folder is made if it is missing"]],
    load: async () => ({ run: (await import("./state.ts")).init }),
  },
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
    load: () => import("./state-validate.ts"),
  },
  {
    words: "state upgrade",
    group: "Workflow",
    summary: "to another version and back, without loss; .bak first",
    args: [FILES],
    options: [TO],
    examples: [
      ["refloat state upgrade", "1.0 or 3.0 to 2.0"],
      [
        "refloat state upgrade --to 3.0 agent-output/my-webapp",
        "2.0's claims are kept aside for the way back",
      ],
    ],
    load: async () => ({ run: (await import("./state.ts")).upgrade }),
  },
  {
    words: "state repair",
    group: "Workflow",
    summary: "the newest whole version again, with all progress",
    about:
      "Looks at the file, its .bak ring and the store. A damaged file is kept as .corrupt-TIME; progress is rebuilt, never reset; no decision is lost. A file without errors is only set right where that follows from the rest. Every field that changes is named, and where the bytes from before are; of two statuses the one that is further stays. A merge conflict is put together where one side adds to the other; else a side is chosen.",
    args: [FILES],
    options: [
      DRY_RUN,
      { flags: "--ours", about: "of a merge conflict in the file: the side of the branch you are on" },
      { flags: "--theirs", about: "the other side" },
    ],
    examples: [
      ["refloat state repair --dry-run", "what would be changed"],
      ["refloat state repair", ""],
    ],
    load: async () => ({ run: (await import("./state.ts")).repair }),
  },
  {
    words: "state take",
    group: "Workflow",
    summary: "put in what agents said of it from inside a sandbox",
    about:
      "Where a sandbox lets nothing be written, `step` and `decide` leave a marker that the hooks of the agent take in. It is carried out by the next command that may write the file, in the order it was said, each once; this is one that does nothing else. What the steps or somebody's claim forbid by then is refused and shown, with the reason.",
    options: [DRY_RUN],
    examples: [
      ["refloat state take --dry-run", "what waits"],
      ["refloat state take", ""],
    ],
    load: () => import("./state-take.ts"),
  },
  {
    words: "state import",
    group: "Workflow",
    summary: "a state of any version as a new state file",
    args: [
      { name: "<from>", about: "a state file or an export", isPath: true },
      { name: "[file]", about: "the new file or its folder; left out: this folder", isPath: true },
    ],
    options: [FRESH, TO],
    examples: [["refloat state import old/00-session-state.json agent-output/my-webapp", ""]],
    load: async () => ({ run: (await import("./state.ts")).importFrom }),
  },
  {
    words: "state export",
    group: "Workflow",
    summary: "state, decisions and handoff as JSON, without secrets",
    args: [FILES],
    options: [TO, RAW],
    examples: [["refloat state export > state.json", ""]],
    load: async () => ({ run: (await import("./state.ts")).exportTo }),
  },
];

const STEP_SPECS: readonly CommandSpec[] = [
  {
    words: "step start",
    group: "Workflow",
    summary: "claim a step and start it, or go on behind its checkpoint",
    about: "Where there never was a state file, one is made in this folder, or where --file says.",
    args: [STEP, STEP_NAME],
    options: [REASON, ...EXTRAS],
    examples: [["refloat step start 2 --owner agent-7 --context 01-requirements.md", ""]],
    load: loadStep,
  },
  {
    words: "step sub",
    group: "Workflow",
    summary: "a checkpoint: this part of the step is finished",
    args: [STEP, { name: "<name>", about: "the part: phase_2_waf" }],
    options: [REASON, ...EXTRAS],
    examples: [["refloat step sub 2 phase_2_waf --artifact 02-waf-scores.png", ""]],
    load: loadStep,
  },
  {
    words: "step done",
    group: "Workflow",
    summary: "the step is complete; its claim goes back",
    args: [STEP, STEP_NAME],
    options: [REASON, ...EXTRAS],
    examples: [["refloat step done 2 --artifact 02-architecture-assessment.md", ""]],
    load: loadStep,
  },
  {
    words: "step skip",
    group: "Workflow",
    summary: "the step is not needed; recorded with the reason",
    args: [STEP, STEP_NAME],
    options: [REASON, ...EXTRAS],
    examples: [['refloat step skip 3 --reason "no diagrams wanted"', ""]],
    load: loadStep,
  },
  {
    words: "step reset",
    group: "Workflow",
    summary: "the step is pending again; its artifacts stay listed",
    args: [STEP, STEP_NAME],
    options: [REASON, ...EXTRAS],
    examples: [['refloat step reset 4 --reason "the plan changed"', ""]],
    load: loadStep,
  },
  {
    words: "claim keep",
    group: "Sessions",
    summary: "renew a step's claim by a timer until it is stopped",
    about:
      "For an owner by name whose work takes longer than the threshold. A session's claims need none: its own heartbeat speaks for them. Exit 4 when the claim is gone.",
    args: [STEP],
    options: [
      OWNER,
      {
        flags: "--every <seconds>",
        about: "at the latest; 30 unless said, sooner where the threshold needs it",
      },
      FILE,
    ],
    examples: [["refloat claim keep 5 --owner agent-7 &", "while the step is at work"]],
    load: async () => ({ run: (await import("./step.ts")).keep }),
  },
  {
    words: "decide",
    group: "Workflow",
    summary: "record a decision where it is made, or show one",
    args: [
      { name: "<key>", about: "what is decided: iac_tool" },
      { name: "[value]", about: "left out: what was decided is shown" },
    ],
    options: [REASON, { flags: "--step <n>", about: "left out: the step at work" }, FILE],
    examples: [['refloat decide iac_tool Bicep --reason "the team knows it"', ""]],
    load: () => import("./decide.ts"),
  },
  {
    words: "decisions",
    group: "Workflow",
    summary: "every decision of the state file, oldest first",
    about: "Secrets are taken out unless --raw.",
    options: [FILE, RAW],
    examples: [["refloat decisions", ""]],
    load: async () => ({ run: (await import("./decide.ts")).decisions }),
  },
];

export const DOCTOR_SPECS: readonly CommandSpec[] = [
  {
    words: "doctor",
    group: "Store",
    summary: "what is wrong, each finding with its command",
    about:
      "Looks at the store, sessions, claims, state files, configs, git and Node; changes nothing. --fix does what needs no decision and never discards anything.",
    options: [
      { flags: "--fix", about: "settle, finish, repair and upgrade what needs no decision" },
      { flags: "--exit-code", about: "exit 3 when something was found" },
    ],
    examples: [
      ["refloat doctor", ""],
      ["refloat doctor --fix", "then look at what is left"],
    ],
    load: () => import("./doctor.ts"),
  },
];

export const WORKFLOW_SPECS: readonly CommandSpec[] = [...STATE_SPECS, ...STEP_SPECS];
