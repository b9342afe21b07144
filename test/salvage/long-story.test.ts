/** A session that went on for longer than a survivor reads whole: what was begun early is still told, and judged by. */
import { describe, expect, it } from "vitest";
import type { RefloatStore } from "../../src/app/store/open-store.ts";
import { deadOwner, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";

/** More than the newest records a story is told by (10,000). */
const MESSAGES = 10_200;
/** Appended in one tick. */
const AT_ONCE = 600;

type Session = Awaited<ReturnType<RefloatStore["begin"]>>;
type Turn = Awaited<ReturnType<Session["turn"]>>;

async function talkOn(turn: Turn): Promise<void> {
  for (let said = 0; said < MESSAGES; said += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => turn.append({ role: "assistant", parts: "Going on." })),
    );
}

async function edit(repo: TestRepository, turn: Turn, name: string, text: string): Promise<void> {
  const call = await turn.call({ tool: "edit", input: { path: name } });
  repo.write(name, text);
  await call.result("ok");
}

interface Long {
  readonly place: Place;
  readonly repo: TestRepository;
}

/** A dead session with a.md and b.md in its tree. */
async function longSession(work: (session: Session, repo: TestRepository) => Promise<void>): Promise<Long> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["a.md", "b.md"]) repo.write(name, "A note.\n");
  repo.commit("base");
  await place.withStore(async (store) => {
    const workspace = repo.root;
    await work(await store.begin({ id: "long", agent: "tester", workspace, owner: deadOwner() }), repo);
  });
  return { place, repo };
}

async function inspected({ place }: Long): Promise<{ json: JsonObject; of: (name: string) => JsonObject }> {
  const { json } = await place.json(["inspect", "long"]);
  const of = (name: string): JsonObject => {
    const group = json.groups.find(({ changes }: JsonObject) =>
      changes.some(({ path }: JsonObject) => path === name),
    );
    return { verdict: group.verdict, rules: group.reasons.map(({ rule }: JsonObject) => rule) };
  };
  return { json, of };
}

describe("what came before everything a survivor reads whole still keeps work from being safe (S3)", () => {
  it("an operation and a call that began then and never ended", async () => {
    const long = await longSession(async (session, repo) => {
      await session.operation("Move the notes");
      const talk = await session.turn("go");
      await talk.call({ tool: "write", input: { path: "b.md" } });
      repo.write("b.md", "A note.\n\nAnd a second one.\n");
      await talkOn(talk);
      await talk.end("completed");
      const turn = await session.turn("go on");
      await edit(repo, turn, "a.md", "A note.\n\nAnother note.\n");
      await turn.end("completed");
    });
    const { json, of } = await inspected(long);
    expect([of("a.md"), of("b.md")]).toMatchObject([{ verdict: "risky" }, { verdict: "risky" }]);
    expect(of("a.md").rules).toContain("open-operation");
    expect(of("b.md").rules).toContain("open-call");
    expect(json.operations).toMatchObject([{ label: "Move the notes", state: "open" }]);
  });

  it("a BEGIN line of a message that has no END", async () => {
    const long = await longSession(async (session, repo) => {
      const talk = await session.turn("go");
      await talk.append({ role: "assistant", parts: "I begin.\n# BEGIN: Move the notes\n" });
      await talk.append({ role: "assistant", parts: "# BEGIN: Tidy\n" });
      await talkOn(talk);
      await talk.append({ role: "assistant", parts: "# END: Tidy\n" });
      await talk.end("completed");
      const turn = await session.turn("go on");
      await edit(repo, turn, "a.md", "A note.\n\nAnother note.\n");
      await turn.end("completed");
    });
    const { json, of } = await inspected(long);
    expect(of("a.md")).toMatchObject({ verdict: "risky" });
    expect(of("a.md").rules).toContain("open-operation");
    expect(json.operations).toMatchObject([
      { label: "Move the notes", state: "open" },
      { label: "Tidy", state: "ended" },
    ]);
    expect(json.last_output).not.toContain("BEGIN");
  });
});
