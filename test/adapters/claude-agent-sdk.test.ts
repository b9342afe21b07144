/** `refloat/claude-agent-sdk`: what the SDK's types promise of a session store, held to on both stores. */
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { RefloatTranscripts, type TranscriptEntry } from "../../src/adapters/claude-agent-sdk.ts";
import { INLINE_BODY_BYTES, MAX_RECORDS_PER_CHANGE } from "../../src/model/limits.ts";
import { agentsRoot, isInstalled } from "../agents/real/agent-clis.ts";
import { inNamespaces } from "../agents/real/run-situation.ts";
import { report } from "../chaos/sweep.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";
import { need } from "../support/needs.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { SdkEvidence, SdkOrder } from "./claude-agent-sdk-inside.ts";

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

/** 200 kills, and what a run that has the SDK (`npm run setup:agents -- --all`) can afford. */
const STORIES = isFull ? 50 : 1;
const KILLS = isFull ? 4 : 2;
/** A life says some dozens of lines. */
const MAX_LINES = 30;
const SDK = ["claude", "claude-agent-sdk"].every((name) => isInstalled(agentsRoot(), name))
  ? ["its own program"]
  : [];

function lived(order: Pick<SdkOrder, "kills" | "isExample">): Promise<SdkEvidence> {
  need("agent CLIs");
  const places = { folder: temporaryFolder(), root: agentsRoot() };
  const script = resolve(import.meta.dirname, "claude-agent-sdk-inside.ts");
  return inNamespaces<SdkEvidence>(script, { ...order, ...places }, "the Claude Agent SDK");
}

// No `describe` around them: one without a test in it fails, and where the SDK is not installed there is none.
it.each(SDK)(
  "the Claude Agent SDK with %s, killed at random: nothing acknowledged is lost (D1), and from the store alone, in a home without a file, it goes on with the whole conversation",
  async () => {
    const random = randomFrom(seed);
    const seen = { acked: 0, killed: 0, resumed: 0 };
    for (let story = 0; story < STORIES; story++) {
      const kills = Array.from({ length: KILLS }, () => random(MAX_LINES));
      const evidence = await lived({ kills });
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
    report(`the Claude Agent SDK on SQLite: ${STORIES * KILLS} kills`, [
      `${seen.acked} acknowledgements held after every kill; ${seen.killed} lives were cut off`,
      `${seen.resumed} went on from the store alone`,
    ]);
  },
  3_600_000,
);

it.each(SDK)(
  "the Claude Agent SDK with %s, the example: killed after its first tools, the same command goes on",
  async () => {
    const { printed, faults, hasFirstPrompt } = await lived({ kills: [2], isExample: true });
    expect(printed).toMatch(
      /^begins\nuses Write\nuses Edit\n[\s\S]*goes on\n[\s\S]*says: DONE: code.js and lib.js./,
    );
    expect({ faults, hasFirstPrompt }).toEqual({ faults: [], hasFirstPrompt: true });
  },
  400_000,
);
