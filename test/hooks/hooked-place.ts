/** A place with an inbox, and agents that call hooks there: a real process each, so that its death is one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type InboxEvent, printInboxFile } from "../../src/agents/inbox/format.ts";
import { bootId } from "../../src/platform/identity.ts";
import { type HeardPlace, heardPlace, type Tree } from "../agents/heard-place.ts";
import type { JsonObject } from "../support/cli.ts";

export interface HookedPlace extends HeardPlace {
  readonly inbox: string;
  /** An event of an agent, as the recorder leaves it; `more` changes what stands above the payload. */
  tell(agent: string, event: string, payload: JsonObject, more?: Partial<InboxEvent>): string;
  waiting(): readonly string[];
  sessions(cwd?: string): Promise<readonly JsonObject[]>;
  /** The calls of the session's manifest. */
  calls(id?: string): Promise<readonly JsonObject[]>;
  /** Records of a session's journal. */
  journal(id: string): Promise<readonly JsonObject[]>;
}

export function hookedPlace(committed?: Tree): HookedPlace {
  const place = heardPlace(committed);
  const inbox = join(place.home, "inbox");
  mkdirSync(inbox, { recursive: true, mode: 0o700 });
  let count = 0;
  return {
    ...place,
    inbox,
    tell: (agent, event, payload, more = {}) => {
      count += 1;
      const id = `${bootId().slice(0, 8)}-${String(1_000_000_000 + count)}-${process.pid}-${count}`;
      const told: InboxEvent = {
        ...{ agent, event, atMs: null, uptime: count, cwd: place.workspace, mark: null, boot: bootId() },
        ...{
          pidNamespace: readlinkSync("/proc/self/ns/pid"),
          ancestors: [],
          before: null,
          held: null,
          cutAt: null,
        },
        ...{ others: [], body: Buffer.from(JSON.stringify(payload)) },
        ...more,
      };
      writeFileSync(join(inbox, `${id}.hook`), printInboxFile(told), { mode: 0o600 });
      return id;
    },
    waiting: () => (existsSync(inbox) ? readdirSync(inbox).filter((name) => name.endsWith(".hook")) : []),
    sessions: async (cwd) => (await place.json(["sessions"], cwd === undefined ? {} : { cwd })).json.sessions,
    calls: async (id) => (await place.json(["inspect", ...(id === undefined ? [] : [id])])).json.calls,
    journal: (id) =>
      place.withStore(async ({ raw }) => {
        const records: JsonObject[] = [];
        for await (const record of raw.journal(id as never)) records.push(record as JsonObject);
        return records;
      }),
  };
}

export interface FakeAgent {
  /** What a hook finds above itself: a shell, the agent, the shell it was started from. */
  readonly ancestors: InboxEvent["ancestors"];
  kill(): Promise<void>;
}

/** A process that stands for an agent. */
export function fakeAgent(): FakeAgent {
  const child: ChildProcess = spawn("sleep", ["600"], { stdio: "ignore" });
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(kill);
  const pid = child.pid ?? 0;
  return {
    ancestors: [
      { pid: 999_999, start: 1, comm: "sh" },
      { pid, start: startOf(pid), comm: "sleep" },
      { pid: process.pid, start: startOf(process.pid), comm: "node" },
    ],
    kill,
  };
}

function startOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
}

/** Events of Claude Code's. */
export const claudeEvents = (session: string, cwd: string) => {
  const about = { session_id: session, transcript_path: "", cwd };
  return {
    start: { ...about, source: "startup" },
    prompt: (prompt: string) => ({ ...about, prompt, prompt_id: "p1" }),
    before: (id: string, command: string, more: JsonObject = {}) => ({
      ...{ ...about, tool_name: "Bash", tool_input: { command }, tool_use_id: id },
      ...more,
    }),
    after: (id: string, command: string, stdout = "") => ({
      ...{ ...about, tool_name: "Bash", tool_input: { command }, tool_use_id: id },
      tool_response: { stdout, stderr: "", interrupted: false },
    }),
    stop: (answer: string) => ({ ...about, stop_hook_active: false, last_assistant_message: answer }),
    end: { ...about, reason: "other" },
  };
};
