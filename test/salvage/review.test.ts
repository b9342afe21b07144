/** The review with keys, at a real terminal: what somebody sees there, what he decides, and how the terminal is given back. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processRow } from "../../src/platform/process-list.ts";
import { displayWidth } from "../../src/text/width.ts";
import { type AtTerminal, atTerminal, foreign } from "../support/at-terminal.ts";
import { BIN, deadOwner, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { seedSession } from "../support/seed-session.ts";
import { treeState } from "../support/tree-state.ts";

async function seeded(): Promise<{ place: Place; repo: TestRepository }> {
  const place = makePlace();
  const { repo } = await seedSession(place);
  return { place, repo };
}

function expectFits(terminal: AtTerminal, columns = 80, rows = 24): void {
  expect(terminal.rows().length).toBeLessThanOrEqual(rows);
  expect(terminal.rows().filter((line) => displayWidth(line) > columns)).toEqual([]);
}

/** Under a shell that asks the terminal for its modes afterwards, and notes which process the program is. */
function underShell(place: Place, env: Readonly<Record<string, string>> = {}): AtTerminal {
  const pidFile = join(place.home, "pid");
  const inner = `echo $$ > '${pidFile}'; exec '${process.execPath}' '${BIN}' settle`;
  const script = `/bin/sh -c "${inner.replaceAll("$", "\\$")}"; echo "code $?"; stty -a; echo over`;
  return atTerminal(place, ["-c", script], { file: "/bin/sh", env: { ...ANN, ...env } });
}
const pidIn = (place: Place): number => Number(readFileSync(join(place.home, "pid"), "utf8"));
const afterwards = (terminal: AtTerminal): string => terminal.text().split("\x1b[?1049l").at(-1) ?? "";

