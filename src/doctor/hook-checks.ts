/** The doctor's rows about agents that are started plainly: whether their hooks are there, and whether what they tell arrives. */
import { count } from "../text/counting.ts";
import { shellLineWord, shellWord } from "../text/escape.ts";
import type { AgentHookFacts, DoctorCheck } from "./facts.ts";

/** A hook comes within moments of what an agent writes; a model may think for minutes between two of them. */
const SILENT_MS = 5 * 60_000;

const when = (ms: number): string => {
  const at = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())} on ${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

/** It ran after it was set up, and nothing came of it. */
function isSilent({ setUpAtMs, ranAtMs, toldAtMs }: AgentHookFacts): boolean {
  if (setUpAtMs === null || ranAtMs === null) return false;
  return ranAtMs - Math.max(setUpAtMs, toldAtMs ?? 0) > SILENT_MS;
}

const setUp = ({ agent }: AgentHookFacts): string => `refloat init --agent ${shellLineWord(agent)}`;

const droppedText = (dropped: number): string =>
  `at least ${count(dropped, "event")} of hooks ${dropped === 1 ? "was" : "were"} dropped`;

export const HOOK_CHECKS = [
  {
    id: "recorder-missing",
    severity: "error",
    about:
      "Agents were set up to call the recorder, and it is gone or cannot be run: nothing they do is recorded.",
    question: "Is the recorder where the agents' hooks call it?",
    command: "refloat init",
    find: ({ hooks }) =>
      hooks.recorder.kind === "missing" && hooks.agents.some(({ setUpAtMs }) => setUpAtMs !== null)
        ? [{ message: `${hooks.recorder.path} is ${hooks.recorder.why}: no hook records anything.` }]
        : [],
  },
  {
    id: "recorder-old",
    severity: "warning",
    about: "The recorder is not that of this refloat: an upgrade did not bring it along.",
    question: "Is the recorder that of this refloat?",
    command: "refloat init",
    find: ({ hooks }) =>
      hooks.recorder.kind === "other"
        ? [{ message: `${hooks.recorder.path} is that of another version of refloat.` }]
        : [],
  },
  {
    id: "perl-missing",
    severity: "warning",
    about:
      "Agents are set up and there is no perl: before a destructive command the program is asked, which is mostly too late.",
    question: "Can the recorder hold a work tree in time?",
    command: "sudo apt-get install --yes perl",
    find: ({ hooks, installPerl }) =>
      !hooks.hasPerl && hooks.agents.some(({ setUpAtMs, canBeSetUp }) => canBeSetUp && setUpAtMs !== null)
        ? [
            {
              message:
                "There is no perl: what a destructive command takes away is mostly not held before it runs.",
              command: installPerl,
            },
          ]
        : [],
  },
  {
    id: "hooks-dead",
    severity: "warning",
    about:
      "An agent ran after it was set up, and its hooks told nothing: they are off, not trusted, or overwritten.",
    question: "Did a record come of every agent that ran?",
    command: "refloat init --agent AGENT",
    find: ({ hooks }) =>
      hooks.agents.filter(isSilent).map((one) => {
        const last = one.toldAtMs === null ? "" : ` since ${when(one.toldAtMs)}`;
        const message = `${one.title} ran at ${when(one.ranAtMs ?? 0)}, no record came${last}: hooks are dead.`;
        return { message, command: setUp(one) };
      }),
  },
  {
    id: "hooks-missing",
    severity: "info",
    about: "An agent is used here and not set up: what it does is heard from its transcripts only.",
    question: "Is every agent that is used here set up?",
    command: "refloat init --agent AGENT",
    find: ({ hooks }) =>
      hooks.agents
        .filter(
          ({ setUpAtMs, ranAtMs, toldAtMs, canBeSetUp }) =>
            canBeSetUp && setUpAtMs === null && ranAtMs !== null && toldAtMs === null,
        )
        .map((one) => ({
          message: `${one.title} ran at ${when(one.ranAtMs ?? 0)} and is not set up: it is heard from its transcripts only.`,
          command: setUp(one),
        })),
  },
  {
    id: "agent-unknown",
    severity: "info",
    about:
      "An agent writes kinds of records that this refloat does not know: it is newer, and part of what it says is passed over.",
    question: "Is every kind of record known that the agents write?",
    command: "npm install --global refloat@latest",
    find: ({ hooks }) =>
      hooks.agents
        .filter(({ unknownTypes }) => unknownTypes.length > 0)
        .map(({ title, version, unknownTypes }) => ({
          message: `${title}${version === null ? "" : ` ${version}`} writes ${count(unknownTypes.length, "kind")} of records that this refloat does not know: ${unknownTypes.slice(0, 5).join(", ")}.`,
        })),
  },
  {
    id: "agent-newer",
    severity: "info",
    about:
      "An agent is newer than every version that this refloat was tried with; whether its hooks told something is said beside it.",
    question: "Was this refloat tried with the agents' versions?",
    command: "npm install --global refloat@latest",
    find: ({ hooks }) =>
      hooks.agents.flatMap(({ title, untried, toldAtMs }) => {
        if (untried === null) return [];
        const heard =
          toldAtMs === null
            ? "no record of its hooks has come yet"
            : `its hooks told last at ${when(toldAtMs)}`;
        const { version, tried } = untried;
        return [
          {
            message: `${title} ${version} is newer than ${tried}, the newest this refloat was tried with: ${heard}.`,
          },
        ];
      }),
  },
  {
    id: "inbox-full",
    severity: "warning",
    about: "The hooks' inbox was full, and events were dropped: nothing has taken them in for long.",
    question: "Was there room for every event in the inbox?",
    command: "refloat status",
    find: ({ hooks: { inbox } }) => [
      ...(inbox.dropped > 0
        ? [{ message: `The inbox was full: ${droppedText(inbox.dropped)}, ${inbox.waiting} wait.` }]
        : []),
      ...(inbox.droppedBefore.count > 0
        ? [
            {
              message: `The inbox was full, and was taken in since: ${droppedText(inbox.droppedBefore.count)}.`,
              command: `rm ${shellWord(inbox.droppedBefore.path)}`,
            },
          ]
        : []),
    ],
  },
  {
    id: "inbox-torn",
    severity: "warning",
    about:
      "Events of hooks could not be taken in, most of them cut off while they were written, and lie aside: nothing in them was acknowledged.",
    question: "Is every event in the inbox whole?",
    command: "rm -r FOLDER",
    find: ({ hooks: { inbox } }) =>
      inbox.torn > 0
        ? [
            {
              message: `${count(inbox.torn, "event")} of hooks ${inbox.torn === 1 ? "was" : "were"} cut off, or nothing that can be taken in; what is there of ${inbox.torn === 1 ? "it" : "them"} is in ${inbox.tornFolder}.`,
              command: `rm -r ${shellWord(inbox.tornFolder)}`,
            },
          ]
        : [],
  },
] as const satisfies readonly DoctorCheck[];
