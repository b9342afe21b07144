/** What the session's own records tell, as pieces of a brief: requests, work that was done, plan, subagents, machinery, what is not known. */
import type { Json } from "../model/json.ts";
import { childResumeWords } from "../text/child-resume-words.ts";
import { count } from "../text/counting.ts";
import { inlineText, inlineTyped } from "../text/fence.ts";
import type { BriefChild, BriefFacts, BriefMachine, BriefRan, BriefTest, BriefTold } from "./brief-facts.ts";
import { type BriefPiece, RANK } from "./brief-piece.ts";

/** A request is a sentence or a page: so much of it on one line, and so much where there is room. */
const REQUEST_BYTES = 200;
const LONG_REQUEST_BYTES = 800;
const FIRST_FILES = 8;
const MAX_FILES = 40;
const FIRST_PLAN = 5;
const FIRST_CHILDREN = 6;
const FIRST_RAN = 3;
/** A command with an id and a workspace: never cut (T6). */
const COMMAND_BYTES = 600;

export function toldPieces({ told }: BriefFacts): BriefPiece[] {
  if (!told) return [];
  return [...workDone(told), ...planPieces(told), ...childPieces(told), ...machinePieces(told)];
}

/** The newest is what it was at; all stay in their order. */
export function requestPieces({ told }: BriefFacts): BriefPiece[] {
  const requests = told?.requests ?? [];
  return requests.flatMap((text, at) => {
    const isNewest = at === requests.length - 1;
    const piece = (bytes: number, rank: number): BriefPiece => ({
      section: "asked",
      slot: `request:${at}`,
      rank,
      markdown: `- ${inlineText(text, bytes)}\n`,
      json: { list: "requests", value: text },
    });
    const short = piece(REQUEST_BYTES, isNewest ? RANK.asked : RANK.olderAsked);
    return Buffer.byteLength(text) <= REQUEST_BYTES
      ? [short]
      : [short, piece(LONG_REQUEST_BYTES, isNewest ? RANK.longGoal : RANK.longOlder)];
  });
}

function workDone({ files, ran, test }: BriefTold): BriefPiece[] {
  return [...filePieces(files), ...ranPieces(ran), ...(test ? testPieces(test) : [])];
}

/** Those touched last: an older one is found by the groups, or is committed. */
function filePieces(files: readonly string[]): BriefPiece[] {
  if (files.length === 0) return [];
  const piece = (most: number, rank: number): BriefPiece => {
    const shown = files.slice(-most);
    const more = files.length - shown.length;
    const names = shown.map((file) => inlineText(file, 100)).join(", ");
    return {
      section: "worked",
      slot: "files",
      rank,
      markdown: `- Edited by finished calls: ${more > 0 ? `${more} files before, then ` : ""}${names}\n`,
      json: { field: "edited", value: shown as Json },
    };
  };
  const short = piece(FIRST_FILES, RANK.files);
  return files.length <= FIRST_FILES ? [short] : [short, piece(MAX_FILES, RANK.longOlder)];
}

function ranPieces(ran: readonly BriefRan[]): BriefPiece[] {
  return ran.map((one, at) => ({
    section: "worked",
    slot: `ran:${at}`,
    rank: at >= ran.length - FIRST_RAN ? RANK.ran : RANK.older,
    markdown: `- Ran ${inlineText(one.command, 140)}: ${RAN_WORDS[one.came]}${saidWords(one.said)}\n`,
    json: { list: "ran", value: { ...one } as unknown as Json },
  }));
}

const RAN_WORDS: Readonly<Record<BriefRan["came"], string>> = {
  done: "ended",
  failed: "failed",
  cancelled: "was cancelled",
};

const saidWords = (said: string | null): string =>
  said === null ? "" : `, last line ${inlineText(said, 100)}`;

function testPieces(test: BriefTest): BriefPiece[] {
  const { command, came, said, edited_since, again } = test;
  const since =
    edited_since.length === 0
      ? ""
      : ` Edited since: ${edited_since
          .slice(-3)
          .map((file) => inlineText(file, 60))
          .join(", ")}${edited_since.length > 3 ? ` and ${edited_since.length - 3} more` : ""}.`;
  const begun = again === undefined ? "" : ` Begun after it and not seen to end: ${inlineText(again, 80)}.`;
  return [
    {
      section: "worked",
      slot: "test",
      rank: RANK.test,
      markdown: `- Tests last seen: ${inlineText(command, 120)} ${TEST_WORDS[came]}${said === null ? "" : `: ${inlineText(said, 120)}`}.${since}${begun}\n`,
      json: { field: "test", value: { ...test } as unknown as Json },
    },
  ];
}