describe("the review of what a session left", () => {
  it("goes through the groups worst first, shows lines and reasons, takes a message, and carries out one plan; undo takes all of it back (S5)", async () => {
    const { place, repo } = await seeded();
    const before = treeState(repo);
    const editor = join(place.home, "editor");
    // It asks at the terminal: what is typed meanwhile is its own, line by line.
    const script = `printf 'title? '; read -r line; printf '%s\\n\\n# no\\nWhy it was.\\n' "$line" > "$1"`;
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const terminal = atTerminal(place, ["settle"], { env: { ...ANN, GIT_EDITOR: editor } });
    await terminal.sees(/RISKY .*1 of 4/);
    expectFits(terminal);
    await terminal.sees("begun and never");
    terminal.type("n");
    await terminal.sees(/UNKNOWN .*2 of 4/);
    terminal.type("g");
    await terminal.sees(/4 groups, 4 to decide[\s\S]*> UNKNOWN/);
    expectFits(terminal);
    terminal.type("k");
    await terminal.sees(/> RISKY/);
    terminal.type("\r");
    await terminal.sees(/RISKY .*1 of 4/);
    terminal.type("d");
    await terminal.sees(/-\s+rev: v0\.14\.7/);
    expectFits(terminal);
    terminal.type("G");
    await terminal.sees("packages/gptmail/README.md");
    terminal.resize(160, 24);
    terminal.type("g");
    await terminal.sees(/rev: v0\.14\.7 +\| +3 +rev: v0\.6\.9/);
    expectFits(terminal, 160);
    terminal.resize(80, 24);
    await terminal.sees(/-\s+rev: v0\.14\.7/);
    terminal.type("q");
    await terminal.sees("1 of 4");
    terminal.type("r");
    await terminal.sees("Why g");
    terminal.type("\x1b");
    await terminal.sees("1 of 4");
    terminal.type("x");
    await terminal.sees("once more to discard");
    terminal.type("p");
    await terminal.sees("Not discarded");
    terminal.type("p");
    await terminal.sees(/UNKNOWN .*2 of 4/);
    terminal.resize(100, 30);
    await terminal.until(() => terminal.rows().length === 30, "thirty rows");
    terminal.resize(80, 24);
    await terminal.until(() => terminal.rows().length === 24, "twenty-four rows");
    terminal.type("l");
    await terminal.sees(/SAFE .*3 of 4/);
    terminal.type("e");
    await terminal.until(() => afterwards(terminal).includes("title? "), "the editor");
    terminal.type("By hand qq\r");
    await terminal.sees("The message is now: By hand qq");
    terminal.type("u");
    await terminal.sees(/The plan for 4 groups[\s\S]*park[\s\S]*leave[\s\S]*commit/);
    expectFits(terminal);
    terminal.type("b");
    await terminal.sees(/Left to the policy: commit/);
    terminal.type("c");
    await terminal.sees("The plan for 4 groups");
    expect(treeState(repo), "nothing is done before the plan was agreed to").toEqual(before);
    terminal.type("y");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(terminal.isTaken()).toBe(false);
    expect(foreign(terminal.text())).toBe("");
    expect(afterwards(terminal)).toContain("refloat undo --plan");
    expect(repo.git("log", "--format=%B", "-1")).toBe("By hand qq\n\nWhy it was.");
    expect(repo.git("show", "--name-only", "--format=", "HEAD").split("\n").sort()).toEqual([
      "journal/2026-04-16.md",
      "state/queue-manual.md",
    ]);
    expect(repo.git("status", "--porcelain")).toBe(" M dotfiles/.bashrc");
    expect((await place.json(["parked"])).json.parked).toHaveLength(1);
    expect(
      (await place.json(["inspect"])).json.session.unsettled,
      "what was left by a key was left on purpose (DESIGN 15)",
    ).toBe(false);
    expect((await place.refloat(["undo", "--yes"], { env: ANN })).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
  }, 300_000);

  it("takes what is nobody's for the session's where --adopt says so, by the policy too: as --dry-run said it would (W5)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    for (const name of ["x.ts", "y.ts"]) repo.write(name, "export const one = 1;\n");
    repo.commit();
    for (const name of ["x.ts", "y.ts"]) repo.write(name, "export const one = {;\n");
    const before = treeState(repo);
    const planned = await place.json(["settle", "--adopt", "--dry-run"]);
    expect(planned.json.plan.acts.map(({ act }: { act: string }) => act)).toEqual(["park", "park"]);
    const terminal = atTerminal(place, ["settle", "--adopt"], { env: ANN });
    await terminal.sees(/RISKY .*1 of 2/);
    await terminal.sees("Proposed by the policy default: park");
    terminal.type("u");
    await terminal.sees(/The plan for 2 groups[\s\S]*park[\s\S]*park/);
    terminal.type("y");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect((await place.json(["parked"])).json.parked).toHaveLength(2);
    expect((await place.refloat(["undo", "--yes"], { env: ANN })).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
    const without = atTerminal(place, ["settle"], { env: ANN });
    await without.sees("no policy touches it");
    without.type("q");
    await without.ended;
  }, 300_000);

  it("shows the message the commit will have: what the plan leaves in conflict is not in it (T1)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    for (const name of ["both.md", "notes.md"]) repo.write(name, "one\ntwo\nthree\n");
    repo.commit();
    repo.write("both.md", "one\nUSER\nthree\n");
    await place.withStore(async (store) => {
      const session = await store.begin({ agent: "tester", workspace: repo.root, owner: deadOwner() });
      const turn = await session.turn("go");
      for (const name of ["both.md", "notes.md"]) {
        const call = await turn.call({ tool: "edit", input: { path: name } });
        repo.write(name, "one\nAGENT\nthree\n");
        await call.result("ok");
      }
      await turn.end("completed");
    });
    const terminal = atTerminal(place, ["settle"], { env: ANN, rows: 40 });
    await terminal.sees("1 of 2");
    terminal.type("c");
    await terminal.sees(/2 of 2/);
    terminal.type("c");
    await terminal.sees("The commit's message");
    const page = terminal.rows().join("\n");
    expect(page).toMatch(/leave[\s\S]*both\.md/);
    expect(page.split("The commit's message")[1]).toContain("notes.md");
    expect(page.split("The commit's message")[1]).not.toContain("both.md");
    terminal.type("y");
    expect(await terminal.ended).toMatchObject({ exitCode: 3 });
    expect(repo.git("log", "--format=%B", "-1")).not.toContain("both.md");
  }, 300_000);

  it("changes and records nothing when it is quit, and gives the terminal back as it was", async () => {
    const { place, repo } = await seeded();
    const before = treeState(repo);
    const terminal = underShell(place);
    await terminal.sees("1 of 4");
    terminal.type("p");
    await terminal.sees("2 of 4");
    terminal.type("l");
    await terminal.sees("3 of 4");
    terminal.type("q");
    await terminal.ended;
    expect(terminal.isTaken()).toBe(false);
    expect(afterwards(terminal)).toContain("Nothing was changed.");
    expect(afterwards(terminal)).toContain("code 1");
    expect(afterwards(terminal)).toMatch(/\bisig icanon\b/);
    expect(afterwards(terminal)).toMatch(/ echo\b/);
    expect(treeState(repo)).toEqual(before);
    expect((await place.json(["parked"])).json.parked).toEqual([]);
    expect((await place.json(["inspect"])).json.session.unsettled).toBe(true);
  }, 300_000);

  it("is ended by Ctrl-C and by SIGTERM as by those signals, in the middle of it, with the terminal given back", async () => {
    const { place, repo } = await seeded();
    const before = treeState(repo);
    for (const [end, code] of [
      [(terminal: AtTerminal) => terminal.type("\x03"), 130],
      [() => process.kill(pidIn(place), "SIGTERM"), 143],
    ] as const) {
      const terminal = underShell(place);
      await terminal.sees("1 of 4");
      terminal.type("d");
      await terminal.sees("What g");
      end(terminal);
      await terminal.ended;
      expect(terminal.isTaken()).toBe(false);
      expect(afterwards(terminal)).toContain(`code ${code}`);
      expect(afterwards(terminal)).toMatch(/\bisig icanon\b/);
    }
    expect(treeState(repo)).toEqual(before);
  }, 300_000);

  it("is stopped by Ctrl-Z with the terminal given back, and is there again when it goes on", async () => {
    const { place, repo } = await seeded();
    const before = treeState(repo);
    const shell = atTerminal(place, ["--norc", "-i"], { file: "/bin/bash", env: { ...ANN, PS1: "$ " } });
    shell.type(`'${process.execPath}' '${BIN}' settle\r`);
    await shell.sees("1 of 4");
    shell.type("\x1a");
    await shell.until(() => afterwards(shell).includes("Stopped"), "the shell to say so");
    expect(shell.isTaken()).toBe(false);
    shell.type("jobs -p > pid.txt; echo no''ted\r");
    await shell.until(() => afterwards(shell).includes("noted"), "its pid");
    const pid = Number(readFileSync(join(place.workspace, "pid.txt"), "utf8"));
    expect(processRow(pid)?.isStopped).toBe(true);
    shell.type("rm pid.txt; fg\r");
    await shell.until(
      () => shell.isTaken() && shell.rows().join("\n").includes("1 of 4"),
      "the screen again",
    );
    shell.type("q");
    await shell.until(() => afterwards(shell).includes("Nothing was changed."), "its end");
    shell.type("exit\r");
    await shell.ended;
    expect(treeState(repo)).toEqual(before);
  }, 300_000);

  it("lets no name and no line of a file reach the terminal as anything but text, and takes no paste for keys (T3)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("base.txt", "one\n");
    repo.commit("base");
    const name = "evil\x1b]0;owned\x07\n\u202e\x9b31m.py";
    await leftSession(place, repo, {
      edits: { [name]: () => repo.write(name, "import nowhere_\x1b[2J\x1b[31m\nx = (\n") },
    });
    const terminal = atTerminal(place, ["settle"], { env: ANN });
    await terminal.sees("1 of 1");
    terminal.type("d");
    await terminal.sees("nowhere_");
    terminal.type("d");
    await terminal.sees("1 of 1");
    terminal.type("r");
    await terminal.sees("Why g");
    terminal.type("q");
    await terminal.sees("1 of 1");
    terminal.type("\x1b[200~llyy\x1b[201~?");
    await terminal.sees("Keys");
    terminal.type("q");
    await terminal.sees("1 of 1");
    terminal.type("p");
    await terminal.sees("The plan for 1 group");
    expectFits(terminal);
    terminal.type("q");
    expect(await terminal.ended).toMatchObject({ exitCode: 1 });
    expect(foreign(terminal.text())).toBe("");
    expect(terminal.text()).not.toMatch(/[\u202e\u009b]/);
  }, 300_000);

  it("does nothing when somebody goes on with the session meanwhile (K1)", async () => {
    const { place, repo } = await seeded();
    const before = treeState(repo);
    const terminal = atTerminal(place, ["settle"], { env: ANN });
    await terminal.sees("1 of 4");
    terminal.type("u");
    await terminal.sees("The plan for 4 groups");
    await place.withStore(async (store) => {
      await store.begin({ id: "seed-session", agent: "gptme", workspace: repo.root });
      terminal.type("y");
      expect(await terminal.ended).toMatchObject({ exitCode: 4 });
    });
    expect(afterwards(terminal)).toContain("E_HELD");
    expect(treeState(repo)).toEqual(before);
  }, 300_000);

  it("is not begun for nobody: on a build machine's terminal the plan is shown and asked about", async () => {
    const { place, repo } = await seeded();
    const before = treeState(repo);
    const terminal = atTerminal(place, ["settle"], { env: { ...ANN, CI: "true" } });
    await terminal.until(() => terminal.text().includes("Do it? [y/N]"), "to be asked");
    expect(terminal.text()).not.toContain("\x1b[?1049h");
    terminal.type("n\r");
    expect(await terminal.ended).toMatchObject({ exitCode: 1 });
    expect(treeState(repo)).toEqual(before);
  }, 300_000);
});
