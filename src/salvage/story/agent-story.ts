/**
 * What the agent's own records add to a session's story: its plan as it stands, its subagents, how often its context was shortened.
 * All of it is the agent's word about itself (T2). Lenient like every reader: what does not fit is left out (D5).
 */
import { isJsonObject, type Json } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";

export const AGENT_TOLD = ["agent.planned", "agent.child", "agent.compacted"] as const;

export interface StoryPlanItem {
  readonly text: string;
  readonly state: "open" | "doing" | "done";
}

export interface StoryChild {
  readonly id: string;
  readonly label: string;
  readonly state: "begun" | "done" | "failed";
}

export interface AgentStory {
  /** As it was last told; empty: it keeps none. */
  readonly plan: readonly StoryPlanItem[];
  /** In the order they were first heard of. */
  readonly children: readonly StoryChild[];
  readonly compactions: number;
}

export const NO_AGENT_STORY: AgentStory = { plan: [], children: [], compactions: 0 };

export class AgentFold {
  #plan: readonly StoryPlanItem[] = [];
  readonly #children = new Map<string, StoryChild>();
  #compactions = 0;

  add({ kind, body }: StoredRecord): void {
    if (kind === "agent.planned") this.#plan = listOf(body.items).flatMap(itemOf);
    if (kind === "agent.child") this.#child(textOf(body.child), textOf(body.label), body.state);
    if (kind === "agent.compacted") this.#compactions++;
  }

  get told(): AgentStory {
    return { plan: this.#plan, children: [...this.#children.values()], compactions: this.#compactions };
  }

  #child(id: string, label: string, state: Json | undefined): void {
    if (id === "" || (state !== "begun" && state !== "done" && state !== "failed")) return;
    const before = this.#children.get(id);
    // It is told of twice, by its parent and by its own file, which knows no label; what is over does not begin again.
    const stays = before !== undefined && state === "begun";
    this.#children.set(id, {
      id,
      label: label === "" ? (before?.label ?? "") : label,
      state: stays ? before.state : state,
    });
  }
}

function itemOf(item: Json): readonly StoryPlanItem[] {
  if (!isJsonObject(item)) return [];
  const { text, state } = item;
  if (typeof text !== "string" || (state !== "open" && state !== "doing" && state !== "done")) return [];
  return [{ text, state }];
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

/** Words to the agent's program, not about the work. Custom commands of a person's own are requests like any other. */
const TO_THE_PROGRAM =
  /^\/(?:compact|compress|context|clear|model|status|stats|cost|usage|config|settings|login|logout|auth|help|exit|quit|resume|doctor|memory|permissions|mcp|tools|theme|vim|hooks|agents|export)\b.{0,40}$/;

/** What a session is for, where nobody said so: its first request that is about work. */
export function firstAbout<M extends { readonly text: string }>(requests: readonly M[]): M | undefined {
  return requests.find(({ text }) => !isToTheProgram(text)) ?? requests[0];
}

export const isToTheProgram = (text: string): boolean => TO_THE_PROGRAM.test(text.trim());
