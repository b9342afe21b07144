/** The doctor's rows about what was done in the workspace it is asked in: acts, processes, its place, files of cut-off writes. */
import { shellWord } from "../text/escape.ts";
import type { DoctorCheck } from "./facts.ts";

export const WORKSPACE_CHECKS = [
  {
    id: "plan-open",
    severity: "warning",
    about: "A command died while it changed this workspace; its plan is open.",
    question: "Did every act come to its end?",
    command: "refloat doctor --fix",
    fix: "plans",
    find: ({ plans }) =>
      plans
        .filter(({ liveness }) => liveness === "dead")
        .map(({ id, act, executor }) => ({ message: `The plan ${id} (${act}) of ${executor} was cut off.` })),
  },
  {
    id: "leftover",
    severity: "warning",
    about: "A process of an attempt that is over still runs.",
    question: "Did every process end with its attempt?",
    command: "refloat inspect ID --stop-leftovers",
    find: ({ leftovers }) =>
      leftovers.map(({ session, pid, command }) => ({
        message: `Process ${pid} (${command}) of session ${session} still runs.`,
        command: `refloat inspect ${shellWord(session)} --stop-leftovers`,
      })),
  },
  {
    id: "workspace-moved",
    severity: "warning",
    about: "The repository was moved: its sessions and captures are kept for the place it was at.",
    question: "Is the repository where its sessions worked in it?",
    command: "mv HERE THERE",
    find: ({ moved }) =>
      moved.map(({ from, to }) => ({
        message: `This repository was at ${from}: its sessions and captures are kept for that place.`,
        command: `mv ${shellWord(to)} ${shellWord(from)}`,
      })),
  },
  {
    id: "stray-file",
    severity: "warning",
    about:
      "A write that was cut off left a file of its own beside the store or a state file; nobody has it open.",
    question: "Did every write clear up behind itself?",
    command: "rm FILE",
    find: ({ strayFiles }) =>
      strayFiles.map((path) => ({
        message: `${path} was never finished: nothing in it was acknowledged.`,
        command: `rm ${shellWord(path)}`,
      })),
  },
  {
    id: "stray-slot",
    severity: "warning",
    about: "An act left a file in the tree that it had set aside; its plan is over.",
    question: "Did every act clear away what it had set aside?",
    command: "refloat capture FILE && rm FILE",
    find: ({ straySlots }) =>
      straySlots.map((path) => ({
        message: `${path} was set aside by an act that is over. It may be the only copy of what it holds.`,
        command: `refloat capture ${shellWord(path)} && rm ${shellWord(path)}`,
      })),
  },
] as const satisfies readonly DoctorCheck[];
