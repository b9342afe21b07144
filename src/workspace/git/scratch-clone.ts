/**
 * A clone of a commit in a scratch folder that shares the repository's objects and writes none of its files: no
 * `git worktree add`, no ref, no config of the user's repository changes (W1). Made without git's own transport, which
 * would run programs the repository names. Its configuration is the user's local one without anything that can run a
 * program, so that line endings and identity are as they are at home.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import { makeScratchTree, putIntoScratchGit, removeScratchTree } from "../../platform/scratch-tree.ts";
import { type ConfigEntry, keyParts, lastValue } from "./config.ts";
import { locateRepository } from "./locate.ts";
import { programEntries } from "./program-keys.ts";
import { openRepository, type Repository } from "./repository.ts";

export interface ScratchClone {
  readonly root: string;
  readonly repository: Repository;
  remove(): void;
}

export interface ScratchOptions {
  /** The store's folder. */
  readonly home: string;
  readonly env: Environment;
  readonly commit: string;
  /** Null: detached. */
  readonly branch: string | null;
}

const CHECKOUT_TIMEOUT_MS = 300_000;
/** What is about where a repository lies, or about other repositories. */
const NOT_COPIED =
  /^(?:core\.(?:worktree|bare|repositoryformatversion|sparsecheckout.*)|extensions\.|include|remote\.|branch\.|submodule\.|url\.)/;

export async function scratchClone(repository: Repository, options: ScratchOptions): Promise<ScratchClone> {
  const root = makeScratchTree(options.home);
  try {
    layOut(repository, root, options);
    const location = locateRepository(root);
    if (!location || location.root !== root)
      throw new RefloatError("E_GIT_FAILED", {
        command: "scratch",
        why: "the scratch clone cannot be opened",
      });
    const clone = await openRepository(location, { env: options.env });
    await clone.run(["read-tree", options.commit]);
    await clone.run(["checkout-index", "-a", "-f", "-q"], { timeoutMs: CHECKOUT_TIMEOUT_MS });
    await clone.run(["update-index", "-q", "--refresh"], { answers: [1], timeoutMs: CHECKOUT_TIMEOUT_MS });
    return { root, repository: clone, remove: () => removeScratchTree(root) };
  } catch (thrown) {
    removeScratchTree(root);
    throw thrown;
  }
}

/** The files git needs to see a repository there. */
function layOut({ commonDir, config }: Repository, root: string, { commit, branch }: ScratchOptions): void {
  const objects = join(commonDir, "objects");
  if (/[\n"]/.test(objects))
    throw new RefloatError("E_UNSUPPORTED", {
      what: "A scratch clone",
      why: "the repository's path holds a quote or a line break",
      instead: "Move it.",
    });
  const write = (path: string, text: string | Uint8Array): void =>
    putIntoScratchGit(root, path, {
      kind: "file",
      bytes: Buffer.from(text),
      isExecutable: false,
    });
  write("HEAD", branch === null ? `${commit}\n` : `ref: refs/heads/${branch}\n`);
  if (branch !== null) write(`refs/heads/${branch}`, `${commit}\n`);
  else write("refs/heads/.keep", "");
  write("objects/info/alternates", `${objects}\n`);
  write("config", configText(config));
  const shallow = join(commonDir, "shallow");
  if (existsSync(shallow)) write("shallow", readFileSync(shallow));
}

function configText(entries: readonly ConfigEntry[]): string {
  const format = lastValue(entries, "extensions.objectformat");
  const head =
    format === null
      ? "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
      : `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = ${format}\n`;
  const programs = new Set(programEntries(entries));
  const copied = entries.filter(
    (entry) =>
      (entry.scope === "local" || entry.scope === "worktree") &&
      !programs.has(entry) &&
      !NOT_COPIED.test(entry.key),
  );
  return head + copied.map(entryText).join("");
}

function entryText({ key, value }: ConfigEntry): string {
  const { section, subsection, variable } = keyParts(key);
  const sub = subsection === null ? "" : ` "${subsection.replace(/["\\]/g, "\\$&")}"`;
  if (value === null) return `[${section}${sub}]\n\t${variable}\n`;
  const quoted = value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t");
  return `[${section}${sub}]\n\t${variable} = "${quoted}"\n`;
}
