/**
 * Is the owner of a claim alive (K2)? On one host alive means: boot id, pid namespace, pid and process start
 * time all match. "dead" is only ever said with proof; what cannot be proved is `unreachable`, and of another
 * host nothing is known here at all.
 */
import type { Liveness, Owner } from "../model/owner.ts";
import { bootId, hostId, pidNamespace, UNKNOWN_BOOT, UNKNOWN_NAMESPACE } from "./identity.ts";
import { type ProcessTable, systemProcesses } from "./process-table.ts";

/** Where the question is asked. */
export interface HostHere {
  readonly host: string;
  readonly boot: string;
  readonly pidNamespace: string;
}

export function livenessOf(owner: Owner): Liveness {
  const here = { host: hostId(), boot: bootId(), pidNamespace: pidNamespace() };
  return decideLiveness(owner, here, systemProcesses);
}

export function decideLiveness(owner: Owner, here: HostHere, table: ProcessTable): Liveness {
  if (owner.host !== here.host) return { kind: "elsewhere", host: owner.host };
  const isBootKnown = owner.boot !== UNKNOWN_BOOT && here.boot !== UNKNOWN_BOOT;
  if (isBootKnown && owner.boot !== here.boot) return { kind: "dead", because: "reboot" };
  if (owner.pid_namespace !== here.pidNamespace) return { kind: "unreachable", because: "other-namespace" };
  // Two unknown namespaces are equal words, not one namespace: the pid may be a stranger's.
  if (owner.pid_namespace === UNKNOWN_NAMESPACE) return { kind: "unreachable", because: "not-readable" };
  return decideByPid(owner, table);
}

function decideByPid(owner: Owner, table: ProcessTable): Liveness {
  const status = table.statusOf(owner.pid);
  if (status === null) {
    // Asked after the failed read: a process that ended in between is then found missing.
    if (table.exists(owner.pid) === false) return { kind: "dead", because: "no-such-process" };
    return { kind: "unreachable", because: "not-readable" };
  }
  if (status.hasExited) return { kind: "dead", because: "no-such-process" };
  if (owner.started === null) return { kind: "unreachable", because: "not-readable" };
  if (status.started !== owner.started) return { kind: "dead", because: "pid-reused" };
  return { kind: "alive" };
}
