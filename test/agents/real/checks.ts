/**
 * What must hold of a run, held against the script's known bytes. Pure. A check that does not apply is not in the list; one that failed says
 * what was seen instead.
 */
import type { AgentName } from "./agent-clis.ts";
import type { Evidence } from "./evidence.ts";
import type { Body } from "./model/conversation.ts";
import { COMMITTED, LONG_TEXT, STREAMED } from "./model/scripts.ts";
import { situationOf } from "./situations.ts";

export interface Check {
  readonly name: CheckName;
  /** null: it holds. */
  readonly miss: string | null;
}

export type CheckName =
  | "reached"
  | "session"
  | "open call"
  | "finished calls"
  | "made-up result"
  | "partial text"
  | "leftovers"
  | "verdicts"
  | "resume"
  | "brief"
  | "valid"
  | "no repeat"
  | "history";

type Seen = string | null;

export function checksOf(evidence: Evidence): Check[] {
  const { signal } = situationOf(evidence.situation);
  const always: Partial<Record<CheckName, Seen | undefined>> = {
    reached: evidence.isReached ? null : "the wanted moment never came",
    session: sessionSeen(evidence),
    "finished calls": finishedSeen(evidence),
    verdicts: verdictsSeen(evidence),
    leftovers: leftoversSeen(evidence),
    "no repeat": repeatSeen(evidence),
    history: historySeen(evidence),
  };
  const cutOff: Partial<Record<CheckName, Seen | undefined>> =
    signal === null
      ? {}
      : {
          "open call": openCallSeen(evidence),
          "made-up result": madeUpSeen(evidence),
          "partial text": partialSeen(evidence),
          ...(evidence.wouldResume === null
            ? { resume: resumeSeen(evidence), brief: briefSeen(evidence), valid: validSeen(evidence) }
            : { resume: wouldResumeSeen(evidence) }),
        };
  return Object.entries({ ...always, ...cutOff }).flatMap(([name, miss]) =>
    miss === undefined ? [] : [{ name: name as CheckName, miss }],
  );
}

export const missesOf = (evidence: Evidence): string[] =>
  checksOf(evidence).flatMap(({ name, miss }) => (miss === null ? [] : [`${name}: ${miss}`]));

function sessionSeen({ sessions, situation, agent, troubles }: Evidence): Seen {
  if (troubles.length > 0) return troubles.join("; ");
  const all = (sessions.sessions ?? []) as Body[];
  const [only, ...others] = all;
  if (!only || others.length > 0) return `${all.length} sessions`;
  if (only.agent !== agent) return `it is said to be ${only.agent}`;
  const { signal } = situationOf(situation);
  const { state, cause } = only;
  if (signal === null) return state === "finished" && cause === "clean" ? null : `${state}, ${cause}`;
  const isOver = state === "finished" && cause === "clean";
  if (isOver) return "said to have ended by its own word";
  return signal !== "SIGKILL" || state === "interrupted" ? null : `${state}, ${cause}`;
}

const callsOf = ({ inspect }: Evidence): Body[] => (inspect.calls ?? []) as Body[];

/** The newest call that speaks of this; a CLI may write quotes and paths its own way. */
const callOf = (evidence: Evidence, part: string): Body | undefined =>
  callsOf(evidence).findLast(({ input }) => textIn(input).includes(part));

const textIn = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

/** What was running when it died: named, not done, and what it may have done is not known. */
function openCallSeen(evidence: Evidence): Seen | undefined {
  const { script, signal } = situationOf(evidence.situation);
  if (script === "stream") return undefined;
  if (script === "arguments") {
    const call = callOf(evidence, "long.txt");
    return call?.status === "done" ? "a call that never ran is said to be done" : null;
  }
  if (script === "halfedits")
    return callOf(evidence, "echo look")?.status === "done" ? "said to be done" : null;
  const call = callOf(evidence, script === "parallel" ? "echo slow-begin" : "echo begin");
  if (!call) return "not named";
  const unknown = ["unknown-outcome", "interrupted"].includes(call.status);
  const isTrue = unknown ? call.effect === "unknown" && call.check !== null : false;
  const wasStopped = signal !== "SIGKILL" && ["failed", "cancelled"].includes(call.status);
  return isTrue || wasStopped ? null : `said to be ${call.status}, effect ${call.effect}`;
}

/**
 * What the agent's program wrote in the place of a result it never had ("already completed", "NOT written") is told as its word alone, beside what
 * the tree shows: the tool had in truth written half of it.
 */
