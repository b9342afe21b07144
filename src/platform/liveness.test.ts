import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { unshareArguments } from "../../test/support/needs.ts";
import { program } from "../../test/support/program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { processStart, selfOwner } from "./identity.ts";
import { decideLiveness, type HostHere, livenessOf } from "./liveness.ts";
import type { ProcessStatus, ProcessTable } from "./process-table.ts";

const HERE: HostHere = { host: "a", boot: "boot-1", pidNamespace: "pid:[1]" };
const OWNER: Owner = {
  host: "a",
  boot: "boot-1",
  pid_namespace: "pid:[1]",
  pid: 42,
  started: 700,
  instance: "i",
};

const running = (started: number): ProcessStatus => ({ started, hasExited: false });
const exited = (started: number): ProcessStatus => ({ started, hasExited: true });
const present = (status: ProcessStatus): ProcessTable => ({ statusOf: () => status, exists: () => true });
const MISSING: ProcessTable = { statusOf: () => null, exists: () => false };
const HIDDEN: ProcessTable = { statusOf: () => null, exists: () => true };
const NOT_A_PID: ProcessTable = { statusOf: () => null, exists: () => null };
const SAME = present(running(700));

const ALIVE: Liveness = { kind: "alive" };
const REBOOT: Liveness = { kind: "dead", because: "reboot" };
const NO_PROCESS: Liveness = { kind: "dead", because: "no-such-process" };
const REUSED: Liveness = { kind: "dead", because: "pid-reused" };
const OTHER_NAMESPACE: Liveness = { kind: "unreachable", because: "other-namespace" };
const NOT_READABLE: Liveness = { kind: "unreachable", because: "not-readable" };
const ELSEWHERE: Liveness = { kind: "elsewhere", host: "b" };

interface Case {
  readonly when: string;
  readonly owner?: Partial<Owner>;
  readonly here?: Partial<HostHere>;
  readonly table: ProcessTable;
  readonly says: Liveness;
}

const CASES: readonly Case[] = [
  { when: "everything matches", table: SAME, says: ALIVE },
  { when: "the host is another one, whatever runs here", owner: { host: "b" }, table: SAME, says: ELSEWHERE },
  {
    when: "host and boot are others: no reboot of this machine",
    owner: { host: "b", boot: "x" },
    table: MISSING,
    says: ELSEWHERE,
  },
  {
    when: "the machine was started again, though pid and start time recur",
    owner: { boot: "boot-0" },
    table: SAME,
    says: REBOOT,
  },
  {
    when: "it was started again and the namespace differs too",
    owner: { boot: "boot-0", pid_namespace: "pid:[2]" },
    table: MISSING,
    says: REBOOT,
  },
  { when: "the owner's boot is unknown", owner: { boot: "unknown" }, table: SAME, says: ALIVE },
  { when: "this boot is unknown", here: { boot: "unknown" }, table: SAME, says: ALIVE },
  {
    when: "the boot is unknown and the pid is missing",
    here: { boot: "unknown" },
    table: MISSING,
    says: NO_PROCESS,
  },
  {
    when: "the namespace is another one and the pid is missing here",
    owner: { pid_namespace: "pid:[2]" },
    table: MISSING,
    says: OTHER_NAMESPACE,
  },
  {
    when: "the namespace is another one and the pid is a stranger's here",
    owner: { pid_namespace: "pid:[2]" },
    table: present(running(9)),
    says: OTHER_NAMESPACE,
  },
  {
    when: "only this namespace is unknown",
    here: { pidNamespace: "unknown" },
    table: MISSING,
    says: OTHER_NAMESPACE,
  },
  {
    when: "both namespaces are unknown, so perhaps not the same",
    owner: { pid_namespace: "unknown" },
    here: { pidNamespace: "unknown" },
    table: MISSING,
    says: NOT_READABLE,
  },
  { when: "the pid is missing", table: MISSING, says: NO_PROCESS },
  {
    when: "the pid is missing and the start was never known",
    owner: { started: null },
    table: MISSING,
    says: NO_PROCESS,
  },
  { when: "the pid belongs to a younger process", table: present(running(701)), says: REUSED },
  {
    when: "the owner claims a start in the future of the process there",
    owner: { started: 9e9 },
    table: SAME,
    says: REUSED,
  },
  { when: "the process is there but cannot be read", table: HIDDEN, says: NOT_READABLE },
  { when: "the owner's start was never known", owner: { started: null }, table: SAME, says: NOT_READABLE },
  { when: "the process has exited and waits for its parent", table: present(exited(700)), says: NO_PROCESS },
  {
    when: "it has exited and its start was never known",
    owner: { started: null },
    table: present(exited(700)),
    says: NO_PROCESS,
  },
  { when: "the owner's pid cannot be one", owner: { pid: -1 }, table: NOT_A_PID, says: NOT_READABLE },
];

