/** One side of a change without the other, as the built program judges and settles it (S3). */
import { expect, it } from "vitest";
import { operationsScene } from "../run/operations-scene.ts";
import { ended, type JsonObject } from "../support/cli.ts";

const AUTH =
  "export function getToken(): string {\n  return name();\n}\n\nfunction name(): string {\n  return 'a';\n}\n\nexport const last = 1;\n";
const CALLER = 'import { getToken } from "./auth";\n\nexport const token = getToken();\n';
const BOX = "export const size = (a: number): number => a;\n\nexport const last = 1;\n";
const USER = 'import { size } from "./box";\n\nexport const one = size(1);\n\nexport const last = 1;\n';
const PYTHON = "def get(a):\n    return a\n\n\nLAST = 1\n";

it("S3, T2: a signature whose unchanged caller was left, an import of a module that never came and a manifest that names what is not there are never settled as safe, though their operations ended; both sides together are", async () => {
  const { repo, start, json, status } = operationsScene(null);
  const files = {
    "src/auth.ts": AUTH,
    "src/web/app.ts": CALLER.replace("./auth", "../index"),
    "src/index.ts": 'export * from "./auth";\n',
    "src/box.ts": BOX,
    "src/user.ts": USER,
    "lib/__init__.py": "",
    "lib/store.py": PYTHON,
    "lib/use.py": "from .store import get\n\nONE = get(1)\n",
    "server.py": "PORT = 1\n",
    ".appveyor.yml": "image: a\n",
    "tool/package.json": '{\n  "name": "tool"\n}\n',
  };
  for (const [path, text] of Object.entries(files)) repo.write(path, text);
  repo.commit("files");
  const work = {
    "src/auth.ts": AUTH.replace("getToken()", "getToken(mode: string)").replace("'a'", "'b'"),
    "lib/store.py": PYTHON.replace("(a)", "(a, b)"),
    "server.py": "from simpleopenid import OpenID\n\nID = OpenID\nPORT = 1\n",
    ".appveyor.yml": "image: b\n",
    "tool/package.json": '{\n  "name": "tool",\n  "main": "index.js"\n}\n',
  };
  const left = Object.entries(work).flatMap(([path, text]) => [
    ["begin", `Change ${path}`, path] as const,
    ["write", path, text] as const,
    ["end"] as const,
  ]);
  const { code } = await ended(
    start([
      ...left,
      ["begin", "Both sides", "src/box.ts", "src/user.ts"],
      ["write", "src/box.ts", BOX.replace("(a: number)", "(a: number, b: number)")],
      ["write", "src/user.ts", USER.replace("size(1)", "size(1, 2)")],
      ["end"],
      ["exit", 0],
    ]),
  );
  expect(code).toBe(0);
  const { groups } = (await json("inspect")).json;
  const verdicts = Object.fromEntries(
    groups.flatMap(({ changes, verdict, reasons }: JsonObject) =>
      changes.map(({ path }: JsonObject) => [path, [verdict, reasons[0].rule]]),
    ),
  );
  expect(verdicts).toEqual({
    "src/auth.ts": ["risky", "wrong-arguments"],
    "lib/store.py": ["risky", "wrong-arguments"],
    "server.py": ["unknown", "undeclared-package"],
    ".appveyor.yml": ["risky", "config"],
    "tool/package.json": ["unknown", "unseen-name"],
    "src/box.ts": ["safe", "closed-and-sound"],
    "src/user.ts": ["safe", "closed-and-sound"],
  });
  await json("settle", "--policy", "default", "--yes");
  expect(repo.git("show", "--name-only", "--format=", "HEAD").split("\n").filter(Boolean)).toEqual([
    "src/box.ts",
    "src/user.ts",
  ]);
  expect(status()).toEqual([" M server.py", " M tool/package.json"]);
});

it("S3, T2: a file that is named by an alias, by the base of a compiler, by imports of a package or as a package of the workspace is followed: one side is never settled as safe, both sides are", async () => {
  const { repo, start, json } = operationsScene(null);
  const load = "export function loadUser(a: number) {\n  return a;\n}\n\nexport const last = 1;\n";
  const user = (specifier: string, name = "loadUser"): string =>
    `import { ${name} } from "${specifier}";\n\nexport const x = ${name}(1);\n\nexport const last = 1;\n`;
  const files = {
    "tsconfig.json": '{\n  "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } }\n}\n',
    "package.json": '{\n  "name": "me",\n  "private": true,\n  "imports": { "#own/*": "./own/*.ts" }\n}\n',
    "packages/a/package.json": '{\n  "name": "@x/a",\n  "main": "./dist/index.js"\n}\n',
    "src/named.ts": load,
    "src/moved.ts": load,
    "src/whole.ts": load,
    "src/kept.ts": load,
    "base/bare.ts": load,
    "own/hash.ts": load,
    "packages/a/src/index.ts": load,
    "use/named.ts": user("@/named"),
    "use/moved.ts": user("@/moved"),
    "use/whole.ts": user("@/whole"),
    "use/bare.ts": user("base/bare"),
    "use/hash.ts": user("#own/hash"),
    "use/space.ts": user("@x/a"),
  };
  for (const [path, text] of Object.entries(files)) repo.write(path, text);
  repo.commit("files");
  const renamed = load.replace("loadUser", "fetchUser");
  const one = (path: string, text: string) =>
    [["begin", `Change ${path}`, path] as const, ["write", path, text] as const, ["end"] as const] as const;
  const { code } = await ended(
    start([
      ...["src/named.ts", "base/bare.ts", "own/hash.ts", "packages/a/src/index.ts"].flatMap((path) => [
        ...one(path, renamed),
      ]),
      ...one("new/absent.ts", user("@/save")),
      ...one("new/lacks.ts", user("@/kept", "saveUser")),
      ["begin", "Move it", "src/moved.ts", "src/elsewhere.ts"],
      ["git", "mv", "src/moved.ts", "src/elsewhere.ts"],
      ["end"],
      ["begin", "Both sides", "src/whole.ts", "use/whole.ts"],
      ["write", "src/whole.ts", renamed],
      ["write", "use/whole.ts", user("@/whole", "fetchUser")],
      ["end"],
      ["exit", 0],
    ]),
  );
  expect(code).toBe(0);
  const { groups } = (await json("inspect")).json;
  const verdicts = Object.fromEntries(
    groups.flatMap(({ changes, verdict, reasons }: JsonObject) =>
      changes.map(({ path }: JsonObject) => [path, [verdict, reasons[0].rule]]),
    ),
  );
  expect(verdicts).toEqual({
    "src/named.ts": ["risky", "missing-export"],
    "base/bare.ts": ["risky", "missing-export"],
    "own/hash.ts": ["risky", "missing-export"],
    "packages/a/src/index.ts": ["unknown", "unseen-name"],
    "new/absent.ts": ["risky", "missing-file"],
    "new/lacks.ts": ["risky", "missing-export"],
    "src/elsewhere.ts": ["risky", "missing-file"],
    "src/whole.ts": ["safe", "closed-and-sound"],
    "use/whole.ts": ["safe", "closed-and-sound"],
  });
});
