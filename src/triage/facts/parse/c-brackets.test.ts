/** C that a compiler takes is never called broken, whatever the grammar of C++ makes of it; C that was cut is. */
import { expect, it } from "vitest";
import { createParsers } from "./parsers.ts";

const parsers = createParsers();
const parsed = (path: string, text: string) => parsers.parse("cpp", path, text);

it.each([
  ["a name that C++ keeps", "int class;\nstruct node { struct node *new, *delete, *this; int template; };\n"],
  [
    "names of the newest C++",
    "int nullptr, requires, concept; int co_await;\nvoid f(void) { s->operator = 1; }\n",
  ],
  ["parameters as they were before 1989", "int add(a, b)\nint a;\nint b;\n{\n  return a + b;\n}\n"],
  ["a type as an argument", "void f(va_list ap) { char *s = va_arg(ap, char *); SWAP(int *, a, b); }\n"],
  ["types that C++ has not", "double _Complex z; _Atomic(int) w; _Thread_local int t; typeof(1) a;\n"],
  ["bits without a name", "struct s { unsigned a : 3; unsigned : 0; };\n"],
  ["macros before a name", "static API_NOINLINE struct Global {\n  int a;\n} PACKED one = { 1 };\n"],
  [
    "a guard for C++",
    '#ifdef __cplusplus\nextern "C" {\n#endif\nint a(void);\n#ifdef __cplusplus\n}\n#endif\n',
  ],
  [
    "two beginnings of one block",
    "void f(void) {\n#ifdef A\n  if (a) {\n#elif B\n  if (b) {\n#else\n  {\n#endif\n  }\n}\nint class;\n",
  ],
  ["what is not compiled", "#if 0\n} don't (\n#endif\nint class;\n"],
  [
    "brackets in macros, comments, texts and characters",
    '#define OPEN { \\\n  (\nint class = \'{\'; // (\n/* [\n#if A\n*/\nchar *s = "}\\"(";\n',
  ],
])("%s", async (_, text) => {
  for (const path of ["a.c", "a.h"])
    expect([path, (await parsed(path, text)).kind]).not.toEqual([path, "broken"]);
});

it.each([
  ["cut in a body", "int class(int new) {\n  return new;\n", 1, "expected }"],
  ["cut in a call", "int class;\nint f(void) {\n  return g(1,\n", 3, "expected )"],
  ["cut in a comment", "int class;\n/* what it\n", 2, "a comment that nothing closes"],
  ["closed twice", "int class;\nint f(void) { }\n}\n", 3, "a } that closes nothing"],
  [
    "cut in the half that is compiled",
    "#ifndef A\nint f(void) {\n#else\n}\n#endif\nint add(a)\nint a;\n{\n  return a;\n}\n",
    2,
    "expected }",
  ],
])("is broken where it is %s, with its line", async (_, text, line, message) => {
  for (const path of ["a.c", "a.h"])
    expect(await parsed(path, text)).toEqual({ kind: "broken", line, message });
});

it("of C++ the grammar's word stays", async () => {
  expect((await parsed("a.cc", "int add(a)\nint a;\n{\n  return a;\n}\n")).kind).toBe("broken");
});