test.each(CASES)("K2: when $when, liveness is $says", ({ owner, here, table, says }) => {
  expect(decideLiveness({ ...OWNER, ...owner }, { ...HERE, ...here }, table)).toEqual(says);
});

test("K2: this process is alive to itself, and on another host or boot the same words say something else", () => {
  const self = selfOwner();
  expect(livenessOf(self)).toEqual(ALIVE);
  vi.stubEnv("REFLOAT_HOST_ID", "another-host");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(livenessOf(self)).toEqual({ kind: "elsewhere", host: self.host });
  vi.unstubAllEnvs();
  vi.stubEnv("REFLOAT_BOOT_ID", "after-a-restart");
  expect(livenessOf(self)).toEqual(REBOOT);
});

test("K2: a child is alive until it is killed with SIGKILL, and dead after that", async () => {
  const child = started("sleep", ["600"]);
  const owner = ownerOf(child.pid);
  expect(livenessOf(owner)).toEqual(ALIVE);
  expect(livenessOf({ ...owner, started: Number(owner.started) - 1 })).toEqual(REUSED);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(livenessOf(owner)).toEqual(NO_PROCESS);
});

test("K2: a killed process that its parent never collects is dead, though its pid still answers", async () => {
  // The shell starts a sleep and then becomes a sleep itself: a parent that waits for nobody.
  const parent = started("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"]);
  const pid = Number(await firstLine(parent));
  const owner = ownerOf(pid);
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  expect(livenessOf(owner)).toEqual(ALIVE);
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(livenessOf(owner)).toEqual(NO_PROCESS), 10_000);
  expect(() => process.kill(pid, 0)).not.toThrow();
});

test("K2: a live process in another pid namespace is unreachable, never dead, seen from either side", async () => {
  const child = await inOwnNamespace("--mount-proc");
  const there = child.owner;
  expect(there.pid_namespace).not.toBe(selfOwner().pid_namespace);
  expect(livenessOf(there)).toEqual(OTHER_NAMESPACE);
  expect(child.ofItself).toEqual(ALIVE);
  expect(child.ofParent).toEqual(OTHER_NAMESPACE);
});

test("K2: where /proc shows another namespace's processes, a stranger's start time proves nothing", async () => {
  const child = await inOwnNamespace();
  expect(child.ofItself).toEqual(NOT_READABLE);
  expect(child.ofParent).toEqual(OTHER_NAMESPACE);
});

interface Told {
  readonly owner: Owner;
  readonly ofItself: Liveness;
  readonly ofParent: Liveness;
}

async function inOwnNamespace(...more: "--mount-proc"[]): Promise<Told> {
  const text = `
    import { selfOwner } from "./platform/identity.ts";
    import { livenessOf } from "./platform/liveness.ts";
    const owner = selfOwner();
    const ofParent = livenessOf(JSON.parse(process.argv[2]));
    console.log(JSON.stringify({ owner, ofItself: livenessOf(owner), ofParent }));
    setInterval(() => undefined, 1000);`;
  const command = [process.execPath, program(temporaryFolder(), text), JSON.stringify(selfOwner())];
  const flags = unshareArguments("--pid", "--fork", "--kill-child", ...more);
  return JSON.parse(await firstLine(started("unshare", [...flags, "--", ...command])));
}

function started(command: string, args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const bytes of child.stdout ?? []) {
    text += bytes;
    if (text.includes("\n")) break;
  }
  return text;
}

function ownerOf(pid: number | undefined): Owner {
  if (pid === undefined) throw new Error("the child did not start");
  return { ...selfOwner(), pid, started: processStart(pid) };
}
