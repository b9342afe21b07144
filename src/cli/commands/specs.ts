/** Every command there is. What is not built yet is absent, never a stub (DESIGN 10). */
import type { CommandSpec } from "../context/command-spec.ts";
import type { Grammar } from "../grammar/command-grammar.ts";
import { ACT_SPECS } from "./acts/specs.ts";
import { FLEET_SPECS } from "./fleet/specs.ts";
import { HANDOFF_SPECS } from "./handoff/specs.ts";
import { HOOK_SPEC } from "./hook/specs.ts";
import { LIFECYCLE_SPECS, OPERATION_SPECS, STATUS_SPEC } from "./lifecycle/specs.ts";
import { PROTOCOL_SPECS } from "./protocols/specs.ts";
import { RUN_SPECS } from "./run/specs.ts";
import { SALVAGE_SPECS } from "./salvage/specs.ts";
import { SESSION_SPECS } from "./sessions/specs.ts";
import { SETUP_SPECS } from "./setup/specs.ts";
import { OTHER_SPECS, STORE_SPECS } from "./store/specs.ts";
import { REBUILD_SPEC, TRANSCRIPT_SPECS } from "./transcript/specs.ts";
import { DOCTOR_SPECS, WORKFLOW_SPECS } from "./workflow/specs.ts";
import { WORKSPACE_SPECS } from "./workspace/specs.ts";

export const SPECS: readonly CommandSpec[] = [
  STATUS_SPEC,
  ...RUN_SPECS,
  ...SESSION_SPECS,
  ...LIFECYCLE_SPECS,
  ...SALVAGE_SPECS,
  ...HANDOFF_SPECS,
  ...WORKSPACE_SPECS,
  ...ACT_SPECS,
  REBUILD_SPEC,
  ...OPERATION_SPECS,
  ...WORKFLOW_SPECS,
  ...DOCTOR_SPECS,
  ...TRANSCRIPT_SPECS,
  ...FLEET_SPECS,
  HOOK_SPEC,
  ...SETUP_SPECS,
  ...PROTOCOL_SPECS,
  ...STORE_SPECS,
  ...OTHER_SPECS,
];

export const GRAMMAR: Grammar = {
  commands: SPECS,
  families: {
    op: "named stretches of work: begin, end, list",
    claim: "who holds a session or step: status, break, keep",
    state: "the workflow state file: init, validate, upgrade, repair",
    step: "its steps: start, sub, done, skip, reset",
    worktrees: "every work tree of the repository, and which may go",
    transcript: "an agent's own file of a session: check, repair",
    queue: "work that waits for workers: add, list, cancel, retry",
    store: "look after it: info, check, backup, export, import, gc",
  },
  globals: [
    { flags: "-C <dir>", about: "work as if started in this directory", isPath: true },
    { flags: "--json", about: "one JSON object on stdout instead of text" },
    {
      flags: "--store <url>",
      about: "a database file or postgres://... (or REFLOAT_STORE)",
      isPath: true,
    },
    { flags: "--yes", about: "do it without asking" },
    { flags: "--no-input", about: "never ask anything" },
    { flags: "--quiet", about: "nothing on stderr but errors" },
    {
      flags: "--color <when>",
      about: "colours; auto at a terminal; --color alone: always",
      choices: ["auto", "always", "never"],
    },
  ],
};
