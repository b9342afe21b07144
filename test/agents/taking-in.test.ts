/**
 * What agents said of themselves in a session's journal: once, whole, in order, however often and in whatever pieces it was read (D2, D4).
 * Fixtures of real runs; the transcript of each grows from nothing to its last byte.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeIn } from "../../src/agents/journal/take-in.ts";
import { AGENTS } from "../../src/agents/registry.ts";
import type { AgentAdapter } from "../../src/agents/words/adapter.ts";
import type { SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { randomFrom } from "../support/random-from.ts";
import { seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { homeOf } from "./fixture-home.ts";
import { transcriptsOf } from "./hear-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");
const S = "s" as SessionId;

async function begun(): Promise<{ store: Store; attempt: number }> {
  const store = await openRawStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  const began = { agent: "a", workspace: "/w", goal: null, name: null };
  const { attempt } = await takeClaim(store, {
    session: S,
    owner: selfOwner("test"),
    records: () => [newRecord(store.clock, "session.began", began)],
  });
  return { store, attempt };
}

/** Everything that was said, without the marks of how far was read. */
async function journalOf(store: Store): Promise<unknown[]> {
  const records: StoredRecord[] = [];
  for await (const record of store.journal(S)) records.push(record);
  return records
    .filter(({ kind }) => !["agent.heard", "claim.taken", "session.began"].includes(kind))
    .map(({ id, kind, body }) => ({ id, kind, body }));
}

interface Left {
  readonly adapter: AgentAdapter;
  readonly path: string;
  readonly nativeId: string;
}

const orderOf = (left: Left, attempt: number) => ({ session: S, attempt, ...left, turns: "source" as const });

const cases = AGENTS.flatMap((adapter) =>
  readdirSync(join(FIXTURES, adapter.name)).map(
    (which) => [`${adapter.name} ${which}`, adapter, which] as const,
  ),
);

describe.each(cases)("%s", (_name, adapter, which) => {
  it("D4: read as it grows, piece by piece, gives the journal of one reading; read again, nothing more", async () => {
    const home = homeOf(join(FIXTURES, adapter.name, which));
    const found = transcriptsOf(adapter, home).filter(({ child }) => child === undefined);
    for (const { path, nativeId } of found) {
      const bytes = readFileSync(path);
      const id = nativeId ?? "native";
      const whole = await begun();
      await takeIn(whole.store, orderOf({ adapter, path, nativeId: id }, whole.attempt));
      const expected = await journalOf(whole.store);
      await takeIn(whole.store, orderOf({ adapter, path, nativeId: id }, whole.attempt));
      expect(await journalOf(whole.store)).toEqual(expected);

      // A document and a database are read whole each time; how they grow is their writer's.
      if (adapter.transcript.storage !== "lines") continue;
      const growing = join(temporaryFolder(), "growing", "transcript.jsonl");
      mkdirSync(dirname(growing), { recursive: true });
      const pieces = await begun();
      const random = randomFrom(seed);
      for (let at = 0; at < bytes.length; ) {
        at = Math.min(bytes.length, at + 1 + random(4000));
        writeFileSync(growing, bytes.subarray(0, at));
        await takeIn(pieces.store, orderOf({ adapter, path: growing, nativeId: id }, pieces.attempt));
      }
      expect(await journalOf(pieces.store)).toEqual(expected);
    }
  });
});
