/**
 * Whether an event comes from another process than the one its session lives in (K1, K2). Files in the inbox can be late, of a process that is
 * long gone, or of a second one that goes by the same id: where the session's own process is proved alive, none of that is its end. Where
 * nothing is proved, what was told is taken as it was told.
 */
import type { HookAncestor } from "../../agents/inbox/format.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { isJsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import type { BodyOf } from "../../model/record.ts";
import { pidNamespace } from "../../platform/identity.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { wordsOf } from "../../platform/process-list.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { isSupervisedNow } from "../../store/contract/session-facts.ts";
import { hookOwner, lifeByHooks } from "./hook-process.ts";

export interface EventProcess {
  /** The agent above the hook; null: the event does not tell. */
  readonly process: BodyOf<"agent.observed">["process"];
  /** All that it found above itself. */
  readonly ancestors: readonly HookAncestor[];
}

export function isOfAnother(row: SessionRow, adapter: AgentAdapter, told: EventProcess): boolean {
  const { facts, claim } = row;
  if (claim.owner === null || told.process === null || hasLeft(row, adapter)) return false;
  const called = lifeByHooks(facts, adapter);
  if (called.kind === "alive") return !isBelow(called.owner, told);
  // Its owner may be the launcher of what calls the hooks: then only an event of nobody who lives is another's. A supervisor lives longer than
  // the agent whose claim it holds: that says nothing of who called.
  const isHeldByAgent = facts.only_heard === true && !isSupervisedNow(row);
  const isOwnersOwn = isHeldByAgent && isAgentAlive(claim.owner, adapter);
  return isOwnersOwn && !isBelow(claim.owner, told) && !isAlive(told, adapter);
}

/** The last that the session's own process told is that it ended this conversation: whoever goes on with it is the next. */
function hasLeft({ facts: { hooked } }: SessionRow, { name, hooks }: AgentAdapter): boolean {
  if (!isJsonObject(hooked) || hooked.agent !== name) return false;
  return hooks?.events.find((one) => one.name === hooked.event)?.moment === "session-end";
}

function isBelow({ boot, pid, started }: Owner, { process, ancestors }: EventProcess): boolean {
  return process?.boot === boot && ancestors.some((one) => one.pid === pid && one.start === started);
}

/** A server that all of the user's sessions share lives for none of them. */
const isAgentAlive = (owner: Owner, { launch }: AgentAdapter): boolean =>
  livenessOf(owner).kind === "alive" && launch?.serves?.(wordsOf(owner.pid) ?? []) !== true;

function isAlive({ process }: EventProcess, { name }: AgentAdapter): boolean {
  const owner = hookOwner({ hook_process: process, hook_namespace: pidNamespace() }, name);
  return owner !== null && livenessOf(owner).kind === "alive";
}
