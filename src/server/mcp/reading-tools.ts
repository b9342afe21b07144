/**
 * Tools that look: where things stand, what a session left, its brief, and what settling would do. The user's check is not run by any
 * of them, and they say so (S7): an agent asks often, and a check takes minutes.
 */
import { z } from "zod";
import { conflictJson } from "../../app/acts/told-act.ts";
import { briefHere } from "../../app/handoff/session-brief.ts";
import { scopeOf } from "../../app/place/scope.ts";
import { inspect } from "../../app/salvage/inspect.ts";
import { settle } from "../../app/salvage/settle.ts";
import type { SettleRequest } from "../../app/salvage/settle-order.ts";
import { toldCheck } from "../../app/salvage/told-check.ts";
import { toldSettle } from "../../app/salvage/told-settle.ts";
import { noSessionHere } from "../../app/sessions/find-session.ts";
import { status } from "../../app/status/status.ts";
import { toldStatus } from "../../app/status/told-status.ts";
import { RefloatError } from "../../model/errors.ts";
import { MAX_BUDGET_TOKENS, MAX_ID_BYTES, MCP_LIST_ITEMS, MIN_BUDGET_TOKENS } from "../../model/limits.ts";
import { shellWord } from "../../text/escape.ts";
import { shortId } from "../../text/short-id.ts";
import { type Tool, type ToolAnswer, type ToolPlace, textInput, tool } from "./tool.ts";

const session = textInput(
  z.string(),
  "Of a session of this repository its id, name or the beginning of its id; left out: the newest unsettled one here, else the newest.",
  MAX_ID_BYTES,
).optional();

const statusTool = tool({
  name: "status",
  title: "Where things stand",
  description:
    "Sessions of this repository (live, interrupted, suspended, finished), what they left uncommitted with a verdict on each group, and the next command. Use it first, before you touch a tree you did not leave yourself.",
  input: z.strictObject({}),
  readsOnly: true,
  answer: async (at) => {
    const scope = scopeOf(at.place(), "repository");
    const json = toldStatus(await status(at, scope, at.face), scope, at.typed);
    return { command: "status", json, said: [] };
  },
});

const inspectTool = tool({
  name: "inspect",
  title: "What a session left",
  description:
    "The manifest of a session: its goal, its open calls and operations, its decisions, and every uncommitted group with its verdict (safe, risky, unknown) and the reasons. Changes nothing.",
  input: z.strictObject({ session }),
  readsOnly: true,
  answer: (at, given) => inspected(at, given.session ?? null),
});

export async function inspected(at: ToolPlace, named: string | null): Promise<ToolAnswer> {
  const order = { session: named, verify: null, isLinking: false, stopsLeftovers: false, isChecking: false };
  const { manifest, judged } = await inspect(at, order, at.face);
  const check = await toldCheck(judged);
  return {
    command: "inspect",
    json: { ...manifest, next: manifest.next.map(at.typed), check },
    said: check?.state === "not-run" ? ["Not checked: the user's check was not run for this answer."] : [],
  };
}

const handoffTool = tool({
  name: "handoff",
  title: "The brief for whoever goes on",
  description:
    "What the session before you was doing, what it finished, what is half done and what was decided, as Markdown within a token budget. Read it before you go on with work that was cut off.",
  input: z.strictObject({
    session,
    budget: z
      .number()
      .int()
      .min(MIN_BUDGET_TOKENS)
      .max(MAX_BUDGET_TOKENS)
      .describe("Tokens it may take; left out: as configured, else 2000.")
      .optional(),
  }),
  readsOnly: true,
  answer: (at, given) => briefed(at, given.session ?? null, given.budget ?? null),
});

export async function briefed(
  at: ToolPlace,
  named: string | null,
  budget: number | null,
): Promise<ToolAnswer> {
  const onWorkspace = (root: string): void => at.face.tell({ kind: "about", root });
  const told = await briefHere(at, { session: named, budget }, { typed: at.typed, onWorkspace });
  if (!told) throw await noSessionHere(at);
  const { brief, facts } = told;
  const { left_out, tokens, markdown } = brief;
  const json = { session: facts.session, base: facts.base, budget: brief.budget, tokens, left_out, markdown };
  return { command: "handoff", json, said: [], markdown };
}

const POLICIES = ["default", "revert-or-commit", "park-all", "leave"] as const;

const settleTool = tool({
  name: "settle",
  title: "What settling would do",
  description:
    "The plan for what a session left: which groups would be committed, parked, discarded or left, and the command a person runs to do it. Plans only: nothing is changed by this tool, and no agent settles its own work.",
  input: z.strictObject({
    session,
    policy: z.enum(POLICIES).describe("Left out: the configured one, else default.").optional(),
    groups: z
      .array(textInput(z.string(), "A group's id, or the beginning of it.", MAX_ID_BYTES))
      .min(1)
      .max(MCP_LIST_ITEMS)
      .describe("Only these; left out: all of the session's.")
      .optional(),
    adopt: z.boolean().describe("Plan also what nobody recorded a session for.").optional(),
  }),
  readsOnly: true,
  answer: async (at, { session: named, policy, groups, adopt }) => {
    const request = planOnly({
      session: named ?? null,
      does: { kind: "settle", policy: policy ?? null },
      selection: { ids: groups ?? [], isSafe: false, isAll: false, isAdopted: adopt ?? false },
    });
    const no = async (): Promise<"no"> => "no";
    const how = { ...at.face, mayAct: false, ask: no, askPutBack: no, review: null };
    const ended = await settle(at, how, request);
    if (ended.kind === "signal") throw new RefloatError("E_INTERNAL", { why: "a review nobody was shown" });
    const plan = toldSettle(ended);
    const words = [
      ...["refloat", "settle", ...(plan.session === null ? [] : [shellWord(shortId(plan.session))])],
      ...(policy ? ["--policy", policy] : []),
      ...(groups ?? []).flatMap((group) => ["--group", shellWord(group)]),
      ...(adopt ? ["--adopt"] : []),
    ];
    const command = at.typed(words.join(" "));
    const json = {
      plan,
      done: false,
      conflicts: ended.settled.conflicts.map(conflictJson),
      commit: null,
      command,
    };
    return {
      command: "settle",
      json,
      said: [`Nothing was changed. A person settles it by: ${command}`],
    };
  },
});

/** T2: whatever is asked for, it is looked at and said. */
const planOnly = (asked: Pick<SettleRequest, "session" | "does" | "selection">): SettleRequest => ({
  ...asked,
  paths: () => [],
  isDryRun: true,
  ...{ message: null, branch: null, hooks: "scratch", acceptsHookChanges: false },
  ...{ isLinking: false, isChecking: false, toleratesConfig: false },
  ...{ stops: null, isOfEnded: false, order: null, agreed: null },
});

export const READING_TOOLS: readonly Tool[] = [statusTool, inspectTool, handoffTool, settleTool];
