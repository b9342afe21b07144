/** What is left in the tree and what is known of it, as pieces of a brief: verdicts, claims, leftovers, progress. */
import type { Json } from "../model/json.ts";
import type { PathName } from "../model/path-name.ts";
import { count } from "../text/counting.ts";
import { inlineText, inlineTyped, plainWord, typedPath } from "../text/fence.ts";
import { jsonOrText } from "../text/telling-text.ts";
import type { BriefFacts, BriefGroup, BriefVerdict } from "./brief-facts.ts";
import { type BriefPiece, RANK } from "./brief-piece.ts";

/** Named one by one in the first place; a mess of more is named by its counts. */
const FIRST_GROUPS = 6;
/** What can be kept is not left out for many that cannot. */
const FIRST_SAFE = 4;
const FIRST_DECISIONS = 5;
/** With a settling of four verdicts' worth of acts among them. */
const FIRST_DONE = 8;
/** Of these the last to give way, beside the next command. */
const NEWEST_ACTS = 3;
/** Names, and a command for another workspace: it must not be cut (T6). */
const DONE_BYTES = 600;
/** Reasons and paths shown of one group where there is room. */
const GROUP_REASONS = 4;
const GROUP_PATHS = 12;

/** The worst first. */
const VERDICTS: readonly BriefVerdict[] = ["risky", "unknown", "safe"];

export function workPieces({ groups }: BriefFacts): BriefPiece[] {
  if (groups.length === 0) return [];
  const counts = VERDICTS.map((verdict) => ({
    verdict,
    groups: groups.filter((group) => group.verdict === verdict).length,
  }));
  const said = counts.filter((one) => one.groups > 0).map((one) => `${one.groups} ${one.verdict}`);
  const value = Object.fromEntries(counts.map((one) => [one.verdict, one.groups]));
  const worstFirst = VERDICTS.flatMap((verdict) => groups.filter((group) => group.verdict === verdict));
  const safe = new Set(groups.filter(({ verdict }) => verdict === "safe").slice(0, FIRST_SAFE));
  return [
    {
      section: "work",
      slot: "verdicts",
      rank: RANK.verdicts,
      markdown: `${count(groups.length, "group")} of changes: ${said.join(", ")}.\n`,
      json: { field: "verdicts", value },
    },
    ...worstFirst.flatMap((group, at) =>
      groupPieces(group, at, { isFirst: at < FIRST_GROUPS || safe.has(group) }),
    ),
  ];
}

function groupPieces(
  group: BriefGroup,
  at: number,
  { isFirst }: { readonly isFirst: boolean },
): BriefPiece[] {
  const { id, verdict, reasons, changes } = group;
  const named = inlineText(id, 40);
  const why = reasons[0] === undefined ? "" : `: ${inlineText(reasons[0].message, 100)}`;
  const first = changes[0] === undefined ? "" : ` ${inlineName(changes[0].path, 60)}`;
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : "";
  const shown = { id, verdict, changes: changes.length };
  const short: BriefPiece = {
    section: "work",
    slot: `group:${at}`,
    rank: isFirst ? RANK.group : RANK.older,
    markdown: `- ${verdict} ${named}${first}${more}${why}\n`,
    json: {
      list: "groups",
      value: { ...shown, reasons: reasons.slice(0, 1) as Json, paths: pathsOf(group, 1) },
    },
  };
  if (reasons.length <= 1 && changes.length <= 1) return [short];
  const lines = [
    `- ${verdict} ${named}, ${count(changes.length, "change")}`,
    ...reasons
      .slice(0, GROUP_REASONS)
      .map(({ rule, message }) => `  - ${inlineText(rule, 40)}: ${inlineText(message, 200)}`),
    ...changes
      .slice(0, GROUP_PATHS)
      .map(({ path, kind, owner }) => `  - ${inlineName(path, 200)} ${plainWord(kind)}, ${plainWord(owner)}`),
    ...(changes.length > GROUP_PATHS ? [`  - ${changes.length - GROUP_PATHS} more`] : []),
  ];
  const value = {
    ...shown,
    reasons: reasons.slice(0, GROUP_REASONS) as Json,
    paths: pathsOf(group, GROUP_PATHS),
  };
  return [
    short,
    {
      ...short,
      rank: isFirst ? RANK.longGroup : RANK.longOlder,
      markdown: `${lines.join("\n")}\n`,
      json: { list: "groups", value },
    },
  ];
}

const inlineName = (path: string, maxBytes: number): string =>
  inlineTyped(typedPath(path as PathName), maxBytes);

const pathsOf = ({ changes }: BriefGroup, most: number): Json =>
  changes.slice(0, most).map(({ path }) => path);

