/** `refloat serve` as a program and an attacker meet it: who is answered, what is refused, what is bounded. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { HTTP_BODY_BYTES, HTTP_REFUSAL_BURST } from "../../src/model/limits.ts";
import { ANN, leftTwoFiles } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Scene, scene, stateOf } from "../support/two-faces.ts";
import { type ServedTest, served, started, withPage } from "./served.ts";

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** As no browser would: any Host, any path. */
function raw(
  page: ServedTest,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
  body = "",
): Promise<Raw> {
  const { port } = new URL(page.origin);
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (piece) => (text += piece));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

let at: Scene;
let page: ServedTest;

/** A dead session that left two files, and its page. */
async function begun(): Promise<void> {
  at = scene();
  await leftTwoFiles(at.place, at.repo);
  page = await served(at.place);
  onTestFinished(async () => void (await page.end()));
}

const own = () => ({ "x-refloat-token": page.token });
const json = () => ({ ...own(), "content-type": "application/json" });

describe("the page's server", { timeout: 120_000 }, () => {
  it("G3: tells nothing without its token, and the page itself does not have it in it", async () => {
    await begun();
    for (const path of ["/api/home", "/api/sessions", "/api/sessions/left-session/salvage", "/api/changes"])
      expect((await raw(page, path)).status).toBe(401);
    expect((await raw(page, "/api/home", { "x-refloat-token": `${page.token}x` })).status).toBe(401);
    expect((await raw(page, `/api/home?token=${page.token}`)).status).toBe(401);
    expect((await raw(page, "/api/home", { cookie: `token=${page.token}` })).status).toBe(401);
    const html = await raw(page, "/");
    expect(html.status).toBe(200);
    expect(html.text).not.toContain(page.token);
    expect((await raw(page, "/api/home", own())).status).toBe(200);
  });

  it("G1, G2: answers no other host and no other page, token or not", async () => {
    await begun();
    const { host } = new URL(page.origin);
    for (const headers of [
      { host: "evil.example" },
      { origin: "http://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const answer = await raw(page, "/api/home", { host, ...own(), ...headers });
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, "E_PAGE_ORIGIN"]);
    }
    const asked = await raw(
      page,
      "/api/home",
      { origin: "http://evil.example", "access-control-request-method": "GET" },
      "OPTIONS",
    );
    expect(asked.headers["access-control-allow-origin"]).toBeUndefined();
    expect(asked.status).toBe(403);
  });

  it("G2, G3: an act that another page orders is refused, whatever it brings, and so is a form's; nothing is changed", async () => {
    await begun();
    const before = stateOf(at);
    const { groups } = await page.json("/api/sessions/left-session/salvage");
    const choices = Object.fromEntries(groups.map(({ id }: { id: string }) => [id, "discard"]));
    const { last } = await page.order("/api/sessions/left-session/plan", { choices });
    const body = JSON.stringify({ choices, digest: last.digest });
    const apply = "/api/sessions/left-session/apply";
    for (const foreign of [
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: page.origin.replace(/:\d+$/, ":1") },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { host: "evil.example" },
    ]) {
      const answer = await raw(page, apply, { ...json(), ...foreign }, "POST", body);
      expect([foreign, answer.status, JSON.parse(answer.text).code]).toEqual([foreign, 403, "E_PAGE_ORIGIN"]);
    }
    // What a form can send: no header of its own, and none of these types is JSON.
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const { status } = await raw(page, apply, { "content-type": type }, "POST", body);
      expect([type, status]).toEqual([type, 401]);
    }
    expect(stateOf(at)).toEqual(before);
    // The very same order, from the page itself.
    expect((await raw(page, apply, { ...json(), origin: page.origin }, "POST", body)).status).toBe(200);
    expect(stateOf(at)).not.toEqual(before);
  });

  it("T3: lets the page run its own script and nothing else, and be framed by nobody", async () => {
    await begun();
    const { headers, text } = await raw(page, "/");
    const policy = String(headers["content-security-policy"]);
    for (const part of [
      "default-src 'none'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "base-uri 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("no-store");
    // Nothing that it would fetch from elsewhere.
    expect(text.match(/\b(?:src|href)\s*=\s*["']?(?:https?:)?\/\//g)).toBeNull();
    const answer = await raw(page, "/api/home", own());
    expect(answer.headers["content-type"]).toContain("application/json");
  });

  it("W3: no path leads to a file that is not the page's", async () => {
    await begun();
    for (const path of [
      "/../package.json",
      "/..%2f..%2fetc%2fpasswd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/diff.js/../../cli/bin.js",
      "//etc/passwd",
      "/web/index.html",
      "/index.html%00",
    ]) {
      const answer = await raw(page, path, own());
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text).not.toContain("root:");
    }
  });

  it("G3: takes only JSON, of a bounded size, and only what it knows", async () => {
    await begun();
    const path = "/api/sessions/left-session/plan";
    const form = await raw(page, path, { ...own(), "content-type": "text/plain" }, "POST", '{"choices":{}}');
    expect(form.status).toBe(400);
    const large = JSON.stringify({ choices: {}, message: "x".repeat(HTTP_BODY_BYTES) });
    // It is not read to its end: some clients hear the answer, others only that the connection is over.
    const refused = await raw(page, path, json(), "POST", large).catch(() => ({ status: 413 }));
    expect(refused.status).toBe(413);
    expect((await raw(page, path, json(), "POST", "[1]")).status).toBe(400);
    expect((await raw(page, path, json(), "POST", '{"choices":{"g":"rm -rf"}}')).status).toBe(400);
    expect((await raw(page, path, json(), "POST", '{"choices":{},"workspace":"/etc"}')).status).toBe(400);
    expect((await raw(page, "/api/sessions/left-session/apply", own())).status).toBe(404);
  });

  it("T1: an unknown session, group or plan is an error with its hint, and changes nothing", async () => {
    await begun();
    const before = stateOf(at);
    expect((await page.json("/api/sessions/nosuchsession")).code).toBe("E_NO_SESSION");
    expect((await page.json("/api/sessions/left-session/diff?group=gnone")).code).toBe("E_NO_GROUP");
    const gone = await page.order("/api/sessions/left-session/plan", { choices: { gnone: "commit" } });
    expect(gone.last).toMatchObject({ kind: "error", code: "E_PLAN_CHANGED", status: 409 });
    const wrong = await page.order("/api/sessions/left-session/apply", {
      choices: {},
      digest: "0".repeat(64),
    });
    expect(wrong.last.kind).toBe("error");
    const undo = await page.order("/api/sessions/left-session/undo", { plan: "nosuchplan" });
    expect(undo.last.kind).toBe("error");
    expect(stateOf(at)).toEqual(before);
  });

  it("S5, W5: a plan that was agreed to is not carried out on a tree that is another by then", async () => {
    await begun();
    const { groups } = await page.json("/api/sessions/left-session/salvage");
    const choices = Object.fromEntries(groups.map(({ id }: { id: string }) => [id, "park"]));
    const { last: plan } = await page.order("/api/sessions/left-session/plan", { choices });
    expect(plan.plan.acts.map(({ act }: { act: string }) => act)).toContain("park");
    at.repo.write("f.txt", "mine now\n");
    const { last } = await page.order("/api/sessions/left-session/apply", { choices, digest: plan.digest });
    expect(last).toMatchObject({ kind: "error", code: "E_PLAN_CHANGED" });
    expect(at.repo.read("f.txt")).toBe("mine now\n");
    at.repo.write("f.txt", "one\ntwo\n");
  });

  it("T5: whoever never ends his head, or his body, is let go, and others are answered meanwhile", async () => {
    await begun();
    const { port } = new URL(page.origin);
    const slow = connect(Number(port), "127.0.0.1");
    const closed = new Promise((resolve) => slow.once("close", resolve));
    slow.on("error", () => undefined).resume();
    slow.write("GET / HTTP/1.1\r\nHost: 127");
    // And one that never comes to the end of its body.
    const halting = connect(Number(port), "127.0.0.1");
    const over = new Promise((resolve) => halting.once("close", resolve));
    halting.on("error", () => undefined).resume();
    halting.write(
      `POST /api/sessions/left-session/plan HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nx-refloat-token: ${page.token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    );
    expect((await raw(page, "/", {})).status).toBe(200);
    await closed;
    await over;
    expect((await raw(page, "/api/home", own())).status).toBe(200);
  });

  it("G4: who guesses is soon told to wait, and whoever has the token is answered all the same", async () => {
    await begun();
    const guesses = await Promise.all(
      Array.from({ length: HTTP_REFUSAL_BURST * 2 }, (_, i) =>
        raw(page, "/api/home", { "x-refloat-token": `guess ${i}` }),
      ),
    );
    expect(guesses.some(({ status }) => status === 429)).toBe(true);
    expect(guesses.every(({ status }) => status === 429 || status === 401)).toBe(true);
    expect((await raw(page, "/api/sessions", own())).status).toBe(200);
  });
});

describe("starting it", { timeout: 120_000 }, () => {
  it("listens on this machine alone; elsewhere only with a token file that is the user's alone", async () => {
    const { place } = scene();
    const refused = await place.refloat(["serve", "--no-open", "--host", "0.0.0.0"]);
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining("--token-file")]);
    const file = join(mkdtempSync(join(temporaryFolder(), "t-")), "token");
    writeFileSync(file, `${"k".repeat(40)}\n`);
    chmodSync(file, 0o644);
    expect((await place.refloat(["serve", "--no-open", "--token-file", file])).stderr).toMatch(/chmod\s+600/);
    writeFileSync(file, "short\n");
    chmodSync(file, 0o600);
    expect((await place.refloat(["serve", "--no-open", "--token-file", file])).code).toBe(64);
    writeFileSync(file, `${"k".repeat(40)}\n`);
    const page = await served(place, ["--token-file", file]);
    expect(page.token).toBe("k".repeat(40));
    expect(page.origin).toContain("127.0.0.1");
    expect(await page.end("SIGINT")).toBe(0);
  });

  it("T2: the file that a browser is opened with is the user's alone, and is gone as soon as a page is open", async () => {
    const { place } = scene();
    const folder = temporaryFolder();
    const opened = join(folder, "opened");
    const opener = `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`;
    writeFileSync(join(folder, "xdg-open"), opener, { mode: 0o755 });
    const env = { ...ANN, DISPLAY: ":none", PATH: `${folder}:${process.env.PATH}` };
    const page = await started(place, ["serve", "--open", "--json"], { env });
    onTestFinished(async () => void (await page.end()));
    while (!existsSync(opened)) await sleep(20);
    const file = fileURLToPath(readFileSync(opened, "utf8"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(page.token);
    // Who guesses takes nothing away.
    await page.get("/api/home", { "x-refloat-token": "guessed" });
    expect(existsSync(file)).toBe(true);
    expect((await page.get("/api/sessions")).status).toBe(200);
    expect(existsSync(file)).toBe(false);
  });

  it("says which port is taken, and ends by a signal with code 0 although pages are open", async () => {
    const { place } = scene();
    const page = await served(place);
    const { port } = new URL(page.origin);
    const second = await place.refloat(["serve", "--no-open", "--port", port]);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("EADDRINUSE")]);
    const stream = await page.get("/api/changes");
    expect(stream.status).toBe(200);
    expect(await page.end()).toBe(0);
    await stream.body?.cancel().catch(() => undefined);
  });

  it("S1, W1: a folder where refloat never was is shown, and no store is made for it", async () => {
    const { place, repo } = scene();
    repo.write("a.txt", "a\n");
    repo.commit("base");
    await withPage(place, async ({ json: asked }) => {
      expect((await asked("/api/home")).sessions).toEqual([]);
      expect((await asked("/api/sessions")).sessions).toEqual([]);
      expect((await asked("/api/storage")).code).toBe("E_NO_STORE");
    });
    const { json: info } = await place.json(["store", "info"]);
    expect(info.code).toBe("E_NO_STORE");
  });

  it("status, inspect and show open it at their place by --web, and say what they would say where there is none", async () => {
    const { place, repo } = scene();
    const none = await place.json(["inspect", "--web"], { env: ANN });
    expect([none.code, none.json.code]).toEqual([1, "E_NO_SESSION"]);
    await leftTwoFiles(place, repo);
    for (const [args, to] of [
      [["status", "--web"], "/"],
      [["inspect", "--web"], "/session/left-session/left"],
      [["show", "left", "--web"], "/session/left-session"],
    ] as const) {
      const page = await started(place, [...args, "--json"]);
      const { hash } = new URL(page.address);
      expect(new URLSearchParams(hash.slice(1)).get("to")).toBe(to);
      expect(await page.end()).toBe(0);
    }
  });

  it("T2: under a session's mark it shows and plans, and acts on nothing", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    const before = stateOf({ place, repo });
    const marked = await served(place, [], { env: { ...ANN, REFLOAT_SESSION: "left-session.1.abc" } });
    const assertRefused = async (path: string, body: object): Promise<void> => {
      const { last } = await marked.order(path, body);
      expect([path, last.kind, last.code]).toEqual([path, "error", "E_UNDER_MARK"]);
    };
    try {
      expect(await marked.json("/api/home")).toMatchObject({ may_act: false });
      const { groups } = await marked.json("/api/sessions/left-session/salvage");
      const choices = Object.fromEntries(groups.map(({ id }: { id: string }) => [id, "park"]));
      const digest = "0".repeat(64);
      for (const [path, body] of [
        ["apply", { choices, digest }],
        ["undo", { digest }],
        ["undo", { plan: "nosuchplan", digest }],
        ["redo", { digest }],
        ["verify", {}],
      ] as const)
        await assertRefused(`/api/sessions/left-session/${path}`, body);
      // In the tree of the server, whether or not there is anything to act on.
      for (const [path, body] of [
        ["undo", { digest }],
        ["redo", { digest }],
        ["unpark", { name: "nothing", digest }],
        ["worktrees/remove", { paths: [repo.root], digest }],
      ] as const)
        await assertRefused(`/api/${path}`, body);
    } finally {
      await marked.end();
    }
    expect(stateOf({ place, repo })).toEqual(before);
  });
});
