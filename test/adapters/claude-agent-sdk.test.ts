/** `refloat/claude-agent-sdk`: what the SDK's types promise of a session store, held to on both stores. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import {
  RefloatTranscripts,
  type TranscriptEntry,
  type TranscriptKey,
} from "../../src/adapters/claude-agent-sdk.ts";
import { INLINE_BODY_BYTES, MAX_RECORDS_PER_CHANGE } from "../../src/model/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { agentsRoot } from "../agents/real/agent-clis.ts";
import { inNamespaces } from "../agents/real/run-situation.ts";
import { report } from "../chaos/sweep.ts";
import { describeOnBoth, type FreshStore, openedHere, STORES } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import { need } from "../support/needs.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { SdkEvidence, SdkOrder } from "./claude-agent-sdk-inside.ts";
import { relay } from "./relay.ts";

const KEY = { projectKey: "-srv-repo", sessionId: "6b1c0e1e-0000-4000-8000-000000000001" };
const entry = (n: number, more: object = {}): TranscriptEntry => ({
  type: "user",
  uuid: `u${n}`,
  n,
  ...more,
});

describeOnBoth((make) => {
  it("gives back entries in the order of the calls, one with the same uuid once (D4), one without as often as it came", async () => {
    const transcripts = new RefloatTranscripts(await openedHere(make()));
    expect(await transcripts.load(KEY)).toBeNull();
    await Promise.all(
      [0, 1, 2].map((batch) => transcripts.append(KEY, [entry(2 * batch), entry(2 * batch + 1)])),
    );
    await transcripts.append(KEY, [entry(5), entry(6), { type: "title", title: "t" }]); // sent again, and some more
    await transcripts.append(KEY, [{ type: "title", title: "t" }, entry(6, { changed: true })]);
    const loaded = await transcripts.load(KEY);
    expect(loaded?.map(({ n, type }) => n ?? type)).toEqual([0, 1, 2, 3, 4, 5, 6, "title", "title"]);
    expect(loaded?.[6]).toEqual(entry(6));
    await transcripts.close();
  });

  it("keeps the order of entries and of calls, however large one is, and whatever was sent before (C5)", async () => {
    const transcripts = new RefloatTranscripts(await openedHere(make()));
    const large = (n: number) => entry(n, { text: "x".repeat(INLINE_BODY_BYTES) });
    await Promise.all([
      transcripts.append(KEY, [large(0), entry(1), entry(2)]),
      transcripts.append(KEY, [entry(3), { type: "title", n: 4 }]),
    ]);
    // Sent again with more, in other words and within one call, too.
    await transcripts.append(KEY, [entry(1, { changed: true }), large(5), entry(6), entry(6), entry(7)]);
    expect((await transcripts.load(KEY))?.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await transcripts.append(
      KEY,
      Array.from({ length: MAX_RECORDS_PER_CHANGE + 1 }, (_, at) => entry(8 + at)),
    );
    expect((await transcripts.load(KEY))?.at(-1)).toEqual(entry(8 + MAX_RECORDS_PER_CHANGE));
    await transcripts.close();
  });

  it("lists sessions of a project and what lies below one, and deletes it whole, and nobody else's", async () => {
    const transcripts = new RefloatTranscripts(await openedHere(make()));
    const other = { ...KEY, sessionId: "other" };
    const sub = { ...KEY, subpath: "subagents/agent-1" };
    const foreign = { projectKey: "-srv-else", sessionId: KEY.sessionId };
    for (const key of [KEY, other, sub, foreign]) await transcripts.append(key, [entry(1)]);
    const listed = await transcripts.listSessions(KEY.projectKey);
    expect(listed.map(({ sessionId }) => sessionId).toSorted()).toEqual([KEY.sessionId, "other"].toSorted());
    expect(listed.every(({ mtime }) => Number.isInteger(mtime) && mtime > 0)).toBe(true);
    expect(await transcripts.listSubkeys(KEY)).toEqual(["subagents/agent-1"]);
    await transcripts.delete(KEY);
    expect(await Promise.all([KEY, sub, other, foreign].map((key) => transcripts.load(key)))).toEqual([
      null,
      null,
      [entry(1)],
      [entry(1)],
    ]);
    await transcripts.append(KEY, [entry(1)]);
    expect(await transcripts.load(KEY)).toEqual([entry(1)]);
    await transcripts.close();
  });

  it("keeps what lies below a session apart from it: each is loaded, listed and deleted by itself, and an empty call writes none", async () => {
    const transcripts = new RefloatTranscripts(await openedHere(make()));
    const [a, b] = ["subagents/a", "subagents/b"].map((subpath) => ({ ...KEY, subpath })) as [
      TranscriptKey,
      TranscriptKey,
    ];
    const loaded = () => Promise.all([KEY, a, b].map((key) => transcripts.load(key)));
    await transcripts.append(KEY, []);
    expect(await loaded()).toEqual([null, null, null]);
    await transcripts.append(a, [entry(1)]);
    await transcripts.append(b, [entry(2)]);
    // Only what lies below it is there: the session itself is not listed, and has no entries.
    expect(await transcripts.listSessions(KEY.projectKey)).toEqual([]);
    expect(await transcripts.listSessions("-never-seen")).toEqual([]);
    expect(await loaded()).toEqual([null, [entry(1)], [entry(2)]]);
    await transcripts.append(KEY, [entry(3)]);
    await transcripts.append(KEY, []);
    expect(await loaded()).toEqual([[entry(3)], [entry(1)], [entry(2)]]);
    expect((await transcripts.listSubkeys(KEY)).toSorted()).toEqual(["subagents/a", "subagents/b"]);
    expect(await transcripts.listSubkeys({ ...KEY, sessionId: "never-seen" })).toEqual([]);
    await transcripts.delete({ ...KEY, sessionId: "never-seen" });
    await transcripts.delete(a);
    expect(await loaded()).toEqual([[entry(3)], null, [entry(2)]]);
    expect(await transcripts.listSubkeys(KEY)).toEqual(["subagents/b"]);
    await transcripts.close();
  });

  it("deletes after the calls that were made before it, and before those that came later: nothing deleted comes back, nobody is refused", async () => {
    const transcripts = new RefloatTranscripts(await openedHere(make()));
    const sub = { ...KEY, subpath: "subagents/agent-1" };
    for (let round = 0; round < 3; round++) {
      const written = [KEY, sub, KEY, sub].map((key, at) =>
        transcripts.append(key, [entry(4 * round + at), entry(100 + 4 * round + at)]),
      );
      const deleted = transcripts.delete(KEY);
      const later = transcripts.append(KEY, [entry(200 + round)]);
      await Promise.all([...written, deleted, later]);
      expect(await transcripts.load(KEY)).toEqual([entry(200 + round)]);
      expect(await transcripts.load(sub)).toBeNull();
    }
    await transcripts.close();
  });

  it("has every entry that was acknowledged before its process was killed, and goes on at once (D1, K2)", async () => {
    const place = make();
    const child = startChild(
      `import { openStore } from "./index.js";
       import { RefloatTranscripts } from "./adapters/claude-agent-sdk.js";
       const transcripts = new RefloatTranscripts(await openStore(process.env.STORE, JSON.parse(process.env.OPEN)));
       const key = ${JSON.stringify(KEY)};
       for (let n = 0; ; n++) { await transcripts.append(key, [{ type: "user", uuid: "u" + n, n }]); console.log(n); }`,
      { STORE: place.url, OPEN: JSON.stringify(place.open) },
    );
    let last = 0;
    while (last < 20) last = Number(await child.said());
    await child.kill();
    const transcripts = new RefloatTranscripts(await openedHere(place), { waitMs: 0 });
    const loaded = (await transcripts.load(KEY)) ?? [];
    expect(loaded.map(({ n }) => n)).toEqual(loaded.map((_, at) => at));
    expect(loaded.length).toBeGreaterThan(last);
    await transcripts.append(KEY, [entry(loaded.length)]);
    expect((await transcripts.load(KEY))?.length).toBe(loaded.length + 1);
    await transcripts.close();
  });
});

/** 200 kills on each store, and what a run that has the SDK (`npm run setup:agents -- --all`) can afford: 20. */
const STORIES_TOLD = isFull ? 50 : 2;
const KILLS = isFull ? 4 : 5;
/** A life says some dozens of lines. */
const MAX_LINES = 30;

