/** One tree, for the built command line and for `refloat/workspace` alike. */
import { openWorkspace, type RefloatWorkspace } from "../../src/library/workspace.ts";
import { type JsonObject, makePlace, type Place } from "./cli.ts";
import { type TestRepository, testRepository } from "./git-repository.ts";
import { ANN } from "./left-session.ts";

export interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
}

export const scene = (): Scene => {
  const place = makePlace();
  return { place, repo: testRepository(place.workspace) };
};

/** As the program is started by cli.ts. */
export const envOf = ({ home }: Place): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  REFLOAT_HOME: home,
  ...ANN,
});

export async function byLibrary<T>(
  place: Place,
  use: (workspace: RefloatWorkspace) => Promise<T>,
): Promise<T> {
  const workspace = await openWorkspace(place.workspace, { env: envOf(place) });
  try {
    return await use(workspace);
  } finally {
    await workspace.close();
  }
}

export const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** What is on disk and in git, but for when it was done. */
export function stateOf({ repo }: Scene): Record<string, string> {
  return {
    tree: repo.git("rev-parse", "HEAD^{tree}"),
    commits: repo.git("log", "--format=%s%n%an"),
    status: repo.git("status", "--porcelain", "-uall"),
    diff: repo.git("diff"),
  };
}