export function claimPieces({ claims_contradicted }: BriefFacts): BriefPiece[] {
  return claims_contradicted.map(({ claim, said, evidence }, at) => ({
    section: "claims",
    slot: `claim:${at}`,
    rank: RANK.claim,
    markdown: `- It said ${inlineText(said, 100)}; ${inlineText(evidence, 100)}\n`,
    json: { list: "claims_contradicted", value: { claim, said, evidence } },
  }));
}

export function leftoverPieces({ leftovers }: BriefFacts): BriefPiece[] {
  return leftovers.map(({ pid, command }, at) => ({
    section: "leftovers",
    slot: `leftover:${at}`,
    rank: at < FIRST_GROUPS ? RANK.leftover : RANK.older,
    markdown: `- ${pid}: ${inlineText(command)}\n`,
    json: { list: "leftovers", value: { pid, command } },
  }));
}

/** The step at work first in rank: what is done is told by what is not. */
export function stepPieces({ steps }: BriefFacts): BriefPiece[] {
  return steps.map(({ id, name, status, sub_step }, at) => {
    const isAtWork = status === "in_progress";
    const after = sub_step === null ? "" : `, after ${inlineText(sub_step, 60)}`;
    return {
      section: "steps",
      slot: `step:${at}`,
      rank: isAtWork ? RANK.step : RANK.older,
      markdown: `- ${inlineText(`${id} ${name}`, 80)}: ${plainWord(status)}${after}\n`,
      json: { list: "steps", value: { id, name, status, sub_step } },
    };
  });
}

/** Of as much weight as the step at work: the file does not say it, and whoever goes on would do it again. */
export function saidPieces({ said = [] }: BriefFacts): BriefPiece[] {
  return said.map(({ order, refused }, at) => {
    const became = refused === null ? "not in the state file yet" : `refused: ${inlineText(refused, 160)}`;
    return {
      section: "steps",
      slot: `said:${at}`,
      rank: RANK.step,
      markdown: `- Said from a sandbox: ${inlineText(order, 80)}, ${became}\n`,
      json: { list: "said", value: { order, refused } },
    };
  });
}

/** The newest are asked for most; all stay in their order. */
export function decisionPieces({ decisions }: BriefFacts): BriefPiece[] {
  return decisions.map(({ key, value, reason, step }, at) => {
    const why = reason === null || reason === "" ? "" : ` because ${inlineText(reason, 120)}`;
    return {
      section: "decisions",
      slot: `decision:${at}`,
      rank: at >= decisions.length - FIRST_DECISIONS ? RANK.decision : RANK.older,
      markdown: `- ${inlineText(key, 80)}: ${inlineText(jsonOrText(value), 120)}${why}\n`,
      json: { list: "decisions", value: { key, value, reason, step } },
    };
  });
}

export function waitingPieces({ waiting }: BriefFacts): BriefPiece[] {
  return waiting.map(({ from, text }, at) => ({
    section: "waiting",
    slot: `waiting:${at}`,
    rank: RANK.waiting,
    markdown: `- ${from === null ? "" : `from ${inlineText(from, 40)}: `}${inlineText(text ?? "", 200)}\n`,
    json: { list: "waiting", value: { from, text } },
  }));
}

export function donePieces({ done }: BriefFacts): BriefPiece[] {
  return done.flatMap((one, place) => {
    const isFirst = place >= done.length - FIRST_DONE;
    const whole: BriefPiece = {
      section: "done",
      slot: `done:${place}`,
      rank: isFirst ? RANK.done : RANK.older,
      markdown: `- ${inlineTyped(one.text, DONE_BYTES)}\n`,
      json: { list: "done", value: { ...one } as unknown as Json },
    };
    if (one.act === undefined || one.command === undefined || !isFirst) return [whole];
    const rank = place >= done.length - NEWEST_ACTS ? RANK.act : RANK.olderAct;
    return [{ ...whole, rank, markdown: `- ${shortAct(one.act, one.command)}\n` }, whole];
  });
}

/** What was done to the tree and the command that has it back: nobody is to do it again, or to miss what is gone. */
const shortAct = (act: string, command: string): string =>
  `${inlineText(act, 30)}: ${inlineTyped(command, DONE_BYTES)}`;

export function nextPieces({ next }: BriefFacts): BriefPiece[] {
  return next.map((command, at) => ({
    section: "next",
    slot: `next:${at}`,
    rank: at === 0 ? RANK.next : RANK.moreNext,
    markdown: `- ${inlineTyped(command, DONE_BYTES)}\n`,
    json: { list: "next", value: command },
  }));
}
