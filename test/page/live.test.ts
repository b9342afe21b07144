/** Changes that come by themselves: nothing missed, nothing twice, whoever is slow, gone or started again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deadOwner, type JsonObject } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";
import { browserAt } from "./browser.ts";
import { type ServedTest, served, withPage } from "./served.ts";
import { story } from "./story.ts";

interface Seen {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads events until `enough`; then goes away. */
async function eventsOf(
  page: ServedTest,
  path: string,
  lastId: string | null,
  enough: (seen: readonly Seen[]) => boolean,
): Promise<Seen[]> {
  const stop = new AbortController();
  const headers = { "x-refloat-token": page.token, ...(lastId === null ? {} : { "last-event-id": lastId }) };
  const answer = await fetch(`${page.origin}${path}`, { headers, signal: stop.signal });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const seen: Seen[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [event, id, data] = ["event", "id", "data"].map(
        (name) => new RegExp(`^${name}: (.*)$`, "m").exec(text.slice(0, end))?.[1] ?? "",
      );
      if (event) seen.push({ event, id: id ?? "", data: data ?? "" });
      text = text.slice(end + 2);
    }
    if (enough(seen)) break;
  }
  stop.abort();
  return seen;
}

const seqs = (seen: readonly Seen[]): number[] => seen.map(({ id }) => Number(id));
const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe("live changes", { timeout: 120_000 }, () => {
  it("D3: a session's records come in order, none left out, none twice, also after a break and another start of the server", async () => {
    const { place } = scene();
    const token = join(temporaryFolder(), "token");
    writeFileSync(token, "t".repeat(40), { mode: 0o600 });
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "long-one", agent: "tester", workspace: place.workspace });
      const turn = await session.turn("go");
      const say = async (n: number): Promise<void> => {
        for (let i = 0; i < n; i++) await turn.append({ role: "assistant", parts: `line ${i}` });
      };
      await say(150);
      const first = await served(place, ["--token-file", token]);
      const { port } = new URL(first.origin);
      const { head } = await first.json("/api/sessions/long-one");
      const before = await eventsOf(
        first,
        "/api/sessions/long-one/follow",
        null,
        (seen) => seen.length >= 120,
      );
      expect(seqs(before)).toEqual(upTo(1, before.length));
      const following = eventsOf(
        first,
        "/api/sessions/long-one/follow",
        String(head),
        (seen) => seen.length >= 30,
      );
      await say(30);
      expect(seqs(await following)).toEqual(upTo(head + 1, head + 30));
      await first.end("SIGKILL");
      await say(20);
      const again = await served(place, ["--token-file", token, "--port", port]);
      const rest = await eventsOf(
        again,
        "/api/sessions/long-one/follow",
        String(head + 30),
        (seen) => seen.length >= 20,
      );
      expect(seqs(rest)).toEqual(upTo(head + 31, head + 50));
      await again.end();
    });
  });

  it("who comes back to the list with an old id is told at once; who has the newest is not", async () => {
    const { place } = scene();
    await withPage(place, async (page) => {
      const [hello] = await eventsOf(page, "/api/changes", null, (seen) => seen.length > 0);
      expect(hello?.event).toBe("hello");
      const [same] = await eventsOf(page, "/api/changes", hello?.id ?? "", (seen) => seen.length > 0);
      expect(same?.event).toBe("hello");
      const [old] = await eventsOf(page, "/api/changes", "another-7", (seen) => seen.length > 0);
      expect(old?.event).toBe("changed");
    });
  });

  it("D2: what the user had forgotten is not told by a server that told it before, on a stream or by a question", async () => {
    const { place } = scene();
    const told = "the-word-that-must-go";
    await place.withStore(async (store) => {
      const owner = deadOwner();
      const session = await store.begin({
        id: "old-one",
        agent: "tester",
        workspace: place.workspace,
        owner,
      });
      const turn = await session.turn("go");
      for (let i = 0; i < 60; i++) await turn.append({ role: "assistant", parts: `${told} ${i}` });
    });
    await withPage(place, async (page) => {
      const followed = async (): Promise<string> => {
        const { head } = await page.json("/api/sessions/old-one");
        const seen = await eventsOf(page, "/api/sessions/old-one/follow", null, (all) => all.length >= head);
        expect(seqs(seen)).toEqual(upTo(1, head));
        return seen.map(({ data }) => data).join("\n");
      };
      const asked = async (): Promise<string> =>
        (await page.get("/api/sessions/old-one/records?limit=200")).text();
      expect(await followed()).toContain(told);
      expect(await asked()).toContain(told);
      // The page behind this one is written before anybody asks for it.
      const piece = async (from: number): Promise<string> =>
        (await page.get(`/api/sessions/old-one/records?from=${from}&limit=20`)).text();
      expect(await piece(1)).toContain(told);
      await place.withStore((store) => store.forget({ session: "old-one", reason: "it held a name" }));
      expect(await followed()).not.toContain(told);
      expect(await asked()).not.toContain(told);
      for (const from of [1, 21, 41]) expect(await piece(from)).not.toContain(told);
    });
  });

  it("T1: what is sent again is what is in the store by now: records, lists and states, whoever wrote meanwhile", async () => {
    const { place } = scene();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "grows", agent: "tester", workspace: place.workspace });
      const turn = await session.turn("go");
      const say = (n: number) => turn.append({ role: "assistant", parts: `line ${n}` });
      for (let i = 0; i < 5; i++) await say(i);
      await withPage(place, async (page) => {
        const look = async () => {
          const { head, records } = await page.json("/api/sessions/grows/records?limit=500");
          const { sessions } = await page.json("/api/sessions");
          return {
            head,
            count: records.length,
            states: sessions.map((one: JsonObject) => `${one.id} ${one.state}`),
          };
        };
        const before = await look();
        expect(await look()).toEqual(before);
        await say(5);
        const after = await look();
        expect(after).toEqual({ ...before, head: before.head + 1, count: before.count + 1 });
        await turn.end("completed");
        await session.finish();
        expect((await look()).states).toEqual(["grows finished"]);
        await place.withStore((other) =>
          other.begin({ id: "later", agent: "tester", workspace: place.workspace, owner: deadOwner() }),
        );
        expect((await look()).states.toSorted()).toEqual(["grows finished", "later idle"]);
      });
    });
  });

  it("L1: a death that nobody wrote down appears by itself", async () => {
    const told = await story();
    await withPage(told.place, async (page) => {
      const { sessions } = await page.json("/api/sessions");
      expect(sessions[0]).toMatchObject({ name: "shop", state: "live" });
      const [hello] = await eventsOf(page, "/api/changes", null, (seen) => seen.length > 0);
      const changed = eventsOf(page, "/api/changes", hello?.id ?? "", (seen) =>
        seen.some(({ event }) => event === "changed"),
      );
      await told.killBoth();
      await changed;
      const { sessions: now } = await page.json("/api/sessions");
      expect(now[0]).toMatchObject({ name: "shop", state: "interrupted" });
    });
  });

  it("D3, T5: a tab that nobody looks at holds no connection, of which a browser has six; looked at again, it has missed nothing", async () => {
    const { place } = scene();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "put-away", agent: "tester", workspace: place.workspace });
      const turn = await session.turn("go");
      const say = (parts: string) => turn.append({ role: "assistant", parts });
      await say("before it was put away");
      await withPage(place, async (page) => {
        const tab = await browserAt(page);
        await tab.goto(`${page.origin}/#/session/put-away`);
        await tab.getByText("before it was put away").waitFor();
        const broken: string[] = [];
        tab.on("requestfailed", (asked) => broken.push(new URL(asked.url()).pathname));
        const show = (how: string) =>
          tab.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${how}", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"))`);
        await show("hidden");
        await expect
          .poll(() => broken.toSorted(), { timeout: 30_000 })
          .toEqual(["/api/changes", "/api/sessions/put-away/follow"]);
        await say("while nobody looked");
        expect(await tab.getByText("while nobody looked").count()).toBe(0);
        await show("visible");
        await tab.getByText("while nobody looked").waitFor();
        expect(tab.wrong).toEqual([]);
      });
    });
  });

  it("T5: two hundred pages that read nothing cost the server no memory worth naming, and the one that reads misses nothing", async () => {
    const { place } = scene();
    const MIB = 1024 * 1024;
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "busy-one", agent: "tester", workspace: place.workspace });
      const turn = await session.turn("go");
      await withPage(place, async (page) => {
        const stop = new AbortController();
        const open = { headers: { "x-refloat-token": page.token }, signal: stop.signal };
        const idle = await Promise.all(
          Array.from({ length: 200 }, () => fetch(`${page.origin}/api/sessions/busy-one/follow`, open)),
        );
        expect(idle.every(({ status }) => status === 200)).toBe(true);
        const before = residentBytes(page.pid);
        const reading = eventsOf(page, "/api/sessions/busy-one/follow", null, (seen) => seen.length >= 300);
        const parts = "x".repeat(20_000);
        for (let i = 0; i < 400; i++) await turn.append({ role: "assistant", parts });
        const seen = await reading;
        expect(seqs(seen)).toEqual(upTo(1, seen.length));
        const grown = residentBytes(page.pid) - before;
        console.log(
          `200 pages that read nothing, 8 MB written: the server grew by ${Math.round(grown / MIB)} MiB`,
        );
        // All of it for each of them would be 1,600 MB; sockets hold some.
        expect(grown).toBeLessThan(300 * MIB);
        stop.abort();
      });
    });
  });
});

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
