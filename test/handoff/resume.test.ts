/** `resume`: the same session goes on, told what happened, as often as it takes; nothing is done twice by us. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endOf, scene } from "../run/run-scene.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const headOf = (place: Place, session: string): Promise<number> =>
  place.withStore(async (store) => (await store.raw.session(session as never))?.head ?? 0);

/** Dies five times, each time with something done, then ends well. */
const DIES_FIVE_TIMES = `n=$(cat "$0" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$0"
  echo "try $n" | tee -a work.txt; [ $n -le 5 ] && kill -9 $$; exit 0`;

describe("resume", () => {
  it("goes on five times in the same session: its id stays, its history only grows, and once the work is done it is not offered again (peers 8)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    const counter = join(temporaryFolder(), "n");
    expect((await place.refloat(["run", "--", "sh", "-c", DIES_FIVE_TIMES, counter])).code).toBe(137);
    const [first] = (await place.json(["sessions"])).json.sessions;
    let head = await headOf(place, first.id);
    const printed = await place.json(["resume", "--print"]);
    expect(printed.json.sessions[0]).toMatchObject({ session: first.id, differences: [] });
    for (let attempt = 2; attempt <= 6; attempt++) {
      const went = await place.refloat(["resume"]);
      expect(went.code, went.stderr).toBe(attempt === 6 ? 0 : 137);
      expect(went.stdout).toBe(`try ${attempt}\n`);
      const now = await headOf(place, first.id);
      expect(now).toBeGreaterThan(head);
      head = now;
    }
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({
      id: first.id,
      attempt: expect.any(Number),
      state: "finished",
      cause: "clean",
    });
    expect(await place.json(["resume"])).toMatchObject({ code: 1, json: { code: "E_RESUME_NONE" } });
    expect(await place.json(["resume", first.id])).toMatchObject({
      code: 1,
      json: { code: "E_RESUME_FINISHED" },
    });
  });

  it("with REFLOAT_OFF=1 starts the command where it was and does nothing else: no try, no record, no recovery", async () => {
    const place = makePlace();
    testRepository(place.workspace).commit();
    const script = 'echo "$REFLOAT_SESSION|"; [ -e died ] && exit 9; : > died; kill -9 $$';
    await place.refloat(["run", "--", "sh", "-c", script]);
    const [{ id, attempt }] = (await place.json(["sessions"])).json.sessions;
    const head = await headOf(place, id);
    const went = await place.refloat(["resume", id], { cwd: place.home, env: { REFLOAT_OFF: "1" } });
    expect(went).toMatchObject({ code: 9, stdout: "|\n", stderr: "" });
    expect(await headOf(place, id)).toBe(head);
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions).toMatchObject([{ id, attempt, state: "interrupted" }]);
  });

  it("never runs an uncertain call again: the next one, of another agent, is told of it and of how to check (hermes 49201, peers 9, C4)", async () => {
    const at = scene();
    const child = at.start({ calls: "one", tool: "session" });
    const agent = Number(await at.noted("agent"));
    await at.noted("tool");
    process.kill(agent, "SIGKILL");
    await endOf(child);
    const session = String(at.report().session);
    const other = join(at.notes, "other.sh");
    writeFileSync(other, '#!/bin/sh\ncat "$REFLOAT_HANDOFF_FILE"\n');
    chmodSync(other, 0o755);
    const went = await at.place.refloat(["resume", session, "--agent", other]);
    expect(went.code, went.stderr).toBe(0);
    expect(went.stdout).toContain("## May have happened");
    expect(went.stdout).toContain("Do not repeat it before checking");
    const { calls } = (await at.place.json(["show", session])).json;
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ status: "unknown-outcome", synthetic: true });
  });

  it("is refused when it is suspended after three ends without progress, and where a secret was taken out of its command line", async () => {
    const place = makePlace();
    testRepository(place.workspace).commit();
    const die = ["run", "--name", "stuck", "--", "sh", "-c", "kill -9 $$"];
    await place.refloat(die);
    await place.refloat(["resume", "stuck"]);
    const third = await place.refloat(["resume", "stuck"]);
    expect(third.code).toBe(137);
    expect(await place.json(["resume", "stuck"])).toMatchObject({
      code: 1,
      json: { code: "E_RESUME_SUSPENDED" },
    });
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    await place.refloat(["run", "--name", "secret", "--", "sh", "-c", "kill -9 $$", token]);
    expect(await place.json(["resume", "secret"])).toMatchObject({
      code: 1,
      json: { code: "E_RESUME_NO_COMMAND" },
    });
  });

  it("is what run --on-limit wait does by itself: the same session goes on when the limit has ended; without it the exit code is 75", async () => {
    const place = makePlace();
    testRepository(place.workspace).commit();
    const met = join(temporaryFolder(), "met");
    const script = `[ -e ${met} ] && { echo again; exit 0; }; touch ${met}; echo "limit reached|$(( $(date +%s) - 59 ))"; exit 3`;
    const flags = ["--limit-text", "limit reached", "--on-limit", "wait"];
    const waited = await place.refloat(["run", ...flags, "--", "sh", "-c", script]);
    expect(waited.code, waited.stderr).toBe(0);
    expect(waited.stdout).toContain("again");
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ state: "finished", dirty_ends: 0 });
    const limited = await place.refloat(["run", "--limit-code", "9", "--", "sh", "-c", "exit 9"]);
    expect(limited.code).toBe(75);
  });

  it("shows what is different, asks before it goes on on another branch, and says when the workspace is gone", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    await place.refloat(["run", "--name", "work", "--", "sh", "-c", "echo ran >> ran.txt; kill -9 $$"]);
    repo.git("checkout", "-q", "-b", "elsewhere");
    const asked = await place.json(["resume", "work"]);
    expect(asked).toMatchObject({ code: 1, json: { code: "E_NEEDS_YES" } });
    expect(asked.json.plan.differences).toMatchObject([{ what: "branch", was: "main", is: "elsewhere" }]);
    expect(readFileSync(join(repo.root, "ran.txt"), "utf8")).toBe("ran\n");
    const went = await place.refloat(["resume", "work", "--yes"]);
    expect(went.stderr).toContain("the branch is not what it was: main then, elsewhere now");
    expect(readFileSync(join(repo.root, "ran.txt"), "utf8")).toBe("ran\nran\n");
    rmSync(repo.root, { recursive: true });
    const gone = await place.json(["resume", "work"], { cwd: place.home });
    expect(gone).toMatchObject({ code: 1, json: { code: "E_WORKSPACE_GONE" } });
    expect(existsSync(repo.root)).toBe(false);
  });
});
