/**
 * A fixture as a session that nobody supervised: its home is the user's, its repository one of our own, with the files in it as the agent
 * left them. `change` makes a variation of the agent's files before anybody reads them.
 */
import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { homeOf } from "./fixture-home.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");
/** The repositories that the fixtures' agents worked in. */
const FIXTURE_REPO = /\/srv\/agents\/repo-[A-Za-z0-9-]+/g;
const TEXT = /\.(?:jsonl?|yaml|md|txt|lock)$|\.project_root$/;

export interface PlainSession {
  readonly place: Place;
  readonly repo: TestRepository;
  /** The user's home, with what the agent left in it. */
  readonly home: string;
  /** `refloat` where the agent worked. */
  refloat(...args: string[]): Promise<string>;
}

export interface PlainOptions {
  /** What the repository holds uncommitted. */
  readonly files?: Readonly<Record<string, string>>;
  /** Each text file of the home as it is to be; the path is the home's. */
  readonly change?: (text: string, path: string) => string;
}

export function plainSession(fixture: string, { files = {}, change }: PlainOptions = {}): PlainSession {
  const place = makePlace();
  const repo = testRepository();
  repo.write("README.md", "hello\n");
  repo.commit("one");
  const home = userHome(join(FIXTURES, fixture), repo.root, change ?? ((text) => text));
  // Aider keeps its history in the repository itself.
  if (fixture.startsWith("aider/"))
    renameSync(join(home, ".aider.chat.history.md"), join(repo.root, ".aider.chat.history.md"));
  for (const [path, text] of Object.entries(files)) repo.write(path, text);
  return {
    place,
    repo,
    home,
    refloat: async (...args) => {
      const ran = await place.refloat(args, { cwd: repo.root, env: { HOME: home } });
      if (ran.code !== 0) throw new Error(`refloat ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
      return ran.stdout;
    },
  };
}

function userHome(fixture: string, root: string, change: (text: string, path: string) => string): string {
  const copy = join(temporaryFolder(), "home");
  cpSync(fixture, copy, { recursive: true });
  for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
    const path = join(copy, name);
    if (!TEXT.test(name) || !statSync(path).isFile()) continue;
    const text = readFileSync(path, "utf8");
    writeFileSync(path, change(text, name).replaceAll(FIXTURE_REPO, root));
  }
  const home = homeOf(copy);
  renameProjects(home, root);
  killOwners(home);
  // gptme has a link to its folder beside the conversation.
  const logs = join(home, ".local/share/gptme/logs");
  for (const name of names(logs)) {
    rmSync(join(logs, name, "workspace"), { force: true });
    symlinkSync(root, join(logs, name, "workspace"));
  }
  return home;
}

/** Claude Code names a folder after the repository, which others find by what is inside. */
function renameProjects(home: string, root: string): void {
  const projects = join(home, ".claude/projects");
  for (const name of names(projects))
    if (name.startsWith("-srv-agents"))
      renameSync(join(projects, name), join(projects, root.replaceAll(/[^A-Za-z0-9]/g, "-")));
}

/** The marks name small pids of another machine: whoever has them here is none of these agents. */
function killOwners(home: string): void {
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" }))
    if (/inuse\.\d+\./.test(name))
      renameSync(join(home, name), join(home, name.replace(/inuse\.\d+\./, `inuse.${NO_PID}.`)));
}

/** Above the kernel's own limit. */
const NO_PID = 4_194_998;

const names = (folder: string): readonly string[] =>
  statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
