/** What a destructive command would take away is held by the recorder's own hands, and is a capture like any other from the next command on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { InboxEvent } from "../../src/agents/inbox/format.ts";
import { parseHeldFile } from "../../src/agents/inbox/held-format.ts";
import { killGroup } from "../recover/supervised.ts";
import type { JsonObject } from "../support/cli.ts";
import { onSmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { holdingPlace, PATIENT, SESSION } from "./holding-place.ts";
import { claudeEvents } from "./hooked-place.ts";
import { heldNames, recorded, SHELLS } from "./recorder.ts";

/** Of the calls before a destructive command. */
const recordedBefore = (home: string): readonly InboxEvent[] =>
  recorded(home).filter(({ event }) => event === "PreToolUse");

const ODD = ["-rf", "new\nline", "sp ace", "qu'ote\"", "ütf"];

describe("what is held without the program", () => {
  it.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
    "W4: is everything that git does not have, by %s: listed, named with its call, put back by restore, taken back by undo",
    async (_, shell) => {
      const place = holdingPlace({ "a.txt": "a\n", ".gitignore": "*.env\nnotes/\n" });
      place.write({
        "a.txt": "changed\n",
        "new/b.txt": "new\n",
        "secret.env": "mine\n",
        "notes/n.txt": "n\n",
      });
      for (const name of ODD) place.write({ [name]: `${name}\n` });
      chmodSync(join(place.workspace, "new/b.txt"), 0o700);
      symlinkSync("a.txt", join(place.workspace, "link"));
      place.about("git clean -fdx && git checkout -- .", { shell });
      expect(heldNames(place.home)).toHaveLength(1);
      place.repo.git("clean", "-fdxq");
      place.repo.git("checkout", "-q", "--", ".");
      const [capture] = await place.captures();
      expect(capture).toMatchObject({ before: "git clean, git checkout --", partial: false });
      expect(heldNames(place.home)).toEqual([]);
      expect((await place.calls())[0]).toMatchObject({ before: { kind: "held", capture: capture?.id } });
      const { code, json } = await place.json(["restore", String(capture?.id), "--yes"]);
      expect([code, json.conflicts]).toEqual([0, []]);
      const read = (name: string): string => readFileSync(join(place.workspace, name), "utf8");
      expect([read("a.txt"), read("secret.env"), read("notes/n.txt")]).toEqual([
        "changed\n",
        "mine\n",
        "n\n",
      ]);
      for (const name of ODD) expect(read(name)).toBe(`${name}\n`);
      expect((await place.json(["undo", "--yes"])).code).toBe(0);
      expect(read("a.txt")).toBe("a\n");
      expect((await place.json(["prove"])).code).toBe(0);
    },
    120_000,
  );

  it("W6: has ignored files where the command names them, and names as gaps what tools make anew, and not other ignored files", async () => {
    const place = holdingPlace({ ".gitignore": ".env\nnode_modules/\nkeep/\n" });
    place.write({ ".env": "KEY\n", "node_modules/x/i.js": "x\n", "keep/k": "k\n" });
    place.about("rm -rf .env node_modules");
    const [capture] = await place.captures();
    const copy = await place.copied(String(capture?.id));
    expect(readFileSync(join(copy, ".env"), "utf8")).toBe("KEY\n");
    expect(existsSync(join(copy, "keep"))).toBe(false);
    expect((await place.taken(capture?.id)).gaps).toMatchObject([{ path: "node_modules" }]);
    expect(capture?.partial).toBe(true);
  });

  it("W6: has ignored files that a pattern names, however it is written, and no other ignored files", async () => {
    const place = holdingPlace({ ".gitignore": "*.env\n*.key\n", "sub/x.txt": "x\n" });
    place.write({ "a.env": "a\n", "b.env": "b\n", "sub/c.env": "c\n", "other.key": "k\n" });
    const ignored = (): readonly string[] => {
      const [name = ""] = heldNames(place.home);
      const parsed = parseHeldFile(readFileSync(join(place.inbox, name)));
      rmSync(join(place.inbox, name));
      if (parsed.kind !== "held") throw new Error(parsed.kind);
      const entries = parsed.held.trees[0]?.entries ?? [];
      return entries.filter((one) => one.isIgnored).map(({ path }) => Buffer.from(path).toString());
    };
    for (const [command, held] of [
      ["rm *.env", ["a.env", "b.env"]],
      ["rm -f ./*.env", ["a.env", "b.env"]],
      ["rm {a,b}.env", ["a.env", "b.env"]],
      ["rm ./{a,sub/c}.env", ["a.env", "sub/c.env"]],
      ["rm [a].env ?.env", ["a.env", "b.env"]],
      ["rm s*/*.env", ["sub/c.env"]],
      // Nobody here knows whether it still stands where it began, as behind a subshell.
      ["cd sub && rm *.env", ["a.env", "b.env", "sub/c.env"]],
      ["rm -- 'a.env' b\\.env", ["a.env", "b.env"]],
      ["rm *.txt; ls", []],
      ['rm "$FILE"', ["a.env", "b.env", "other.key", "sub/c.env"]],
      ["ls *.x | xargs rm", ["a.env", "b.env", "other.key", "sub/c.env"]],
      ["find . -name '*.env' -delete", ["a.env", "b.env", "other.key", "sub/c.env"]],
    ] as const) {
      place.about(command);
      expect([command, ignored().toSorted()]).toEqual([command, held]);
    }
  });

  it("W6: has Terraform's state before it is applied, which is ignored, and not the plugins that it makes anew", async () => {
    const place = holdingPlace({ ".gitignore": "*.tfstate*\n.terraform/\n*.log\n", "main.tf": "\n" });
    place.write({
      ...{ "terraform.tfstate": "only here\n", "envs/dev/terraform.tfstate.backup": "older\n" },
      ...{ "terraform.tfstate.d/dev/terraform.tfstate": "dev\n", "crash.log": "log\n" },
      ...{ ".terraform/providers/p": "plugin\n", ".terraform/terraform.tfstate": "made anew\n" },
    });
    place.about("terraform apply -auto-approve");
    const [capture] = await place.captures();
    const copy = await place.copied(String(capture?.id));
    expect(readFileSync(join(copy, "terraform.tfstate"), "utf8")).toBe("only here\n");
    expect(readFileSync(join(copy, "envs/dev/terraform.tfstate.backup"), "utf8")).toBe("older\n");
    expect(readFileSync(join(copy, "terraform.tfstate.d/dev/terraform.tfstate"), "utf8")).toBe("dev\n");
    expect(readdirSync(copy)).not.toContain(".terraform");
    expect(readdirSync(copy)).not.toContain("crash.log");
  });

  it("T1: what no capture can hold is named by the call: the volumes of containers", async () => {
    const place = holdingPlace();
    place.about("docker compose down -v");
    place.about("docker compose down");
    const images = (await place.calls()).map(({ before }) => before as JsonObject);
    expect(images.map(({ kind, without }) => [kind, without])).toEqual([
      ["held", ["the volumes that docker compose down -v deletes"]],
      ["held", undefined],
    ]);
    const { stdout } = await place.refloat(["inspect"]);
    expect(stdout).toContain("not the volumes that docker compose down -v deletes");
  });

  it("D4: is taken in once, by two at once and by somebody who comes after a kill", async () => {
    const place = holdingPlace();
    place.write({ "new.txt": "new\n" });
    place.about("rm -rf new.txt");
    const aside = join(temporaryFolder(), "inbox");
    cpSync(place.inbox, aside, { recursive: true });
    await Promise.all([place.json(["captures"]), place.json(["sessions"])]);
    const [first] = await place.captures();
    cpSync(aside, place.inbox, { recursive: true });
    expect(await place.captures()).toHaveLength(1);
    expect((await place.calls()).map(({ before }) => before)).toEqual([{ kind: "held", capture: first?.id }]);
    expect(heldNames(place.home)).toEqual([]);
  });

  it("T1: that is torn, or gone, is nobody's capture, and its call says that there is no before-image", async () => {
    const place = holdingPlace();
    place.write({ "new.txt": "new\n".repeat(1000) });
    place.about("rm -rf new.txt");
    const [name = ""] = heldNames(place.home);
    truncateSync(join(place.inbox, name), 2000);
    place.about("rm -rf new.txt; true");
    const other = heldNames(place.home).find((one) => one !== name) ?? "";
    const bytes = readFileSync(join(place.inbox, other));
    // What a power cut leaves: the length, and nothing in the middle.
    writeFileSync(join(place.inbox, other), bytes.fill(0, 1000, 3000));
    const images = (await place.calls()).map(({ before }) => before);
    expect(images).toEqual([
      { kind: "none", reason: "what was held is not whole" },
      { kind: "none", reason: "what was held is not whole" },
    ]);
    expect(await place.captures()).toEqual([]);
  });

  it("W8: is a capture of its session also when the recorder was killed before it wrote the event: the command may have run", async () => {
    const place = holdingPlace();
    place.write({ "new.txt": "new\n" });
    place.about("rm -rf new.txt");
    for (const name of readdirSync(place.inbox).filter((one) => one.endsWith(".hook")))
      rmSync(join(place.inbox, name));
    expect(await place.captures()).toEqual([]);
    const [name = ""] = heldNames(place.home);
    utimesSync(join(place.inbox, name), 1_000_000, 1_000_000);
    expect(await place.captures()).toMatchObject([{ before: "rm -rf new.txt" }]);
    expect(await place.sessions()).toMatchObject([{ agent: "claude" }]);
  });

  it("T5: of a command that turns out to take nothing away is dropped", async () => {
    const place = holdingPlace();
    place.write({ "new.txt": "new\n" });
    place.about("echo 'rm -rf new.txt'; git branch --list");
    expect(heldNames(place.home)).toHaveLength(1);
    expect(await place.captures()).toEqual([]);
    expect((await place.calls())[0]?.before).toBeUndefined();
    expect(heldNames(place.home)).toEqual([]);
  });

  it("D6: of a command with words that every object has is a capture, and what waits behind it is heard", async () => {
    const place = holdingPlace();
    place.write({ "new.txt": "new\n" });
    place.about("git hasOwnProperty x; toString -x; rm new.txt");
    place.about("rm -f nothing.txt");
    expect(await place.captures()).toHaveLength(2);
    expect(place.waiting()).toEqual([]);
  });

  it("W8: has each work tree that the command names, and those in a folder that it names; the call names the one in danger", async () => {
    const place = holdingPlace();
    const folder = temporaryFolder();
    for (const name of ["one", "two"]) {
      place.repo.git("worktree", "add", "-q", join(folder, name), "-b", name);
      writeFileSync(join(folder, name, "only.txt"), `${name}\n`);
    }
    place.about(`cd ${folder} && rm -rf one two`);
    rmSync(join(folder, "one"), { recursive: true });
    rmSync(join(folder, "two"), { recursive: true });
    const [call] = await place.calls();
    const image = call?.before as { capture: string; also: string[] };
    const copies = await Promise.all([image.capture, ...image.also].map((id) => place.copied(id)));
    const found = copies.flatMap((copy) =>
      existsSync(join(copy, "only.txt")) ? [readFileSync(join(copy, "only.txt"), "utf8")] : [],
    );
    expect(found).toEqual(["one\n", "two\n"]);
  });

  it("W8: has the commits that nobody else has where the repository itself goes, and git's own files", async () => {
    const place = holdingPlace();
    const clone = join(temporaryFolder(), "clone");
    place.repo.git("clone", "-q", place.workspace, clone);
    place.repo.git("-C", clone, "commit", "-q", "--allow-empty", "-m", "never pushed");
    const id = place.repo.git("-C", clone, "rev-parse", "HEAD");
    writeFileSync(join(clone, "new.txt"), "new\n");
    place.about(`rm -rf ${clone}`);
    rmSync(clone, { recursive: true });
    const image = (await place.calls())[0]?.before as { capture: string };
    const to = join(temporaryFolder(), "held");
    const { code, json } = await place.json(["restore", image.capture, "--commits", to]);
    expect(code).toBe(0);
    place.repo.git("fetch", "-q", json.commits.bundle, "+refs/*:refs/held/*");
    expect(place.repo.git("cat-file", "-t", id)).toBe("commit");
    expect(existsSync(join(to, "git/config"))).toBe(true);
    expect(readFileSync(join(await place.copied(image.capture), "new.txt"), "utf8")).toBe("new\n");
  });
});

