/**
 * Every key that can make git run a program, under names that are easily mistaken: empty, dotted, quoted, with an equals
 * sign, in capitals, no letters at all. Each value is a canary that makes a file of its own; real git is asked which keys it
 * knows by which name, and the program and the door are used until nothing is left to be asked.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PathName } from "../../src/model/path-name.ts";
import { pathsWithFilter, readTracked } from "../../src/workspace/git/beside-status.ts";
import { LIST_CONFIG, parseConfig } from "../../src/workspace/git/config.ts";
import { readHead } from "../../src/workspace/git/head.ts";
import { landedCommit } from "../../src/workspace/git/landed.ts";
import { locateRepository } from "../../src/workspace/git/locate.ts";
import { objectsAt, readBlobs, treeChanges } from "../../src/workspace/git/objects.ts";
import { openRepository, type Repository } from "../../src/workspace/git/repository.ts";
import { readStatus } from "../../src/workspace/git/status.ts";
import { makePlace } from "../support/cli.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";
import { randomFrom } from "../support/random-from.ts";
import { seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 60_000;

/** With `*`, any name may stand there. Those without are one key. */
const KEYS = [
  ..."filter.*.clean filter.*.smudge filter.*.process diff.*.command diff.*.textconv diff.external".split(
    " ",
  ),
  ..."merge.*.driver difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path".split(" "),
  ..."core.fsmonitor core.hooksPath core.pager core.editor core.sshCommand core.askPass core.gitProxy".split(
    " ",
  ),
  ..."core.alternateRefsCommand gc.recentObjectsHook credential.helper credential.*.helper".split(" "),
  ..."gpg.program gpg.*.program gpg.ssh.defaultKeyCommand hook.*.command submodule.*.update".split(" "),
  ..."remote.*.uploadpack remote.*.receivepack remote.*.vcs uploadpack.packObjectsHook".split(" "),
  ..."interactive.diffFilter sequence.editor trailer.*.command trailer.*.cmd tar.*.command".split(" "),
  ..."browser.*.cmd man.*.cmd guitool.*.cmd pager.status pager.diff pager.log pager.grep".split(" "),
  ..."sendemail.*.sendmailCmd sendemail.toCmd imap.tunnel protocol.allow protocol.*.allow".split(" "),
] as const;

/** Names an attribute can give: no white space in them. */
const NAMES: readonly string[] = [
  "",
  ".",
  "..",
  "a.b",
  ".a",
  "a.",
  "a=b",
  "=",
  'a"b',
  "a\\b",
  "UPPER",
  "upper",
  "clean",
  "a.clean",
  "filter.x.clean",
  "é",
  "e\u0301",
  "\u200b",
  "😀",
  "-c",
  "$(x)",
  "`x`",
  "'",
  "#",
  ";",
  "]",
  "[",
  "*",
  "!x",
  "set",
  "unset",
  "unspecified",
  "true",
  "\u0001",
  "\u007f",
  "x".repeat(400),
];
/** Names that only a configuration can give. */
const SPACED = [" a", "a ", "a b", "\t", " ", "a\r"];

const ALPHABET = [..."ab.=-\"\\'#;[]$é\u200b😀%*?!@:/AB1"];

/** As many more, drawn from what is special to somebody. */
function drawn(count: number): string[] {
  const random = randomFrom(seed);
  const name = (): string =>
    Array.from({ length: 1 + random(6) }, () => ALPHABET[random(ALPHABET.length)]).join("");
  return [...new Set(Array.from({ length: count }, name))].filter((one) => !NAMES.includes(one));
}

const quoted = (name: string): string => `"${name.replace(/["\\]/g, "\\$&")}"`;

interface Canaries {
  readonly folder: string;
  /** A command that makes a file of its own. */
  value(of: string): string;
  touched(): string[];
}

function canaries(): Canaries {
  const folder = temporaryFolder();
  let next = 0;
  return {
    folder,
    value: (of) => {
      const file = join(folder, `${next++}-${of.replace(/[^\w.-]/g, "_").slice(0, 60)}`);
      return quoted(`touch '${file}'; cat`);
    },
    touched: () => readdirSync(folder),
  };
}

/** `[section "name"] variable = canary`, for every key and every name. */
function hostileConfig(names: readonly string[], canary: Canaries, keys: readonly string[] = KEYS): string {
  const lines = keys.flatMap((key) => {
    const [section = "", ...rest] = key.split(".");
    const variable = rest.at(-1) ?? "";
    if (rest.length === 1) return [`[${section}]\n\t${variable} = ${canary.value(key)}\n`];
    if (rest[0] !== "*") return [`[${section} "${rest[0]}"]\n\t${variable} = ${canary.value(key)}\n`];
    return names.map(
      (name) => `[${section} ${quoted(name)}]\n\t${variable} = ${canary.value(`${key}-${name}`)}\n`,
    );
  });
  return lines.join("");
}

async function door(root: string): Promise<Repository> {
  const location = locateRepository(root);
  if (!location) throw new Error("no repository");
  return openRepository(location, { env: DOOR_ENV });
}

const fileOf = (at: number): string => `f${at}.txt`;

