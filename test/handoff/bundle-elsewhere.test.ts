/** A bundle made on one machine (a home, a clone) is settled and resumed on another: nothing of the first is there any more. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endOf, until } from "../run/run-scene.ts";
import { atTerminal } from "../support/at-terminal.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { has } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

/** A program in the repository, so that the other machine has it too. Told to end, it saves what it has: some of it half done. */
const AGENT = `#!/bin/sh
if [ -e new/part.txt ]; then
  echo "goes on"; grep -c 'May have\\|Work left' "$REFLOAT_HANDOFF_FILE"; echo finished >> new/part.txt; exit 0
fi
work() {
  echo "- did one thing" >> journal/day.md
  echo "# BEGIN: parts"; mkdir -p new; echo part > new/part.txt; chmod 700 new/part.txt
  echo "TOKEN=${TOKEN}" > local.env; echo "working on parts"
}
trap 'work; trap - INT; kill -INT $$' INT
echo ready
while :; do sleep 0.05; done
`;

interface Machine {
  readonly place: Place;
  readonly repo: TestRepository;
}

function firstMachine(): { here: Machine; origin: string; bundle: string } {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("agent.sh", AGENT, 0o755);
  repo.write("journal/day.md", "# Day\n");
  repo.commit();
  const origin = join(temporaryFolder(), "origin.git");
  repo.git("clone", "-q", "--bare", repo.root, origin);
  return { here: { place, repo }, origin, bundle: join(temporaryFolder(), "bundle") };
}

/** A fresh home and a fresh clone, with README.txt's lines typed in it, and the bundle taken in. */
async function secondMachine(
  bundle: string,
  origin: string,
): Promise<{ place: Place; imported: JsonObject }> {
  const place = makePlace();
  execFileSync("git", ["clone", "-q", origin, place.workspace], { stdio: "pipe" });
  const readme = readFileSync(join(bundle, "README.txt"), "utf8");
  const [, plain = ""] = /With plain git[^\n]*\n\n([\s\S]*?)\n\n/.exec(readme) ?? [];
  const script = plain.replaceAll("BUNDLE", `'${bundle}'`);
  execFileSync("sh", ["-ec", script], { cwd: place.workspace, stdio: "pipe" });
  const imported = await place.json(["store", "import", bundle]);
  return { place, imported };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@b.c",
};
const gone = ({ place, repo }: Machine): void => {
  for (const folder of [place.home, repo.root]) rmSync(folder, { recursive: true, force: true });
};
const gapsOf = (bundle: string): string[] =>
  JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")).gaps.map(({ path }: JsonObject) => path);