function madeUpSeen({ handoff, tree, situation }: Evidence): Seen | undefined {
  const { script } = situationOf(situation);
  const path = script === "parallel" ? "par.txt" : "half.txt";
  const made = ((handoff.calls ?? []) as Body[]).filter(
    ({ recorded, input }) => typeof recorded === "string" && textIn(input).includes(path),
  );
  if (made.length === 0 || !/begin$/m.test(tree[path] ?? "")) return undefined;
  const bare = made.filter(({ saw }) => typeof saw !== "string" || !saw.includes(path));
  return bare.length === 0 ? null : `${textIn(bare[0]?.recorded).slice(0, 80)} stands alone`;
}

const FINISHED = {
  clean: ["notes.txt", "line two"],
  tool: ["half.txt"],
  edits: ["return 11;", "return 12;", "b = 3"],
  halfedits: ["return 11;", "b = 3"],
  stream: ["s.txt"],
  arguments: [],
  parallel: ["echo fast"],
} as const;

function finishedSeen(evidence: Evidence): Seen | undefined {
  const { script } = situationOf(evidence.situation);
  const wanted: readonly string[] = FINISHED[script];
  const wrong = wanted.flatMap((part) => {
    const call = callsOf(evidence).find(({ input }) => textIn(input).includes(part));
    if (!call) return [`${part}: not named`];
    return call.status === "done" ? [] : [`${part}: said to be ${call.status}`];
  });
  if (wanted.length === 0) return undefined;
  return wrong.length === 0 ? null : wrong.join("; ");
}

/** What the agent had printed of an answer that never ended. Where it prints none, nobody can keep it. */
function partialSeen({ situation, printed, inspect, log }: Evidence): Seen | undefined {
  const { script, isPlain } = situationOf(situation);
  if (script !== "stream" || isPlain) return undefined;
  const start = STREAMED.slice(0, 30);
  const isPrinted = textIn(printed)
    .replaceAll(/[^a-z ]/gi, "")
    .includes("explain");
  if (!isPrinted) return undefined;
  const kept = `${inspect.last_output ?? ""}${textIn(log.items)}`;
  return kept.includes(start) ? null : "what it printed is not kept";
}

function verdictsSeen(evidence: Evidence): Seen | undefined {
  const { script } = situationOf(evidence.situation);
  const groups = (evidence.inspect.groups ?? []) as Body[];
  const of = (path: string): Body | undefined =>
    groups.find(({ changes }) => (changes as Body[]).some((change) => change.path === path));
  const paths = {
    clean: ["notes.txt"],
    edits: ["code.js", "lib.js"],
    halfedits: ["code.js", "lib.js"],
    tool: ["half.txt"],
    stream: ["s.txt"],
    arguments: ["long.txt"],
    parallel: ["par.txt"],
  }[script];
  const seen = paths.map((path) => verdictSeen(evidence, path, of(path)));
  return seen.find((one) => typeof one === "string") ?? seen[0];
}

function verdictSeen(evidence: Evidence, path: string, group: Body | undefined): Seen | undefined {
  const { script } = situationOf(evidence.situation);
  const said = (of: Body): string =>
    `${of.verdict} (${(of.reasons as Body[]).map(({ rule }) => rule).join(", ")})`;
  if (script === "arguments") return group?.verdict === "safe" ? "a half-written file is safe" : undefined;
  if (!group) return `${path} is in no group`;
  // Continue has no end record: that it ended, its exit code alone says (L7).
  const isFinished = script === "clean" || script === "edits";
  if (isFinished && evidence.agent === "continue") return undefined;
  if (isFinished) return group.verdict === "safe" ? null : `${path}: finished, and ${said(group)}`;
  if (script === "stream") return null;
  return group.verdict === "safe" ? "half-done work is safe" : null;
}

/** Under `run` none lives on; else those that do are named. */
function leftoversSeen({ situation, toolsLeft, inspect }: Evidence): Seen | undefined {
  const { isPlain, who, script } = situationOf(situation);
  if (script !== "tool" && script !== "parallel") return undefined;
  if (!isPlain && who !== "both") return toolsLeft.length === 0 ? null : "a tool goes on running";
  const named = ((inspect.leftovers ?? []) as Body[]).map(({ pid }) => Number(pid));
  const unnamed = toolsLeft.filter((pid) => !named.includes(pid));
  return unnamed.length === 0 ? null : `${unnamed.length} of ${toolsLeft.length} running tools not named`;
}

