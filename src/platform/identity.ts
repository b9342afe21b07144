/** Who this process is, in the words of K2. */
import { readlinkSync } from "node:fs";
import type { Owner } from "../model/owner.ts";
import { bootId, hostId } from "./host.ts";
import { statusOfSelf, systemProcesses } from "./process-table.ts";
import { randomId } from "./random.ts";

/** What `pidNamespace` says where it should be readable and is not: nothing about a pid can be proved then. */
export const UNKNOWN_NAMESPACE = "unknown";

/** Every call makes another instance: two handles of one process are two owners. */
export function selfOwner(label?: string): Owner {
  return {
    host: hostId(),
    boot: bootId(),
    pid_namespace: pidNamespace(),
    pid: process.pid,
    started: statusOfSelf()?.started ?? null,
    instance: randomId(),
    ...(label === undefined ? {} : { label }),
  };
}

/** Clock ticks between the machine's start and the process's; null where they cannot be read. */
export function processStart(pid: number): number | null {
  return systemProcesses.statusOf(pid)?.started ?? null;
}

/** The kernel's name of this process's pid namespace; "none" on systems that have only one. */
export function pidNamespace(): string {
  if (process.platform !== "linux") return "none";
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch (_unreadable) {
    return UNKNOWN_NAMESPACE;
  }
}

export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  readonly pid_namespace: string;
  readonly pid: number;
  readonly started: number | null;
}

/** Another process of this machine in the words of K2, as a record of it holds them. */
export function processIdentity(pid: number): ProcessIdentity {
  return { host: hostId(), boot: bootId(), pid_namespace: pidNamespace(), pid, started: processStart(pid) };
}

export const selfPid = (): number => process.pid;
