/** Which files of a commit have a word: everything asked together is told apart again, and nothing in the tree hides one (S3, T2). */
import { expect, it } from "vitest";
import type { PathName } from "../../src/model/path-name.ts";
import { headFiles } from "../../src/workspace/git/head-files.ts";
import { locateRepository } from "../../src/workspace/git/locate.ts";
import { openRepository } from "../../src/workspace/git/repository.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";

async function filesOf(repo: TestRepository, commit: string) {
  const location = locateRepository(repo.root);
  if (!location) throw new Error("no repository");
  const repository = await openRepository(location, { env: DOOR_ENV });
  const commands: string[] = [];
  const counted: typeof repository = {
    ...repository,
    run: (args, more) => {
      commands.push(args[0] ?? "");
      return repository.run(args, more);
    },
  };
  const { mentioning } = headFiles(counted, commit);
  return { mentioning, commands };
}

it("goes through the commit once for all who ask, and gives nobody another's files (S3)", async () => {
  const repo = testRepository();
  repo.write("src/a.js", 'import "./old-name.js";\n');
  repo.write("src/b.JS", "old_name, old-name2, xold\n");
  repo.write("c.txt", "old-name\n");
  repo.write("d.js", "old\nname");
  repo.write("binary.js", Buffer.from("old-name\0old"));
  const { mentioning, commands } = await filesOf(repo, repo.commit());
  const many = Array.from({ length: 250 }, (_, at) => `nowhere${at}`);
  const found = await Promise.all([
    mentioning(["old-name"]),
    mentioning(["old"]),
    mentioning(["name", "name"]),
    mentioning(["old_name", "nobody"]),
    mentioning(many),
    mentioning(["", "two\nlines"]),
  ]);
  expect(found).toEqual([
    ["c.txt", "src/a.js"],
    ["c.txt", "d.js", "src/a.js", "src/b.JS"],
    ["c.txt", "d.js", "src/a.js"],
    ["src/b.JS"],
    [],
    [],
  ]);
  expect(commands.filter((name) => name === "grep")).toHaveLength(2);
  expect(await mentioning(["old-name"], ["js", "ts"])).toEqual(["src/a.js"]);
  expect(await mentioning(["old_name"], ["js"])).toEqual(["src/b.JS"]);
  expect(await mentioning(Array.from({ length: 2001 }, (_, at) => `word${at}`))).toBe(null);
});

it("finds a file that attributes in the tree call no text: the judged could have written them (T2)", async () => {
  const repo = testRepository();
  repo.write("caller.js", 'import "./lost.js";\n');
  const commit = repo.commit();
  repo.write(".gitattributes", "*.js -diff binary\n");
  const { mentioning } = await filesOf(repo, commit);
  expect(await mentioning(["lost"], ["js"])).toEqual(["caller.js" as PathName]);
});
