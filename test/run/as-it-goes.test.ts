/** Safe work committed as the session goes (W1, T2): by the supervisor, at each operation's end, while the agent works on. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, type JsonObject } from "../support/cli.ts";
import { hook, operationsScene, until } from "./operations-scene.ts";

const LONG = { timeout: 10 * 60_000 };

describe("an operation that ended", LONG, () => {
  it("is committed where it is safe while the agent works on; what is open, stray or newer is left, and all of it is told", async () => {
    const { repo, place, start, noted, note, subjects, status, json, report } = operationsScene();
    const child = start([
      ["write", "stray.txt", "belongs to nothing\n"],
      ["begin", "Write the guide", "docs/**"],
      ["write", "docs/guide.md", "# Guide\n\nIn whole sentences.\n"],
      ["end"],
      ["await", "committed"],
      ["append", "docs/guide.md", "\nAnd one more.\n"],
      ["begin", "Never ends", "half.md"],
      ["write", "half.md", "Half of it.\n"],
      ["note", "working"],
      ["await", "go"],
      ["exit", 7],
    ]);
    const over = ended(child);
    await until(() => subjects()[0] === "Write the guide", "the commit");
    expect(repo.git("show", "--stat", "--format=%an <%ae>", "HEAD")).toMatch(
      /^Ann <ann@example.invalid>\s+docs\/guide.md \| 3 \+\+\+\s+1 file changed/,
    );
    expect(status()).toEqual(["?? stray.txt"]);
    note("committed");
    await noted("working");
    const live = await json("sessions");
    expect(live.json.sessions[0]).toMatchObject({ state: "live", supervised: true });
    note("go");
    const ran = await over;
    expect(ran.code, "the agent's own code").toBe(7);
    expect(ran.stderr).toContain("refloat: committed as it went: 1 commit, the last is ");
    expect(subjects()).toEqual(["Write the guide", "base"]);
    expect(status()).toEqual([" M docs/guide.md", "?? half.md", "?? stray.txt"]);
    expect(report().commits).toEqual([{ commit: repo.git("rev-parse", "HEAD"), plan: expect.any(String) }]);
    const shown = (await json("show")).json.notes as JsonObject[];
    expect(shown.filter(({ kind }) => kind === "operations.committed")).toHaveLength(1);
    const { groups } = (await json("inspect")).json;
    const verdictOf = (path: string): string =>
      groups.find(({ changes }: JsonObject) => changes.some((one: JsonObject) => one.path === path))?.verdict;
    expect(verdictOf("half.md")).toBe("risky");
    expect(existsSync(join(place.workspace, "half.md"))).toBe(true);
  });

  it("T2: by text markers alone is not committed as it goes: nobody waits for a printed END; the next `op end` vouches for its own work", async () => {
    const { start, subjects, status, note } = operationsScene();
    const over = ended(
      start([
        ["print", "# BEGIN: Say hello"],
        ["write", "hello.md", "Hello.\n"],
        ["print", "# END: Say hello"],
        ["begin", "Say more", "more.md"],
        ["write", "more.md", "More.\n"],
        ["end"],
        ["await", "committed"],
      ]),
    );
    await until(() => subjects()[0] === "Say more", "the commit");
    note("committed");
    expect((await over).code).toBe(0);
    expect(subjects()).toEqual(["Say more", "base"]);
    expect(status()).toEqual(["?? hello.md"]);
  });

  it("whose commit the user took back stays back when the next one ends; what he has staged stays staged (W7)", async () => {
    const { repo, start, subjects, status, note, json } = operationsScene();
    repo.write("notes.md", "# Notes\n\nFirst.\n\nMine, half staged.\n");
    repo.git("add", "notes.md");
    repo.write("notes.md", "# Notes\n\nFirst.\n\nMine, half staged.\n\nNot staged.\n");
    const over = ended(
      start([
        ["begin", "First"],
        ["write", "first.md", "First.\n"],
        ["end"],
        ["await", "undone"],
        ["begin", "Second"],
        ["write", "second.md", "Second.\n"],
        ["end"],
      ]),
    );
    await until(() => subjects()[0] === "First", "the first commit");
    expect(await json("undo", "--yes")).toMatchObject({ code: 0, json: { done: true } });
    expect(subjects()).toEqual(["base"]);
    note("undone");
    expect((await over).code).toBe(0);
    expect(subjects()).toEqual(["Second", "base"]);
    expect(status()).toEqual(["MM notes.md", "?? first.md"]);
    expect(repo.git("diff", "--cached", "--name-only")).toBe("notes.md");
  });
});

describe("the agent", LONG, () => {
  it("cannot ask for it by a config of its own: not in its session, and not for the next one of the loop (T2)", async () => {
    const { place, repo, command, subjects } = operationsScene(null);
    repo.write("refloat.json", "{}\n");
    repo.commit("config");
    const steps = [
      ["write", "refloat.json", '{ "commit": { "at": "operation-end" }, "journal": ["*.js"] }\n'],
      ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qam", "my own config"],
      ["begin", "Work"],
      ["write", "work.md", "Work.\n"],
      ["end"],
    ] as const;
    const loop = await place.refloat(["loop", "--max", "2", "--backoff", "1ms", "--", ...command(steps)]);
    expect(loop.code).toBe(0);
    expect(subjects()).toEqual(["my own config", "config", "base"]);
  });

  it("that changes the config in an operation gets no commit of it, is judged by the one it began with, and may not commit by our command (T2)", async () => {
    const { start, subjects, status, noted } = operationsScene();
    const over = ended(
      start([
        ["begin", "Judge me kindly"],
        ["write", "refloat.json", '{ "commit": { "at": "operation-end" }, "journal": ["*.js"] }\n'],
        ["write", "half.js", "export function half() {\n"],
        ["end"],
        ["refloat", "commit", "$ME", "--ended", "--yes"],
      ]),
    );
    expect((await over).code).toBe(0);
    expect(await noted("code")).toBe("1");
    expect(await noted("failed")).toContain("E_UNDER_MARK");
    expect(subjects()).toEqual(["base"]);
    expect(status()).toEqual([" M refloat.json", "?? half.js"]);
  });

  it("is not stopped by a hook that says no: that is noted once, however many operations end", async () => {
    const { repo, start, subjects, status, notes, json } = operationsScene();
    hook(repo, "pre-commit", `echo run >> ${join(notes, "hooks")}; echo not like this; exit 1`);
    const operation = (n: number) =>
      [["begin", `Number ${n}`], ["write", `${n}.md`, `Number ${n}.\n`], ["end"]] as const;
    const ran = await ended(start([1, 2, 3].flatMap(operation)));
    expect(ran.code).toBe(0);
    expect(ran.stderr.match(/not committed as it went/g)).toHaveLength(1);
    expect(ran.stderr).toContain("not like this");
    expect(subjects()).toEqual(["base"]);
    expect(status()).toEqual(["?? 1.md", "?? 2.md", "?? 3.md"]);
    expect(readFileSync(join(notes, "hooks"), "utf8").split("\n").length - 1).toBeLessThanOrEqual(4);
    const shown = (await json("show")).json.notes as JsonObject[];
    expect(shown.filter(({ kind }) => kind === "operations.not-committed")).toHaveLength(1);
  });
});
