/** `discard PATH`: the files somebody types and no others (W5); that their group is taken apart is said, before and after (S4, T1). */
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

const LONG = { timeout: 10 * 60_000 };

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  json(...args: string[]): ReturnType<Place["json"]>;
  text(...args: string[]): Promise<string>;
}

/** Of one group, by their imports: src/app.ts, src/part.ts, src/rest.ts. On its own: note.md. */
async function scene(): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("src/app.ts", "export const app = 1;\n");
  repo.commit("base");
  await leftSession(place, repo, {
    edits: {
      "src/part.ts": () => repo.write("src/part.ts", "export const part = 2;\n"),
      "src/rest.ts": () => repo.write("src/rest.ts", "export const rest = 3;\n"),
      "src/app.ts": () =>
        repo.write(
          "src/app.ts",
          'import { part } from "./part.ts";\nimport { rest } from "./rest.ts";\nexport const app = part + rest;\n',
        ),
      "note.md": () => repo.write("note.md", "A note.\n"),
    },
  });
  return {
    place,
    repo,
    json: (...args) => place.json(args, { env: ANN }),
    text: async (...args) => {
      const { code, stdout } = await place.refloat(args, { env: ANN });
      expect([0, 1]).toContain(code);
      return stdout;
    },
  };
}

const groupWith = (inspected: JsonObject, path: string): JsonObject =>
  inspected.groups.find(({ changes }: JsonObject) => changes.some((one: JsonObject) => one.path === path));

describe("a file of a group, named to discard", LONG, () => {
  it("goes alone, and the plan and the receipt name its group and what stays of it; never the group with it, and never without a word (S4, T1)", async () => {
    const { repo, json, text } = await scene();
    const { id } = groupWith((await json("inspect")).json, "src/app.ts");
    const stays = ["src/part.ts", "src/rest.ts"];
    const split = { group: id, paths: ["src/app.ts"], stays };
    const planned = await json("discard", "src/app.ts", "--dry-run");
    expect(planned).toMatchObject({ code: 0, json: { splits: [split] } });
    const shown = await text("discard", "src/app.ts", "--dry-run");
    for (const said of [id, ...stays, `--group ${id}`]) expect(shown).toContain(said);
    expect(shown.split("\n").filter((line) => line.length > 80)).toEqual([]);

    const { code, json: done } = await json("discard", "src/app.ts", "--yes");
    expect([code, done.done, done.splits]).toEqual([0, true, [split]]);
    expect(done.plan.acts).toMatchObject([{ act: "discard", paths: ["src/app.ts"] }]);
    expect(repo.read("src/app.ts")).toBe("export const app = 1;\n");
    expect(repo.read("src/part.ts")).toBe("export const part = 2;\n");
    expect(await json("undo", "--yes")).toMatchObject({ code: 0 });

    const told = await text("discard", "src/app.ts", "--yes");
    for (const said of ["Done.", id, ...stays]) expect(told).toContain(said);
    // The group as it was is no more: nobody is sent to it.
    expect(told).not.toContain(`--group ${id}`);
  });

  it("with all the others of it, or of a group of its own, takes nothing apart: nothing is said", async () => {
    const { json, text } = await scene();
    for (const paths of [["note.md"], ["src"], ["src/app.ts", "src/part.ts", "src/rest.ts"]]) {
      expect((await json("discard", ...paths, "--dry-run")).json.splits, paths.join(" ")).toEqual([]);
      expect(await text("discard", ...paths, "--dry-run"), paths.join(" ")).not.toContain("--group");
    }
  });

  it("that is neither in the tree nor a change is named as an error: a mistyped name is not taken for done (T1)", async () => {
    const { repo, json } = await scene();
    for (const more of [["--dry-run"], ["--yes"]]) {
      const refused = await json("discard", "note.md", "nope.md", ...more);
      expect(refused).toMatchObject({ code: 1, json: { code: "E_NO_PATH" } });
      expect(refused.json.message).toContain("nope.md");
    }
    expect(repo.read("note.md")).toBe("A note.\n");
    // What is there and is as it should be is no mistake.
    for (const _ of [1, 2]) expect(await json("discard", "src/app.ts", "--yes")).toMatchObject({ code: 0 });
  });

  it("is dropped with its whole group by the command that is shown (S4)", async () => {
    const { repo, json, text } = await scene();
    const shown = await text("discard", "src/part.ts", "--dry-run");
    const command = /refloat (discard \S+ --group \S+)/.exec(shown)?.[1] ?? "";
    expect(await json(...command.split(" "), "--yes")).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("status", "--porcelain", "-uall").trim()).toBe("?? note.md");
  });
});