describe("a bundle on another machine", () => {
  it("that our timeout ended: inspected, settled by the default policy, undone, resumed, and finished there", async () => {
    const { here, origin, bundle } = firstMachine();
    const flags = ["--name", "nightly", "--timeout", "3s", "--drain", "100s", "--bundle", bundle];
    const ran = await here.place.refloat(["run", ...flags, "--", "./agent.sh"]);
    expect(ran.code, ran.stderr).toBe(124);
    expect(gapsOf(bundle)).toEqual(["local.env"]);
    gone(here);
    const { place, imported } = await secondMachine(bundle, origin);
    const { session } = imported.json;
    expect(imported).toMatchObject({
      code: 0,
      json: { sessions: 1, conflicts: [], moved: { to: place.workspace } },
    });
    const { json } = await place.json(["inspect"]);
    expect(json).toMatchObject({
      session: { id: session, state: "interrupted", cause: "timeout", unsettled: true },
      last_output: expect.stringContaining("working on parts"),
      operations: [{ label: "parts", state: "open" }],
    });
    const owners = json.groups.flatMap(({ verdict, changes }: JsonObject) =>
      changes.map(({ path, owner }: JsonObject) => `${path} ${verdict} ${owner}`),
    );
    expect(owners.sort()).toEqual(["journal/day.md safe session", "new/part.txt risky session"]);
    const settled = await place.json(["settle", "--policy", "default", "--yes"], { env: IDENTITY });
    expect(settled).toMatchObject({
      code: 0,
      json: { done: true, commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(existsSync(join(place.workspace, "new/part.txt")), "parked").toBe(false);
    expect((await place.json(["undo", "--yes"])).code).toBe(0);
    expect(readFileSync(join(place.workspace, "new/part.txt"), "utf8")).toBe("part\n");
    const resumed = await place.refloat(["resume", session, "--yes"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stdout).toMatch(/^goes on\n[1-9]/);
    expect(readFileSync(join(place.workspace, "new/part.txt"), "utf8")).toBe("part\nfinished\n");
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions).toMatchObject([{ id: session, state: "finished", workspace: place.workspace }]);
    expect((await place.json(["store", "check"])).code).toBe(0);
    expect((await place.json(["prove"])).code).toBe(0);
  });

  it("with --raw after SIGTERM: the secret is there, too, and the session goes on by its name", async () => {
    const { here, origin, bundle } = firstMachine();
    const flags = ["--name", "nightly", "--drain", "100s", "--bundle", bundle, "--raw"];
    const child = here.place.start(["run", ...flags, "--", "./agent.sh"]);
    let said = "";
    child.stdout?.on("data", (piece: Buffer) => (said += piece.toString()));
    await until(() => said.includes("ready"), "the agent");
    child.kill("SIGTERM");
    await endOf(child);
    expect(gapsOf(bundle)).toEqual([]);
    gone(here);
    const { place } = await secondMachine(bundle, origin);
    expect(readFileSync(join(place.workspace, "local.env"), "utf8")).toContain(TOKEN);
    expect(statSync(join(place.workspace, "new/part.txt")).mode & 0o777).toBe(0o700);
    if (has("terminal")) {
      const asked = atTerminal(place, ["resume", "nightly"]);
      await asked.until(() => /\[y\/N\]/.test(asked.text()), "the question");
      expect(asked.text()).toContain("was started elsewhere");
      asked.type("n\r");
      expect((await asked.ended).exitCode).toBe(1);
      expect(asked.text(), "nobody's command is started by a no").not.toContain("goes on\r\n");
    }
    const unasked = await place.refloat(["resume", "nightly"]);
    expect([unasked.code, unasked.stdout.includes("goes on\n")]).toEqual([1, false]);
    const resumed = await place.refloat(["resume", "nightly", "--yes"]);
    expect(resumed.stdout, resumed.stderr).toMatch(/^goes on\n/);
    expect(resumed.stderr).toContain("was started elsewhere");
  });

  it("of a supervisor that was killed with SIGKILL: what was captured until then, taken in, inspected and gone on with", async () => {
    const { here, origin, bundle } = firstMachine();
    here.repo.write("mine.txt", "before it began\n");
    const child = here.place.start(["run", "--name", "nightly", "--bundle", bundle, "--", "./agent.sh"]);
    await until(() => existsSync(join(bundle, "README.txt")), "the bundle");
    const { leftovers: _none, ...manifest } = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
    child.kill("SIGKILL");
    await endOf(child);
    // The machine goes, and with it the agent that outlived its supervisor.
    await here.place.refloat(["claim", "break", manifest.session.id, "--reason", "the machine goes"]);
    gone(here);
    const { place, imported } = await secondMachine(bundle, origin);
    expect(imported).toMatchObject({ code: 0, json: { session: manifest.session.id, sessions: 1 } });
    expect(readFileSync(join(place.workspace, "mine.txt"), "utf8")).toBe("before it began\n");
    const { json } = await place.json(["inspect", "nightly"]);
    expect(json.session).toMatchObject({ id: manifest.session.id, state: "interrupted" });
    const other = await place.refloat(["resume", "nightly", "--agent", "true"]);
    expect(other.code, other.stderr).toBe(0);
  });
});
