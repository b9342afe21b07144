/**
 * A conversation that goes on in a copy: some agents write a new transcript under a new id when their work is gone on with in a folder that
 * was moved (pi, Gemini CLI), or always (Continue). It is the same session all the same, and says once what it said (S1, D4); a copy that
 * nobody of ours asked for is a session of its own.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ended, type JsonObject } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type HeardPlace, heardPlace } from "./heard-place.ts";

const AGENTS = ["pi", "gemini", "continue"] as const;
type AgentName = (typeof AGENTS)[number];

/** Continue leaves nothing of a run that was killed in its tool with `-p`. */
const LEFT: Readonly<Record<AgentName, string>> = {
  pi: "killed-in-tool",
  gemini: "killed-in-tool",
  continue: "killed-in-tool-in-window",
};
const PROGRAMS: Readonly<Record<AgentName, string>> = { pi: "pi", gemini: "gemini", continue: "cn" };

interface Moved {
  readonly place: HeardPlace;
  readonly to: string;
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
}

/** An agent's plain work in a folder that was moved since, and a program of its name that goes on in a copy. */
async function moved(agent: AgentName): Promise<Moved> {
  const place = heardPlace();
  place.leave(agent, LEFT[agent]);
  place.write({ "half.txt": "begin file\nbegin\n" });
  const to = join(temporaryFolder(), "renamed");
  renameSync(place.workspace, to);
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  const program = join(bin, PROGRAMS[agent]);
  const plays = join(import.meta.dirname, "copying-agent.mjs");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${plays}' ${agent} "$@"\n`);
  chmodSync(program, 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const [one, ...others] = await sessionsIn(place, to);
  expect(others).toEqual([]);
  return { place, to, id: String(one?.id), env };
}

async function sessionsIn(place: HeardPlace, cwd: string): Promise<readonly JsonObject[]> {
  const { json } = await place.json(["sessions"], { cwd });
  return json.sessions;
}

async function textsOf({ place, to, id }: Moved): Promise<readonly string[]> {
  const { json } = await place.json(["log", id], { cwd: to });
  return json.items.flatMap(({ kind, parts }: JsonObject) =>
    kind === "message" ? [parts.map(({ text }: JsonObject) => text).join("")] : [],
  );
}

const callsOf = async ({ place, to, id }: Moved): Promise<number> => {
  const { json } = await place.json(["log", id], { cwd: to });
  return json.items.filter(({ kind }: JsonObject) => kind === "call").length;
};

const goneOn = ({ place, to, id, env }: Moved, more: Readonly<Record<string, string>> = {}) =>
  place.refloat(["resume", id, "--yes"], { cwd: to, env: { ...env, ...more } });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await after(50);
}

describe.each(AGENTS)("%s, gone on with in a copy", (agent) => {
  it("S1, D4: is the same session, and nothing that it said is told a second time", async () => {
    const work = await moved(agent);
    const [before, calls] = [await textsOf(work), await callsOf(work)];
    await goneOn(work);
    for (const _look of [1, 2]) {
      expect(await sessionsIn(work.place, work.to)).toMatchObject([{ id: work.id, agent, attempt: 2 }]);
      expect(await textsOf(work)).toEqual([...before, "And now it is done."]);
      expect(await callsOf(work)).toBe(calls);
    }
    expect((await work.place.refloat(["store", "check"], { cwd: work.to })).code).toBe(0);
  });

  it("K1: a look at it meanwhile begins no second session, and ends nothing of it", async () => {
    const work = await moved(agent);
    const hangs = join(temporaryFolder(), "written");
    const child = work.place.start(["resume", work.id, "--yes"], {
      cwd: work.to,
      env: { ...work.env, HANGS: hangs },
    });
    await until(() => existsSync(hangs));
    for (const _look of [1, 2, 3]) {
      expect(await sessionsIn(work.place, work.to)).toMatchObject([{ id: work.id, state: "live" }]);
      await after(500);
    }
    const { json } = await work.place.json(["log", work.id], { cwd: work.to });
    expect(json.items.at(-1)).toMatchObject({ kind: "message" });
    process.kill(Number(readFileSync(hangs, "utf8")), "SIGKILL");
    await ended(child);
    expect(await sessionsIn(work.place, work.to)).toMatchObject([{ id: work.id, state: "interrupted" }]);
  });
});

describe.each(["pi", "gemini"] as const)(
  "%s, gone on with in a copy that says what it was made of",
  (agent) => {
    it("S1: killed together with refloat: the copy is that session's, with what it said", async () => {
      const work = await moved(agent);
      const before = await textsOf(work);
      const hangs = join(temporaryFolder(), "written");
      const child = work.place.start(["resume", work.id, "--yes"], {
        cwd: work.to,
        env: { ...work.env, HANGS: hangs },
      });
      child.once("spawn", () => undefined);
      await until(() => existsSync(hangs));
      process.kill(Number(child.pid), "SIGKILL");
      process.kill(Number(readFileSync(hangs, "utf8")), "SIGKILL");
      await ended(child);
      expect(await sessionsIn(work.place, work.to)).toMatchObject([{ id: work.id }]);
      expect(await textsOf(work)).toEqual([...before, "And now it is done."]);
    });

    it("goes on by the copy's own id the next time: that is of this folder", async () => {
      const work = await moved(agent);
      await goneOn(work, { DIES: "1" });
      const { json } = await work.place.json(["resume", work.id, "--print"], { cwd: work.to, env: work.env });
      expect(json.sessions[0].command.join(" ")).toMatch(/^\S+ (?:--session|--resume) [0-9a-f-]{36}/);
    });

    it("W5: a copy that a person made is a session of its own, before and after", async () => {
      const work = await moved(agent);
      const before = await textsOf(work);
      const { json } = await work.place.json(["resume", work.id, "--print"], { cwd: work.to, env: work.env });
      const [program, flag, of] = json.sessions[0].command;
      execFileSync(program, [flag, of], {
        cwd: work.to,
        env: { ...work.env, HOME: work.place.home, ANSWER: "By hand." },
      });
      expect(await sessionsIn(work.place, work.to)).toHaveLength(2);
      expect(await textsOf(work)).toEqual(before);
      await goneOn(work);
      expect(await sessionsIn(work.place, work.to)).toHaveLength(2);
      expect(await textsOf(work)).toEqual([...before, "And now it is done."]);
    });

    it("T2: one that is forged while it runs is not believed: nothing of it is the session's", async () => {
      const work = await moved(agent);
      await goneOn(work, { FORGED: "Never said here." });
      const texts = await textsOf(work);
      expect(texts).not.toContain("Never said here.");
      // pi was given its id; of two that say the same nobody knows which is Gemini CLI's own.
      if (agent === "pi") expect(texts).toContain("And now it is done.");
    });
  },
);
