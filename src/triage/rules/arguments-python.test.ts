/** One side of a changed signature of Python without the other, on both sides. */
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

/** An unchanged caller beside a changed callee. */
const left = (callee: { head: Tree; now: Now }, callers: Tree): Case =>
  done({ ...callee.head, ...callers }, callee.now);

const PY = "def get(a):\n    return a\n\n\nLAST = 1\n";
const py = (params: string, text = PY, from = "(a)"): { head: Tree; now: Now } =>
  edit("pkg/auth.py", text, from, `(${params})`);
const PYUSER = "from pkg.auth import get\n\nTOKEN = get(1)\n";
const PKG = { "pkg/__init__.py": "" };
const BOX =
  "class Box:\n    def __init__(self, a):\n        self.a = a\n\n    def put(self, a):\n        return a\n\n    @staticmethod\n    def of(a):\n        return a\n\n    @classmethod\n    def make(cls, a):\n        return cls(a)\n\n\nLAST = 1\n";

describe("Python: a call no longer fits what it calls, so the group is risky, never safe (S3)", () => {
  it.each([
    ["a parameter came, and the caller was left", left(py("a, b"), { ...PKG, "app.py": PYUSER })],
    ["a parameter went", left(py(""), { ...PKG, "app.py": PYUSER })],
    [
      "one that is given by name got another",
      left(py("b"), { ...PKG, "app.py": PYUSER.replace("get(1)", "get(a=1)") }),
    ],
    ["one that may only be given by name", left(py("*, a"), { ...PKG, "app.py": PYUSER })],
    [
      "one that may only be given by its place",
      left(py("a, /"), { ...PKG, "app.py": PYUSER.replace("get(1)", "get(a=1)") }),
    ],
    [
      "by another name",
      left(py("a, b"), { ...PKG, "app.py": "from pkg.auth import get as g\n\nTOKEN = g(1)\n" }),
    ],
    ["of a module", left(py("a, b"), { ...PKG, "app.py": "import pkg.auth\n\nTOKEN = pkg.auth.get(1)\n" })],
    [
      "of a module under another name",
      left(py("a, b"), { ...PKG, "app.py": "import pkg.auth as m\n\nTOKEN = m.get(1)\n" }),
    ],
    [
      "of a module of a package",
      left(py("a, b"), { ...PKG, "app.py": "from pkg import auth\n\nTOKEN = auth.get(1)\n" }),
    ],
    [
      "of a module beside it",
      left(py("a, b"), { ...PKG, "pkg/app.py": "from .auth import get\n\nTOKEN = get(1)\n" }),
    ],
    [
      "through a package that hands it on",
      left(py("a, b"), {
        "pkg/__init__.py": "from .auth import get\n",
        "app.py": "from pkg import get\n\nTOKEN = get(1)\n",
      }),
    ],
    [
      "through one that hands it on by another name",
      left(py("a, b"), {
        "pkg/__init__.py": "from .auth import get as fetch\n",
        "app.py": "from pkg import fetch\n\nTOKEN = fetch(1)\n",
      }),
    ],
    [
      "as a class",
      left(py("self, a, b", BOX, "(self, a)"), {
        ...PKG,
        "app.py": "from pkg.auth import Box\n\nONE = Box(1)\n",
      }),
    ],
    [
      "as a static method",
      left(py("a, b", BOX, "(a)"), { ...PKG, "app.py": "from pkg.auth import Box\n\nONE = Box.of(1)\n" }),
    ],
    [
      "as a method of the class",
      left(py("cls, a, b", BOX, "(cls, a)"), {
        ...PKG,
        "app.py": "from pkg.auth import Box\n\nONE = Box.make(1)\n",
      }),
    ],
    [
      "as a method of what is made",
      left(edit("pkg/auth.py", BOX, "put(self, a)", "put(self, a, b)"), {
        ...PKG,
        "app.py": "from pkg.auth import Box\n\nbox = Box(1)\nbox.put(1)\n",
      }),
    ],
    [
      "as a method of what is said to be of it",
      left(edit("pkg/auth.py", BOX, "put(self, a)", "put(self, a, b)"), {
        ...PKG,
        "app.py": "from pkg.auth import Box\n\n\ndef f(box: Box):\n    return box.put(1)\n",
      }),
    ],
    [
      "as a method of a field that is made",
      left(edit("pkg/auth.py", BOX, "put(self, a)", "put(self, a, b)"), {
        ...PKG,
        "app.py":
          "from pkg.auth import Box\n\n\nclass App:\n    def __init__(self):\n        self.box = Box(1)\n\n    def f(self):\n        return self.box.put(1)\n",
      }),
    ],
    [
      "as a dataclass",
      left(
        edit(
          "pkg/auth.py",
          "from dataclasses import dataclass\n\n\n@dataclass\nclass Box:\n    a: int\n\n\nLAST = 1\n",
          "    a: int\n",
          "    a: int\n    b: int\n",
        ),
        { ...PKG, "app.py": "from pkg.auth import Box\n\nONE = Box(1)\n" },
      ),
    ],
    [
      "the call was changed, and the callee was left",
      done(
        { ...PKG, "pkg/auth.py": PY, "app.py": PYUSER },
        { "app.py": PYUSER.replace("get(1)", "get(1, mode=2)") },
      ),
    ],
    [
      "in the same file",
      done({ "a.py": `${PY}ONE = get(1)\n` }, { "a.py": `${PY}ONE = get(1)\n`.replace("(a)", "(a, b)") }),
    ],
    [
      "below a decorator that keeps it",
      left(py("a, b", `from functools import lru_cache\n\n\n@lru_cache(maxsize=None)\n${PY}`), {
        ...PKG,
        "app.py": PYUSER,
      }),
    ],
  ])("%s", async (_, given) => {
    expect(await rules(given)).toContain("wrong-arguments");
    expect(await verdicts(given)).toEqual(["risky"]);
  });

  it.each([
    [
      "below a decorator that nobody knows",
      left(py("a, b", `from click import command\n\n\n@command()\n${PY}`), { ...PKG, "app.py": PYUSER }),
    ],
    [
      "where it is wrapped below",
      left(py("a, b", PY.replace("LAST = 1", "get = print(get)")), { ...PKG, "app.py": PYUSER }),
    ],
    [
      "on self, whose class may be another",
      done(
        { "a.py": BOX.replace("self.a = a", "self.a = self.put(a)") },
        {
          "a.py": BOX.replace("self.a = a", "self.a = self.put(a)").replace(
            "put(self, a)",
            "put(self, a, b)",
          ),
        },
      ),
    ],
  ])("in doubt unknown: %s", async (_, given) => {
    expect(await rules(given)).toContain("doubtful-arguments");
    expect(await verdicts(given)).toEqual(["unknown"]);
  });

  it.each([
    ["a parameter with a default", left(py("a, b=1"), { ...PKG, "app.py": PYUSER })],
    ["one by name with a default", left(py("a, *, b=1"), { ...PKG, "app.py": PYUSER })],
    ["the rest", left(py("a, *args, **kwargs"), { ...PKG, "app.py": PYUSER })],
    ["types", left(py("a: int, b: str = ''"), { ...PKG, "app.py": PYUSER })],
    ["what is spread", left(py("a, b"), { ...PKG, "app.py": PYUSER.replace("get(1)", "get(*[1, 2])") })],
    [
      "what is spread by name",
      left(py("a, b"), { ...PKG, "app.py": PYUSER.replace("get(1)", "get(1, **{})") }),
    ],
    [
      "a name that is bound again",
      left(py("a, b"), { ...PKG, "app.py": "from pkg.auth import get\n\nget = get\nTOKEN = get(1)\n" }),
    ],
    [
      "a parameter of that name",
      left(py("a, b"), {
        ...PKG,
        "app.py": "from pkg.auth import get\n\n\ndef f(get):\n    return get(1)\n\n\nALL = [get]\n",
      }),
    ],
    [
      "a field that is sometimes another",
      left(edit("pkg/auth.py", BOX, "put(self, a)", "put(self, a, b)"), {
        ...PKG,
        "app.py":
          "from pkg.auth import Box\n\n\nclass App:\n    def __init__(self, box=None):\n        self.box = Box(1)\n        self.box = box\n\n    def f(self):\n        return self.box.put(1)\n",
      }),
    ],
    [
      "a part of it",
      left(py("a, b"), {
        ...PKG,
        "app.py": "from functools import partial\nfrom pkg.auth import get\n\nTOKEN = partial(get, 1)\n",
      }),
    ],
    [
      "what is meant to fail",
      left(py("a, b"), {
        ...PKG,
        "test_app.py":
          "import pytest\nfrom pkg.auth import get\n\n\ndef test():\n    with pytest.raises(TypeError):\n        get(1)\n",
      }),
    ],
    [
      "a class that inherits its making",
      left(edit("pkg/auth.py", "class Box(Base):\n    a = 1\n\n\nLAST = 1\n", "a = 1", "a = 2"), {
        ...PKG,
        "app.py": "from pkg.auth import Box\n\nONE = Box(1, 2)\n",
      }),
    ],
    [
      "what did not fit before either",
      left(py("a, b, c", PY.replace("(a)", "(a, b)"), "(a, b)"), { ...PKG, "app.py": PYUSER }),
    ],
    [
      "a caller that came along",
      done(
        { ...PKG, "pkg/auth.py": PY, "app.py": PYUSER },
        { ...py("a, b").now, "app.py": PYUSER.replace("get(1)", "get(1, b=2)") },
      ),
    ],
    [
      "a property",
      left(edit("pkg/auth.py", BOX, "    def put(self, a)", "    @property\n    def put(self)"), {
        ...PKG,
        "app.py": "from pkg.auth import Box\n\nbox = Box(1)\nbox.put(1)\n",
      }),
    ],
  ])("not so: %s", async (_, given) => {
    expect((await rules(given)).filter((rule) => ARGUMENTS.test(rule))).toEqual([]);
  });
});
