/** `refloat mcp` where another process holds the store, where other repositories are in it, and where addresses are hostile. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cutOffSession } from "../support/cli.ts";
import { leftTwoFiles } from "../support/left-session.ts";
import { holdLock } from "../support/lock-holder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { scene } from "../support/two-faces.ts";
import { connected, withMcp } from "./mcp-client.ts";

describe("a store that another process holds", { timeout: 240_000 }, () => {
  it("D6: a call waits within a bound and says that it may be tried again; the server lives, and the next call is kept", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    await withMcp(place, async ({ call, client }) => {
      expect((await call("decide", { key: "a", value: "b" })).isError).toBe(false);
      const letGo = await holdLock(place.store);
      const held = await Promise.all([
        call("step", { act: "start", step: "1" }),
        call("capture"),
        call("decide", { key: "c", value: "d" }),
        call("operations", { act: "begin", label: "part" }),
        call("status"),
      ]);
      const [, capture, decide, operation, status] = held;
      expect(capture.json).toMatchObject({ code: "E_STORE_BUSY", retryable: true });
      expect(capture.text).toContain("try again");
      // What could be said in words instead is said so; and whoever only reads is not held up.
      for (const one of [decide, operation])
        expect(one.json.recorded === false || one.json.retryable === true, one.text).toBe(true);
      expect(status.isError, status.text).toBe(false);
      await expect(client.ping()).resolves.toBeDefined();
      await letGo();
      expect((await call("decide", { key: "c", value: "d" })).isError).toBe(false);
      expect((await call("capture")).isError).toBe(false);
    });
    expect((await place.refloat(["store", "check"])).code).toBe(0);
  });

  it("K1: a server whose input ends while many calls wait for the lock goes, and does not wait for each of them", async () => {
    const { place, repo } = scene();
    repo.commit("base");
    const mcp = await connected(place);
    await mcp.call("decide", { key: "a", value: "b" });
    await holdLock(place.store);
    const asked = Array.from({ length: 100 }, (_, i) => mcp.call("capture", { note: `n${i}` }));
    const ends = Promise.allSettled(asked);
    // The SDK's client ends its input, waits two seconds, and sends SIGTERM, then SIGKILL: here nothing is sent.
    process.kill(mcp.pid, 0);
    const closed = mcp.endInput();
    await ends;
    expect(await closed).toBe(0);
  });
});

describe("other repositories of the same store", { timeout: 240_000 }, () => {
  it("T2: their sessions are not found, by id, name or beginning, nor told to be there; the person's command finds them", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    const elsewhere = { ...place, workspace: temporaryFolder() };
    await cutOffSession(elsewhere, { id: "secret-elsewhere-1", name: "hidden" });
    expect((await place.refloat(["show", "secret-elsewhere-1"])).code).toBe(0);
    await withMcp(place, async ({ call, client }) => {
      const said: unknown[] = [];
      for (const session of ["secret-elsewhere-1", "hidden", "secret-e", "secret-nowhere-1"])
        for (const tool of ["inspect", "handoff", "settle"]) {
          const { isError, json, text } = await call(tool, { session });
          expect([isError, json.code], `${tool} ${session}`).toEqual([true, "E_NO_SESSION"]);
          expect(text).not.toContain("Make it work");
          said.push(String(json.message).replace(session, "X"));
        }
      // One that is nowhere is answered alike: it is not told which ids there are.
      expect(new Set(said)).toEqual(new Set(["There is no session X of this repository."]));
      for (const uri of ["refloat://brief/hidden", "refloat://manifest/secret-elsewhere-1"])
        await expect(client.readResource({ uri })).rejects.toThrow(/no session/);
      expect((await call("inspect", { session: "left-session" })).isError).toBe(false);
      expect((await call("inspect", { session: "left-s" })).isError).toBe(false);
    });
  });

  it("W8: a session of another work tree of it is found, and one whose work tree was removed, too", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    const linked = join(temporaryFolder(), "linked");
    repo.git("worktree", "add", "-q", linked, "-b", "side");
    const inspects = (): Promise<boolean> =>
      withMcp(
        place,
        async ({ call }) => (await call("inspect", { session: "left-session" })).isError === false,
        { cwd: linked },
      );
    expect(await inspects()).toBe(true);
    await place.refloat(["run", "--name", "aside", "--", "sh", "-c", "echo half > half.txt; kill -9 $$"], {
      cwd: linked,
    });
    execFileSync("rm", ["-rf", linked]);
    await withMcp(place, async ({ call }) => {
      const { isError, text } = await call("inspect", { session: "aside" });
      expect(isError, text).toBe(false);
    });
  });
});

describe("hostile addresses", { timeout: 240_000 }, () => {
  it("T5: are each answered by an error, and the server lives on", async () => {
    const { place, repo } = scene();
    await leftTwoFiles(place, repo);
    const names = [
      ...["%", "%E0%A4%A", "%00", "..%2F..%2Fetc%2Fpasswd", "a".repeat(100_000), "%1b%5D0;x%07", "''", "{}"],
      ...["__proto__", "constructor", "%F0%9F", "left-session/../x"],
    ];
    await withMcp(place, async ({ client, call }) => {
      for (const kind of ["brief", "manifest"])
        for (const name of names)
          await expect(
            client.readResource({ uri: `refloat://${kind}/${name}` }),
            `${kind} ${name.slice(0, 40)}`,
          ).rejects.toThrow();
      for (const uri of ["file:///etc/passwd", "refloat://", "refloat://nothing", "refloat://brief@evil/x"])
        await expect(client.readResource({ uri }), uri).rejects.toThrow();
      expect((await call("status")).isError).toBe(false);
    });
  });
});