const TEST_WORDS: Readonly<Record<BriefTest["came"], string>> = {
  done: "ended without an error",
  failed: "failed",
  "never-seen": "was begun; nobody saw it end",
};

/** What it was at and what it had not begun; what it calls done is counted. */
function planPieces({ plan }: BriefTold): BriefPiece[] {
  const left = plan.filter(({ state }) => state !== "done").toSorted(byDoing);
  if (left.length === 0) return [];
  const done = plan.length - left.length;
  return [
    {
      section: "plan",
      slot: "plan",
      rank: RANK.plan,
      markdown: `Its own list: ${done} of ${plan.length} done by its word.\n`,
      json: { field: "planned", value: { done, all: plan.length } },
    },
    ...left.map(
      ({ text, state }, at): BriefPiece => ({
        section: "plan",
        slot: `plan:${at}`,
        rank: at < FIRST_PLAN ? RANK.plan : RANK.older,
        markdown: `- ${state === "doing" ? "at it: " : "open: "}${inlineText(text, 120)}\n`,
        json: { list: "plan", value: { text, state } },
      }),
    ),
  ];
}

const byDoing = (a: { readonly state: string }, b: { readonly state: string }): number =>
  Number(b.state === "doing") - Number(a.state === "doing");

/** What is not over first in rank. */
function childPieces({ children }: BriefTold): BriefPiece[] {
  let shown = 0;
  return children.map((child, at) => {
    const isFirst = child.state !== "done" && shown++ < FIRST_CHILDREN;
    return {
      section: "children",
      slot: `child:${at}`,
      rank: isFirst ? RANK.child : RANK.childDone,
      markdown: `- ${inlineText(child.label === "" ? (child.id ?? "") : child.label, 80)} ${childWords(child)}\n`,
      json: { list: "children", value: { ...child } as unknown as Json },
    };
  });
}

/** Where it stands, and how it is gone on with: what is done is not done again, what is half-done is not begun anew. */
function childWords(child: BriefChild): string {
  const { state, id, label, calls, at } = child;
  const named = id === null || label === "" || label === id ? "" : ` (${inlineText(id, 40)})`;
  const known = `${named}${leftWords(child)}`;
  const last = at === null ? "" : `, last at ${inlineText(at, 100)}`;
  switch (state) {
    case "done":
      return `is done${known}: use its result, do not ask for it again.`;
    case "failed":
      return `failed${known}${last}: look at what it left before it is asked for again.`;
    case "half-done":
      return `is half-done${known}: ${count(calls, "call")}${last}. ${resumeWords(child)}.`;
    case "no-result":
      return `has no result; which of those that worked it was is not known. ${resumeWords(child)}.`;
    case "not-seen":
      return `was asked for and not seen to begin. ${resumeWords(child)}.`;
    default:
      return state satisfies never;
  }
}

const resumeWords = (child: BriefChild): string => childResumeWords(child, (id) => inlineText(id, 60)) ?? "";

/** Where its work lies, and what is judged of it. */
function leftWords({ worktree, verdict, groups = [] }: BriefChild): string {
  const where = worktree === undefined ? "" : `, in its own work tree ${inlineText(worktree, 160)}`;
  const left = groups.map((group) => inlineText(group, 20)).join(", ");
  return `${where}${verdict === undefined ? "" : `, what it left is ${verdict} (${left})`}`;
}

function machinePieces({ machines }: BriefTold): BriefPiece[] {
  return machines.map(({ kind, command }, at) => ({
    section: "machines",
    slot: `machine:${at}`,
    rank: RANK.machine,
    markdown: `- ${MACHINE_WORDS[kind]} ${inlineText(command)}\n`,
    json: { list: "machines", value: { kind, command } },
  }));
}

const MACHINE_WORDS: Readonly<Record<BriefMachine["kind"], string>> = {
  shell: "in the background:",
  server: "a server:",
  timer: "a timer:",
  mcp: "an MCP server:",
};

export function unknownPieces({ told }: BriefFacts): BriefPiece[] {
  return (told?.unknown ?? []).map((text, at) => ({
    section: "unknown",
    slot: `unknown:${at}`,
    rank: RANK.unknown,
    markdown: `- ${text}\n`,
    json: { list: "unknown", value: text },
  }));
}

export function morePieces({ told }: BriefFacts): BriefPiece[] {
  return (told?.more ?? []).map((command, at) => ({
    section: "more",
    slot: `more:${at}`,
    rank: RANK.more,
    markdown: `- ${inlineTyped(command, COMMAND_BYTES)}\n`,
    json: { list: "more", value: command },
  }));
}
