/** T2: the judged may not write the judge, with whatever environment it calls: not the agent, and not its code in a check or a hook. */
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, cutOffSession, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const LONG = { timeout: 10 * 60_000 };

function repository(): { place: Place; repo: TestRepository } {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.js", "export const a = 1;\n");
  repo.commit("base");
  return { place, repo };
}

/** A script that calls refloat and writes down what it answered. */
function script(place: Place, name: string, lines: readonly string[]): string {
  const path = join(place.home, name);
  const refloat = `refloat() { ${process.execPath} ${BIN} "$@" --json; }`;
  writeFileSync(path, `#!/bin/bash\n${refloat}\n${lines.join("\n")}\n`);
  chmodSync(path, 0o755);
  return path;
}

const GROUP = `G=$(refloat inspect | grep -o '"id":"g[0-9a-f]*' | head -1 | cut -c7-)`;

async function verdicts(place: Place): Promise<unknown[]> {
  const { json } = await place.json(["inspect"]);
  return (json.groups as JsonObject[]).map(({ verdict }) => verdict);
}

describe("a process of the session", LONG, () => {
  it("is not heard as its judge when it takes its mark away, empties it or gives itself another", async () => {
    const { place, repo } = repository();
    const call = `${process.execPath} ${BIN}`;
    const agent = script(place, "agent.sh", [
      "echo 'export const a = (' > a.js",
      GROUP,
      `env -u REFLOAT_SESSION ${call} judge $G safe --reason mine --json`,
      `REFLOAT_SESSION= ${call} judge $G safe --reason mine --json`,
      `REFLOAT_SESSION=other.1.x ${call} discard --all --yes --json`,
      `setsid -w env -i PATH="$PATH" HOME="$HOME" REFLOAT_HOME="$REFLOAT_HOME" ${call} inspect --verify true --json`,
    ]);
    const { stdout } = await place.refloat(["run", "--", agent]);
    const answers = stdout.split("\n").filter((line) => line.startsWith("{"));
    expect(answers.map((line) => (JSON.parse(line) as JsonObject).code)).toEqual(
      new Array(4).fill("E_UNDER_MARK"),
    );
    expect(repo.read("a.js")).toContain("(");
    expect(await verdicts(place)).toEqual(["risky"]);
  });

  it("is not heard through the library either, with its mark taken out of its own process or an environment without one; its session's story it writes on", async () => {
    const { place } = repository();
    const agent = join(place.home, "agent.mjs");
    const answer = join(place.home, "answer.json");
    writeFileSync(
      agent,
      `import { writeFileSync } from "node:fs";
      import { openWorkspace } from ${JSON.stringify(join(dirname(BIN), "../library/workspace.js"))};
      writeFileSync("a.js", "export const a = 2;\\n");
      const said = [];
      const ask = async (options, use) => {
        const workspace = await openWorkspace(".", options);
        said.push(await use(workspace).then(() => "done", ({ code }) => code));
        await workspace.close();
      };
      const { PATH, HOME, REFLOAT_HOME, REFLOAT_SESSION } = process.env;
      const env = { PATH, HOME, REFLOAT_HOME };
      const typed = (workspace) => workspace.inspect({ verify: "true" });
      await ask({}, (workspace) => workspace.capture({ note: "mine" }));
      await ask({}, typed);
      await ask({ env }, typed);
      await ask({ env: { ...env, REFLOAT_SESSION: "" } }, typed);
      await ask({ env }, (workspace) => workspace.inspect());
      await ask({ env }, (workspace) => workspace.settle({ session: REFLOAT_SESSION.split(".")[0], ask: async () => true }));
      delete process.env.REFLOAT_SESSION;
      await ask({}, typed);
      writeFileSync(${JSON.stringify(answer)}, JSON.stringify(said));`,
    );
    const ran = await place.refloat(["run", "--", process.execPath, agent]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(readFileSync(answer, "utf8"))).toEqual([
      ...["done", "E_UNDER_MARK", "E_UNDER_MARK", "E_UNDER_MARK", "done"],
      ...["E_UNDER_MARK", "E_UNDER_MARK"],
    ]);
    expect((await place.json(["inspect"])).json.check, "nothing was remembered").toBe(null);
  });

  it("writes no trust and no verdict by an import either, erases nothing, and carries out nothing on its own session", async () => {
    const { place, repo } = repository();
    repo.write("a.js", "export const a = 2;\n");
    const user = await place.json(["inspect"]);
    const [group] = user.json.groups as JsonObject[];
    await place.refloat(["judge", group?.id, "safe", "--reason", "mine"]);
    const own = join(place.home, "own.jsonl");
    await place.refloat(["store", "export", "--raw", "-o", own]);
    const call = `${process.execPath} ${BIN}`;
    const ID = `$(cut -d. -f1 <<< "$REFLOAT_SESSION")`;
    const agent = script(place, "agent.sh", [
      `ID=${ID}`,
      "echo 'export const a = (' > a.js",
      `refloat store import ${own}`,
      `refloat store import --own ${own}`,
      `env -u REFLOAT_SESSION ${call} store import --own - --json < ${own}`,
      "refloat forget --before 2100-01-01 --yes",
      "refloat forget $ID --yes",
      "refloat lift $ID",
      "refloat claim break $ID --reason mine --yes",
      `C=$(refloat captures | grep -o '"id":"[0-9a-z]*' | head -1 | cut -c7-)`,
      "refloat restore $C --yes",
      "refloat restore $ID --yes",
      "refloat forget $ID --dry-run | grep -c E_UNDER_MARK",
      "refloat restore $C --dry-run | grep -c E_UNDER_MARK",
    ]);
    const { stdout } = await place.refloat(["run", "--", agent]);
    const lines = stdout.trimEnd().split("\n");
    const answers = lines.filter((line) => line.startsWith("{"));
    expect(answers.map((line) => (JSON.parse(line) as JsonObject).code)).toEqual(
      new Array(9).fill("E_UNDER_MARK"),
    );
    expect(lines.slice(-2), "plans are for everybody").toEqual(["0", "0"]);
    expect(repo.read("a.js")).toContain("(");
    expect((await place.json(["store", "import", "--own", own])).code, "the user's own hand").toBe(0);
  });

  it("accepts no loss for the store that knows its session, with its mark taken away or through the library; for another store it does (T2)", async () => {
    const { place } = repository();
    await cutOffSession(place, { id: "other" });
    const [lost, foreign] = [join(place.home, "lost.db"), join(place.home, "foreign.db")];
    copyFileSync(place.store, foreign);
    copyFileSync(`${place.store}-wal`, `${foreign}-wal`);
    copyFileSync(`${place.store}-mark`, `${foreign}-mark`);
    const tries = (path: string): string => `env -u REFLOAT_SESSION node ${library} ${path}`;
    const library = join(place.home, "library.mjs");
    writeFileSync(
      library,
      `import { openStore } from ${JSON.stringify(join(dirname(BIN), "../index.js"))};
      const code = await openStore(process.argv[2], { acceptLoss: true }).then(async (store) => (await store.close(), "opened"), ({ code }) => code);
      console.log(JSON.stringify({ code }));`,
    );
    const call = `env -u REFLOAT_SESSION ${process.execPath} ${BIN}`;
    const agent = script(place, "agent.sh", [
      "refloat op begin work > /dev/null", // so that the mark beside the store knows of it
      `for end in '' -wal -mark; do cp ${place.store}$end ${lost}$end; done`,
      // Every session had reached a number far beyond what is there: its end is lost.
      `for store in ${lost} ${foreign}; do sed -i -E 's/,([0-9]+)\\]/,9\\1]/g' $store-mark; done`,
      `${call} store check --accept-loss --json`,
      `${call} store check --accept-loss --store ${lost} --json`,
      tries(lost),
      `${call} store check --accept-loss --store ${foreign} --json`,
    ]);
    const { stdout } = await place.refloat(["run", "--", agent]);
    const answers = stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as JsonObject);
    expect(answers.map(({ code, accepted_loss }) => code ?? accepted_loss)).toEqual([
      ...new Array(3).fill("E_UNDER_MARK"),
      expect.objectContaining({ session: "other" }),
    ]);
    const user = await place.json(["store", "check", "--accept-loss", "--store", lost]);
    expect(user.code, "the user's own hand").toBe(0);
    expect(user.json.accepted_loss, "nobody had accepted it before him").not.toBeNull();
  });

  it("is not heard from within a check or a hook either, where its code runs outside its mark", async () => {
    const { place, repo } = repository();
    await place.refloat(["run", "--", script(place, "agent.sh", ["echo 'export const b = 2;' > b.js"])]);
    const answer = join(place.home, "answer");
    const judge = script(place, "judge.sh", [
      `cd ${repo.root}`,
      GROUP,
      `refloat judge $G risky --reason x > ${answer} || true`,
    ]);
    const hook = join(repo.root, ".git/hooks/pre-commit");
    await place.refloat(["inspect", "--verify", judge]);
    expect(readFileSync(answer, "utf8")).toContain("E_UNDER_MARK");
    rmSync(answer);
    writeFileSync(hook, `#!/bin/sh\n${judge}\n`);
    chmodSync(hook, 0o755);
    expect(await place.json(["commit", "--all", "--yes"], { env: ANN })).toMatchObject({
      code: 0,
      json: { done: true },
    });
    expect(readFileSync(answer, "utf8")).toContain("E_UNDER_MARK");
  });
});
