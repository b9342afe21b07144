/** Go: names of the own package, packages of the own module, what went while somebody needs it. Half-done, and finished beside it. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../../test/support/triage-facts.ts";

type Now = Case["now"];
const done = (head: Tree, now: Now): Case => ({ head, now, facts: DONE });
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);
const rules = async (given: Case): Promise<string[]> => (await judge(given)).flatMap(rulesOf);

const file = (of: string, body: string, imports: readonly string[] = []): string =>
  `package ${of}\n\n${imports.map((one) => `import ${one}\n`).join("")}\n${body}`;
const func = (name: string, body = "return 1", takes = ""): string =>
  `func ${name}(${takes}) int {\n\t${body}\n}\n`;

const MODULE = { "go.mod": "module example.org/work\n\ngo 1.22\n" };
const STORE = { ...MODULE, "store/store.go": file("store", func("Open")) };
const MAIN = file("main", `func main() {\n}\n`);
const KEPT = "\nvar last = 1\n";

/** A program that came to take something of a package of its module. */
const taking = (imports: readonly string[], body: string, more: Tree = {}): Case =>
  done(
    { ...STORE, ...more, "main.go": MAIN },
    { "main.go": file("main", `func main() {\n\t${body}\n}\n`, imports) },
  );
const [OPEN, OTHER] = [file("store", func("Open") + KEPT), file("store", func("Openly") + KEPT)];

