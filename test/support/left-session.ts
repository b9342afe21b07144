/** A dead session that made given changes by calls that name their paths, in a completed turn unless said otherwise. */
import { deadOwner, type Place } from "./cli.ts";
import type { TestRepository } from "./git-repository.ts";

export interface LeftOptions {
  readonly id?: string;
  /** Each a call that names the path. */
  readonly edits: Readonly<Record<string, () => void>>;
  readonly operation?: string;
  readonly isTurnOpen?: boolean;
}

export async function leftSession(place: Place, repo: TestRepository, options: LeftOptions): Promise<string> {
  return place.withStore(async (store) => {
    const session = await store.begin({
      id: options.id ?? "left-session",
      agent: "tester",
      workspace: repo.root,
      goal: "Tidy up",
      owner: deadOwner(),
    });
    const turn = await session.turn("go");
    const operation = options.operation === undefined ? null : await session.operation(options.operation);
    for (const [path, edit] of Object.entries(options.edits)) {
      const call = await turn.call({ tool: "edit", input: { path } });
      edit();
      await call.result("ok");
    }
    await operation?.end();
    if (!options.isTurnOpen) await turn.end("completed");
    return session.id;
  });
}

/** f.txt is changed and new.md is new; other.txt is the user's, and as HEAD has it. */
export async function leftTwoFiles(place: Place, repo: TestRepository): Promise<void> {
  repo.write("f.txt", "one\n");
  repo.write("other.txt", "other\n");
  repo.commit("base");
  await leftSession(place, repo, {
    edits: {
      "f.txt": () => repo.write("f.txt", "one\ntwo\n"),
      "new.md": () => repo.write("new.md", "A note.\n"),
    },
  });
}

/** The user's identity, as git takes it from the environment. */
export const ANN: Readonly<Record<string, string>> = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.invalid",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.invalid",
};
