import { readFileSync, readlinkSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { owner } from "../model/owner.ts";
import { bootId, hostId, processStart, selfOwner } from "./identity.ts";

test("an owner names this process by host, boot, pid namespace, pid and start time, as K2 wants it", () => {
  const self = selfOwner("claude");
  expect(owner.parse(self)).toEqual(self);
  expect(self).toEqual({
    host: hostId(),
    boot: bootId(),
    pid_namespace: readlinkSync("/proc/self/ns/pid"),
    pid: process.pid,
    started: processStart(process.pid),
    instance: self.instance,
    label: "claude",
  });
  expect(self.started).toBeGreaterThan(0);
  expect(readFileSync("/proc/self/stat", "utf8")).toContain(` ${self.started} `);
});

test("two owners of one process differ by instance, and no label leaves no empty field", () => {
  const first = selfOwner();
  expect(first.instance).not.toBe(selfOwner().instance);
  expect(first).not.toHaveProperty("label");
});

test("the start time of a process that is not there is null, never zero", () => {
  expect(processStart(2 ** 31 - 1)).toBeNull();
});

const files = vi.hoisted(() => ({
  machineId: undefined as string | undefined,
  boot: undefined as string | undefined,
}));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const readFileSync = (path: string, ...options: []) => {
    const isMachine = path === "/etc/machine-id";
    if (!isMachine && !path.endsWith("/boot_id")) return fs.readFileSync(path, ...options);
    const text = isMachine ? files.machineId : files.boot;
    if (text === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
    return text;
  };
  return { ...fs, readFileSync };
});

afterEach(() => {
  vi.unstubAllEnvs();
  files.machineId = undefined;
  files.boot = undefined;
});

test("the host id follows the machine id, is the same each time and does not give the machine id away", () => {
  files.machineId = "0123456789abcdef0123456789abcdef\n";
  const first = hostId();
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(first).toBe(hostId());
  expect(first).not.toContain("0123456789abcdef");
  files.machineId = "1123456789abcdef0123456789abcdef\n";
  expect(hostId()).not.toBe(first);
});

test.each([undefined, "", "uninitialized\n"])(
  "a machine id of %j, the same on many machines, is not used: the host's name stands in",
  (text) => {
    const byName = hostId();
    files.machineId = text;
    expect(hostId()).toBe(byName);
    files.machineId = "0123456789abcdef0123456789abcdef\n";
    expect(hostId()).not.toBe(byName);
  },
);

test("the boot id is the kernel's, without its newline, and says unknown where the kernel does not tell", () => {
  files.boot = "1d7825d9-397d-4295-804f-d77377b5ad80\n";
  expect(bootId()).toBe("1d7825d9-397d-4295-804f-d77377b5ad80");
  files.boot = "";
  expect(bootId()).toBe("unknown");
  files.boot = undefined;
  expect(bootId()).toBe("unknown");
});

test("the environment lets one machine play another host or another start, and an empty value does not", () => {
  const own = hostId();
  vi.stubEnv("REFLOAT_HOST_ID", "host-b");
  vi.stubEnv("REFLOAT_BOOT_ID", "boot-b");
  expect([hostId(), bootId()]).toEqual(["host-b", "boot-b"]);
  vi.stubEnv("REFLOAT_HOST_ID", "");
  vi.stubEnv("REFLOAT_BOOT_ID", "");
  expect([hostId(), bootId()]).toEqual([own, "unknown"]);
});