function resumeSeen({ resumes }: Evidence): Seen {
  const last = resumes.at(-1);
  if (!last) return "not tried";
  const silent = resumes.filter(({ requests }) => requests.length === 0).length;
  if (silent > 0)
    return `${silent} of ${resumes.length} asked the model nothing: ${last.ran.stderr.slice(-200)}`;
  return last.ran.code === 0 ? null : `exit ${last.ran.code}: ${last.ran.stderr.slice(-200)}`;
}

/** The agent's own conversation, by the id it has in its files. */
function wouldResumeSeen({ wouldResume, log }: Evidence): Seen {
  const command = textIn(((wouldResume?.sessions ?? []) as Body[])[0]?.command ?? "");
  const heard = ((log.items ?? []) as Body[]).map(({ id }) => String(id).split(":"));
  const nativeId = heard.find(([from]) => from === "heard")?.[2];
  return nativeId !== undefined && command.includes(nativeId) ? null : `would start ${command || "nothing"}`;
}

/** Whose brief is of one start: none stays in the conversation, however often it is gone on with. */
const TOLD_ANEW: ReadonlySet<AgentName> = new Set(["claude", "opencode", "pi", "qwen"]);

function briefSeen({ resumes, agent }: Evidence): Seen {
  const counts = resumes.flatMap(({ requests }) => requests.slice(0, 1).map(({ briefs }) => briefs));
  if (counts.length === 0) return "no request";
  if (counts.some((count) => count === 0)) return "not in the first request";
  if (TOLD_ANEW.has(agent) && counts.some((count) => count > 1))
    return `${Math.max(...counts)} in one request`;
  return null;
}

function validSeen(evidence: Evidence): Seen {
  const own = OWN_FAULTS[evidence.agent];
  const faults = faultsIn(evidence).filter((fault) => own === undefined || !fault.startsWith(own));
  return faults.length === 0 ? null : faults.join("; ");
}

const faultsIn = ({ resumes }: Evidence): string[] => [
  ...new Set(resumes.flatMap(({ requests }) => requests.flatMap((request) => request.faults))),
];

/** What the agents' own resumes send, with or without refloat: Gemini CLI each result twice, OpenCode an empty answer where one was cut off. */
const OWN_FAULTS: Readonly<Partial<Record<AgentName, string>>> = {
  gemini: "a result without its call",
  opencode: "an empty answer",
};

/** The tree is the proof: what a finished step writes is there once. */
function repeatSeen(evidence: Evidence): Seen | undefined {
  const { script } = situationOf(evidence.situation);
  const end = evidence.treeAtEnd;
  const asked = evidence.resumes.flatMap(({ requests }) => requests.flatMap(({ asksFor }) => asksFor));
  const wrong = (name: string, isRight: boolean): Seen =>
    isRight ? null : `${name} is ${JSON.stringify((end[name] ?? null)?.slice(0, 80) ?? null)}`;
  switch (script) {
    case "clean":
      return wrong("notes.txt", end["notes.txt"] === "line one\nline two\n");
    case "tool":
      return wrong("half.txt", end["half.txt"] === "begin file\nbegin\n");
    case "edits":
      return wrong("lib.js", end["lib.js"] === COMMITTED["lib.js"].replace("b = 2", "b = 3"));
    case "halfedits":
      return undefined;
    case "stream":
      return asked.includes("s.txt")
        ? "s.txt is written again"
        : wrong("s.txt", end["s.txt"] === "stream file\n");
    case "arguments":
      return wrong("long.txt", end["long.txt"] === LONG_TEXT);
    case "parallel":
      return wrong(
        "par.txt",
        [...(end["par.txt"] ?? "").split("\n")].sort().join(" ").trim() === "fast slow-begin",
      );
  }
}

/** Nothing that was in the log is gone, or in another order, after any resume. */
function historySeen({ log, resumes }: Evidence): Seen | undefined {
  if (resumes.length === 0) return undefined;
  let before = ((log.items ?? []) as Body[]).map(({ id }) => String(id));
  for (const [at, { history }] of resumes.entries()) {
    const kept = history.filter((id) => before.includes(id));
    if (kept.join() !== before.join())
      return `resume ${at + 1} lost ${before.length - kept.length} of ${before.length}`;
    before = [...history];
  }
  return null;
}
