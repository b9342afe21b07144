/**
 * Subagents by what the session's records tell of them: done, failed, half-done (it worked, and nobody saw its end) or asked for and not
 * seen to begin. A finished one is never done again. Pure.
 */
import type { FoldedCall } from "../conversation/fold.ts";
import { isJsonObject } from "../model/json.ts";
import type { AgentStory } from "../salvage/story/agent-story.ts";
import { tellingText } from "../text/telling-text.ts";
import type { BriefChild } from "./brief-facts.ts";
import { isEnded } from "./told-work.ts";

const MAX_CHILDREN = 20;
/** Far more than is shown: secrets are taken out before anything is cut to its line (T4). */
const LABEL_CHARS = 2000;

export function childrenOf(calls: readonly FoldedCall[], told: AgentStory): readonly BriefChild[] {
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