function lived(order: Pick<SdkOrder, "kills" | "isExample" | "postgres">): Promise<SdkEvidence> {
  const places = { folder: temporaryFolder(), root: agentsRoot() };
  const script = resolve(import.meta.dirname, "claude-agent-sdk-inside.ts");
  return inNamespaces<SdkEvidence>(script, { ...order, ...places }, "the Claude Agent SDK");
}

/** Its store behind a socket file: a life has no network. */
async function orderOf({ url, open }: FreshStore): Promise<Pick<SdkOrder, "postgres">> {
  if (!url.startsWith("postgres")) return {};
  const { hostname, port } = new URL(url);
  const socket = join(temporaryFolder(), "postgres");
  await relay({ path: socket }, { host: hostname, port: Number(port) });
  return { postgres: { socket, url, schema: open.schema ?? "" } };
}

it.for(STORES)(
  "the Claude Agent SDK with its own program, killed at random: nothing acknowledged is lost (D1), and from the store alone, in a home without a file, it goes on with the whole conversation, on %s",
  { timeout: 3_600_000 },
  async ([name, make]) => {
    need("agent CLIs", "Claude Agent SDK");
    const random = randomFrom(seed);
    const begun = systemClock.monotonicMs();
    const seen = { acked: 0, killed: 0, resumed: 0 };
    for (let story = 0; story < STORIES_TOLD; story++) {
      const kills = Array.from({ length: KILLS }, () => random(MAX_LINES));
      const evidence = await lived({ kills, ...(await orderOf(make())) });
      const { missing, mirrorErrors, faults, results } = evidence;
      expect({ missing, mirrorErrors, faults }, JSON.stringify({ kills, evidence })).toEqual({
        ...{ missing: [], mirrorErrors: [], faults: [] },
      });
      expect(results.at(-1)).toBe("success DONE: code.js and lib.js.");
      expect(evidence.hasFirstPrompt).toBe(true);
      expect(evidence.resumed).toBeGreaterThan(0);
      expect(evidence.goOns).toBeGreaterThan(0);
      seen.acked += evidence.acked;
      seen.killed += evidence.killed;
      seen.resumed += evidence.resumed;
    }
    report(`the Claude Agent SDK on ${name}: ${STORIES_TOLD * KILLS} kills`, [
      `${seen.acked} acknowledgements held after every kill; ${seen.killed} lives were cut off`,
      `${seen.resumed} went on from the store alone`,
      `${Math.round((systemClock.monotonicMs() - begun) / 1000)} s`,
    ]);
  },
);

