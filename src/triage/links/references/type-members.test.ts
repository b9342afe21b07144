/** Go and Rust: members of types that are plainly known, templates in texts, and packages and crates by the project's own name. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../../test/support/triage-facts.ts";

const done = (head: Tree, now: Case["now"]): Case => ({ head, now, facts: DONE });
const reasons = async (given: Case): Promise<string[]> =>
  (await judge(given)).flatMap(({ verdict, reasons: all }) =>
    verdict === "safe" ? [] : all.map(({ rule, message }) => `${rule}: ${message}`),
  );
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);

const GO_BOX =
  "package a\n\ntype Base struct{ id int }\n\ntype Box struct {\n\tBase\n\tside int\n}\n\nfunc (b *Box) Area() int {\n\treturn b.side\n}\n";
const GO_LAST = "\nvar last = 1\n";
/** One function of the package came to say this. */
const goBody = (body: string, takes = "b *Box", more: Tree = {}): Case =>
  done(
    { "box.go": GO_BOX, "use.go": `package a\n${GO_LAST}`, ...more },
    { "use.go": `package a\n\nfunc use(${takes}) int {\n\t${body}\n}\n${GO_LAST}` },
  );

describe("Go: a member that a plainly known type does not have is missed, so the group is risky, never safe (S3)", () => {
  it.each([
    ["a method on a parameter", goBody("return b.Size()")],
    ["a field on a parameter", goBody("return b.width")],
    ["on what is made by a literal", goBody("c := &Box{}\n\treturn c.Size()", "")],
    ["on a variable with a type", goBody("var c Box\n\treturn c.Size()", "")],
    [
      "on what a function of the package gives",
      goBody("c, err := open()\n\tprintln(err)\n\treturn c.Size()", "", {
        "open.go": "package a\n\nfunc open() (*Box, error) {\n\treturn nil, nil\n}\n",
      }),
    ],
    ["on what an embedded type does not have either", goBody("return b.name")],
    [
      "on the receiver",
      done(
        { "box.go": GO_BOX + GO_LAST },
        { "box.go": `${GO_BOX}\nfunc (b *Box) Twice() int {\n\treturn b.Double()\n}\n${GO_LAST}` },
      ),
    ],
    [
      "a method that an interface of the package does not ask for",
      goBody("return h.Size()", "h Has", {
        "has.go": "package a\n\ntype Has interface {\n\tArea() int\n}\n",
      }),
    ],
    [
      "of a type of another package of the module",
      done(
        {
          "go.mod": "module example.org/work\n",
          "a/box.go": GO_BOX,
          "main.go": `package main\n\nfunc main() {\n}\n${GO_LAST}`,
        },
        {
          "main.go": `package main\n\nimport "example.org/work/a"\n\nfunc show(b *a.Box) {\n\tprintln(b.Size())\n}\n\nfunc main() {\n}\n${GO_LAST}`,
        },
      ),
    ],
    [
      "a method that went, and an unchanged file calls it on its type",
      done(
        {
          "box.go": GO_BOX + GO_LAST,
          "use.go": "package a\n\nfunc use(b *Box) int {\n\treturn b.Area()\n}\n",
        },
        { "box.go": GO_BOX.replace("Area", "Size") + GO_LAST },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    expect(await verdicts(given)).toEqual(["risky"]);
    expect((await judge(given)).flatMap(rulesOf)).toContain("missing-export");
  });

  it("says which member of which type", async () => {
    expect((await reasons(goBody("return b.Size()"))).join()).toContain("Box.Size");
  });
});

describe("Go: a member that may be there is not missed", () => {
  it.each([
    [
      "one of the type itself, and one of what it embeds",
      goBody("return b.Area() + b.side + b.id + b.Base.id"),
    ],
    [
      "of a type that embeds one from elsewhere",
      goBody("return c.Anything()", "c *Client", {
        "client.go": 'package a\n\nimport "net/http"\n\ntype Client struct {\n\t*http.Client\n}\n',
      }),
    ],
    [
      "of a name that something else of the function takes",
      goBody("for _, b := range all {\n\t\tprintln(b.Any())\n\t}\n\treturn 1", "b *Box, all []other"),
    ],
    [
      "outside of where the name stands for it",
      goBody("func(box *Box) { println(box.side) }(nil)\n\treturn box.Any()", "", {
        "other.go": "package a\n\nvar box = make(map[string]int)\n",
      }),
    ],
    [
      "of an alias",
      goBody("return c.Any()", "c Other", {
        "other.go": 'package a\n\nimport "x.org/y"\n\ntype Other = y.Z\n',
      }),
    ],
  ] as const)("%s", async (_, given) => {
    const found = await reasons(given);
    expect(found.filter((one) => one.startsWith("missing-export") && /wants \w+\.\w/.test(one))).toEqual([]);
  });

  it("finished work with members of its own is safe", async () => {
    expect(await reasons(goBody("return b.Area() + b.id"))).toEqual([]);
  });
});

describe("Go: templates in texts and packages from before modules keep from safe what they miss (S3)", () => {
  const usage = (name: string): string =>
    `package a\n\nfunc (b *Box) Usage() string {\n\treturn \`{{if .Area}}{{.${name}}}{{end}}\`\n}\n`;

  it("a template reads a name that no type and no map here has", async () => {
    const given = (name: string): Case =>
      done({ "box.go": GO_BOX, "usage.go": usage("Area") }, { "usage.go": usage(name) });
    expect(await verdicts(given("Title"))).not.toContain("safe");
    expect((await judge(given("Title"))).flatMap(rulesOf)).toContain("unseen-name");
    const keyed = { "data.go": 'package a\n\nvar data = map[string]any{"Title": 1}\n' };
    const known = given("Title");
    expect(await verdicts({ ...known, head: { ...known.head, ...keyed } })).toEqual(["safe"]);
  });

  it("a name that a package of the own repository does not have, by a path that no go.mod explains", async () => {
    const given = (name: string): Case =>
      done(
        {
          "render/render.go": "package render\n\nfunc JSON() int {\n\treturn 1\n}\n",
          "a.go": `package a\n${GO_LAST}`,
        },
        {
          "a.go": `package a\n\nimport "github.com/some/where/render"\n\nfunc show() int {\n\treturn render.${name}()\n}\n${GO_LAST}`,
        },
      );
    expect(await verdicts(given("XML"))).not.toContain("safe");
    expect(await verdicts(given("JSON"))).toEqual(["safe"]);
  });

  it("a module that the go.mod does not name; with the go.mod that came to name it, it is safe", async () => {
    const head = { "go.mod": "module example.org/work\n\ngo 1.22\n", "a.go": `package a\n${GO_LAST}` };
    const now = {
      "a.go": `package a\n\nimport "github.com/else/where/deep"\n\nfunc show() int {\n\treturn deep.Any()\n}\n${GO_LAST}`,
    };
    expect(await verdicts(done(head, now))).not.toContain("safe");
    const required = `${head["go.mod"]}\nrequire github.com/else/where v1.2.0\n`;
    expect(await verdicts(done({ ...head, "go.mod": required }, now))).toEqual(["safe"]);
    expect(
      await verdicts(done({ ...head, "vendor/github.com/else/where/deep/a.go": "package deep\n" }, now)),
    ).toEqual(["safe"]);
  });

  it("keeps what came to use a module in one group with the go.mod that came to name it", async () => {
    const head = { "go.mod": "module example.org/work\n\ngo 1.22\n", "a.go": `package a\n${GO_LAST}` };
    const given: Case = {
      head,
      now: {
        "go.mod": `${head["go.mod"]}\nrequire github.com/else/where v1.2.0\n`,
        "a.go": `package a\n\nimport "github.com/else/where"\n\nfunc show() int {\n\treturn where.Any()\n}\n${GO_LAST}`,
      },
    };
    expect((await judge(given)).map(({ changes }) => changes.length)).toEqual([2]);
  });
});

const CARGO = '[package]\nname = "the-work"\nversion = "1.0.0"\n\n[dependencies]\nserde = "1"\n';
const RUST_BOX =
  "#[derive(Debug, Clone)]\npub struct Dot {\n    size: usize,\n}\n\nimpl Dot {\n    pub fn area(&self) -> usize {\n        self.size\n    }\n}\n";
const RUST_LAST = "\npub const LAST: usize = 1;\n";
const CRATE = {
  "Cargo.toml": CARGO,
  "src/lib.rs": `pub mod dot;\n${RUST_LAST}`,
  "src/dot.rs": RUST_BOX + RUST_LAST,
};
const method = (body: string): string =>
  `\nimpl Dot {\n    pub fn twice(&self) -> usize {\n        ${body}\n    }\n}\n`;
const dot = (body: string, more: Tree = {}, front = ""): Case =>
  done({ ...CRATE, ...more }, { "src/dot.rs": front + RUST_BOX + method(body) + RUST_LAST });

describe("Rust: a member that a type of the crate does not have keeps the group from being safe (S3)", () => {
  it.each([
    ["a method of self", dot("self.double()")],
    ["a field of self", dot("self.width")],
    ["an associated function", dot("Self::double(2)")],
    ["of a type by its name", dot("Dot::double(2)")],
    ["inside of a macro that takes what functions take", dot('println!("{}", self.double()); 1')],
  ] as const)("%s", async (_, given) => {
    expect(await verdicts(given)).not.toContain("safe");
    expect((await judge(given)).flatMap(rulesOf)).toContain("unseen-name");
  });

  it.each([
    ["what it has, also by a standard trait", dot("self.area() + self.clone().size + Self::area(self)")],
    [
      "a trait of the crate gives it",
      dot(
        "self.double()",
        {},
        "pub trait Twice {\n    fn double(&self) -> usize {\n        2\n    }\n}\n\nimpl Twice for Dot {}\n\n",
      ),
    ],
    [
      "a trait that is for all gives it",
      dot(
        "self.double()",
        {},
        "pub trait Twice {\n    fn double(&self) -> usize {\n        2\n    }\n}\n\nimpl<T: Clone> Twice for T {}\n\n",
      ),
    ],
    [
      "a trait from elsewhere may give it",
      dot("self.double()", {}, "use serde::Twice;\n\nimpl Twice for Dot {}\n\n"),
    ],
    [
      "a derive may give it",
      done(CRATE, {
        "src/dot.rs": RUST_BOX.replace("Clone", "Clone, Builder") + method("self.double()") + RUST_LAST,
      }),
    ],
  ] as const)("and not where %s", async (_, given) => {
    expect((await reasons(given)).filter((one) => one.startsWith("unseen-name"))).toEqual([]);
  });
});

it("Rust: a method that nothing here has, called of a value inside of a macro, keeps from safe (S3)", async () => {
  const given = (name: string): Case =>
    dot(
      `let other = self.clone();\n        assert!(other.${name}() > 1);\n        1`,
      {},
      "use crate::LAST as END;\n\n",
    );
  expect((await judge(given("double"))).flatMap(rulesOf)).toContain("unseen-call");
  expect(await verdicts(given("double"))).not.toContain("safe");
  expect(await verdicts(given("area"))).toEqual(["safe"]);
});

describe("Rust: the own crate by its name, and crates that no Cargo.toml names (S3)", () => {
  const example = (text: string, more: Tree = {}): Case =>
    done({ ...CRATE, ...more }, { "examples/show.rs": `${text}\n\nfn main() {}\n` });

  it.each([
    ["a module that the library does not have", "use the_work::disc::*;"],
    ["an item that a module of it does not have", "use the_work::dot::Disc;"],
  ])("an example takes %s: risky", async (_, text) => {
    expect(await verdicts(example(text))).toEqual(["risky"]);
  });

  it("an example takes what the library has, and a macro that any of its modules exports", async () => {
    const macro = {
      "src/dot.rs": `#[macro_export]\nmacro_rules! dots {\n    () => {};\n}\n${RUST_BOX}${RUST_LAST}`,
    };
    const found = await reasons(example("use the_work::dots;\nuse the_work::dot::Dot;", macro));
    expect(found.filter((one) => one.startsWith("missing"))).toEqual([]);
  });

  it("an item that a crate of the workspace does not have is a doubt: a published version may have it", async () => {
    const inner = {
      "inner/Cargo.toml": '[package]\nname = "inner"\nversion = "1.0.0"\n',
      "inner/src/lib.rs": "pub struct One;\n",
    };
    const cargo = { "Cargo.toml": `${CARGO}inner = "1"\n` };
    const given = (name: string): Case =>
      done(
        { ...CRATE, ...inner, ...cargo },
        { "src/dot.rs": `use inner::${name};\n\n${RUST_BOX}${RUST_LAST}` },
      );
    expect(await verdicts(given("Two"))).toEqual(["unknown"]);
    expect(await verdicts(given("One"))).toEqual(["safe"]);
  });

  it("a crate that the Cargo.toml does not name keeps from safe, one that it names does not", async () => {
    const given = (crate: string): Case =>
      done(CRATE, { "src/dot.rs": `use ${crate}::Thing;\n\n${RUST_BOX}${RUST_LAST}` });
    expect((await judge(given("regex"))).flatMap(rulesOf)).toContain("undeclared-package");
    expect(await verdicts(given("regex"))).not.toContain("safe");
    expect(await verdicts(given("serde"))).toEqual(["safe"]);
  });
});
