/**
 * Subagents by what the session's records tell of them: done, failed, half-done (it worked, and nobody saw its end) or asked for and not
 * seen to begin; where it worked, and what is judged of what it left. A finished one is never done again.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FoldedCall } from "../conversation/fold.ts";
import { isJsonObject } from "../model/json.ts";
import type { Manifest } from "../model/manifest.ts";
import { placeInside } from "../platform/places.ts";
import type { AgentStory } from "../salvage/story/agent-story.ts";
import type { ChildTool } from "../text/child-resume-words.ts";
import { tellingText } from "../text/telling-text.ts";
import type { BriefChild } from "./brief-facts.ts";
import { fileName, isEnded } from "./told-work.ts";

const MAX_CHILDREN = 20;
/** Far more than is shown: secrets are taken out before anything is cut to its line (T4). */
const LABEL_CHARS = 2000;

export interface ChildSurroundings {
  /** The workspace's top. */
  readonly root: string;
  readonly groups: Manifest["groups"];
  /** The folder that each worked in, by its own transcript. */
  readonly places: ReadonlyMap<string, string>;
  /** Null: its agent has none, or nobody knows the agent. */
  readonly tool: ChildTool | null;
}

export function childrenOf(
  calls: readonly FoldedCall[],
  told: AgentStory,
  around: ChildSurroundings,
): readonly BriefChild[] {
  return withoutPlaces(calls, told).map((child) => ({
    ...child,
    ...leftBy(child, calls, around),
    ...resumeOf(child, around.tool),
  }));
}

/** No subagent is started from outside: whoever began it goes on with it, where its agent lets it; else the rest is another one's. */
function resumeOf({ id, state }: BriefChild, by: ChildTool | null): Pick<BriefChild, "resume"> {
  switch (state) {
    case "done":
    case "failed":
      return {};
    case "half-done":
      return { resume: by !== null && id !== null ? { by: "parent", ...by } : { by: "none" } };
    case "no-result":
    case "not-seen":
      return { resume: { by: "again" } };
  }
}

/** Where it worked, where that is a work tree of its own, and what is judged of its edits here. */
function leftBy(
  { id }: BriefChild,
  calls: readonly FoldedCall[],
  { root, groups, places }: ChildSurroundings,
): Pick<BriefChild, "worktree" | "verdict" | "groups"> {
  if (id === null) return {};
  const place = places.get(id);
  const worktree = place === undefined ? null : ownTree(place, root);
  const edits = calls.filter(({ heard }) => heard?.child === id && heard.does === "edit");
  const names = new Set(edits.flatMap(({ heard }) => heard?.paths ?? []).map((path) => fileName(root, path)));
  const own = groups.filter(({ changes }) => changes.some(({ path }) => names.has(path)));
  const verdict = VERDICTS.find((one) => own.some((group) => group.verdict === one));
  return {
    ...(worktree === null ? {} : { worktree }),
    ...(verdict === undefined ? {} : { verdict, groups: own.map((group) => group.id).slice(0, MAX_GROUPS) }),
  };
}

/** The worst first. */
const VERDICTS = ["risky", "unknown", "safe"] as const;
const MAX_GROUPS = 5;

/** A folder below the session's top is its own tree only where git says so there; one that is gone is named by itself. */
function ownTree(place: string, root: string): string | null {
  for (let at = place; at !== root && at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, ".git"))) return at;
  return placeInside(root, place) === null && !existsSync(place) ? place : null;
}

function withoutPlaces(calls: readonly FoldedCall[], told: AgentStory): readonly BriefChild[] {
  const known = told.children.map((child) => childFact(child.id, child.label, child.state, calls));
  const named = new Set(known.map(({ id }) => id));
  const working = [...new Set(calls.flatMap(({ heard }) => heard?.child ?? []))]
    .filter((id) => !named.has(id))
    .map((id) => childFact(id, "", "begun", calls));
  const asked = calls.filter(({ heard }) => heard?.does === "delegate" && heard.child === null);
  const open = asked.filter((call) => !isEnded(call));
  const nameless = [...known, ...working].filter(({ state, label }) => state === "half-done" && label === "");
  return [...known, ...working]
    .map((child) => {
      // One that works and one that was asked for: they are the same. Of more nobody says which is which.
      const [call] = open.length === 1 && nameless.length === 1 && nameless[0] === child ? open : [];
      return call ? { ...child, label: labelOf(call) } : child;
    })
    .concat(notBegun(open, nameless.length, known))
    .slice(-MAX_CHILDREN);
}

/** Those that were asked for beyond the ones that are known to have worked. */
function notBegun(
  open: readonly FoldedCall[],
  nameless: number,
  known: readonly BriefChild[],
): readonly BriefChild[] {
  const labels = new Set(known.filter(({ state }) => state === "half-done").map(({ label }) => label));
  const left = open.filter((call) => !labels.has(labelOf(call)));
  if (left.length <= nameless) return [];
  return left.map((call) => ({
    ...{ id: null, label: labelOf(call), calls: 0, at: null },
    state: nameless === 0 ? ("not-seen" as const) : ("no-result" as const),
  }));
}

function childFact(
  id: string,
  label: string,
  state: "begun" | "done" | "failed",
  calls: readonly FoldedCall[],
): BriefChild {
  const own = calls.filter(({ heard }) => heard?.child === id);
  const last = own.findLast((call) => !isEnded(call)) ?? own.at(-1);
  return {
    ...{ id, label: label.slice(0, LABEL_CHARS), calls: own.length },
    state: state === "begun" ? "half-done" : state,
    at: last ? tellingText(last.input).slice(0, LABEL_CHARS) : null,
  };
}

/** As agents name what a subagent is to do. */
function labelOf({ input, tool }: FoldedCall): string {
  if (!isJsonObject(input)) return tool;
  const fields = [input.description, input.label, input.name, input.task, input.prompt, input.message];
  const said = fields.find((one) => typeof one === "string" && one.trim() !== "");
  return (typeof said === "string" ? said : tellingText(input)).slice(0, LABEL_CHARS);
}
