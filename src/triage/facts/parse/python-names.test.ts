/** Names of Python that nothing binds, on both sides: what is missing is told, and nothing that is there is called missing (S3). */
import { describe, expect, it } from "vitest";
import { analyseFile } from "../analyse-file.ts";
import { createParsers } from "./parsers.ts";

const parsers = createParsers({ isAlone: true });
async function undefinedIn(text: string): Promise<string[]> {
  const { parse, source } = await analyseFile("a.py", new TextEncoder().encode(text), parsers);
  expect(parse.kind).toBe("sound");
  return (source?.undefinedNames ?? []).map((name, at) => `${name}:${source?.undefinedLines?.[at]}`);
}

describe("a name that nothing in a Python file binds is told with its first line", () => {
  it.each([
    [
      "a model's class that is yet to be written",
      "class EventPage(Page):\n    categories = Field(EventCategory, blank=True)\n",
      ["EventCategory:2", "Field:2", "Page:1"],
    ],
    ["an import that is missing", "def load(path):\n    return json.loads(path)\n", ["json:2"]],
    ["a decorator", "@cached\ndef f():\n    pass\n", ["cached:1"]],
    ["a default", "def f(a=LIMIT):\n    return a\n", ["LIMIT:1"]],
    ["what a parameter is said to be", "def f(a: Shop) -> Good:\n    return a\n", ["Good:1", "Shop:1"]],
    ["what a handler catches", "try:\n    pass\nexcept ShopClosed as e:\n    print(e)\n", ["ShopClosed:3"]],
    ["inside of a text", 'def f(a):\n    return f"{a} {b:>{width}}"\n', ["b:2", "width:2"]],
    ["a guard of a pattern", "match 1:\n    case n if n > most:\n        pass\n", ["most:2"]],
    ["a variable of another function", "def f():\n    a = 1\n\n\ndef g():\n    return a\n", ["a:6"]],
    [
      "a class's variable in its method, where a class is not seen",
      "class A:\n    SIZE = 1\n\n    def f(self):\n        return SIZE\n",
      ["SIZE:5"],
    ],
    ["a comprehension's variable outside of it", "b = [a for a in range(3)]\nprint(a)\n", ["a:2"]],
    ["a value that is given by name", "print(end=stop)\n", ["stop:1"]],
    ["the object of a member", "shop.open = 1\n", ["shop:1"]],
  ])("%s", async (_, text, expected) => {
    expect(await undefinedIn(text)).toEqual(expected);
  });
});

describe("a name that something binds, or may bind, is not called missing", () => {
  it.each([
    ["imports", "import os.path, sys as s\nfrom a import b as c, d\nprint(os, s, c, d)\n"],
    [
      "parameters of every kind",
      "def f(a, /, b: int, *c, d=1, e: int = 2, **g):\n    return a, b, c, d, e, g\n",
    ],
    ["a lambda's", "f = lambda a, b=1, *c, **d: (a, b, c, d)\n"],
    ["one that stands below its use", "def f():\n    return g()\n\n\ndef g():\n    return 1\n"],
    ["taken apart", "a, (b, *c), [d] = e = 1, (2, 3), [4]\nprint(a, b, c, d, e)\n"],
    [
      "for, with, except and as",
      "for a, b in []:\n    pass\nwith open('x') as (c, d):\n    pass\ntry:\n    pass\nexcept (OSError, ValueError) as e:\n    print(a, b, c, d, e)\n",
    ],
    [
      "comprehensions, and what one sees of another",
      "c = [a + b for a in range(3) for b in range(a) if a]\nd = {k: v for k, v in c}\n",
    ],
    [
      "a class's variable in its statements, in a default and in a comprehension",
      "class A:\n    SIZE = 1\n    ALL = [SIZE for _ in range(2)]\n\n    def f(self, a=SIZE):\n        return a\n",
    ],
    ["a walrus, also out of a comprehension", "if any((found := one) for one in []):\n    print(found)\n"],
    [
      "global and nonlocal",
      "def f():\n    global made\n    made = 1\n\n    def g():\n        nonlocal other\n        other = 2\n\n    other = 1\n    return g\n\n\nprint(made)\n",
    ],
    [
      "patterns",
      "match point:=1:\n    case {'a': x, **rest} | [x, *rest]:\n        print(x, rest, point)\n    case str() as s:\n        print(s)\n",
    ],
    [
      "parameters of types",
      "def f[T: int](a: T) -> T:\n    return a\n\n\nclass B[K]:\n    a: K\n\n\ntype C[V] = list[V]\n",
    ],
    ["a member and a name of an argument", "print(1, sep='').shop.open(end=2)\n"],
    ["what Python gives", "print(__name__, __file__, NotImplemented, super, unicode, _('text'))\n"],
    ["del", "a = 1\ndel a\n"],
    ["all of another module", "from shop import *\nprint(good)\n"],
    ["a file that makes its names", "globals()['good'] = 1\nprint(good)\n"],
    ["exec", "exec('good = 1')\nprint(good)\n"],
    ["one it is ready to miss", "try:\n    ascii_only\nexcept NameError:\n    pass\n"],
    [
      "names in texts, comments and forward types",
      "# shop\ndef f(a: 'Shop') -> 'Good':\n    return '{shop}'\n",
    ],
    ["async", "async def f(a):\n    async with a as b:\n        async for c in b:\n            yield c\n"],
    ["one that is set by its own sum", "total = 0\ntotal += 1\n"],
  ])("%s", async (_, text) => {
    expect(await undefinedIn(text)).toEqual([]);
  });
});
