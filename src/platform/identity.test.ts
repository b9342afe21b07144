import { readFileSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { owner } from "../model/owner.ts";
import { bootId, hostId } from "./host.ts";
import { processStart, selfOwner } from "./identity.ts";

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
