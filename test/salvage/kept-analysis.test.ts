/** What a look at contents found out is kept for the next one, and never believed of other bytes, nor when it is damaged (S3, P10). */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";

const SOUND = "export const a = 1;\n\nexport const b = 2;\n\nexport const c = 3;\n";
const EDITED = SOUND.replace("a = 1", "a = 10");
const BROKEN = "export function (\n";

const judged = ({ groups }: JsonObject): unknown =>
  groups.map(({ id, verdict, reasons }: JsonObject) => [
    id,
    verdict,
    reasons.map(({ rule }: JsonObject) => rule),
  ]);

it("gives the same verdicts from what was kept, from a damaged cache and without one; forget takes it along (T5)", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.js", SOUND);
  repo.commit();
  await leftSession(place, repo, {
    edits: {
      "a.js": () => repo.write("a.js", EDITED),
      "b.js": () => repo.write("b.js", `import { a } from "./a.js";\nexport const twice = a * 2;\n`),
      "c.js": () => repo.write("c.js", BROKEN),
    },
  });
  const cache = join(place.home, "analysis.cache");
  const first = judged((await place.json(["inspect"])).json);
  expect(JSON.stringify(first)).toContain("risky");
  const whole = readFileSync(cache);
  expect(statSync(cache).mode & 0o777).toBe(0o600);
  expect(judged((await place.json(["inspect"])).json)).toEqual(first);
  expect(readFileSync(cache)).toEqual(whole);
  const flipped = Buffer.from(whole);
  for (let at = 60; at < flipped.length; at += 97) flipped[at] = (flipped[at] ?? 0) ^ 0x20;
  for (const damaged of [whole.subarray(0, whole.length - 7), flipped, Buffer.from("nothing of the kind")]) {
    writeFileSync(cache, damaged);
    expect(judged((await place.json(["inspect"])).json)).toEqual(first);
  }
  // Made anew: as much as there was, in an order of its own.
  expect(statSync(cache).size).toBe(whole.length);
  await place.json(["forget", "left-session", "--yes"]);
  expect(existsSync(cache)).toBe(false);
});

it("never takes what it knows of a session's part of a file for the whole file, broken by somebody before (S3, W5)", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.js", SOUND);
  repo.commit();
  // The user's own line is broken; the session's part, without it, is not.
  repo.write("a.js", `${SOUND}${BROKEN}`);
  const edit = (): void => repo.write("a.js", `${EDITED}${BROKEN}`);
  await leftSession(place, repo, { id: "first", edits: { "a.js": edit } });
  const { json } = await place.json(["inspect", "first"]);
  expect(json.groups).toMatchObject([{ verdict: "safe", changes: [{ path: "a.js", owner: "session" }] }]);
  // The same bytes, all of them another session's.
  repo.write("a.js", SOUND);
  await leftSession(place, repo, { id: "second", edits: { "a.js": edit } });
  const second = (await place.json(["inspect", "second"])).json;
  expect(second.groups).toMatchObject([{ verdict: "risky", changes: [{ path: "a.js" }] }]);
  expect(second.groups[0].reasons.map(({ rule }: JsonObject) => rule)).toContain("parse");
});

it("knows what HEAD has of a path that only left the index, is staged anew, or is unmerged (W4, S1)", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["left.txt", "gone.txt", "edited.txt", "both.txt"]) repo.write(name, `${name}\n`);
  repo.commit();
  repo.git("checkout", "-qb", "side");
  repo.write("both.txt", "of the side\n");
  repo.commit();
  repo.git("checkout", "-q", "main");
  repo.write("both.txt", "of main\n");
  repo.commit();
  expect(() => repo.git("merge", "-q", "side")).toThrow();
  repo.git("rm", "-q", "--cached", "left.txt");
  repo.write("left.txt", "left, and edited\n");
  repo.git("rm", "-q", "gone.txt");
  repo.write("edited.txt", "edited\n");
  repo.write("staged.txt", "staged\n");
  repo.git("add", "staged.txt");
  repo.write("new.txt", "new\n");
  const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
  const { json } = await place.json(["inspect"]);
  const changes = json.groups.flatMap((group: JsonObject) => group.changes);
  const from = Object.fromEntries(
    changes.map((change: JsonObject) => [change.path, change.from?.hash?.replace(/^sha256:/, "") ?? null]),
  );
  expect(from).toEqual({
    "left.txt": hashOf("left.txt\n"),
    "gone.txt": hashOf("gone.txt\n"),
    "edited.txt": hashOf("edited.txt\n"),
    "both.txt": hashOf("of main\n"),
    "staged.txt": null,
    "new.txt": null,
  });
});
