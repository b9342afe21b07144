/** `handoff`: the brief of the first seed's case and of a session cut off in a call, through the built program. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tokensOf } from "../../src/text/cut-to-bytes.ts";
import { cutOffSession, deadOwner, type JsonObject, makePlace } from "../support/cli.ts";
import { fingerprint } from "../support/git-repository.ts";
import { seedSession } from "../support/seed-session.ts";

describe("handoff", () => {
  it("names the open call, the operation, the last output and every verdict of the first seed's case within 300, 2,000 and 8,000 tokens; it changes nothing (W1)", async () => {
    const place = makePlace();
    const { repo } = await seedSession(place);
    const before = fingerprint(repo.root);
    for (const budget of [300, 2000, 8000]) {
      const { code, stdout } = await place.refloat(["handoff", "--budget", String(budget)]);
      expect(code).toBe(0);
      expect(tokensOf(stdout)).toBeLessThanOrEqual(budget);
      expect(stdout).toContain("rm packages/gptmail && cp -r template packages/gptmail");
      expect(stdout).toContain("sync-precommit-config-with-template");
      expect(stdout).toContain("Now the shared configuration: I sync it with the template.");
      expect(stdout).toMatch(/\d+ groups? of changes: .*risky.*unknown.*safe/);
    }
    expect(fingerprint(repo.root)).toBe(before);
  });

  it("has the same facts as JSON, and says in both what did not fit", async () => {
    const place = makePlace();
    await seedSession(place);
    const { json } = await place.json(["handoff", "--budget", "300"]);
    expect(json).toMatchObject({
      schema: "refloat.handoff/1",
      session: { id: "seed-session", agent: "gptme", state: "interrupted" },
      goal: "Sync the workspace configuration with the template",
      last_output: "Now the shared configuration: I sync it with the template.",
      verdicts: { safe: expect.any(Number), risky: expect.any(Number), unknown: expect.any(Number) },
      budget: 300,
    });
    expect(json.calls.map(({ tool }: JsonObject) => tool)).toEqual(["shell"]);
    expect(json.left_out.map(({ section }: JsonObject) => section)).toContain("work");
    expect(json.markdown).toContain("Left out for 300 tokens");
    expect(json.tokens).toBe(tokensOf(json.markdown));
  });

  it("names the try that was cut off, never the one that only recovered it; the next one that works is told as itself (T1)", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "cut-off" });
    const told = async (): Promise<string | undefined> => {
      const screens = await Promise.all(
        ["handoff", "inspect", "show"].map((command) => place.refloat([command, "cut-off"])),
      );
      const tries = new Set(screens.map(({ stdout }) => /(\d\w\w) try\b/.exec(stdout)?.[1]));
      expect(tries.size, JSON.stringify(screens)).toBe(1);
      return [...tries][0];
    };
    expect(await told()).toBe("1st");
    await place.withStore((store) => store.recover());
    expect((await place.json(["sessions"])).json.sessions[0]).toMatchObject({
      state: "interrupted",
      attempt: 2,
    });
    expect(await told()).toBe("1st");
    expect((await place.json(["handoff", "cut-off"])).json.session).toMatchObject({
      attempt: 2,
      last_attempt: 1,
    });
    await place.withStore(async (store) => {
      const again = {
        id: "cut-off",
        agent: "tester",
        workspace: place.workspace,
        owner: deadOwner("tester"),
      };
      await (await store.begin(again)).turn("go on");
    });
    expect(await told()).toBe("3rd");
  });

  it("tells what waits and what was decided, and the state file's steps", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "cut-off", name: "nightly" });
    await place.refloat(["state", "init", "."]);
    await place.refloat(["step", "start", "1"]);
    const { stdout } = await place.refloat(["handoff", "nightly"]);
    expect(stdout).toContain("`And one more thing`");
    expect(stdout).toContain("`orm`: `none` because `small`");
    expect(stdout).toContain("`1 Requirements`: in progress");
    expect(stdout).toContain("`deploy`");
    expect(stdout).not.toContain("read_file");
  });

  it("is about the session's own workspace, wherever it is asked for, and says so when that is gone", async () => {
    const place = makePlace();
    const { repo } = await seedSession(place);
    const elsewhere = await place.refloat(["handoff", "seed-session"], { cwd: place.home });
    expect(elsewhere.stdout).toContain("4 groups of changes");
    rmSync(repo.root, { recursive: true });
    const gone = await place.json(["handoff", "seed-session"], { cwd: place.home });
    expect(gone).toMatchObject({ code: 1, json: { code: "E_WORKSPACE_GONE" } });
  });

  it("refuses a budget that could say nothing, and a session nobody knows", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "cut-off" });
    expect(await place.json(["handoff", "--budget", "50"])).toMatchObject({ code: 64 });
    expect(await place.json(["handoff", "--budget", "many"])).toMatchObject({ code: 64 });
    expect(await place.json(["handoff", "nobody"])).toMatchObject({
      code: 1,
      json: { code: "E_NO_SESSION" },
    });
  });

  it("takes its budget from the committed config and the user's own, never from uncommitted bytes, and within bounds (T2)", async () => {
    const place = makePlace();
    const { repo, session } = await seedSession(place);
    const budget = async (...flags: string[]): Promise<number> =>
      (await place.json(["handoff", session, ...flags])).json.budget;
    writeFileSync(join(repo.root, "refloat.json"), '{ "handoff": { "budget": 700 } }\n');
    expect(await budget(), "not committed").toBe(2000);
    repo.git("add", "refloat.json");
    repo.git("commit", "-q", "-m", "config", "--", "refloat.json");
    expect(await budget()).toBe(700);
    expect(await budget("--budget", "400")).toBe(400);
    mkdirSync(join(place.home, ".config/refloat"), { recursive: true });
    writeFileSync(join(place.home, ".config/refloat/config.json"), '{ "handoff": { "budget": 3 } }');
    expect(await budget(), "the user's own wins, and says something all the same").toBe(200);
  });
});