describe("a hostile or odd repository", () => {
  it("runs nothing of its own while it is held (T3): no filter, no monitor, no hook", () => {
    const place = holdingPlace({ "a.txt": "a\n", ".gitattributes": "*.txt filter=evil diff=evil\n" });
    const canary = join(temporaryFolder(), "ran");
    const evil = join(temporaryFolder(), "evil");
    writeFileSync(evil, `#!/bin/sh\necho "$0" >>${canary}\ncat\n`, { mode: 0o755 });
    for (const key of ["filter.evil.clean", "filter.evil.process", "core.fsmonitor", "diff.evil.textconv"])
      place.repo.git("config", key, evil);
    for (const hook of ["post-index-change", "post-checkout", "reference-transaction"])
      copyFileSync(evil, join(place.workspace, ".git/hooks", hook));
    place.write({ "a.txt": "b\n", "b.txt": "c\n" });
    place.about("git reset --hard && rm -rf ../nothing .");
    expect(heldNames(place.home)).toHaveLength(1);
    expect(existsSync(canary)).toBe(false);
  });

  it("W3: a folder that became a link is not followed: what lies behind it is nobody's work here", async () => {
    const place = holdingPlace({ "dir/a.txt": "a\n" });
    const outside = temporaryFolder();
    writeFileSync(join(outside, "a.txt"), "secret\n");
    rmSync(join(place.workspace, "dir"), { recursive: true });
    symlinkSync(outside, join(place.workspace, "dir"));
    place.about("rm -rf dir");
    const text = heldNames(place.home).map((name) => readFileSync(join(place.inbox, name), "latin1"));
    expect(text.join("")).not.toContain("secret");
    const [capture] = await place.captures();
    expect(capture).toMatchObject({ partial: false });
  });

  it("W4: a repository in it and a submodule are gaps with their reasons", async () => {
    const place = holdingPlace();
    const inner = temporaryFolder();
    place.repo.git("init", "-q", inner);
    place.repo.git("-C", inner, "commit", "-q", "--allow-empty", "-m", "inner");
    place.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub");
    place.repo.commit();
    place.repo.git("init", "-q", join(place.workspace, "nested"));
    place.repo.git("-C", join(place.workspace, "nested"), "commit", "-q", "--allow-empty", "-m", "x");
    place.write({ "new.txt": "new\n" });
    place.about("git clean -fdx");
    const [capture] = await place.captures();
    const { gaps } = await place.taken(capture?.id);
    expect(gaps).toMatchObject([
      { path: "nested", reason: "nested-repository" },
      { path: "sub", reason: "submodule" },
    ]);
    expect(capture?.partial).toBe(true);
  });

  it("what is out of the ordinary is left to the program: a submodule's own tree, a .git that leads elsewhere, a folder without git", () => {
    const place = holdingPlace();
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, ".git"), `gitdir: ${join(place.workspace, ".git")}\n`);
    const link = temporaryFolder();
    symlinkSync(join(place.workspace, ".git"), join(link, ".git"));
    for (const cwd of [elsewhere, link, temporaryFolder()]) place.about("rm -rf x", { cwd });
    expect(heldNames(place.home)).toEqual([]);
    expect(recordedBefore(place.home).map(({ before }) => before?.kind)).toEqual(["none", "none", "none"]);
  });
});