it("the Claude Agent SDK with its own program, the example: killed after its first tools, the same command goes on", async () => {
  need("agent CLIs", "Claude Agent SDK");
  const { printed, faults, hasFirstPrompt } = await lived({ kills: [2], isExample: true });
  expect(printed).toMatch(
    /^begins\nuses Write\nuses Edit\n[\s\S]*goes on\n[\s\S]*says: DONE: code.js and lib.js./,
  );
  expect({ faults, hasFirstPrompt }).toEqual({ faults: [], hasFirstPrompt: true });
}, 400_000);

it("has the shapes of the SDK's own types: it is taken as a SessionStore, and gives what one gives", () => {
  need("Claude Agent SDK");
  const folder = temporaryFolder();
  const src = relative(folder, resolve(import.meta.dirname, "../../src"));
  const sdk = join(agentsRoot(), "claude-agent-sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "program.ts"),
    `import type { SessionKey, SessionStore, SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk";
     import type { RefloatTranscripts, TranscriptEntry, TranscriptKey } from "${src}/adapters/claude-agent-sdk.ts";
     type Same<A, B> = [A, B] extends [B, A] ? true : never;
     export const store = (ours: RefloatTranscripts): Required<Omit<SessionStore, "listSessionSummaries">> => ours;
     export const whole = (ours: RefloatTranscripts): SessionStore => ours;
     export const key: Same<SessionKey, TranscriptKey> = true;
     export const entry: Same<SessionStoreEntry, TranscriptEntry> = true;
     // @ts-expect-error: a store that appends nothing is none
     export const none: SessionStore = { load: async () => null };`,
  );
  const root = resolve(import.meta.dirname, "../..");
  const paths = { "@anthropic-ai/claude-agent-sdk": [sdk] };
  const compilerOptions = { rootDir: "/", typeRoots: [join(root, "node_modules/@types")], paths };
  const whole = {
    extends: join(root, "tsconfig.json"),
    compilerOptions,
    include: [],
    files: ["program.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(whole));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
}, 300_000);
