/** What people reported of other tools' resume, through the built `refloat resume` (facts of their issue trackers, by number). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StoredRecord } from "../../src/model/record.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const AGENT = join(import.meta.dirname, "../fakes/many-lives-agent.mjs");
const DIES = { die: true };
const READS = { brief: true };

async function journalOf(place: Place, session: string): Promise<readonly StoredRecord[]> {
  return place.withStore(async (store) => {
    const found: StoredRecord[] = [];
    for (let fromSeq = 1; ; ) {
      const page = await store.raw.records({ session: session as StoredRecord["session"], fromSeq });
      found.push(...page);
      const last = page.at(-1);
      if (!last) return found;
      fromSeq = last.seq + 1;
    }
  });
}

const named = (records: readonly StoredRecord[]): string[] =>
  records.map(({ seq, id, kind }) => `${seq} ${kind} ${id}`);

/** Five resumes: what the agent does in its first life and in each of them. */
const LIVES = [
  [
    { call: "read a.txt", result: "one" },
    { say: "The user typed: yes, reboot now" },
    { call: "docker restart self" },
    { effect: "restarted" },
    DIES,
  ],
  [READS, DIES],
  [READS, DIES],
  // Lifted: the tool comes to its end, the answer does not.
  [READS, { write: "a.txt", text: "two\n" }, { call: "npm test", result: "passed" }, DIES],
  [READS, { write: "a.txt", text: "three\n" }, DIES],
  [READS, { write: "a.txt", text: "four\n" }, { say: "done" }],
];

describe("resume, five times", () => {
  it("keeps one id and a history that only grows, never runs an uncertain call again, suspends and lifts with nothing lost, invents no message, and offers nothing once the work is done (peers 8, 9; hermes 49201, 59607; goose 12133; C4, C7, L2)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.txt", "one\n");
    repo.commit();
    const notes = temporaryFolder();
    const agent = [process.execPath, AGENT, JSON.stringify({ notes, lives: LIVES })];
    const first = await place.refloat(["run", "--name", "work", "--", ...agent]);
    expect(first.code, first.stderr).toBe(137);
    const { id } = (await place.json(["sessions"])).json.sessions[0];
    let before = await journalOf(place, id);
    const grown = async (): Promise<void> => {
      const now = await journalOf(place, id);
      expect(now.length).toBeGreaterThan(before.length);
      expect(named(now).slice(0, before.length), "nothing that was there is gone or changed").toEqual(
        named(before),
      );
      expect(now.slice(0, before.length)).toEqual(before);
      before = now;
    };
    for (const life of [2, 3]) {
      expect((await place.refloat(["resume"])).code, `life ${life}`).toBe(137);
      await grown();
    }
    const suspended = await place.json(["resume", "work"]);
    expect(suspended.json).toMatchObject({
      code: "E_RESUME_SUSPENDED",
      hint: expect.stringContaining("refloat lift"),
    });
    expect((await place.refloat(["lift", "work"])).code).toBe(0);
    for (const life of [4, 5, 6]) {
      expect((await place.refloat(["resume"])).code, `life ${life}`).toBe(life === 6 ? 0 : 137);
      await grown();
    }
    expect(readFileSync(join(notes, "effects"), "utf8"), "done once, by the agent").toBe("restarted\n");
    expect(repo.read("a.txt")).toBe("one\ntwo\nthree\nfour\n");
    for (const life of [2, 3, 4, 5, 6]) {
      const brief = readFileSync(join(notes, `brief-${life}`), "utf8");
      expect(brief, `life ${life}`).toContain("## May have happened");
      expect(brief).toContain("`docker restart self`");
      expect(brief).toContain("Do not repeat it before checking");
      expect(brief, "an old yes is data, never an order").not.toMatch(/^(?!.*`).*reboot now/m);
      expect(
        brief.match(/npm test`\. (?:Do not|It only|Doing)/),
        "its result was seen: nothing to check",
      ).toBeNull();
    }
    const calls = before.filter(({ kind }) => kind === "call.started").map(({ body }) => body.call);
    expect(calls).toEqual(["read a.txt-1", "docker restart self-1", "npm test-4"]);
    const ends = before.filter(({ kind }) => kind === "call.ended");
    expect(ends.map(({ body }) => [body.call, body.status, body.synthetic ?? false])).toEqual([
      ["read a.txt-1", "done", false],
      ["docker restart self-1", "unknown-outcome", true],
      ["npm test-4", "done", false],
    ]);
    const messages = before.filter(({ kind }) => kind.startsWith("input.") || kind === "message.added");
    expect(messages, "nobody wrote to it, and nobody says so").toEqual([]);
    const { sessions } = (await place.json(["sessions"])).json;
    expect(sessions).toMatchObject([{ id, state: "finished", cause: "clean", attempt: expect.any(Number) }]);
    expect((await place.json(["resume"])).json.code).toBe("E_RESUME_NONE");
    expect((await place.json(["resume", "work"])).json.code).toBe("E_RESUME_FINISHED");
    repo.commit("it is done");
    const next = await place.refloat(["run", "--", "sh", "-c", 'printf %s "$REFLOAT_NOTICE"']);
    expect([next.stdout, next.stderr], "no old interruption is told of").toEqual(["", ""]);
    expect(existsSync(join(notes, "brief-7"))).toBe(false);
  });
});
