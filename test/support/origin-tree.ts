/**
 * The tree of the first origin, "The Interrupted Session Problem": an agent that was syncing its workspace with a template was timed
 * out and left configuration, a Makefile, a link that became a folder, dotfiles, journals and task state, and no word of it.
 */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { makePlace, type Place } from "./cli.ts";
import { type TestRepository, testRepository } from "./git-repository.ts";

const RUFF = "- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: v0.14.7\n  hooks:\n  - id: ruff\n";
const LOCAL_MYPY =
  "- repo: local\n  hooks:\n  - id: mypy\n    name: mypy\n    entry: uv run mypy\n    language: system\n";
const MIRRORED_MYPY =
  "- repo: https://github.com/pre-commit/mirrors-mypy\n  rev: v1.11.2\n  hooks:\n  - id: mypy\n";

const makefile = (word: string): string =>
  Array.from({ length: 20 }, (_, at) => `${word}${at}:\n\techo ${word}\n`).join("");

const DOTFILES = [".bashrc", ".envrc", ".profile", ".tmux.conf", ".vimrc"];

export const ORIGIN = {
  preCommit: {
    before: `repos:\n${RUFF}${LOCAL_MYPY}`,
    after: `repos:\n${RUFF.replace("v0.14.7", "v0.6.9")}${MIRRORED_MYPY}`,
  },
  risky: [".pre-commit-config.yaml", "Makefile", "packages/gptmail"],
  unknown: DOTFILES,
  safe: ["journal/2026-04-14.md", "journal/2026-04-15.md", "state/queue.json", "tasks/sync.md"],
} as const;

export interface OriginTree {
  readonly place: Place;
  readonly repo: TestRepository;
  /** Does to the tree what the agent did. */
  leave(): void;
}

/** As it was at HEAD, with nothing left yet. */
export function originTree(place: Place = makePlace()): OriginTree {
  const repo = testRepository(place.workspace);
  repo.write(".pre-commit-config.yaml", ORIGIN.preCommit.before);
  repo.write("Makefile", makefile("old"));
  repo.write("contrib/gptmail/mail.py", "def send():\n    return 1\n");
  mkdirSync(join(repo.root, "packages"));
  symlinkSync("../contrib/gptmail", join(repo.root, "packages/gptmail"));
  for (const day of ["2026-04-14", "2026-04-15"]) repo.write(`journal/${day}.md`, `# ${day}\n\nMorning.\n`);
  repo.write("state/queue.json", '{ "queue": ["sync"] }\n');
  repo.write("tasks/sync.md", "---\nstate: active\n---\n\nSync with the template.\n");
  for (const name of DOTFILES) repo.write(name, "set old\n");
  repo.commit("base");
  return { place, repo, leave: () => leave(repo) };
}

function leave(repo: TestRepository): void {
  repo.write(".pre-commit-config.yaml", ORIGIN.preCommit.after);
  repo.write("Makefile", makefile("new"));
  rmSync(join(repo.root, "packages/gptmail"));
  repo.write("packages/gptmail/mail.py", "def send():\n    return 1\n");
  for (const day of ["2026-04-14", "2026-04-15"])
    repo.write(`journal/${day}.md`, `# ${day}\n\nMorning.\n\nEvening.\n`);
  repo.write("state/queue.json", '{ "queue": ["sync", "mail"] }\n');
  repo.write("tasks/sync.md", "---\nstate: waiting\n---\n\nSync with the template.\n");
  for (const name of DOTFILES) repo.write(name, "set new\n");
}
