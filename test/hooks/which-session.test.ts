/** Which session is meant where none is named: work that an agent left, before what the user said himself; and ids that can be typed. */
import { expect, it } from "vitest";
import { isManualSession } from "../../src/model/ids.ts";
import { manualId } from "../../src/workspace/sessions/capture-session.ts";
import { cutOffSession } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { claudeEvents, fakeAgent, type HookedPlace, hookedPlace } from "./hooked-place.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

/** An agent that was asked something and said it is done; nothing of what it left is known to be its own. */
async function agentOver(place: HookedPlace): Promise<string> {
  const [agent, events] = [fakeAgent(), claudeEvents(SESSION, place.workspace)];
  place.tell("claude", "UserPromptSubmit", events.prompt("make it green"), agent);
  place.tell("claude", "Stop", events.stop("done"), agent);
  place.tell("claude", "SessionEnd", events.end, agent);
  await agent.kill();
  const [session] = await place.sessions();
  return session?.id;
}

/** What each command takes for the session that is meant. */
async function meant(place: HookedPlace): Promise<readonly string[]> {
  const inspected = (await place.json(["inspect"])).json.session.id;
  const shown = (await place.json(["show"])).json.session.id;
  const { stdout: brief } = await place.refloat(["handoff"]);
  return [inspected, shown, /session `(.*?)`/.exec(brief)?.[1] ?? brief];
}

it("T6: what the user said himself after an agent never takes the agent's place where no session is named", async () => {
  const place = hookedPlace({ "a.txt": "a\n" });
  const agent = await agentOver(place);
  await place.refloat(["decide", "db", "sqlite"]);
  await place.refloat(["op", "begin", "x"]);
  await place.refloat(["op", "end", "x"]);
  expect((await place.sessions()).map(({ id }) => isManualSession(id))).toEqual([true, false]);
  expect(await meant(place)).toEqual([agent, agent, agent]);
});

it("S7: what was begun by hand and never ended is not passed over for an agent that left nothing", async () => {
  const place = hookedPlace({ "a.txt": "a\n" });
  await agentOver(place);
  await place.refloat(["op", "begin", "x"]);
  place.write({ "z.txt": "half\n" });
  expect((await meant(place)).map(isManualSession)).toEqual([true, true, true]);
});

it("T6: ids of sessions made by hand in two workspaces can be typed as they are printed, however alike they begin", async () => {
  const place = hookedPlace();
  for (const root of alikeRoots()) {
    const { stdout } = await place.refloat(["op", "begin", "x"], { cwd: root });
    const printed = /in session (\S+)\./.exec(stdout)?.[1] ?? stdout;
    const { json } = await place.json(["show", printed]);
    expect(json.session.workspace).toBe(root);
  }
});

/** Two repositories whose sessions made by hand have the first character of their hash in common. */
function alikeRoots(): readonly string[] {
  const seen = new Map<string, string>();
  for (;;) {
    const root = temporaryFolder();
    const first = manualId(root).slice(0, 8);
    const other = seen.get(first);
    if (other) return [other, root].map((one) => testRepository(one).root);
    seen.set(first, root);
  }
}

it("T6: every command that bare refloat prints means one session, whatever ids programs chose elsewhere", async () => {
  const place = hookedPlace();
  await cutOffSession(place, { id: "conversation-2" });
  const elsewhere = { ...place, workspace: temporaryFolder() };
  await cutOffSession(elsewhere, { id: "conversation-1" });
  const { json } = await place.json([]);
  expect(json.next).toEqual(["refloat show conversation-2"]);
  expect((await place.refloat([])).stdout).toMatch(/interrupted +conversation-2 /);
});
