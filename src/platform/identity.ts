/** Who this process is, in the words of K2, and on which machine and which start of it. */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Owner } from "../model/owner.ts";
import { readOrNull } from "./io-error.ts";
import { statusOfSelf, systemProcesses } from "./process-table.ts";
import { randomId } from "./random.ts";

// Which machine this is and which start of it (K2). Two environment variables stand in for both, so that
// one machine can play two hosts, or a reboot, in tests.

/** What `bootId` says where the kernel does not tell. It never proves a reboot. */
export const UNKNOWN_BOOT = "unknown";

const MACHINE_ID = /^[0-9a-f]{32}$/;

/** Stable per machine. Hashed, because a machine id is not meant to be shown to others. */
export function hostId(): string {
  const given = process.env.REFLOAT_HOST_ID;
  if (given !== undefined && given !== "") return given;
  const machineId = readLine("/etc/machine-id");
  // An image not started yet has an empty id or the word "uninitialized" there: the same on every machine.
  const source =
    machineId !== null && MACHINE_ID.test(machineId) ? `machine ${machineId}` : `host ${hostname()}`;
  return createHash("sha256").update(`refloat ${source}`).digest("hex").slice(0, 32);
}

/** What the machine is called, for people. */
export const hostName = (): string => hostname();

/** Differs after every start of the machine. */
export function bootId(): string {
  const given = process.env.REFLOAT_BOOT_ID;
  if (given !== undefined && given !== "") return given;
  return readLine("/proc/sys/kernel/random/boot_id") || UNKNOWN_BOOT;
}

/** Null where it cannot be read: for both files that is an ordinary answer (macOS, minimal containers). */
const readLine = (path: string): string | null => readOrNull(() => readFileSync(path, "utf8").trim());

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
  return readOrNull(() => readlinkSync("/proc/self/ns/pid")) ?? UNKNOWN_NAMESPACE;
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
