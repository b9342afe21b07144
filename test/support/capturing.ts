/** A repository, a store and captures of the one in the other. */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type RefloatStore } from "../../src/app/store/open-store.ts";
import type { CaptureEntry } from "../../src/model/capture.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { type PathName, pathFromJson } from "../../src/model/path-name.ts";
import {
  type CaptureOptions,
  type TakenCapture,
  takeCapture,
} from "../../src/workspace/captures/take-capture.ts";
import { openWorkspace, type Workspace } from "../../src/workspace/opening/workspace.ts";
import { isTrusted } from "../../src/workspace/trust/trust.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "./git-repository.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface Capturing {
  readonly repo: TestRepository;
  readonly store: RefloatStore;
  readonly session: SessionId;
  workspace(): Workspace;
  capture(options?: Partial<CaptureOptions>): Promise<TakenCapture>;
  /** Its bytes as the store gives them back. */
  held(hash: string | null | undefined): Promise<Buffer>;
}

export const p = (path: string): PathName => path as PathName;

export async function capturing(repo = testRepository()): Promise<Capturing> {
  const store = await openStore(join(temporaryFolder(), "refloat.db"), { thread: false });
  onTestFinished(() => store.close());
  const begun = await store.begin({ agent: "tester", workspace: repo.root, captures: "off" });
  const session = begun.id as SessionId;
  const workspace = (): Workspace =>
    openWorkspace(repo.root, { env: DOOR_ENV, isTrusted: (at, digest) => isTrusted(store.raw, at, digest) });
  return {
    repo,
    store,
    session,
    workspace,
    capture: async (options = {}) =>
      takeCapture(store.raw, workspace(), { env: DOOR_ENV, session, reason: "manual", ...options }),
    held: async (hash) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of store.raw.readContent(hash as never)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}

export function entryAt({ capture }: TakenCapture, path: string): CaptureEntry | undefined {
  return capture.entries.find((entry) => pathFromJson(entry) === path);
}

export const pathsIn = ({ capture }: TakenCapture): string[] => capture.entries.map(pathFromJson).sort();
export const gapsIn = ({ capture }: TakenCapture): [string, string][] =>
  capture.gaps.map((gap): [string, string] => [pathFromJson(gap), gap.reason]).sort();
