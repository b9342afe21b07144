/** One side of a changed signature without the other: JavaScript and TypeScript, on both sides. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../test/support/triage-facts.ts";

type Now = Case["now"];
const done = (head: Tree, now: Now): Case => ({ head, now, facts: DONE });

const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);
const rules = async (given: Case): Promise<string[]> => (await judge(given)).flatMap(rulesOf);
const ARGUMENTS = /^(?:wrong|doubtful)-arguments$/;

/** A file whose text ends as it did, with one part of it changed. */
const edit = (path: string, text: string, from: string, to: string): { head: Tree; now: Now } => ({
  head: { [path]: text },
  now: { [path]: text.replace(from, to) },
});

const AUTH =
  "export function getToken() {\n  return read();\n}\nfunction read() {\n  return 1;\n}\nexport const last = 1;\n";
const taking = (params: string, path = "auth.ts", text = AUTH) =>
  edit(path, text, "getToken()", `getToken(${params})`);
const CALLER = 'import { getToken } from "./auth";\nexport const token = getToken();\n';

/** An unchanged caller beside a changed callee. */
const left = (callee: { head: Tree; now: Now }, callers: Tree): Case =>
  done({ ...callee.head, ...callers }, callee.now);

describe("TypeScript: a call no longer fits what it calls, so the group is risky, never safe (S3)", () => {
  it.each([
    ["a parameter came, and the caller was left", left(taking("mode: string"), { "app.ts": CALLER })],
    [
      "the caller is in the group, too, and was changed elsewhere",
      done(
        { ...taking("mode: string").head, "app.ts": CALLER },
        { ...taking("mode: string").now, "app.ts": `${CALLER}export const more = 1;\n` },
      ),
    ],
    [
      "the call was changed, and the callee was left",
      done(
        { "auth.ts": AUTH, "app.ts": CALLER },
        { "app.ts": CALLER.replace("getToken()", 'getToken("fast")') },
      ),
    ],
    [
      "a new file calls what takes less",
      done({ "auth.ts": AUTH }, { "app.ts": CALLER.replace("getToken()", 'getToken("fast")') }),
    ],
    [
      "a parameter went, and callers still give it",
      left(edit("auth.ts", AUTH.replace("getToken()", "getToken(a: string)"), "a: string", ""), {
        "app.ts": CALLER.replace("getToken()", 'getToken("a")'),
      }),
    ],
    [
      "by another name",
      left(taking("mode: string"), {
        "app.ts": 'import { getToken as get } from "./auth.js";\nexport const token = get();\n',
      }),
    ],
    [
      "as a member of the module taken whole",
      left(taking("mode: string"), {
        "app.ts": 'import * as auth from "./auth";\nexport const token = auth.getToken();\n',
      }),
    ],
    [
      "through a module that hands it on",
      left(taking("mode: string"), {
        "index.ts": 'export { getToken } from "./auth";\n',
        "web/app.ts": 'import { getToken } from "../index";\nexport const token = getToken();\n',
      }),
    ],
    [
      "through a module that hands everything on",
      left(taking("mode: string"), {
        "index.ts": 'export * from "./auth";\n',
        "web/app.ts": 'import { getToken } from "..";\nexport const token = getToken();\n',
      }),
    ],
    [
      "through a module that hands it on by another name",
      left(taking("mode: string"), {
        "index.ts": 'export { getToken as make } from "./auth";\n',
        "app.ts": 'import { make } from "./index";\nexport const token = make();\n',
      }),
    ],
    [
      "through a module that imports it and hands it on",
      left(taking("mode: string"), {
        "index.ts": 'import { getToken } from "./auth";\nexport { getToken as make };\n',
        "app.ts": 'import { make } from "./index";\nexport const token = make();\n',
      }),
    ],
    [
      "through a module that hands the module on as one name",
      left(taking("mode: string"), {
        "index.ts": 'export * as auth from "./auth";\n',
        "app.ts": 'import { auth } from "./index";\nexport const token = auth.getToken();\n',
      }),
    ],
    [
      "as a default",
      left(
        edit("auth.ts", "export default function (): number {\n  return 1;\n}\n", "()", "(mode: string)"),
        { "app.ts": 'import token from "./auth";\nexport const one = token();\n' },
      ),
    ],
    [
      "as a constant that is a function",
      left(
        edit(
          "auth.ts",
          "export const f = (a: string) => a;\nexport const z = 1;\n",
          "a: string",
          "a: string, b: string",
        ),
        { "app.ts": 'import { f } from "./auth";\nexport const one = f("a");\n' },
      ),
    ],
    [
      "as a class",
      left(
        edit(
          "box.ts",
          "export class Box {\n  constructor(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        { "app.ts": 'import { Box } from "./box";\nexport const one = new Box("a");\n' },
      ),
    ],
    [
      "as what a class extends",
      left(
        edit(
          "box.ts",
          "export class Box {\n  constructor(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        {
          "app.ts":
            'import { Box } from "./box";\nexport class Big extends Box {\n  constructor() {\n    super("a");\n  }\n}\n',
        },
      ),
    ],
    [
      "as a member of a class",
      left(
        edit(
          "box.ts",
          "export class Box {\n  static of(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        { "app.ts": 'import { Box } from "./box";\nexport const one = Box.of("a");\n' },
      ),
    ],
    [
      "as a method of what is made",
      left(
        edit(
          "box.ts",
          "export class Box {\n  put(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        {
          "app.ts": 'import { Box } from "./box";\nconst box = new Box();\nbox.put("a");\nexport { box };\n',
        },
      ),
    ],
    [
      "as a method of what is said to be of it",
      left(
        edit(
          "box.ts",
          "export interface Box {\n  put(a: string): void;\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        { "app.ts": 'import type { Box } from "./box";\nexport const f = (box: Box) => box.put("a");\n' },
      ),
    ],
    [
      "as a method of a field that is handed in",
      left(
        edit(
          "box.ts",
          "export class Box {\n  put(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        {
          "app.ts":
            'import { Box } from "./box";\nexport class App {\n  constructor(private readonly box: Box) {}\n  f() {\n    return this.box.put("a");\n  }\n}\n',
        },
      ),
    ],
    [
      "as a method of a field that is made",
      left(
        edit(
          "box.ts",
          "export class Box {\n  put(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        {
          "app.ts":
            'import { Box } from "./box";\nexport class App {\n  private box = new Box();\n  f() {\n    return this.box.put("a");\n  }\n}\n',
        },
      ),
    ],
    [
      "as a member of an object",
      left(
        edit(
          "api.ts",
          "export const api = {\n  get(a: string) {\n    return a;\n  },\n};\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        { "app.ts": 'import { api } from "./api";\nexport const one = api.get("a");\n' },
      ),
    ],
    [
      "where a parameter elsewhere has its name",
      left(taking("mode: string"), {
        "app.ts": `${CALLER}export const f = (getToken: () => number) => getToken();\n`,
      }),
    ],
    [
      "where a parameter has the name of a function of the same file",
      edited(
        "export const f = (read: () => number) => read();\nexport const g = () => read();\nfunction read() {\n  return 1;\n}\nexport const z = 1;\n",
        "function read()",
        "function read(a: string)",
      ),
    ],
    [
      "in types beside the source",
      left(
        edit(
          "api.d.ts",
          "export declare function get(a: string): void;\nexport declare const z: number;\n",
          "a: string",
          "a: string, b: number",
        ),
        { "api.js": "export function get(a, b) {}\n", "app.ts": 'import { get } from "./api";\nget("a");\n' },
      ),
    ],
    [
      "of overloads none fits",
      left(
        edit(
          "api.ts",
          "export function get(a: string): void;\nexport function get(a: string, b: number, c: number): void;\nexport function get(...all: unknown[]): void {}\nexport const z = 1;\n",
          "get(a: string): void",
          "get(a: string, b: number): void",
        ),
        { "app.ts": 'import { get } from "./api";\nget("a");\n' },
      ),
    ],
    [
      "in the same file",
      done({ "a.ts": AUTH }, { "a.ts": AUTH.replace("function read()", "function read(mode: string)") }),
    ],
    [
      "of a method of the same class",
      edited(
        "export class A {\n  f() {\n    return [1].map(() => this.g());\n  }\n  g() {\n    return 1;\n  }\n}\nexport const z = 1;\n",
        "g() {",
        "g(a: string) {",
      ),
    ],
  ])("%s", async (_, given) => {
    expect(await rules(given)).toContain("wrong-arguments");
    expect(await verdicts(given)).toEqual(["risky"]);
  });

  it("and the evidence names the call, what it gives and what is taken (T1)", async () => {
    const [group] = await judge(left(taking("mode: string"), { "app.ts": CALLER }));
    const reason = group?.reasons.find(({ rule }) => rule === "wrong-arguments");
    expect(reason?.message).toBe("app.ts:2 calls getToken with 0 arguments; it takes 1.");
    expect(reason?.evidence).toEqual(["app.ts:2 calls getToken with 0 arguments; it takes 1"]);
  });
});

function edited(text: string, from: string, to: string): Case {
  const { head, now } = edit("a.ts", text, from, to);
  return done(head, now);
}

describe("TypeScript: not so", () => {
  it.each([
    ["the parameter may be left out", left(taking("mode?: string"), { "app.ts": CALLER })],
    ["it has a default", left(taking('mode = "fast"'), { "app.ts": CALLER })],
    ["it takes the rest", left(taking("...modes: string[]"), { "app.ts": CALLER })],
    ["it may be nothing", left(taking("mode: string | void"), { "app.ts": CALLER })],
    ["`this` is no parameter", left(taking("this: void"), { "app.ts": CALLER })],
    [
      "the caller came along",
      done(
        { ...taking("mode: string").head, "app.ts": CALLER },
        { ...taking("mode: string").now, "app.ts": CALLER.replace("getToken()", 'getToken("a")') },
      ),
    ],
    [
      "an overload fits",
      left(
        edit(
          "auth.ts",
          AUTH,
          "export function getToken() {",
          "export function getToken(): number;\nexport function getToken(mode: string): number;\nexport function getToken(mode?: string) {",
        ),
        { "app.ts": CALLER },
      ),
    ],
    [
      "the call spreads",
      left(taking("mode: string"), { "app.ts": CALLER.replace("getToken()", "getToken(...[])") }),
    ],
    [
      "it did not fit before either",
      left(taking("mode: string, more: string"), {
        "app.ts": CALLER.replace("getToken()", "getToken(1, 2, 3)"),
      }),
    ],
    [
      "somebody says that it is meant",
      left(taking("mode: string"), {
        "app.ts":
          'import { getToken } from "./auth";\n// @ts-expect-error\nexport const token = getToken();\n',
      }),
    ],
    [
      "it is called as something else",
      left(taking("mode: string"), {
        "app.ts": 'import { getToken } from "./auth";\nexport const token = (getToken as any)();\n',
      }),
    ],
    [
      "a parameter of the caller has the same name",
      left(taking("mode: string"), {
        "app.ts":
          'import { getToken } from "./auth";\nexport const f = (getToken: () => 1) => getToken();\nexport { getToken };\n',
      }),
    ],
    [
      "another module gives a function of that name",
      left(taking("mode: string"), {
        "other.ts": "export const getToken = () => 1;\n",
        "app.ts": 'import { getToken } from "./other";\nexport const token = getToken();\n',
      }),
    ],
    [
      "a package gives a function of that name",
      left(taking("mode: string"), {
        "app.ts": 'import { getToken } from "auth";\nexport const token = getToken();\n',
      }),
    ],
    [
      "it is only handed over",
      left(taking("mode: string"), {
        "app.ts": 'import { getToken } from "./auth";\nexport const f = [getToken];\n',
      }),
    ],
    [
      "a method of another class",
      left(
        edit(
          "box.ts",
          "export class Box {\n  put(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        {
          "app.ts":
            'import { Box } from "./box";\nconst box = new Box().other();\nbox.put("a");\nexport { box };\n',
        },
      ),
    ],
    [
      "a field that is sometimes another",
      left(
        edit(
          "box.ts",
          "export class Box {\n  put(a: string) {}\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: number",
        ),
        {
          "app.js":
            'import { Box } from "./box";\nexport class App {\n  constructor(box) {\n    this.box = new Box();\n    this.box = box;\n  }\n  f() {\n    return this.box.put("a");\n  }\n}\n',
        },
      ),
    ],
    [
      "a function inside has another `this`",
      edited(
        "export class A {\n  f() {\n    return function (this: any) {\n      return this.g();\n    };\n  }\n  g() {\n    return 1;\n  }\n}\nexport const z = 1;\n",
        "g() {\n    return 1",
        "g(a: string) {\n    return a",
      ),
    ],
    [
      "a function that is wrapped takes what the wrapper says",
      left(
        edit(
          "f.ts",
          "export const f = memo((a: string) => a);\nfunction memo(x: any) {\n  return x;\n}\nexport const z = 1;\n",
          "a: string",
          "a: string, b: string",
        ),
        { "app.ts": 'import { f } from "./f";\nf("a");\n' },
      ),
    ],
    [
      "a constant of a type takes what the type says",
      left(
        edit(
          "f.ts",
          'import type { F } from "f";\nexport const f: F = (a) => a;\nexport const z = 1;\n',
          "(a)",
          "(a, b)",
        ),
        { "app.ts": 'import { f } from "./f";\nf("a");\n' },
      ),
    ],
    [
      "a class without a constructor that inherits one",
      edited(
        'import { Base } from "base";\nexport class A extends Base {}\nexport const a = new A(1);\n',
        "new A(1)",
        "new A(1, 2)",
      ),
    ],
  ])("%s", async (_, given) => {
    expect((await rules(given)).filter((rule) => ARGUMENTS.test(rule))).toEqual([]);
  });
});

const JS =
  "exports.f = function (a) {\n  return use(a);\n};\nfunction use(x) {\n  return x;\n}\nexports.z = 1;\n";
const USER = 'const { f } = require("./f");\nexports.g = () => f(1);\n';
const script = (params: string, body = "use(a, b)"): { head: Tree; now: Now } => ({
  head: { "f.js": JS },
  now: { "f.js": JS.replace("(a) {\n  return use(a)", `(${params}) {\n  return ${body}`) },
});

describe("JavaScript: a call gives other than what is taken, so the group is never safe on its agent's word (S3, T2)", () => {
  it.each([
    ["a parameter came that is used", left(script("a, b", "use([a, b])"), { "user.js": USER })],
    ["one that is taken apart", left(script("a, { b }", "use([a, b])"), { "user.js": USER })],
    ["a parameter went, and callers still give it", left(script("", "use(1)"), { "user.js": USER })],
    [
      "through a module taken whole",
      left(script("a, b", "use([a, b])"), {
        "user.js": 'const m = require("./f");\nexports.g = () => m.f(1);\n',
      }),
    ],
    [
      "on the spot",
      left(script("a, b", "use([a, b])"), { "user.js": 'exports.g = () => require("./f").f(1);\n' }),
    ],
    [
      "through what a compiler writes",
      left(script("a, b", "use([a, b])"), {
        "user.js": 'const m = require("./f");\nexports.g = () => (0, m.f)(1);\n',
      }),
    ],
    [
      "through `call`",
      left(script("a, b", "use([a, b])"), {
        "user.js": 'const { f } = require("./f");\nexports.g = () => f.call(null, 1);\n',
      }),
    ],
    [
      "as the whole module",
      left(
        edit(
          "f.js",
          "module.exports = function f(a) {\n  return a;\n};\n",
          "(a) {\n  return a",
          "(a, b) {\n  return a + b",
        ),
        { "user.js": 'const f = require("./f");\nexports.g = () => f(1);\n' },
      ),
    ],
    [
      "as a member of the object that a module is",
      left(
        edit(
          "f.js",
          "function f(a) {\n  return a;\n}\nmodule.exports = { f };\n",
          "(a) {\n  return a",
          "(a, b) {\n  return a + b",
        ),
        { "user.js": USER },
      ),
    ],
    [
      "as a method of a prototype",
      left(
        edit(
          "f.js",
          "function F() {}\nF.prototype.go = function (a) {\n  return a;\n};\nmodule.exports = { F };\n",
          "(a) {\n  return a",
          "(a, b) {\n  return a + b",
        ),
        { "user.js": 'const { F } = require("./f");\nconst one = new F();\nexports.g = () => one.go(1);\n' },
      ),
    ],
    [
      "the call was changed, and the callee was left",
      done({ "f.js": JS, "user.js": USER }, { "user.js": USER.replace("f(1)", "f(1, 2)") }),
    ],
    [
      "the call was shortened, and the callee was left",
      done(
        {
          "f.js": script("a, b", "use([a, b])").now["f.js"] as string,
          "user.js": USER.replace("f(1)", "f(1, 2)"),
        },
        { "user.js": USER },
      ),
    ],
    ["in the same file", done(script("a").head, script("a, b", "use(a, b)").now)],
    [
      "through a path that a build means by another name",
      left(taking("mode: string", "src/lib/auth.ts"), {
        "src/app.ts": 'import { getToken } from "@/lib/auth";\nexport const token = getToken();\n',
      }),
    ],
  ])("%s", async (_, given) => {
    expect(await rules(given)).toContain("doubtful-arguments");
    expect(await verdicts(given)).not.toContain("safe");
  });

  it.each([
    ["a parameter that is asked for", left(script("a, b", "use(b || a)"), { "user.js": USER })],
    ["one with a default", left(script("a, b = 1", "use([a, b])"), { "user.js": USER })],
    [
      "one that is asked whether it is there",
      left(script("a, b", "use(b === undefined ? a : b)"), { "user.js": USER }),
    ],
    [
      "one that is asked what it is",
      left(script("a, b", 'use(typeof b === "string" ? b : a)'), { "user.js": USER }),
    ],
    ["one that may be called", left(script("a, b", "use(b?.(a))"), { "user.js": USER })],
    [
      "all there are",
      left(script("a", "use([a, arguments])"), { "user.js": USER.replace("f(1)", "f(1, 2, 3)") }),
    ],
    ["one that nobody needs", left(script("a, _b", "use(a)"), { "user.js": USER })],
    [
      "what did not fit before either",
      left(
        edit("f.js", JS.replace("(a)", "(a, b)").replace("use(a)", "use([a, b])"), "(a, b)", "(a, b, c)"),
        { "user.js": USER },
      ),
    ],
    [
      "an old call in a file that moved",
      done(
        { "f.js": JS.replace("(a)", "(a, b)").replace("use(a)", "use([a, b])"), "user.js": USER },
        { "user.js": null, "lib/user.js": USER.replace("./f", "../f") },
      ),
    ],
    [
      "a name that is set anew",
      left(script("a, b", "use([a, b])"), {
        "user.js": 'let { f } = require("./f");\nf = f.bind(null, 1);\nexports.g = () => f(1);\n',
      }),
    ],
    [
      "what is called before and after with as much",
      done({ "f.js": JS, "user.js": USER }, { "user.js": USER.replace("f(1)", "f(2)") }),
    ],
  ])("not so: %s", async (_, given) => {
    expect((await rules(given)).filter((rule) => ARGUMENTS.test(rule))).toEqual([]);
  });
});
