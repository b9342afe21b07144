/** `claim status` and `claim break`: who holds what, and taking over from an owner that is gone (K2, K4). */
import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import type { Owner } from "../../src/model/owner.ts";
import {
  BIN,
  cutOffSession,
  deadOwner,
  elsewhereOwner,
  ended,
  makePlace,
  type Place,
  unreachableOwner,
} from "../support/cli.ts";

async function held(place: Place, id: string, owner?: Owner): Promise<void> {
  await place.withStore(async (store) => {
    const session = await store.begin({
      id,
      agent: "tester",
      workspace: place.workspace,
      ...(owner ? { owner } : {}),
    });
    await session.turn("work");
  });
}

const lastKinds = (place: Place, id: string): Promise<string[]> =>
  place.withStore(async (store) => {
    const kinds: string[] = [];
    for await (const { kind } of store.raw.journal(id as SessionId)) kinds.push(kind);
    return kinds.slice(-2);
  });

describe("claim status", () => {
  it("tells of each owner what can be proved, and how far a claim in this store reaches", async () => {
    const place = makePlace();
    await held(place, "mine");
    await held(place, "dead-one", deadOwner());
    await held(place, "boxed-one", unreachableOwner());
    await held(place, "far-one", elsewhereOwner());
    await place.withStore((store) =>
      store.begin({ id: "free-one", agent: "t", workspace: place.workspace }).then((s) => s.release()),
    );
    const { code, json } = await place.json(["claim", "status"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({ schema: "refloat.claim-status/1", scope: "this machine" });
    const byId = Object.fromEntries(json.claims.map((claim: { session: string }) => [claim.session, claim]));
    expect(Object.keys(byId).sort()).toEqual(["boxed-one", "dead-one", "far-one", "mine"]);
    expect(byId.mine).toMatchObject({ held: true, attempt: 1, liveness: { kind: "alive" } });
    expect(byId.mine.owner).toMatchObject({ pid: process.pid, label: "tester" });
    expect(byId["dead-one"]).toMatchObject({ held: false, liveness: { kind: "dead" } });
    // Another pid namespace on this machine is never dead (K2); another machine is trusted by its heartbeat.
    expect(byId["boxed-one"]).toMatchObject({ held: true, liveness: { kind: "unreachable" } });
    expect(byId["far-one"]).toMatchObject({ held: true, liveness: { kind: "elsewhere" } });
    const { stdout } = await place.refloat(["claim", "status"]);
    for (const said of ["alive", "dead", "unreachable", "on another machine", "Scope: this machine"]) {
      expect(stdout).toContain(said);
    }
    const one = await place.json(["claim", "status", "free-one"]);
    expect(one.json.claims).toMatchObject([{ session: "free-one", held: false, owner: null, since: null }]);
  });
});

describe("claim break", () => {
  it("needs a reason: without one it is a usage error and nothing is changed", async () => {
    const place = makePlace();
    await held(place, "stuck", unreachableOwner());
    for (const flags of [[], ["--reason", ""], ["--reason", "  "]]) {
      const { code, json } = await place.json(["claim", "break", "stuck", "--yes", ...flags]);
      expect([code, json.code]).toEqual([64, "E_NO_REASON"]);
    }
    expect((await place.json(["claim", "status", "stuck"])).json.claims[0].held).toBe(true);
  });

  it("refuses while the owner lives on this machine, with exit 4, even with --yes (K4)", async () => {
    const place = makePlace();
    await held(place, "alive");
    const { code, json } = await place.json(["claim", "break", "alive", "--reason", "impatient", "--yes"]);
    expect([code, json.code]).toEqual([4, "E_STILL_ALIVE"]);
    expect((await place.json(["claim", "status", "alive"])).json.claims[0]).toMatchObject({
      attempt: 1,
      held: true,
    });
  });

  it("without --yes and without a terminal prints its plan, changes nothing and exits 1", async () => {
    const place = makePlace();
    await held(place, "stuck", unreachableOwner("boxed"));
    const text = await place.refloat(["claim", "break", "stuck", "--reason", "container is gone"]);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain("boxed");
    expect(text.stdout).toContain("container is gone");
    expect(text.stderr).toContain("E_NEEDS_YES");
    const { code, json } = await place.json(["claim", "break", "stuck", "--reason", "container is gone"]);
    expect(code).toBe(1);
    expect(json).toMatchObject({
      schema: "refloat.error/1",
      code: "E_NEEDS_YES",
      plan: { session: "stuck", attempt: 1, reason: "container is gone", from: { label: "boxed" } },
    });
    const dry = await place.json(["claim", "break", "stuck", "--reason", "r", "--dry-run", "--yes"]);
    expect([dry.code, dry.json.done]).toEqual([0, false]);
    expect((await place.json(["claim", "status", "stuck"])).json.claims[0]).toMatchObject({
      attempt: 1,
      held: true,
    });
  });

  it("with --yes frees the claim, records from whom and why, and fences the old owner off (K1, K4)", async () => {
    const place = makePlace();
    await held(place, "stuck", unreachableOwner("boxed"));
    const { code, json } = await place.json([
      "claim",
      "break",
      "stuck",
      "--reason",
      "container is gone",
      "--yes",
    ]);
    expect([code, json.schema, json.done]).toEqual([0, "refloat.claim-break/1", true]);
    const shown = (await place.json(["show", "stuck"])).json;
    expect(shown.attempts.at(-1)).toMatchObject({ attempt: 2, why: "broken", reason: "container is gone" });
    expect(shown.session.state).toBe("interrupted");
    await place.withStore(async (store) => {
      await expect(store.raw.append("stuck" as SessionId, { attempt: 1 }, [])).rejects.toMatchObject({
        code: "E_FENCED",
      });
      const session = await store.begin({ id: "stuck", agent: "next", workspace: place.workspace });
      expect(session.attempt).toBe(3);
      await session.finish();
    });
  });

  it("says that there is nothing to break where nobody holds it, and writes nothing", async () => {
    const place = makePlace();
    await place.withStore((store) =>
      store.begin({ id: "free", agent: "t", workspace: place.workspace }).then((s) => s.release()),
    );
    const before = await lastKinds(place, "free");
    const { code, json } = await place.json(["claim", "break", "free", "--reason", "r", "--yes"]);
    expect([code, json.done]).toEqual([0, false]);
    expect(await lastKinds(place, "free")).toEqual(before);
  });

  it.runIf(process.platform === "linux")(
    "asks at a terminal, and anything but yes changes nothing",
    async () => {
      const place = makePlace();
      await cutOffSession(place, { id: "asked" });
      const answer = (text: string): ReturnType<typeof ended> => {
        const command = `"${process.execPath}" "${BIN}" claim break asked --reason gone`;
        // script(1) gives the program a terminal of its own.
        const child = spawn("script", ["-qec", command, "/dev/null"], {
          cwd: place.workspace,
          env: { PATH: process.env.PATH, REFLOAT_HOME: place.home, TERM: "dumb" },
        });
        child.stdout.on("data", (piece: Buffer) => {
          if (piece.toString().includes("[y/N]")) child.stdin.write(text);
        });
        return ended(child);
      };
      const attempt = async (): Promise<number> =>
        (await place.json(["claim", "status", "asked"])).json.claims[0].attempt;
      const no = await answer("n\n");
      expect(no.stdout).toContain("Nothing was changed");
      expect(no.code).toBe(1);
      for (const key of ["\x04", "\x03"]) {
        const left = await answer(key);
        expect(left.stdout).toContain("Nothing was changed");
        expect(left.code).toBe(1);
      }
      expect(await attempt()).toBe(1);
      expect((await answer("y\n")).stdout).toContain("The claim is free");
      expect(await attempt()).toBe(2);
    },
  );
});
