/** refloat.json as committed, the user's own config, and the precious files they name. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mergeConfigs, readConfig } from "../../src/workspace/opening/config.ts";
import { capturing, entryAt, pathsIn } from "../support/capturing.ts";
import { DOOR_ENV } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const userHome = (text: string): typeof DOOR_ENV & { XDG_CONFIG_HOME: string } => {
  const home = temporaryFolder();
  mkdirSync(join(home, "refloat"));
  writeFileSync(join(home, "refloat/config.json"), text);
  return { ...DOOR_ENV, XDG_CONFIG_HOME: home };
};

describe("the config", () => {
  it("is the committed one with the user's own over it, comments and trailing commas allowed, and never the uncommitted bytes (T2)", async () => {
    const { repo, workspace } = await capturing();
    repo.write(
      "refloat.json",
      '{\n  // ours\n  "precious": ["*.env"], "verify": "make test", "own-key": 1,\n}\n',
    );
    const head = repo.commit();
    repo.write("refloat.json", '{"verify": "true"}');
    const here = workspace();
    const repository = here.kind === "git" ? await here.repository() : null;
    expect(await readConfig(repository, head, DOOR_ENV)).toEqual({
      precious: ["*.env"],
      verify: "make test",
      "own-key": 1,
    });
    const env = userHome('{"precious": ["*.key", "*.env"], "verify": "just test"}');
    expect(await readConfig(repository, head, env)).toMatchObject({
      precious: ["*.env", "*.key"],
      verify: "just test",
    });
    expect(await readConfig(null, null, DOOR_ENV)).toEqual({});
  });

  it("names line and column of what does not parse or does not fit", async () => {
    const refused = (text: string): Promise<unknown> =>
      readConfig(null, null, userHome(text)).catch(({ code, message }) => [
        code,
        message.replace(/^\S+ /, ""),
      ]);
    expect(await refused('{\n  "precious": [1]\n}')).toEqual([
      "E_BAD_CONFIG",
      expect.stringMatching(/^cannot be used: line 2, column 16: precious\.0: /),
    ]);
    expect(await refused('{\n  "verify": \n')).toEqual([
      "E_BAD_CONFIG",
      expect.stringMatching(/^cannot be used: line 3, column 1: it ends too early/),
    ]);
    for (const empty of ["", " ", "# later"])
      expect(await refused(`{"verify": "${empty}"}`), "a check that says yes to everything").toMatchObject([
        "E_BAD_CONFIG",
        expect.stringContaining("column 12: verify: "),
      ]);
    expect(await refused('{"policy": "burn"}')).toMatchObject([
      "E_BAD_CONFIG",
      expect.stringContaining("column 12: policy"),
    ]);
  });

  it("joins lists, merges objects key by key, and else takes the user's", () => {
    const merged = mergeConfigs(
      { precious: ["a"], limits: { paths: 1, file_bytes: 2 }, policy: "leave" },
      { precious: ["b", "a"], limits: { paths: 3 }, policy: "default" },
    );
    expect(merged).toEqual({
      precious: ["a", "b"],
      limits: { paths: 3, file_bytes: 2 },
      policy: "default",
    });
  });
});

describe("precious files", () => {
  it("are held although they are ignored, by the config at HEAD or the user's own, also when the file was deleted since (W6)", async () => {
    const { repo, capture, held } = await capturing();
    repo.write(".gitignore", "*.env\n*.key\ncache/\n");
    repo.write("refloat.json", '{"precious": ["*.env"]}');
    repo.commit();
    repo.write("secret.env", "TOKEN=1\n");
    repo.write("deep/other.env", "TOKEN=2\n");
    repo.write("my.key", "key\n");
    repo.write("cache/x", "x\n");
    const taken = await capture();
    expect(pathsIn(taken)).toEqual(["deep/other.env", "secret.env"]);
    expect(entryAt(taken, "secret.env")?.flags).toEqual(["ignored"]);
    expect((await held(entryAt(taken, "secret.env")?.state?.hash)).toString()).toBe("TOKEN=1\n");
    rmSync(join(repo.root, "refloat.json"));
    const env = userHome('{"precious": ["*.key"]}');
    expect(pathsIn(await capture({ env }))).toEqual([
      "deep/other.env",
      "my.key",
      "refloat.json",
      "secret.env",
    ]);
  });

  it("are none where the config does not parse: the capture goes on and holds the rest", async () => {
    const { repo, capture } = await capturing();
    repo.write(".gitignore", "*.env\n");
    repo.write("refloat.json", '{"precious": ');
    repo.commit();
    repo.write("secret.env", "TOKEN=1\n");
    repo.write("new", "n\n");
    expect(pathsIn(await capture())).toEqual(["new"]);
  });
});
