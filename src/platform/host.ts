/**
 * Which machine this is and which start of it (K2). Two environment variables stand in for both, so that
 * one machine can play two hosts, or a reboot, in tests.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

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

/** Differs after every start of the machine. */
export function bootId(): string {
  const given = process.env.REFLOAT_BOOT_ID;
  if (given !== undefined && given !== "") return given;
  return readLine("/proc/sys/kernel/random/boot_id") || UNKNOWN_BOOT;
}

/** Null where it cannot be read: for both files that is an ordinary answer (macOS, minimal containers). */
function readLine(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (_unreadable) {
    return null;
  }
}
