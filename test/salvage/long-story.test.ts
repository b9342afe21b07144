/** A session that went on for longer than a survivor reads: what was begun early and never ended is still told. */
import { expect, it } from "vitest";
import { deadOwner, type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

/** More than the newest records a story is told by (10,000). */
const MESSAGES = 10_200;
/** Appended in one tick. */
const AT_ONCE = 600;

it("an operation and a call that began before everything a survivor reads, and never ended, still make what came in them risky, not safe (S3)", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["a.md", "b.md"]) repo.write(name, "A note.\n");
  repo.commit("base");
  await place.withStore(async (store) => {
    const workspace = repo.root;
    const session = await store.begin({ id: "long", agent: "tester", workspace, owner: deadOwner() });
    await session.operation("Move the notes");
    const talk = await session.turn("go");
    await talk.call({ tool: "write", input: { path: "b.md" } });
    repo.write("b.md", "A note.\n\nAnd a second one.\n");
    for (let said = 0; said < MESSAGES; said += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => talk.append({ role: "assistant", parts: "Going on." })),
      );
    await talk.end("completed");
    const turn = await session.turn("go on");
    const call = await turn.call({ tool: "edit", input: { path: "a.md" } });
    repo.write("a.md", "A note.\n\nAnother note.\n");
    await call.result("ok");
    await turn.end("completed");
  });
  const { json } = await place.json(["inspect", "long"]);
  const [a, b] = ["a.md", "b.md"].map((name) =>
    json.groups.find(({ changes }: JsonObject) => changes.some(({ path }: JsonObject) => path === name)),
  );
  const rules = ({ reasons }: JsonObject): string[] => reasons.map(({ rule }: JsonObject) => rule);
  expect([a, b]).toMatchObject([{ verdict: "risky" }, { verdict: "risky" }]);
  expect(rules(a)).toContain("open-operation");
  expect(rules(b)).toContain("open-call");
  expect(json.operations).toMatchObject([{ label: "Move the notes", state: "open" }]);
}, 300_000);
