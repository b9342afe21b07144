/** The page's server at its bounds (T5), and where others could reach it: only its token opens it. Nothing here leaves this machine. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { HTTP_CONNECTIONS, HTTP_REQUEST_BURST, HTTP_STREAMS } from "../../src/model/limits.ts";
import { leftTwoFiles } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";
import { type ServedTest, served, withPage } from "./served.ts";

const portOf = ({ origin }: ServedTest): number => Number(new URL(origin).port);

const STANDING = pathToFileURL(join(import.meta.dirname, "standing-clock.mjs")).href;
const AT_ONCE = 100;

describe("the page's server at its bounds", { timeout: 180_000 }, () => {
  it("G4: who has the token and asks without end is told to wait, with when, and is answered again", async () => {
    const { place } = scene();
    const file = join(temporaryFolder(), "moves-on");
    const page = await served(place, [], { node: ["--import", STANDING], env: { MOVES_ON: file } });
    onTestFinished(async () => void (await page.end()));
    const ask = async () => (await page.get("/api/nowhere")).status;
    for (let asked = 0; asked < HTTP_REQUEST_BURST; asked += AT_ONCE) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, ask));
      expect(answers.filter((status) => status !== 404)).toEqual([]);
    }
    const refused = await page.get("/api/sessions");
    const { code } = (await refused.json()) as { code: string };
    expect([refused.status, refused.headers.get("retry-after"), code]).toEqual([429, "1", "E_PAGE_BUSY"]);
    expect(await ask()).toBe(429);
    writeFileSync(file, "");
    await expect.poll(ask, { timeout: 60_000 }).toBe(404);
  });

  it("opens so many streams and no more; one that ends makes room, and what is no stream is answered all the while", async () => {
    const { place } = scene();
    await withPage(place, async (page) => {
      const stops = Array.from({ length: HTTP_STREAMS }, () => new AbortController());
      const headers = { "x-refloat-token": page.token };
      const opened = (signal?: AbortSignal): Promise<Response> =>
        fetch(`${page.origin}/api/changes`, { headers, ...(signal ? { signal } : {}) });
      const streams = await Promise.all(stops.map(({ signal }) => opened(signal)));
      expect(streams.filter(({ status }) => status !== 200)).toEqual([]);
      const refused = await opened();
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
        429,
        "E_PAGE_BUSY",
      ]);
      expect((await page.get("/api/sessions")).status).toBe(200);
      stops[0]?.abort();
      const last = new AbortController();
      await expect.poll(async () => (await opened(last.signal)).status, { timeout: 60_000 }).toBe(200);
      for (const stop of [...stops, last]) stop.abort();
    });
  });

  it("holds so many connections and no more: one beyond is closed, and one that ends makes room", async () => {
    const { place } = scene();
    await withPage(place, async (page) => {
      const sockets: Socket[] = [];
      onTestFinished(() => {
        for (const one of sockets) one.destroy();
      });
      const open = async (): Promise<Socket> => {
        const socket = connect(portOf(page), "127.0.0.1");
        socket.on("error", () => undefined).resume();
        await once(socket, "connect");
        sockets.push(socket);
        return socket;
      };
      for (let i = 0; i < HTTP_CONNECTIONS; i++) await open();
      const beyond = await open();
      await once(beyond, "close");
      const status = async (): Promise<number> =>
        (await page.get("/api/sessions").catch(() => null))?.status ?? 0;
      for (const one of sockets.slice(0, 10)) one.destroy();
      await expect.poll(status, { timeout: 60_000 }).toBe(200);
    });
  });
});

describe("the page's server for others", { timeout: 60_000 }, () => {
  it("G1, G3: with --host and a token file it listens where it was told, prints that, and answers only who has the token and asks it by an address", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    const file = join(temporaryFolder(), "token");
    writeFileSync(file, "k".repeat(40), { mode: 0o600 });
    const page = await served(place, ["--host", "0.0.0.0", "--token-file", file]);
    onTestFinished(async () => void (await page.end()));
    expect(page.origin).toBe(`http://0.0.0.0:${portOf(page)}`);
    expect(page.token).toBe("k".repeat(40));
    const home = await page.get("/api/home");
    expect([home.status, ((await home.json()) as { may_act: boolean }).may_act]).toEqual([200, true]);
    expect((await page.get("/api/home", {})).status).toBe(401);
    expect((await page.get("/api/home", { "x-refloat-token": "x".repeat(40) })).status).toBe(401);
    const own = { "x-refloat-token": page.token };
    for (const foreign of [{ origin: "http://evil.example" }, { "sec-fetch-site": "cross-site" }])
      expect((await page.get("/api/home", { ...own, ...foreign })).status).toBe(403);
    const html = await (await page.get("/", {})).text();
    expect(html).not.toContain(page.token);
    expect(await page.end()).toBe(0);
  });
});
