/** What the doctor says of agents that were started plainly, in folders that nobody has looked at since. */
import { expect, it } from "vitest";
import { newRecord } from "../../src/session/new-record.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { claudeEvents, fakeAgent, type HookedPlace, hookedPlace } from "./hooked-place.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

/** Ended as it should be; its hooks were taken in by a look elsewhere, and its agent is gone. */
async function endedElsewhere(place: HookedPlace): Promise<void> {
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "SessionStart", events.start, agent);
  place.tell("claude", "UserPromptSubmit", events.prompt("go"), agent);
  place.tell("claude", "PreToolUse", events.before("t1", "true"), agent);
  place.tell("claude", "PostToolUse", events.after("t1", "true"), agent);
  place.tell("claude", "Stop", events.stop("done"), agent);
  place.tell("claude", "SessionEnd", events.end, agent);
  await place.refloat(["status"], { cwd: temporaryFolder() });
  await agent.kill();
}

it("a session that was only heard is not called cut off where nobody has read its end yet, nor closed by a guess (K2, L7)", async () => {
  const place = hookedPlace();
  await endedElsewhere(place);
  expect(place.waiting()).toEqual([]);
  const cwd = temporaryFolder();
  const { json: seen } = await place.json(["doctor"], { cwd });
  const told = seen.findings.filter(({ check }: { check: string }) => /^(?:session|claim)-/.test(check));
  expect(told).toEqual([
    expect.objectContaining({
      check: "session-unread",
      severity: "info",
      command: `refloat -C ${place.workspace}`,
    }),
  ]);
  const { json: fixed } = await place.json(["doctor", "--fix"], { cwd });
  expect(fixed.fixed).toEqual([]);
  const [session] = await place.sessions();
  expect(session).toMatchObject({ state: "finished", cause: "clean" });
  const turns = (await place.journal(session?.id)).filter(({ kind }) => kind === "turn.ended");
  expect(turns.map(({ body }) => body.outcome)).toEqual(["completed"]);
  const { json: after } = await place.json(["doctor"], { cwd });
  expect(after.findings.map(({ check }: { check: string }) => check)).not.toContain("session-unread");
});

it("`doctor --fix` leaves the open turn of a session that was only heard to a look in its folder (K2, L7)", async () => {
  const place = hookedPlace();
  await endedElsewhere(place);
  const id = await place.withStore(async ({ raw, sessions }) => {
    const [found] = await sessions({ workspace: place.workspace });
    const row = await raw.session(found?.id as never);
    if (!row) throw new Error("no session");
    await raw.append(row.id, { attempt: row.claim.attempt }, [
      newRecord(raw.clock, "turn.began", { turn: "t", parts: null, input: null }),
    ]);
    return row.id;
  });
  const { json } = await place.json(["doctor", "--fix"], { cwd: temporaryFolder() });
  expect(json.fixed).toEqual([]);
  expect(json.findings.map(({ check }: { check: string }) => check)).not.toContain("session-interrupted");
  const kinds = (await place.journal(id)).map(({ kind }) => kind);
  expect(kinds).not.toContain("recovered");
  expect(kinds).not.toContain("turn.ended");
});