describe("Go: what is not there is wanted, so the group is risky, never safe (S3)", () => {
  it.each([
    [
      "a name of the own package that no file beside it has",
      done(
        { "a.go": file("a", func("one") + KEPT) },
        { "a.go": file("a", func("one", "return two()") + KEPT) },
      ),
    ],
    ["a package of the module that is not there", taking(['"example.org/work/cache"'], "cache.Open()")],
    [
      "a name that a package of the module does not have",
      taking(['"example.org/work/store"'], "store.Close()"),
    ],
    ["by another name of the package", taking(['s "example.org/work/store"'], "s.Close()")],
    [
      "of a module that lies below",
      taking(['"example.org/inner/deep"'], "deep.Missing()", {
        "inner/go.mod": "module example.org/inner\n",
        "inner/deep/deep.go": file("deep", func("Known")),
      }),
    ],
    [
      "a type that a package does not have",
      taking(['"example.org/work/store"'], "var one store.Box\n\tprintln(one)"),
    ],
    [
      "a function that went, and an unchanged file of the package calls it",
      done(
        { ...MODULE, "store/store.go": OPEN, "store/use.go": file("store", func("use", "return Open()")) },
        { "store/store.go": OTHER },
      ),
    ],
    [
      "a function that went, and an unchanged file of another package calls it",
      done(
        {
          ...MODULE,
          "store/store.go": OPEN,
          "main.go": file("main", "func main() {\n\tstore.Open()\n}\n", ['"example.org/work/store"']),
        },
        { "store/store.go": OTHER },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    expect(await verdicts(given)).toEqual(["risky"]);
    expect((await rules(given)).some((rule) => /^missing-(?:file|export)$/.test(rule))).toBe(true);
  });

  it.each([
    ["of the own package", "use.go", file("a", func("use", "return count(1)"))],
    [
      "of another package",
      "cmd/main.go",
      file("main", "func main() {\n\tprintln(a.Count(1))\n}\n", ['a "example.org/work"']),
    ],
  ])("a call %s that was left gives too few arguments", async (_, path, caller) => {
    const name = path === "use.go" ? "count" : "Count";
    const text = (takes: string): string => file("a", func(name, "return 1", takes) + KEPT);
    const given = done(
      { ...MODULE, "a.go": text("n int"), [path]: caller },
      { "a.go": text("n int, by int") },
    );
    expect(await verdicts(given)).toEqual(["risky"]);
    expect(await rules(given)).toContain("wrong-arguments");
  });

  it("a file of another package than those beside it", async () => {
    const head = { "a.go": file("a", func("one") + KEPT) };
    expect(await verdicts(done(head, { "b.go": file("b", func("two") + KEPT) }))).toEqual(["risky"]);
    expect(await verdicts(done(head, { "b_test.go": file("a_test", func("two") + KEPT) }))).not.toContain(
      "risky",
    );
  });

  it.each([
    ["after a value was set", "n := 1\n\tprintln(n)"],
    ["after a condition without its other side", "if true {\n\t\treturn 1\n\t}"],
    ["after a loop over something", "for range 3 {\n\t\treturn 1\n\t}"],
  ])("a return that is missing %s", async (_, body) => {
    const given = done(
      { "a.go": file("a", func("one") + KEPT) },
      { "a.go": file("a", func("one", body) + KEPT) },
    );
    expect(await verdicts(given)).toEqual(["risky"]);
    expect(await rules(given)).toContain("parse");
  });

  it.each([
    ["panics", 'panic("never")'],
    ["never ends", "for {\n\t}"],
    ["returns on every side", "if true {\n\t\treturn 1\n\t} else {\n\t\treturn 2\n\t}"],
    ["chooses", "switch {\n\tdefault:\n\t\treturn 1\n\t}"],
  ])("a function that %s needs none", async (_, body) => {
    const given = done(
      { "a.go": file("a", func("one") + KEPT) },
      { "a.go": file("a", func("one", body) + KEPT) },
    );
    expect(await verdicts(given)).toEqual(["safe"]);
  });

  it("a file that begins after its package clause is broken", async () => {
    const text = file("a", func("one") + KEPT);
    const given = done({ "a.go": text }, { "a.go": text.replace("package a\n", "") });
    expect(await verdicts(given)).toEqual(["risky"]);
    expect(await rules(given)).toContain("parse");
  });
});

describe("Go: what speaks against it without proving it keeps the group from being safe (S3)", () => {
  const box = (method: string): string =>
    file("a", `type Box struct{ side int }\n\nfunc (b Box) ${method}() int {\n\treturn b.side\n}\n${KEPT}`);

  it.each([
    [
      "a method went that an unchanged file calls",
      "unseen-name",
      done(
        { "box.go": box("Area"), "use.go": file("a", func("use", "return b.Area()", "b Box")) },
        { "box.go": box("Size") },
      ),
    ],
    [
      "a method went that an interface of the package asks for",
      "unseen-name",
      done(
        { "box.go": box("Area"), "has.go": file("a", "type Has interface {\n\tArea() int\n}\n") },
        { "box.go": box("Size") },
      ),
    ],
    [
      "a local that nothing names again: no compiler takes it",
      "loose-names",
      done(
        { "a.go": file("a", func("one") + KEPT) },
        { "a.go": file("a", func("one", "size := 2\n\treturn 1") + KEPT) },
      ),
    ],
    ["an import that nothing names", "loose-names", taking(['"example.org/work/store"'], "println(1)")],
    ["an alias that nothing names", "loose-names", taking(['s "example.org/work/store"'], "println(1)")],
  ])("%s", async (_, rule, given) => {
    expect(await verdicts(given)).not.toContain("safe");
    expect(await rules(given)).toContain(rule);
  });
});

describe("Go: finished work is safe", () => {
  it.each([
    [
      "a name that another file of the package came to have",
      done(
        { "a.go": file("a", func("one") + KEPT), "b.go": file("a", "\nvar other = 2\n") },
        {
          "a.go": file("a", func("one", "return two()") + KEPT),
          "b.go": file("a", `${func("two")}\nvar other = 2\n`),
        },
      ),
    ],
    ["a name of a package of the module", taking(['"example.org/work/store"'], "store.Open()")],
    ["by another name of the package", taking(['s "example.org/work/store"'], "s.Open()")],
    ["a package for what it does when it is loaded", taking(['_ "example.org/work/store"'], "println(1)")],
    [
      "somebody else's package, also one that is called by a part of its path",
      taking(
        ['"github.com/mattn/go-isatty"', '"gopkg.in/yaml.v3"', '"fmt"'],
        "fmt.Println(isatty.Is(1), yaml.X)",
        {
          "go.mod": `${MODULE["go.mod"]}\nrequire (\n\tgithub.com/mattn/go-isatty v0.0.1\n\tgopkg.in/yaml.v3 v3.0.1\n)\n`,
        },
      ),
    ],
    [
      "a package of the module that is called otherwise than its folder",
      taking(['"example.org/work/go-kept"'], "kept.Open()", {
        "go-kept/kept.go": file("kept", func("Open")),
      }),
    ],
    ["names of a package that is taken whole", taking(['. "example.org/work/store"'], "Open()")],
    [
      "locals, parameters, results, labels and what the language has",
      done(
        { "a.go": file("a", func("one") + KEPT) },
        {
          "a.go": file(
            "a",
            `func one(xs []int) (sum int, err error) {\nouter:\n\tfor i, x := range xs {\n\t\tif i > len(xs) {\n\t\t\tbreak outer\n\t\t}\n\t\tsum += x\n\t}\n\treturn\n}\n${KEPT}`,
          ),
        },
      ),
    ],
    [
      "a function that went with its last caller",
      done(
        { "a.go": OPEN, "use.go": file("store", func("use", "return Open()")) },
        { "a.go": OTHER, "use.go": file("store", func("use", "return Openly()")) },
      ),
    ],
    [
      "a parameter that came, with the call that gives it",
      done(
        { "a.go": OPEN, "use.go": file("store", func("use", "return Open()")) },
        {
          "a.go": file("store", func("Open", "return n", "n int") + KEPT),
          "use.go": file("store", func("use", "return Open(2)")),
        },
      ),
    ],
    [
      "any number of arguments to what takes any, and another call's results handed on",
      done(
        { "a.go": OPEN, "use.go": file("store", func("use") + KEPT) },
        {
          "a.go": file(
            "store",
            func("Open", "return len(ns)", "ns ...int") + func("two", "return a", "a, b int") + KEPT,
          ),
          "use.go": file(
            "store",
            `func pair() (int, int) {\n\treturn 1, 2\n}\n\n${func("use", "return Open(1, 2, 3) + Open() + two(pair())")}${KEPT}`,
          ),
        },
      ),
    ],
    [
      "a method that went while another type has one of its name",
      done(
        {
          "box.go": file("a", `type Box int\n\nfunc (b Box) Area() int {\n\treturn 1\n}\n${KEPT}`),
          "disc.go": file("a", "type Disc int\n\nfunc (d Disc) Area() int {\n\treturn 2\n}\n"),
          "use.go": file("a", func("use", "return d.Area()", "d Disc")),
        },
        { "box.go": file("a", `type Box int\n\nfunc (b Box) Size() int {\n\treturn 1\n}\n${KEPT}`) },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(({ verdict, reasons }) => (verdict === "safe" ? [] : reasons))).toEqual([]);
  });
});
