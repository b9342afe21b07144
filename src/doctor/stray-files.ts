/**
 * What the doctor finds round the workspace: files that a killed write left, where the repository was before
 * somebody moved it, how a newer git is got here.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { SLOT_NAME } from "../acts/primitive/tree/tree.ts";
import { nulFields, pathForDisplay, pathFromBytes } from "../model/path-name.ts";
import { bodyAs } from "../model/record.ts";
import { errnoOf } from "../platform/io-error.ts";
import { pidsWithOpen } from "../platform/open-files.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { cloneOf, type Workspace } from "../workspace/opening/workspace.ts";
import { lastCaptureOf } from "../workspace/sessions/workspace-sessions.ts";
import type { MovedFacts } from "./facts.ts";

/** `.tmp-ID` of a durable write; `NAME.new-ID` of a store or a backup that is being made, with its log. */
const STRAY = /^\.tmp-[0-9a-z]{20}$|\.new-[0-9a-z]{20}(-wal|-shm)?$/;

export function strayFilesIn(folders: readonly string[]): string[] {
  return [...new Set(folders)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => STRAY.test(name))
      .map((name) => join(folder, name))
      // Null: this system does not tell who has a file open; then nothing is said of it.
      .filter((path) => pidsWithOpen(path)?.length === 0),
  );
}

/** Only git lists a whole tree in bounded time; in a plain folder they are not looked for. */
export async function straySlotsIn(workspace: Workspace): Promise<string[]> {
  if (workspace.kind !== "git") return [];
  const repository = await workspace.repository();
  const listed = await repository.run(["ls-files", "-z", "--others"]);
  return [...nulFields(listed)]
    .map((bytes) => pathForDisplay(pathFromBytes(bytes)))
    .filter((path) => SLOT_NAME.test(basename(path)))
    .map((path) => join(workspace.root, path));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return []; // what cannot be listed has its own check
  }
}

/**
 * Where this repository was before somebody moved its folder. Sessions, captures and what is parked belong to a place (DESIGN 15): in the
 * new one nothing of them is listed, and whoever looks there would think it gone. Told by the folder of git itself, which keeps its
 * inode when it is moved on one disk.
 */
export async function movedFrom(store: Store, workspace: Workspace | null): Promise<readonly MovedFacts[]> {
  if (workspace?.kind !== "git") return [];
  const clone = cloneOf(workspace);
  const places = new Set<string>();
  for await (const row of store.everySession()) {
    if (lastCaptureOf(row)?.clone !== clone) continue;
    const from = await placeOf(store, row);
    if (from && !existsSync(from.path) && !existsSync(from.commonDir)) places.add(from.path);
  }
  return [...places].map((from) => ({ from, to: workspace.root }));
}

/** A linked work tree that is gone has left git's folder where it is: only a place whose own has gone was moved. */
async function placeOf(
  store: Store,
  { id }: SessionRow,
): Promise<{ path: string; commonDir: string } | null> {
  const query = { session: id, kinds: ["capture.taken"], order: "backward", limit: 1 } as const;
  const [record] = await store.records(query);
  const { path, common_dir: commonDir } = (record && bodyAs(record, "capture.taken")?.workspace) ?? {};
  return path !== undefined && typeof commonDir === "string" ? { path, commonDir } : null;
}

/** How a program is got here: by the package manager that is on the path. */
const MANAGERS: readonly (readonly [program: string, command: string])[] = [
  ["apt-get", "sudo apt-get install --yes"],
  ["dnf", "sudo dnf install --assumeyes"],
  ["apk", "sudo apk add"],
  ["pacman", "sudo pacman -S --noconfirm"],
  ["zypper", "sudo zypper install --no-confirm"],
  ["brew", "brew install"],
];

/** Where none of them is known. */
const BY_HAND = {
  git: "xdg-open https://git-scm.com/downloads",
  perl: "xdg-open https://www.perl.org/get.html",
} as const;

export function installCommand(wanted: keyof typeof BY_HAND, path: string): string {
  const folders = path.split(delimiter);
  const found = MANAGERS.find(([program]) => folders.some((folder) => existsSync(join(folder, program))));
  return found === undefined ? BY_HAND[wanted] : `${found[1]} ${wanted}`;
}
