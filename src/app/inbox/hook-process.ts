/**
 * Whether the agent lives that called hooks, by the process they found above themselves (K2, DESIGN 15): boot, namespace, pid and start.
 * Where its namespace was not told, the same process here proves life, and its absence nothing.
 */
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { isJsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import { hostId, pidNamespace, processIdentity, UNKNOWN_NAMESPACE } from "../../platform/identity.ts";
import { livenessOf } from "../../platform/liveness.ts";
import { wordsOf } from "../../platform/process-list.ts";

/** As a session's row remembers it, or as one event tells it. */
export interface HookedProcess {
  readonly hook_process?: unknown;
  readonly hook_namespace?: unknown;
}

/** Null: no hook told of a process. */
export function hookOwner(facts: HookedProcess, label: string): Owner | null {
  const { hook_process: process, hook_namespace: namespace } = facts;
  if (!isJsonObject(process)) return null;
  const { boot, pid, started } = process;
  if (typeof boot !== "string" || typeof pid !== "number" || typeof started !== "number") return null;
  const pid_namespace = typeof namespace === "string" ? namespace : UNKNOWN_NAMESPACE;
  return { host: hostId(), boot, pid_namespace, pid, started, instance: `${label} ${pid}`, label };
}

/** Of an agent that nothing is known of (K2). */
export const unknownOwner = (label: string): Owner => ({
  ...processIdentity(0),
  pid_namespace: UNKNOWN_NAMESPACE,
  instance: `${label} ?`,
  label,
});

export type HookLife =
  | { readonly kind: "alive"; readonly owner: Owner }
  | { readonly kind: "dead"; readonly because: "reboot" | "gone" }
  /** Its namespace is another, or cannot be read: unreachable, never dead. */
  | { readonly kind: "unreachable"; readonly owner: Owner }
  /** No hook told of a process, or of one that all of the user's sessions share, or not in which namespace: other signs must say. */
  | { readonly kind: "untold" };

export function lifeByHooks(facts: HookedProcess, adapter: AgentAdapter): HookLife {
  const owner = hookOwner(facts, adapter.name);
  if (owner === null) return { kind: "untold" };
  const isPlaceTold = owner.pid_namespace !== UNKNOWN_NAMESPACE;
  const life = livenessOf(isPlaceTold ? owner : { ...owner, pid_namespace: pidNamespace() });
  switch (life.kind) {
    case "alive":
      // That a server lives which serves all sessions says nothing of one of them.
      return adapter.launch?.serves?.(wordsOf(owner.pid) ?? []) === true
        ? { kind: "untold" }
        : { kind: "alive", owner };
    case "dead":
      if (life.because === "reboot") return { kind: "dead", because: "reboot" };
      return isPlaceTold ? { kind: "dead", because: "gone" } : { kind: "untold" };
    case "unreachable":
    case "elsewhere":
      return { kind: "unreachable", owner };
  }
}
