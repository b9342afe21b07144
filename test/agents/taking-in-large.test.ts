/**
 * A large transcript in a session's journal: written while it is read, in whole changes each with how far it was read, so that it is held
 * by pieces, a kill leaves what the next reader goes on from, and two readers at once leave what one would have (T5, D2, D4).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeIn } from "../../src/agents/journal/take-in.ts";
import { pi } from "../../src/agents/pi/agent.ts";
import type { AgentAdapter } from "../../src/agents/words/adapter.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { randomFrom } from "../support/random-from.ts";
import { seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const S = "s" as SessionId;
const MiB = 1024 * 1024;

/** Turns of ten calls each; every answer and every output is told from the others. */
function transcript(bytes: number, outputChars: number): string {
  const path = join(temporaryFolder(), "session.jsonl");
  const lines = [JSON.stringify({ type: "session", version: 3, id: "native", cwd: "/w" })];
  const entry = (message: object): void => {
    const id = `e${lines.length}`;
    const parentId = lines.length === 1 ? null : `e${lines.length - 1}`;
    lines.push(JSON.stringify({ type: "message", id, parentId, message }));
  };
  const text = (value: string): object[] => [{ type: "text", text: value }];
  for (let turn = 0, written = 0; written < bytes; turn++) {
    entry({ role: "user", content: text(`do ${turn}`) });
    for (let n = 0; n < 10; n++) {
      const call = { type: "toolCall", id: `c${turn}-${n}`, name: "bash", arguments: { command: "make" } };
      entry({ role: "assistant", content: [...text(`step ${n}`), call], stopReason: "toolUse" });
      const output = `${turn} ${n} `.padEnd(outputChars, "x");
      entry({ role: "toolResult", toolCallId: call.id, toolName: "bash", content: text(output) });
      written += outputChars + 400;
    }
    entry({ role: "assistant", content: text("done"), stopReason: "stop" });
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

async function begun(): Promise<{ store: Store; file: string; attempt: number }> {
  const file = join(temporaryFolder(), "refloat.db");
  const store = await openRawStore(file, { thread: false });
  onTestFinished(() => store.close());
  const began = { agent: "pi", workspace: "/w", goal: null, name: null };
  const { attempt } = await takeClaim(store, {
    session: S,
    owner: selfOwner("test"),
    records: () => [newRecord(store.clock, "session.began", began)],
  });
  return { store, file, attempt };
}

const orderOf = (path: string, attempt: number, adapter: AgentAdapter = pi) => ({
  ...{ session: S, attempt, adapter, path, nativeId: "native", turns: "source" as const },
});

interface Journal {
  readonly said: readonly string[];
  /** How far was read, of each change. */
  readonly cursors: readonly number[];
  /** Whether the last record of all is one that says how far. */
  readonly isWhole: boolean;
}

async function journalOf(store: Store): Promise<Journal> {
  const said: string[] = [];
  const cursors: number[] = [];
  let isWhole = true;
  for await (const { id, kind, body } of store.journal(S)) {
    if (kind === "claim.taken" || kind === "session.began") continue;
    isWhole = kind === "agent.heard";
    if (isWhole) cursors.push((body.next as { byte: number }).byte);
    else said.push(JSON.stringify([id, kind, body]));
  }
  return { said, cursors, isWhole };
}

const built = (file: string): string =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../dist", file)).href);
const TAKER = `
  import { takeIn } from ${built("agents/journal/take-in.js")};
  import { pi } from ${built("agents/pi/agent.js")};
  import { openRawStore } from ${built("store/open-raw-store.js")};
  const [file, path, attempt] = process.argv.slice(1);
  const store = await openRawStore(file, { thread: false });
  process.stdout.write("begins\\n");
  const order = { session: "s", attempt: Number(attempt), adapter: pi, path, nativeId: "native", turns: "source" };
  await takeIn(store, order);
  await store.close();
`;

/** A process of its own that reads it. */
const taker = (file: string, path: string, attempt: number): ChildProcess =>
  spawn(process.execPath, ["--input-type=module", "-e", TAKER, file, path, String(attempt)], {
    stdio: ["ignore", "pipe", "inherit"],
  });

/** Waits until so many changes are there, or nobody writes any more. */
async function changesIn(store: Store, count: number, exited: Promise<unknown>): Promise<void> {
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  const changes = () => store.records({ session: S, kinds: ["agent.heard"], limit: count });
  while (!isOver && (await changes()).length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("a large transcript", () => {
  it("T5: is written while it is read: never more of it is held than two pieces and a change", async () => {
    const path = transcript(24 * MiB, 20_000);
    const { store, attempt } = await begun();
    const read = { bytes: 0, held: 0, before: 0 };
    const counting: AgentAdapter = {
      ...pi,
      transcript: {
        ...pi.transcript,
        storage: "lines",
        recognizes: () => true,
        reader: () => {
          if (pi.transcript.storage !== "lines") throw new Error("pi's are lines");
          const reader = pi.transcript.reader();
          return {
            ...reader,
            read: (line) => {
              read.bytes += JSON.stringify(line).length + 1;
              return reader.read(line);
            },
          };
        },
      },
    };
    const append = store.append.bind(store);
    store.append = (session, by, records, options) => {
      read.held = Math.max(read.held, read.bytes - read.before);
      const cursor = records.at(-1)?.body.next as { byte: number } | undefined;
      read.before = cursor?.byte ?? read.before;
      return append(session, by, records, options);
    };
    await takeIn(store, orderOf(path, attempt, counting));
    expect(read.bytes).toBe(statSync(path).size);
    expect(read.held).toBeLessThan(8 * MiB);
  });

  it("D2: killed at any time it leaves whole changes, and the next reader makes of them what one reading would have been", async () => {
    const path = transcript(3 * MiB, 500);
    const whole = await begun();
    await takeIn(whole.store, orderOf(path, whole.attempt));
    const expected = await journalOf(whole.store);
    const { store, file, attempt } = await begun();
    const random = randomFrom(seed);
    const kills: number[] = [];
    for (let n = 0; n < 4; n++) {
      const child = taker(file, path, attempt);
      const exited = once(child, "exit");
      await changesIn(store, (kills.at(-1) ?? 0) + 1 + random(12), exited);
      child.kill("SIGKILL");
      await exited;
      const left = await journalOf(store);
      kills.push(left.cursors.length);
      expect(left.isWhole).toBe(true);
      expect(left.said).toEqual(expected.said.slice(0, left.said.length));
      expect(left.cursors).toEqual(expected.cursors.slice(0, left.cursors.length));
    }
    process.stdout.write(`    changes at each kill, of ${expected.cursors.length}: ${kills.join(", ")}\n`);
    await takeIn(store, orderOf(path, attempt));
    expect(await journalOf(store)).toEqual(expected);
  });

  it("D4: two readers at once, one of which begins in the middle, leave what one would have: nothing twice, no turn ended by the other", async () => {
    const path = transcript(2 * MiB, 500);
    const whole = await begun();
    await takeIn(whole.store, orderOf(path, whole.attempt));
    const { store, file, attempt } = await begun();
    const exits = [once(taker(file, path, attempt), "exit")];
    for (const changes of [1, 9, 10]) {
      await changesIn(store, changes, Promise.all(exits));
      exits.push(once(taker(file, path, attempt), "exit"));
    }
    const codes = (await Promise.all(exits)).map(([code]) => code);
    expect(codes).toEqual([0, 0, 0, 0]);
    expect((await journalOf(store)).said).toEqual((await journalOf(whole.store)).said);
  });
});
