/** S7: a path has one verdict, whoever looks: the session that wrote it, another that worked beside it, or nobody's. */
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

const SOUND = "export const one = 1;\n";
const BROKEN = "export const one = (1;\n";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
}

/** A leaves one file broken, one in an operation that it never ended, one in one that it did; B comes after it. */
async function scene(): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["broken", "open", "whole", "beside"]) repo.write(`src/${name}.mjs`, SOUND);
  repo.write("mine.mjs", SOUND);
  repo.commit("base");
  repo.write("mine.mjs", BROKEN);
  const add = (name: string, text: string) => () => repo.write(`src/${name}.mjs`, text);
  await leftSession(place, repo, {
    id: "session-a",
    operation: "add two",
    edits: { "src/whole.mjs": add("whole", `${SOUND}export const two = 2;\n`) },
  });
  await place.withStore(async (store) => {
    const session = await store.begin({ id: "session-a", agent: "tester", workspace: repo.root });
    const turn = await session.turn("go on");
    await session.operation("half", { paths: ["src/open.mjs"] });
    for (const [name, text] of [
      ["open", `${SOUND}export const three = 3;\n`],
      ["broken", BROKEN],
    ] as const) {
      const call = await turn.call({ tool: "edit", input: { path: `src/${name}.mjs` } });
      repo.write(`src/${name}.mjs`, text);
      await call.result("ok");
    }
    await turn.end("completed");
    await session.finish();
  });
  await leftSession(place, repo, {
    id: "session-b",
    operation: "beside",
    edits: { "src/beside.mjs": add("beside", `${SOUND}export const four = 4;\n`) },
  });
  return { place, repo };
}

type Verdicts = Readonly<Record<string, { readonly verdict: string; readonly rules: readonly string[] }>>;

async function seenBy({ place }: Scene, id: string, ...more: string[]): Promise<Verdicts> {
  const { json } = await place.json(["inspect", id, ...more], { env: ANN });
  return Object.fromEntries(
    json.groups.flatMap(({ changes, verdict, reasons }: JsonObject) =>
      changes.map(({ path }: JsonObject) => [
        path,
        { verdict, rules: reasons.map(({ rule }: JsonObject) => rule) },
      ]),
    ),
  );
}

describe("a path has one verdict, whoever looks (S7)", { timeout: 120_000 }, () => {
  it("what another session left broken, half done or whole is that to every session, with its owner's reasons", async () => {
    const at = await scene();
    const [a, b] = [await seenBy(at, "session-a"), await seenBy(at, "session-b")];
    expect(a["src/broken.mjs"]).toMatchObject({ verdict: "risky" });
    expect(a["src/broken.mjs"]?.rules).toContain("parse");
    expect(a["src/open.mjs"]?.rules).toContain("open-operation");
    expect(a["src/whole.mjs"]).toMatchObject({ verdict: "safe" });
    expect(b).toEqual(a);
  });

  it("what was broken before the sessions began is so to both of them, and nothing of it is called sound", async () => {
    const at = await scene();
    for (const id of ["session-a", "session-b"])
      expect((await seenBy(at, id))["mine.mjs"]).toMatchObject({ verdict: "risky", rules: ["parse"] });
  });

  it("a check that its owner's work failed is in what the other sees of it, and none is run there for others' work", async () => {
    const at = await scene();
    const check = "! grep -q two src/whole.mjs";
    const a = await seenBy(at, "session-a", "--verify", check);
    expect(a["src/whole.mjs"]?.verdict).toBe("unknown");
    const b = await seenBy(at, "session-b", "--verify", check);
    expect(b["src/whole.mjs"]).toEqual(a["src/whole.mjs"]);
    expect(b["src/beside.mjs"]?.verdict).toBe("safe");
  });
});