/** One changed file per name whose filter, diff and merge driver it is; the configuration is spread over four files. */
function hostileRepository(names: readonly string[]): { repo: TestRepository; canary: Canaries } {
  const repo = testRepository();
  const canary = canaries();
  for (const at of names.keys()) repo.write(fileOf(at), "one\n");
  repo.commit();
  const line = (name: string, at: number): string =>
    `${fileOf(at)} filter=${name} diff=${name} merge=${name}\n`;
  const attributes = names.map(line);
  repo.write(".gitattributes", attributes.filter((_, at) => at % 2 === 0).join(""));
  mkdirSync(join(repo.root, ".git/info"), { recursive: true });
  writeFileSync(join(repo.root, ".git/info/attributes"), attributes.filter((_, at) => at % 2 === 1).join(""));
  const part = (of: number): string =>
    hostileConfig(
      names.filter((_, at) => at % 4 === of),
      canary,
    );
  repo.git("config", "extensions.worktreeConfig", "true");
  writeFileSync(join(repo.root, ".git/config.worktree"), part(0));
  repo.write("settings", part(1));
  repo.write(".git/more", part(2));
  appendFileSync(
    join(repo.root, ".git/config"),
    `${part(3)}[include]\n\tpath = ../settings\n[includeIf "onbranch:main"]\n\tpath = more\n` +
      `[alias]\n\tstatus = !${canary.value("alias").slice(1, -1)}\n[log]\n\tshowSignature = true\n`,
  );
  for (const at of names.keys()) repo.write(fileOf(at), "ONE\n");
  return { repo, canary };
}

describe("whatever a key that names a program is called", () => {
  it("W1: the door knows every name real git lists, and what it sets wins over each", async () => {
    const repo = testRepository();
    const canary = canaries();
    const names = [...NAMES, ...SPACED, ...drawn(40)];
    // In parts: what a repository may configure is bounded.
    for (let at = 0; at < names.length; at += 6) {
      const some = names.slice(at, at + 6);
      writeFileSync(join(repo.root, ".git/config"), hostileConfig(some, canary));
      appendFileSync(
        join(repo.root, ".git/config"),
        `[filter.Dotted]\n\tClEaN = ${canary.value("dotted")}\n[FILTER.]\n\tsmudge = ${canary.value("dot")}\n`,
      );
      const entries = parseConfig(await (await door(repo.root)).run(LIST_CONFIG));
      const last = new Map(entries.map(({ key, value }) => [key, value ?? ""]));
      const named = KEYS.filter((key) => key.includes("*")).length;
      expect(last.size).toBeGreaterThan(named * some.length);
      expect([...last].filter(([, value]) => value.includes(canary.folder))).toEqual([]);
    }
  });

  it("W1: plain git would run the filter of every one of these names: the test can fail", () => {
    const { repo, canary } = hostileRepository(NAMES);
    // Without the monitor, which would answer for git. A filter that is a process goes before one that is a command.
    repo.git("-c", "core.fsmonitor=false", "-c", "core.pager=cat", "status", "--porcelain");
    const ran = canary.touched().filter((name) => name.includes("filter._.process"));
    expect(ran).toHaveLength(NAMES.length);
  });

  it("W1: nothing runs whatever the door is asked, wherever in the repository it is configured", async () => {
    const { repo, canary } = hostileRepository(NAMES);
    const repository = await door(repo.root);
    const status = await readStatus(repository, LONG_MS);
    const paths = NAMES.map((_, at) => fileOf(at) as PathName);
    expect(status.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
    await readTracked(repository, LONG_MS);
    const { id } = await readHead(repository);
    const objects = await objectsAt(repository, id ?? "", paths);
    await readBlobs(
      repository,
      [...objects].flatMap(([path, blob]) => [{ id: blob.id, path }, { id: blob.id }]),
    );
    const filters = await pathsWithFilter(repository, paths, repository.untrustedFilters);
    expect(filters.size).toBe(NAMES.length);
    expect(canary.touched()).toEqual([]);
  });

  it("W1: nothing runs by any command of the program, those that act included", async () => {
    const { repo, canary } = hostileRepository([...NAMES.slice(0, 12), ...drawn(6)]);
    const place = makePlace();
    const identity = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "a@example.invalid" };
    const env = { ...identity, GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "a@example.invalid" };
    const options = { cwd: repo.root, env: { ...env, GIT_ATTR_SOURCE: "HEAD", GIT_EXTERNAL_DIFF: "false" } };
    const write = "for f in f0.txt f1.txt f2.txt f3.txt; do echo TWO > $f; done; kill -9 $$";
    const bundle = join(temporaryFolder(), "bundle");
    for (const args of [
      ["inspect"],
      ["status"],
      ["run", "--bundle", bundle, "--", "sh", "-c", write],
      ...[["status"], ["inspect"], ["sessions"], ["show"], ["log"], ["handoff"], ["captures"], ["parked"]],
      ...[["diff"], ["diff", "HEAD"], ["why", "f0.txt"], ["why", "f1.txt:1"], ["worktrees"], ["prove"]],
      ...[["doctor"], ["capture"], ["capture", "f0.txt"], ["op", "list"], ["resume", "--print"]],
      ["inspect", "--verify", "true"],
      ["last-good", "--verify", "true"],
      ...[
        ["park", "--yes", "--", "f0.txt"],
        ["undo", "--yes"],
        ["discard", "--yes", "--", "f1.txt"],
      ],
      ...[
        ["undo", "--yes"],
        ["redo", "--yes"],
        ["undo", "--yes"],
      ],
      ...[
        ["commit", "--yes", "-m", "x", "--", "f2.txt"],
        ["undo", "--yes"],
        ["settle", "--yes"],
      ],
    ]) {
      const ran = await place.refloat(args, options);
      expect([args.join(" "), canary.touched(), ran.stderr.includes("E_INTERNAL")]).toEqual([
        args.join(" "),
        [],
        false,
      ]);
    }
  });

  it("W1: what cannot be switched off, because its name is no text or there is too much of it, is not read at all", async () => {
    const marker = canaries();
    for (const text of [
      Buffer.concat([
        Buffer.from('[filter "'),
        Buffer.from([0xff]),
        Buffer.from(`"]\n\tclean = ${marker.value("bytes")}\n`),
      ]),
      Buffer.from(
        Array.from({ length: 3000 }, (_, at) => `[filter "${at}-${"x".repeat(40)}"]\n\tclean = ${at}\n`).join(
          "",
        ),
      ),
      Buffer.from(`[filter "${"x".repeat(200_000)}"]\n\tclean = x\n`),
    ]) {
      const repo = testRepository();
      repo.write("a.txt", "one\n");
      repo.commit();
      writeFileSync(
        join(repo.root, ".git/info/attributes"),
        Buffer.concat([Buffer.from("* filter="), Buffer.from([0xff, 0x0a])]),
      );
      appendFileSync(join(repo.root, ".git/config"), text);
      repo.write("a.txt", "ONE\n");
      const opened = await door(repo.root).then(
        () => "opened",
        (thrown) => thrown.code,
      );
      expect(opened).toBe("E_GIT_UNSAFE");
      expect(marker.touched()).toEqual([]);
    }
  });
});

