/** Scenes for acts by the built program: a place, a repository in it, sessions that edit by calls. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, makePlace, type Place } from "./cli.ts";
import { type TestRepository, testRepository } from "./git-repository.ts";

export interface Acted {
  readonly place: Place;
  readonly repo: TestRepository;
  /** A command with --json: its exit code and what it printed. */
  run(...args: string[]): Promise<{ code: number | null; json: JsonObject }>;
  /** Takes a capture and hands back its id. */
  capture(...args: string[]): Promise<string>;
  /** One session whose calls name what they write, to its clean end. */
  session(
    id: string,
    edits: Readonly<Record<string, string>>,
    options?: { workspace?: string },
  ): Promise<void>;
}

export function acted(): Acted {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  const run: Acted["run"] = (...args) => place.json(args);
  return {
    place,
    repo,
    run,
    capture: async (...args) => {
      const { code, json } = await run("capture", ...args);
      if (code !== 0) throw new Error(`no capture: ${JSON.stringify(json)}`);
      return json.capture as string;
    },
    session: (id, edits, options = {}) =>
      place.withStore(async (store) => {
        const workspace = options.workspace ?? repo.root;
        const session = await store.begin({ id, agent: "tester", workspace });
        const turn = await session.turn("go");
        for (const [path, text] of Object.entries(edits)) {
          const call = await turn.call({ tool: "write", input: { path: join(repo.root, path) } });
          repo.write(path, text);
          await call.result("ok");
        }
        await turn.end("completed");
        await session.finish();
      }),
  };
}

/** Files of an ignored data set, to be found again untouched. */
export function writeMany(root: string, prefix: string, count: number): void {
  for (let i = 0; i < count; i++) writeFileSync(join(root, `${prefix}${i}`), `${prefix} ${i}\n`);
}
