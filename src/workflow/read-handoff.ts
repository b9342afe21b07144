/**
 * What a 00-handoff.md says, whoever wrote it: how far the work was, when, what was decided, which steps were ticked off. Where
 * every copy of the state is lost it is what is left of it, so all that handoff-text.ts writes is read back here.
 */
import type { Json } from "../model/json.ts";
import type { StepStatus } from "./definition.ts";
import { dotted } from "./step-list.ts";

export interface HandoffFacts {
  /** Of its title; null: it has none of the known form. */
  readonly project: string | null;
  /** The last step it calls complete, or the one it calls current. */
  readonly step: number | null;
  readonly updatedMs: number | null;
  /** Null: it does not say, or says that it is undecided. */
  readonly iacTool: string | null;
  readonly branch: string | null;
  readonly steps: readonly HandoffStep[];
  readonly decisions: readonly HandoffDecision[];
  readonly findings: readonly string[];
  /** The last finished part of the step at work. */
  readonly checkpoint: { readonly step: string; readonly name: string } | null;
}

export interface HandoffStep {
  readonly step: string;
  readonly status: StepStatus;
  readonly artifacts: readonly string[];
}

export interface HandoffDecision {
  readonly key: string;
  readonly value: Json;
  /** Of those that only the log has; null: it stands among the decisions themselves. */
  readonly step: string | null;
}

/** A companion of a few pages; what lies behind this is not looked at. */
const MAX_READ_CHARS = 200_000;

const STEP = String.raw`(\d+(?:[._]\d+)?)`;
const TITLE = new RegExp(String.raw`^# (.*?)(?: [—–-] Handoff)? *\(Step ${STEP}\b[^)]*\)`, "m");
const CURRENT = new RegExp(`^Current Step: *${STEP}`, "m");
const TICK = new RegExp(String.raw`^- \[( |x)\] Step ${STEP}\b(.*)$`, "gim");
const CHECKPOINT = new RegExp(`step ${STEP} .*after its checkpoint (.+?);`, "i");

export function readHandoff(whole: string): HandoffFacts {
  const text = whole.slice(0, MAX_READ_CHARS);
  const title = TITLE.exec(text);
  const step = title?.[2] ?? CURRENT.exec(text)?.[1];
  const said = (name: string): string | null =>
    new RegExp(`(?:^|\\| *)${name}: *([^|\\n]*?) *(?:\\||$)`, "m").exec(text)?.[1] || null;
  const updatedMs = Date.parse(said("Updated") ?? "");
  const tool = said("IaC");
  const point = CHECKPOINT.exec(sectionOf(text, "Context for Next Step").join("\n"));
  return {
    project: title?.[1]?.trim() || null,
    step: step === undefined ? null : Number(dotted(step)),
    updatedMs: Number.isNaN(updatedMs) ? null : updatedMs,
    iacTool: tool === "undecided" ? null : tool,
    branch: said("Branch"),
    steps: stepsOf(text),
    decisions: itemsOf(text, "Key Decisions").flatMap((line) => decisionIn(line) ?? []),
    findings: itemsOf(text, "Open Challenger Findings (must_fix only)"),
    checkpoint: point ? { step: dotted(point[1] ?? ""), name: point[2] ?? "" } : null,
  };
}

function stepsOf(text: string): HandoffStep[] {
  const ticks = [...text.matchAll(TICK)].map(([, tick, id = "", rest = ""]) => ({
    step: dotted(id),
    status: statusOf(tick?.toLowerCase() === "x", rest),
    first: [...rest.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
  }));
  // The list below has every artifact in the order of the steps; a step's line has its first, and so where its part begins.
  const byStep = new Map(ticks.map(({ step, first }) => [step, [...first]]));
  let at: string[] | null = null;
  for (const line of itemsOf(text, "Artifacts")) {
    const path = /^`([^`]+)`/.exec(line)?.[1];
    if (path === undefined) continue;
    const begun = ticks.find(({ first }) => first.includes(path));
    at = begun ? (byStep.get(begun.step) ?? null) : at;
    if (at && !at.includes(path)) at.push(path);
  }
  return ticks.map(({ step, status }) => ({ step, status, artifacts: byStep.get(step) ?? [] }));
}

function statusOf(isTicked: boolean, rest: string): StepStatus {
  if (/\(skipped\)/i.test(rest)) return "skipped";
  if (isTicked) return "complete";
  return /\(in progress\)/i.test(rest) ? "in_progress" : "pending";
}

/** The lines below a heading, up to the next one. */
function sectionOf(text: string, title: string): readonly string[] {
  const part = text.split(/^(?=## )/m).find((one) => one.startsWith(`## ${title}`));
  return part === undefined ? [] : part.split("\n").slice(1);
}

/** Items of its list, but for the one that says where the rest is. */
const itemsOf = (text: string, title: string): string[] =>
  sectionOf(text, title).flatMap((line) => {
    const item = /^- (.+?)\s*$/.exec(line)?.[1];
    return item === undefined || /^\d+ more in `/.test(item) ? [] : [item];
  });

function decisionIn(line: string): HandoffDecision | null {
  const step = new RegExp(String.raw` \(step ${STEP}\)$`).exec(line);
  const said = step ? line.slice(0, step.index) : line;
  const at = said.indexOf(": ");
  const key = at === -1 ? said : said.slice(0, at);
  const value = at === -1 ? said : valueIn(said.slice(at + 2));
  return key.trim() === "" ? null : { key, value, step: step ? dotted(step[1] ?? "") : null };
}

/** Lists and objects stand there as JSON; everything else is the text that it was. */
function valueIn(text: string): Json {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return text;
    throw thrown;
  }
}