describe("a submodule's own configuration", () => {
  function withSubmodule(): { repo: TestRepository; canary: Canaries; from: string; to: string } {
    const inner = testRepository();
    inner.write("a.txt", "one\n");
    inner.commit();
    const repo = testRepository();
    repo.write("top.txt", "top\n");
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
    const from = repo.commit();
    repo.git("checkout", "-q", "-b", "work");
    const sub = testRepositoryAt(join(repo.root, "sub"));
    sub("config", "user.email", "a@example.invalid");
    sub("config", "user.name", "Ann");
    writeFileSync(join(repo.root, "sub/a.txt"), "two\n");
    sub("commit", "-q", "-a", "-m", "two");
    const to = repo.commit();
    const canary = canaries();
    const gitDir = join(repo.root, ".git/modules/sub");
    mkdirSync(join(gitDir, "info"), { recursive: true });
    writeFileSync(join(gitDir, "info/attributes"), "* filter= diff=\n");
    appendFileSync(join(gitDir, "config"), hostileConfig([""], canary));
    writeFileSync(join(repo.root, "sub/a.txt"), "TWO\n");
    // Everything that sends git into a submodule by itself, and the word of .gitmodules that it must look for changes there.
    repo.git("config", "diff.submodule", "diff");
    repo.git("config", "status.submoduleSummary", "true");
    repo.git("config", "submodule.recurse", "true");
    repo.git("config", "diff.ignoreSubmodules", "none");
    repo.git("config", "-f", ".gitmodules", "submodule.sub.ignore", "none");
    return { repo, canary, from, to };
  }

  it("W1: is run by nothing the door or the program asks of the repository around it", async () => {
    const { repo, canary, from, to } = withSubmodule();
    const repository = await door(repo.root);
    await readStatus(repository, LONG_MS);
    await treeChanges(repository, from, to);
    // Its patch is compared with those of main, which does not have it.
    expect((await landedCommit(repository, to, "work")).kind).toBe("not-landed");
    const place = makePlace();
    const bundle = join(temporaryFolder(), "bundle");
    for (const args of [
      ["inspect"],
      ["run", "--bundle", bundle, "--", "sh", "-c", "echo more >> top.txt; kill -9 $$"],
      ...[["status"], ["inspect"], ["diff"], ["worktrees"], ["capture"], ["handoff"], ["settle", "--yes"]],
    ]) {
      await place.refloat(args, { cwd: repo.root });
      expect([args.join(" "), canary.touched()]).toEqual([args.join(" "), []]);
    }
  });

  it("W1: would be run by plain git: the test can fail", () => {
    const { repo, canary, from, to } = withSubmodule();
    spawnSync("git", ["--no-pager", "diff", from, to], { cwd: repo.root });
    spawnSync("git", ["status"], { cwd: repo.root });
    expect(canary.touched().length).toBeGreaterThan(0);
  });
});

const testRepositoryAt =
  (root: string) =>
  (...args: string[]): void => {
    execFileSync("git", args, { cwd: root, stdio: "pipe" });
  };
