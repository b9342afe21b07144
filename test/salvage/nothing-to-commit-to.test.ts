/** Where there is nothing to commit to yet, or ever: what `inspect` offers works there (DESIGN 10, 15). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deadOwner, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

/** A dead session that appended to a journal (safe) and left half a JSON file (risky). */
async function left(place: Place): Promise<void> {
  const write = (name: string, text: string): void => writeFileSync(join(place.workspace, name), text);
  write("data.json", "{}\n");
  await place.withStore(async (store) => {
    const session = await store.begin({
      id: "worked",
      agent: "t",
      workspace: place.workspace,
      owner: deadOwner(),
    });
    await session.capture("begin");
    const turn = await session.turn("go");
    const call = await turn.call({ tool: "edit", input: { paths: ["journal.log", "data.json"] } });
    write("journal.log", "did it\n");
    write("data.json", '{"half": ');
    await call.result("ok");
    await turn.end("completed");
  });
}

const words = (command: string): string[] => command.split(" ").slice(1);
const actOf = (json: JsonObject, path: string): JsonObject =>
  json.plan.acts.find(({ paths }: JsonObject) => paths.includes(path));

describe.each([
  ["a plain folder", false, /no git here to commit it to/],
  ["a branch without a commit", true, /no policy makes the first commit/],
] as const)("settle in %s", (_where, isGit, why) => {
  const env = { ...ANN };

  it("by policy leaves what it would commit, says why, and parks the rest; the offered command is that one (DESIGN 15)", async () => {
    const place = makePlace();
    if (isGit) testRepository(place.workspace);
    await left(place);
    const { json: seen } = await place.json(["inspect"]);
    expect(seen.next).toEqual(["refloat settle worked"]);
    const { code, json } = await place.json([...words(seen.next[0]), "--yes"], { env });
    expect({ code, ...json }).toMatchObject({ code: 0, done: true, commit: null, conflicts: [] });
    expect(actOf(json, "journal.log")).toMatchObject({ act: "leave", why: expect.stringMatching(why) });
    expect(actOf(json, "data.json")).toMatchObject({ act: "park" });
    // What the reason names as the way out is one.
    const said = /refloat (.*--group \S+)/.exec(actOf(json, "journal.log").why)?.[1] ?? "";
    expect(await place.json([...said.split(" "), "--yes"], { env })).toMatchObject({
      code: 0,
      json: { done: true, commit: isGit ? expect.stringMatching(/^[0-9a-f]{40}$/) : null },
    });
    expect((await place.json(["inspect", "worked"])).json.session.unsettled).toBe(false);
  });

  it("is offered with --adopt only where git has something to compare with; else a capture is", async () => {
    const place = makePlace();
    if (isGit) testRepository(place.workspace);
    writeFileSync(join(place.workspace, "notes.md"), "A note.\n");
    const { json } = await place.json(["inspect"]);
    expect(json.session).toMatchObject({ implied: true });
    const { stdout } = await place.refloat(["inspect"], { env: { COLUMNS: "100" } });
    expect(stdout).toContain(isGit ? "on main, no commit yet" : "there is no git");
    expect(json.next[0]).toBe(isGit ? "refloat settle --adopt --dry-run" : "refloat capture");
    for (const command of json.next) {
      const { code, stderr } = await place.refloat(words(command), { env });
      expect({ command, code, stderr }).toMatchObject({ code: 0 });
    }
  });
});
