/** `refloat/claude-agent-sdk`: what the SDK's types promise of a session store, held to on both stores. */
import { expect, it } from "vitest";
import { RefloatTranscripts, type TranscriptEntry } from "../../src/adapters/claude-agent-sdk.ts";
import { describeOnBoth, openedHere } from "../support/both-stores.ts";
import { startChild } from "../support/child.ts";

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
