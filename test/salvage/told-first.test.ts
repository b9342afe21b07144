/** What is known of a session is said before its work is judged, and is what is said with it (T1, P10). */
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/app/store/open-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { salvage } from "../../src/salvage/judging/salvage.ts";
import { manifestOf } from "../../src/salvage/manifest/manifest.ts";
import { createMemoryCache } from "../../src/triage/facts/known/kept.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { makePlace } from "../support/cli.ts";
import { DOOR_ENV, testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";

it("tells who it was, what it wanted and what it left open before the first file is looked into, and nothing else later", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.js", "export const a = 1;\n");
  repo.commit();
  await leftSession(place, repo, { edits: { "a.js": () => repo.write("a.js", "export const a = 2;\n") } });
  const store = await openStore(join(place.home, "refloat.db"), { thread: false });
  const rows = await store.raw.sessions({ workspace: repo.root });
  const kept = createMemoryCache();
  const order: string[] = [];
  const cache = {
    get: (key: string) => {
      order.push("looked into a file");
      return kept.get(key);
    },
    set: kept.set,
  };
  const early: unknown[] = [];
  const found = await salvage({
    store: store.raw,
    workspace: openWorkspace(repo.root, { env: DOOR_ENV }),
    rows,
    row: rows[0] ?? null,
    env: DOOR_ENV,
    clock: systemClock,
    cache,
    onTold: async (told) => {
      order.push("told");
      early.push(await manifestOf({ ...told, groups: [], isMoving: false }));
    },
  });
  const { groups, moving, next, ...said } = await manifestOf(found);
  await store.close();
  expect(order[0]).toBe("told");
  expect(order.filter((one) => one === "told")).toHaveLength(1);
  expect(order.length).toBeGreaterThan(1);
  expect(early).toMatchObject([said]);
  expect(groups).toHaveLength(1);
});
