/** `restore SESSION`: what it left last, never what it found (L6, W8). Real processes, real SIGKILL. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { until } from "../gateway/chat-process.ts";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";

it("W8: of a session that was killed with its supervisor the end is captured first: its work stays, and of one that lives it is refused (L6)", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("b.txt", "five\n");
  repo.commit("base");
  const dies = "echo six >> b.txt; echo half > h2.md; kill -9 $PPID; kill -9 $$";
  await place.refloat(["run", "--name", "dead", "--", "sh", "-c", `sleep 0.5; ${dies}`]);
  const { code, json } = await place.json(["restore", "dead", "--yes"]);
  expect([code, json.conflicts]).toEqual([0, []]);
  expect(repo.read("b.txt")).toBe("five\nsix\n");
  expect(repo.read("h2.md")).toBe("half\n");
  const alive = place.refloat(["run", "--name", "live", "--", "sh", "-c", "echo L > live.md; sleep 4"]);
  await until("it has written", () => existsSync(join(repo.root, "live.md")));
  expect(await place.json(["restore", "live", "--yes"])).toMatchObject({ code: 4, json: { code: "E_HELD" } });
  expect(repo.read("live.md")).toBe("L\n");
  await alive;
});