describe("the recorder is never in the way (exit 0), and never says held when it is not", () => {
  it("T1: however early its time is over", () => {
    const place = holdingPlace();
    for (let i = 0; i < 50; i++) place.write({ [`new-${i}.txt`]: "x".repeat(10_000) });
    for (const seconds of ["0.001", "0.01", "0.02", "0.03", "0.05", "0.1", "0.2"])
      place.about("rm -rf .", { env: { REFLOAT_HOOK_WAIT: seconds } });
    for (const { before, held } of recordedBefore(place.home)) {
      expect([before === null, held === null]).toEqual([held !== null, before !== null]);
      const file = held === null ? null : readFileSync(join(place.inbox, `${held}.held`));
      if (file !== null) expect(parseHeldFile(file).kind).toBe("held");
    }
    expect(recordedBefore(place.home)).toHaveLength(7);
  });

  it("W4: killed with SIGKILL at any moment it leaves nothing that a later command takes for whole", async () => {
    const place = holdingPlace();
    for (let i = 0; i < 200; i++) place.write({ [`new-${i}.txt`]: "x".repeat(10_000) });
    const input = JSON.stringify(claudeEvents(SESSION, place.workspace).before("t", "rm -rf ."));
    for (let i = 0; i < 12; i++) {
      const child = spawn("sh", [join(place.home, "bin/refloat-hook"), "claude", "PreToolUse"], {
        cwd: place.workspace,
        env: { PATH: process.env.PATH, ...PATIENT },
        stdio: ["pipe", "ignore", "ignore"],
        detached: true,
      });
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
      const over = once(child, "exit");
      setTimeout(() => killGroup(child.pid ?? 0), 10 + i * 12).unref();
      await over;
    }
    for (const name of heldNames(place.home)) utimesSync(join(place.inbox, name), 1_000_000, 1_000_000);
    for (const capture of await place.captures()) {
      const copy = await place.copied(String(capture.id));
      expect(readdirSync(copy).filter((name) => name.startsWith("new-"))).toHaveLength(200);
    }
    expect((await place.json(["prove"])).code).toBe(0);
  });

  it("D6: with a full disk or a home that cannot be written the call goes on, and nothing is called held", () => {
    const holder = resolve(import.meta.dirname, "../../hooks");
    const said = onSmallDisk(
      "2m",
      `const { spawnSync } = process.getBuiltinModule("node:child_process");
       const home = disk + "/home"; const tree = ${JSON.stringify(temporaryFolder())};
       mkdirSync(home + "/bin", { recursive: true }); mkdirSync(home + "/inbox");
       for (const name of ["refloat-hook", "refloat-hold"]) copyFileSync(${JSON.stringify(holder)} + "/" + name, home + "/bin/" + name);
       spawnSync("git", ["init", "-q", tree]);
       writeFileSync(tree + "/large", Buffer.alloc(4000000, 7));
       const input = JSON.stringify({ cwd: tree, tool_input: { command: "rm -rf large" } });
       const run = () => spawnSync("sh", [home + "/bin/refloat-hook", "claude", "PreToolUse"], { cwd: tree, input, env: { PATH: process.env.PATH, REFLOAT_HOOK_WAIT: "60" }, encoding: "utf8" });
       const small = run();
       said.small = [small.status, small.stdout, readdirSync(home + "/inbox").filter((name) => name.endsWith(".held")).length];
       said.why = readdirSync(home + "/inbox").map((name) => /no-before-image (.*)/.exec(readFileSync(home + "/inbox/" + name, "utf8"))?.[1]);
       mount("ro");
       const readOnly = run();
       said.readOnly = [readOnly.status, readOnly.stdout];`,
    );
    expect(said).toEqual({
      small: [0, "", 0],
      why: ["No space left on device"],
      readOnly: [0, ""],
    });
  });

  it("two calls at once are two captures", async () => {
    const place = holdingPlace();
    place.write({ "new.txt": "new\n" });
    const events = claudeEvents(SESSION, place.workspace);
    await Promise.all(
      ["t1", "t2"].map(async (id) => {
        const child = spawn("sh", [join(place.home, "bin/refloat-hook"), "claude", "PreToolUse"], {
          cwd: place.workspace,
          env: { PATH: process.env.PATH, ...PATIENT },
        });
        child.stdin.end(JSON.stringify(events.before(id, "rm -rf new.txt")));
        await once(child, "exit");
      }),
    );
    expect(await place.captures()).toHaveLength(2);
  });

  it("W3: a link in the place of what it would write, or of the inbox, is not written through", () => {
    const place = holdingPlace();
    const outside = temporaryFolder();
    renameSync(place.inbox, join(outside, "inbox"));
    symlinkSync(join(outside, "inbox"), place.inbox);
    place.about("rm -rf x");
    expect(readdirSync(join(outside, "inbox"))).toEqual([]);
  });
});
