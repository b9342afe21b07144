/**
 * The first seed's case: an agent that synced configuration with a template, began and never ended an operation over it,
 * kept its journal and its queue, touched dotfiles, and was killed.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deadOwner, type Place } from "./cli.ts";
import { type TestRepository, testRepository } from "./git-repository.ts";

export interface SeedScene {
  readonly repo: TestRepository;
  readonly session: string;
}

const PRE_COMMIT = (ruff: string): string =>
  `repos:\n  - repo: https://github.com/astral-sh/ruff-pre-commit\n    rev: ${ruff}\n    hooks:\n      - id: ruff\n`;
const OLD_MAKEFILE = Array.from({ length: 20 }, (_, n) => `target-${n}:\n\tmake -C part-${n}\n`).join("\n");
const NEW_MAKEFILE = `PACKAGES := $(wildcard packages/*)\n${Array.from({ length: 20 }, (_, n) => `run-${n}:\n\t./run ${n}\n`).join("\n")}`;

function seedRepository(place: Place): TestRepository {
  const repo = testRepository(place.workspace);
  repo.write(".pre-commit-config.yaml", PRE_COMMIT("v0.14.7"));
  repo.write("Makefile", OLD_MAKEFILE);
  repo.write("journal/2026-04-16.md", "# Journal\n\nStarted the day.\n");
  repo.write("state/queue-manual.md", "# Queue\n\n- [ ] sync the config\n- [ ] write the post\n");
  repo.write(".editorrc", "indent = 2\n");
  repo.write("dotfiles/.bashrc", "alias ll='ls -l'\n");
  repo.write("contrib/gptmail/pyproject.toml", '[project]\nname = "gptmail"\nversion = "1.0.0"\n');
  mkdirSync(join(repo.root, "packages"));
  symlinkSync("../contrib/gptmail", join(repo.root, "packages/gptmail"));
  repo.commit("before");
  return repo;
}

/** The session with its journal, its captures and its death: nobody is asked anything afterwards. */
export async function seedSession(place: Place): Promise<SeedScene> {
  const repo = seedRepository(place);
  const id = await place.withStore(async (store) => {
    const session = await store.begin({
      id: "seed-session",
      agent: "gptme",
      workspace: repo.root,
      goal: "Sync the workspace configuration with the template",
      owner: deadOwner("gptme"),
    });
    const turn = await session.turn("Sync the configuration, then write the journal");
    const edit = async (tool: string, path: string, write: () => void): Promise<void> => {
      const call = await turn.call({ tool, input: { path } });
      write();
      await call.result("ok");
    };
    await edit("append", "journal/2026-04-16.md", () =>
      repo.write("journal/2026-04-16.md", "# Journal\n\nStarted the day.\n\nSyncing the config.\n"),
    );
    await edit("save", "state/queue-manual.md", () =>
      repo.write("state/queue-manual.md", "# Queue\n\n- [x] sync the config\n- [ ] write the post\n"),
    );
    await edit("patch", "dotfiles/.bashrc", () => repo.write("dotfiles/.bashrc", "alias ll='ls -la'\n"));
    await turn.append({
      role: "assistant",
      parts: "Now the shared configuration: I sync it with the template.",
    });
    await session.operation("sync-precommit-config-with-template", {
      paths: [".pre-commit-config.yaml", "Makefile", "packages/**"],
    });
    await edit("save", ".pre-commit-config.yaml", () =>
      repo.write(".pre-commit-config.yaml", PRE_COMMIT("v0.6.9")),
    );
    await edit("save", "Makefile", () => repo.write("Makefile", NEW_MAKEFILE));
    await turn.call({
      tool: "shell",
      input: { command: "rm packages/gptmail && cp -r template packages/gptmail" },
    });
    rmSync(join(repo.root, "packages/gptmail"));
    mkdirSync(join(repo.root, "packages/gptmail"));
    writeFileSync(
      join(repo.root, "packages/gptmail/pyproject.toml"),
      '[project]\nname = "gptmail"\nversion = "0.9.0"\n',
    );
    writeFileSync(join(repo.root, "packages/gptmail/README.md"), "# gptmail\n");
    return session.id;
  });
  return { repo, session: id };
}
