/**
 * Holds a work tree that is about to go, as one capture: every changed and untracked file, ignored ones too within a bound, and with them
 * the commits that would go, what is staged, and git's own files. The capture's record is the last thing written: a kill before it
 * leaves nothing that says "held".
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { nulPaths, type PathName } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import { holdRepository } from "../../workspace/captures/hold-repository.ts";
import { type TakenCapture, takeCapture } from "../../workspace/captures/take-capture.ts";
import { goingCommits } from "../../workspace/git/going-commits.ts";
import { lfsObjectsGoing } from "../../workspace/git/lfs-objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { assertNotLeftAlone } from "../../workspace/opening/left-alone.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { manualSession } from "../../workspace/sessions/capture-session.ts";
import { HOLD_LIMITS } from "./guard-look.ts";
import type { GuardedTree } from "./guarded-trees.ts";

export interface HoldOrder {
  readonly store: Store;
  readonly env: Environment;
  readonly folder: string;
  readonly workspace: Workspace;
  readonly tree: GuardedTree | null;
}

export interface HeldTree {
  readonly taken: TakenCapture;
  /** Ignored files and folders that were let be. */
  readonly ignored: readonly LetBe[];
}

export interface LetBe {
  readonly path: PathName;
  readonly why: string;
}

export async function holdTree({ store, env, folder, workspace, tree }: HoldOrder): Promise<HeldTree> {
  await assertNotLeftAlone(workspace, env, "nothing of it was held");
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const { held, letBe } = repository ? await ignoredIn(repository) : { held: [], letBe: [] };
  const session = await manualSession(store, workspace.root);
  const goes = tree?.goes ?? "nothing";
  const taken = await takeCapture(store, workspace, {
    env,
    session,
    reason: "manual",
    note: `guard: before ${folder} goes`,
    precious: held.map(asGlob),
    limits: HOLD_LIMITS,
    ...(repository && goes !== "nothing"
      ? {
          holdRepository: async (reading, sink) => {
            const going = await goingCommits(repository, goes, folder);
            const lfs = goes === "repository" ? await lfsObjectsGoing(repository, going.kept, folder) : [];
            return holdRepository(repository, going, reading, sink, lfs);
          },
        }
      : {}),
  });
  return { taken, ignored: letBe };
}

/** Made anew by the tool that made it, and often larger than everything else together. */
export const MADE_ANEW: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  ".venv",
  "venv",
  "vendor",
  "Pods",
  "target",
  "dist",
  "build",
  "out",
  ".next",
  ".nuxt",
  ".turbo",
  ".gradle",
  ".cache",
  ".parcel-cache",
  "__pycache__",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".tox",
  "coverage",
  ".terraform",
]);
/** Ignored files and folders that are held, and what a file of them may have: each is a pattern that git is asked with. */
const MAX_IGNORED = 500;
const MAX_IGNORED_BYTES = 64 * 1024 * 1024;

/** As git lists them: a folder that is ignored whole is one name, with a slash. */
async function ignoredIn(repository: Repository): Promise<{ held: PathName[]; letBe: LetBe[] }> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const held: PathName[] = [];
  const letBe: LetBe[] = [];
  for (const path of nulPaths(await repository.run(args))) {
    const isBeyond = held.length >= MAX_IGNORED;
    const why = whyLetBe(repository.root, path) ?? (isBeyond ? `beyond the first ${MAX_IGNORED}` : null);
    if (why === null) held.push(path);
    else letBe.push({ path, why });
  }
  return { held, letBe };
}

function whyLetBe(root: string, path: PathName): string | null {
  if (path.split("/").some((part) => MADE_ANEW.has(part))) return "made anew by their tools";
  if (!path.isWellFormed()) return "a name that is no text";
  const size = lstatSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0;
  return size > MAX_IGNORED_BYTES ? "large" : null;
}

/** A name as a pattern: of a file at the top, every ignored one of that name. */
function asGlob(path: PathName): string {
  const plain = path.replace(/\/$/, "").replace(/[\\*?[\]]/g, "\\$&");
  return path.endsWith("/") ? `${plain}/**` : plain;
}
