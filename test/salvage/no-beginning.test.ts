/** A session whose beginning nobody saw: its work is not called older than itself, and it does not write its own judge (W4, L6, T2). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

/** A filter of the user's that fails makes `git status` fail, and with it the capture; the agent's first step ends that. */
function withoutBeginning(work: string): {
  place: ReturnType<typeof makePlace>;
  repo: ReturnType<typeof testRepository>;
  run: () => Promise<{ code: number | null; stderr: string }>;
  json: (...args: string[]) => Promise<{ code: number | null; json: JsonObject }>;
} {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write(".gitattributes", "*.dat filter=x\n");
  repo.write("a.dat", "one\n");
  repo.write("notes.md", "One.\n");
  repo.commit("base");
  repo.write("a.dat", "two\n");
  const config = join(place.home, "gitconfig");
  writeFileSync(config, '[filter "x"]\n\tclean = false\n\trequired = true\n');
  const env = { ...ANN, GIT_CONFIG_GLOBAL: config };
  const agent = `: > ${config}; git checkout -q a.dat; ${work}`;
  return {
    place,
    repo,
    run: () => place.refloat(["run", "--", "sh", "-c", agent], { env }),
    json: (...args) => place.json(args, { env }),
  };
}

it('its changes are nobody\'s, not "there before": it stays unsettled until somebody names them', async () => {
  const { repo, run, json } = withoutBeginning("echo Two. >> notes.md");
  const ran = await run();
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("no begin capture")]);
  const { groups, session } = (await json("inspect")).json;
  expect(session).toMatchObject({ state: "finished", unsettled: true });
  expect(groups).toMatchObject([{ changes: [{ path: "notes.md", owner: "unknown" }] }]);
  expect((await json("settle", "--policy", "park-all", "--yes")).code).toBe(0);
  expect(repo.read("notes.md"), "no policy touches it").toBe("One.\nTwo.\n");
  expect((await json("park", "notes.md", "--yes")).code).toBe(0);
  expect(repo.read("notes.md")).toBe("One.\n");
  expect((await json("sessions")).json.sessions[0].unsettled).toBe(false);
}, 300_000);

it("the configuration it committed itself does not judge it", async () => {
  const config = JSON.stringify({ ignore: ["**"] });
  const commit = `echo '${config}' > refloat.json; git add refloat.json; git commit -qm mine`;
  const { repo, run, json } = withoutBeginning(`${commit}; rm notes.md`);
  expect((await run()).code).toBe(0);
  expect(repo.git("log", "--format=%s", "-1")).toBe("mine");
  expect((await json("inspect")).json.groups).toMatchObject([{ changes: [{ path: "notes.md" }] }]);
}, 300_000);
