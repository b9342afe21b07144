/** Rust: modules as files, what `use` and paths name of the own crate, what a file itself names. Half-done, and finished beside it. */
import { describe, expect, it } from "vitest";
import { type Case, DONE, judge, rulesOf, type Tree } from "../../../../test/support/triage-facts.ts";

type Now = Case["now"];
const done = (head: Tree, now: Now): Case => ({ head, now, facts: DONE });
const verdicts = async (given: Case): Promise<string[]> => (await judge(given)).map(({ verdict }) => verdict);
const rules = async (given: Case): Promise<string[]> => (await judge(given)).flatMap(rulesOf);

const func = (name: string, body = "1", takes = ""): string =>
  `pub fn ${name}(${takes}) -> usize {\n    ${body}\n}\n`;
const LAST = "\npub const LAST: usize = 1;\n";
const CRATE = {
  "Cargo.toml": '[package]\nname = "work"\nversion = "1.0.0"\n',
  "src/lib.rs": `pub mod store;\npub mod user;\n${LAST}`,
  "src/store.rs": `pub struct Store {\n    pub size: usize,\n}\n\n${func("open")}${LAST}`,
  "src/user.rs": `${func("first")}${LAST}`,
};
/** One module of the crate came to say this, in front of what it had. */
const user = (text: string, more: Tree = {}): Case =>
  done({ ...CRATE, ...more }, { "src/user.rs": `${text}\n${CRATE["src/user.rs"]}` });
/** What others take is changed; who takes it is as it was. */
const without = (from: string, to: string, caller: string): Case =>
  done(
    { ...CRATE, "src/user.rs": caller + LAST },
    { "src/store.rs": CRATE["src/store.rs"].replace(from, to) },
  );

describe("Rust: what is not there is wanted, so the group is risky, never safe (S3)", () => {
  it.each([
    ["a module without its file", done(CRATE, { "src/lib.rs": `pub mod cache;\n${CRATE["src/lib.rs"]}` })],
    [
      "a module of a module without its file",
      user("pub mod inner;\n", { "src/inner.rs": func("elsewhere") }),
    ],
    ["an item that its module does not have", user("use crate::store::Shelf;\n")],
    ["one of a list", user("use crate::store::{open, Shelf};\n")],
    ["an item by its path", user(func("second", "crate::store::shut()"))],
    [
      "an item that its module does not have, whose tests lie elsewhere",
      user("use crate::store::Shelf;\n", {
        "src/store.rs": `${func("open")}\n#[cfg(test)]\n#[path = "store_tests.rs"]\nmod tests;\n`,
      }),
    ],
    ["an item of the module above", user("use super::store::Shelf;\n")],
    ["an item of the crate itself", user("use crate::Missing;\n")],
    [
      "an item that a test inside of the file takes of it",
      user(
        "#[cfg(test)]\nmod tests {\n    use super::second;\n\n    #[test]\n    fn runs() {\n        second();\n    }\n}\n",
      ),
    ],
    [
      "an item that a test inside of the file takes of a module beside it",
      user("#[cfg(test)]\nmod tests {\n    use super::super::store::Shelf;\n}\n"),
    ],
    [
      "what a module would hand on and does not take",
      user("use crate::store::Hidden;\n", { "src/store.rs": `pub use self::deep::Shown;\n${func("open")}` }),
    ],
    [
      "a function that went, and an unchanged module names it by the module it took",
      without("fn open", "fn enter", `use crate::store;\n\n${func("first", "store::open()")}`),
    ],
    ...['println!("{}", shapes::area(2));', "shapes::area(2);"].map((body): [string, Case] => [
      `a function that went, and the file that declares its module names it: ${body}`,
      done(
        {
          "Cargo.toml": CRATE["Cargo.toml"],
          "src/main.rs": `mod shapes;\n\nfn main() {\n    ${body}\n}\n`,
          "src/shapes.rs": `${func("area", "side", "side: usize")}${LAST}`,
        },
        { "src/shapes.rs": `${func("square", "side", "side: usize")}${LAST}` },
      ),
    ]),
    [
      "a function that went, and the file that declares its module takes it by a plain path",
      done(
        {
          "Cargo.toml": CRATE["Cargo.toml"],
          "src/main.rs": "mod shapes;\nuse shapes::area;\n\nfn main() {\n    area(2);\n}\n",
          "src/shapes.rs": `${func("area", "side", "side: usize")}${LAST}`,
        },
        { "src/shapes.rs": `${func("square", "side", "side: usize")}${LAST}` },
      ),
    ],
    [
      "a function that went, and an unchanged module uses it",
      without("fn open", "fn enter", `use crate::store::open;\n\n${func("first", "open()")}`),
    ],
    [
      "a function that went, and an unchanged module names it by its path",
      without("fn open", "fn enter", func("first", "crate::store::open()")),
    ],
  ] as const)("%s", async (_, given) => {
    const found = await rules(given);
    expect(await verdicts(given)).toEqual(["risky"]);
    expect(found.some((rule) => /^missing-(?:file|export)$/.test(rule))).toBe(true);
  });
});

describe("Rust: a call gives other than is taken, so the group is risky, never safe (S3)", () => {
  const taking = (takes: string): string => `${func("open", "1", takes)}${LAST}`;
  it.each([
    ["of the own module", done(CRATE, { "src/store.rs": taking("a: usize") + func("second", "open()") })],
    ["by what was taken", user(`use crate::store::open;\n\n${func("second", "open(1)")}`)],
    ["by a path", user(func("second", "crate::store::open(1)"))],
    [
      "in an unchanged module, since it takes more",
      done(
        { ...CRATE, "src/user.rs": `use crate::store;\n\n${func("first", "store::open()")}${LAST}` },
        { "src/store.rs": taking("a: usize") },
      ),
    ],
    [
      "in an unchanged module, through one that hands it on",
      done(
        {
          ...CRATE,
          "src/lib.rs": `pub mod work;\npub mod user;\n${LAST}`,
          "src/work/mod.rs": `mod job;\n\npub use self::job::{open, other as more};\n${LAST}`,
          "src/work/job.rs": `${func("open")}${func("other")}${LAST}`,
          "src/user.rs": `use crate::work;\n\n${func("first", "work::open()")}${LAST}`,
        },
        { "src/work/job.rs": `${taking("a: usize").replace(LAST, "")}${func("other")}${LAST}` },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    expect(await verdicts(given)).toEqual(["risky"]);
    expect(await rules(given)).toContain("wrong-arguments");
  });

  it("through a module that hands on another by each of two builds says nothing, nor what fits", async () => {
    const handing = (uses: string, call: string): Case =>
      done(
        {
          ...CRATE,
          "src/lib.rs": `pub mod work;\npub mod user;\n${LAST}`,
          "src/work/mod.rs": `mod job;\nmod task;\n\n${uses}\n${LAST}`,
          "src/work/job.rs": `${func("open")}${LAST}`,
          "src/work/task.rs": `${func("open", "1", "a: usize, b: usize")}${LAST}`,
          "src/user.rs": `use crate::work;\n\n${func("first", call)}${LAST}`,
        },
        { "src/work/job.rs": `${func("open", "1", "a: usize")}${LAST}` },
      );
    const both = "#[cfg(unix)]\npub use self::job::open;\n#[cfg(windows)]\npub use self::task::open;";
    expect(await rules(handing(both, "work::open()"))).not.toContain("wrong-arguments");
    expect(await rules(handing("pub use self::job::open;", "work::open(1)"))).not.toContain(
      "wrong-arguments",
    );
  });

  it.each([
    [
      "what two builds define differently",
      `#[cfg(unix)]\n${func("pick", "1", "a: usize")}#[cfg(windows)]\n${func("pick")}${func("second", "pick() + pick(1)")}`,
    ],
    ["a closure of the same name", func("second", "let first = |a: usize| a;\n    first(1)")],
  ])("but not of %s", async (_, text) => {
    expect(await rules(user(text))).not.toContain("wrong-arguments");
  });
});

const TRAIT = (second: string): string =>
  `pub trait Draw {\n    fn draw(&self) -> usize;\n${second}}\n\npub struct Dot;\n\nimpl Draw for Dot {\n    fn draw(&self) -> usize {\n        1\n    }\n}\n${LAST}`;

describe("Rust: what speaks against it without proving it keeps the group from being safe (S3)", () => {
  it.each([
    [
      "an item that a module of the own crate does not have, as it was named before the edition of 2018",
      "unseen-name",
      user(`use store;\n\n${func("second", "store::shut()")}`),
    ],
    ["a name that nothing in the file brings", "loose-names", user(func("second", "missing(1)"))],
    ["a type that nothing in the file brings", "loose-names", user(func("second", "1", "of: Store"))],
    [
      "a name inside of a macro that takes what functions take",
      "loose-names",
      user(func("second", 'println!("{}", missing); 1')),
    ],
    [
      "a name that only stands for something below it, or in its own value",
      "loose-names",
      user(func("second", "let sizes = sizes.clone();\n    sizes.len()")),
    ],
    [
      "a name that is no variant, where all of a type is taken",
      "loose-names",
      user(`pub enum Way {\n    Up,\n}\n\n${func("second", "use self::Way::*;\n    missing(Up)")}`),
    ],
    [
      "a name that only another function below it binds",
      "loose-names",
      user(func("second", "sizes.len()") + func("third", "sizes.len()", "sizes: &str")),
    ],
    [
      "a trait asks for a method that what implements it beside it does not have",
      "loose-names",
      done(
        { ...CRATE, "src/user.rs": TRAIT("") },
        { "src/user.rs": TRAIT("    fn size(&self) -> usize;\n") },
      ),
    ],
    [
      "a field went that an unchanged module reads",
      "unseen-name",
      without("size: usize", "length: usize", func("first", "of.size", "of: &crate::store::Store")),
    ],
  ])("%s", async (_, rule, given) => {
    expect(await verdicts(given)).not.toContain("safe");
    expect(await rules(given)).toContain(rule);
  });
});

describe("Rust: what was taken whole", () => {
  it("keeps from safe what went of it and is still used by its plain name (S3)", async () => {
    const caller = `use crate::store::*;\n\n${func("first", "open()")}`;
    expect(await verdicts(without("fn open", "fn enter", caller))).not.toContain("safe");
    expect(await verdicts(without("size: usize,", "size: usize,\n    pub age: usize,", caller))).toEqual([
      "safe",
    ]);
  });
});

describe("Rust: finished work is safe", () => {
  it.each([
    [
      "that names a module of the own crate as before the edition of 2018",
      user(`use store;\n\n${func("second", "store::open()")}`),
    ],
    ["an item that its module has", user("use crate::store::{open, Store};\n")],
    ["an item by its path", user(func("second", "crate::store::open()"))],
    ["by another name", user(`use crate::store::open as enter;\n\n${func("second", "enter()")}`)],
    [
      "an item of the module above, and of a module beside it",
      user("use super::{store::Store, LAST as END};\n"),
    ],
    [
      "a test inside of the file takes what the file has",
      user(
        "#[cfg(test)]\nmod tests {\n    use super::first;\n\n    #[test]\n    fn runs() {\n        first();\n    }\n}\n",
      ),
    ],
    [
      "a test inside of the file takes all of it",
      user(
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn runs() {\n        first();\n    }\n}\n",
      ),
    ],
    [
      "what a module hands on",
      user("use crate::store::Shown;\n", {
        "src/store.rs": `mod deep;\npub use self::deep::Shown;\n${func("open")}`,
        "src/store/deep.rs": "pub struct Shown;\n",
      }),
    ],
    [
      "anything of a module that hands all of another on",
      user("use crate::store::Shown;\n", {
        "src/store.rs": `mod deep;\npub use self::deep::*;\n${func("open")}`,
        "src/store/deep.rs": "pub struct Shown;\n",
      }),
    ],
    [
      "any name where all of another crate is taken",
      user(`use other::prelude::*;\n\n${func("second", "anything(1)")}`, {
        "Cargo.toml": `${CRATE["Cargo.toml"]}\n[dependencies]\nother = "1"\n`,
      }),
    ],
    [
      "anything of a module in which a macro makes items",
      user("use crate::store::Made;\n", {
        "src/store.rs": `std::make_types! { Made, Other }\n${func("open")}`,
      }),
    ],
    [
      "variants, where all of a type is taken",
      user(
        `pub enum Way {\n    Up,\n}\n\n${func("second", "use self::Way::*;\n    match way { Up => 1 }", "way: Way")}`,
      ),
    ],
    [
      "names that a macro here makes",
      user(`std::make_types! { Made }\n\n${func("second", "1", "of: Made")}`),
    ],
    [
      "what is written inside of a macro nobody knows",
      user(func("second", "std::select! { x = missing() => x, }")),
    ],
    [
      "other crates, the prelude, generics, patterns and closures",
      user(
        `use std::collections::HashMap;\n\n${func("second", "let Some((a, b)) = of.iter().next() else { return 0 };\n    match a {\n        Some(n) => n + b,\n        None => (|y: usize| y + 1)(2),\n    }", "of: &HashMap<Option<usize>, usize>")}`,
      ),
    ],
    [
      "names that are bound again, in a block, a condition and a loop",
      user(
        func(
          "second",
          "let of = of.clone();\n    for one in one_of(&of) {\n        if let Some(of) = of.first() {\n            return *of + one;\n        }\n    }\n    let all = { let all = of; all };\n    all.len()",
          "of: Vec<usize>",
        ) + func("one_of", "1", "_: &[usize]"),
      ),
    ],
    [
      "a module that lies elsewhere, or only in some builds",
      done(CRATE, {
        "src/lib.rs": `#[path = "other/cache.rs"]\npub mod cache;\n#[cfg(windows)]\nmod windows;\n${CRATE["src/lib.rs"]}`,
      }),
    ],
    [
      "a function that went with its last use",
      done(
        { ...CRATE, "src/user.rs": `use crate::store::open;\n\n${func("first", "open()")}${LAST}` },
        {
          "src/store.rs": CRATE["src/store.rs"].replace("fn open", "fn enter"),
          "src/user.rs": `use crate::store::enter;\n\n${func("first", "enter()")}${LAST}`,
        },
      ),
    ],
    [
      "a trait that asks for more, with what meets it",
      done(
        { ...CRATE, "src/user.rs": TRAIT("") },
        { "src/user.rs": TRAIT("    fn size(&self) -> usize {\n        2\n    }\n") },
      ),
    ],
  ] as const)("%s", async (_, given) => {
    const groups = await judge(given);
    expect(groups.flatMap(({ verdict, reasons }) => (verdict === "safe" ? [] : reasons))).toEqual([]);
  });
});

describe("Rust: a macro that nothing here has, and that no `use` brings, keeps from safe (S3)", () => {
  const body = (text: string): string => func("second", `${text};\n    1`);

  it.each([
    ["where it is called", user(body('say_locked!("a")'))],
    [
      "where another macro of the change calls it",
      user(
        `macro_rules! say {\n    ($t:tt) => { say_locked!($t) };\n}\n\n${body('say!("a");\n    say_locked!("b")')}`,
      ),
    ],
    [
      "where a comment names it as what is called",
      user(`// by say_locked!, of course\n${body('say_locked!("a")')}`),
    ],
  ])("%s", async (_, given) => {
    expect(await rules(given)).toContain("unseen-call");
    expect(await verdicts(given)).not.toContain("safe");
  });

  const OWN = "macro_rules! say_locked {\n    ($t:tt) => { println!($t) };\n}\n";
  it.each([
    ["the language has it", user(body('println!("a");\n    assert!(1 > 0)'))],
    ["the file defines it", user(`${OWN}\n${body('say_locked!("a")')}`)],
    [
      "another file defines it",
      user(body('say_locked!("a")'), { "src/store.rs": OWN + CRATE["src/store.rs"] }),
    ],
    ["a `use` brings it", user(`use std::say_locked;\n\n${body('say_locked!("a")')}`)],
    ["it is named by its path", user(body('std::say_locked!("a")'))],
    [
      "a crate gives all of its macros",
      user(body('say_locked!("a")'), {
        "src/lib.rs": `#[macro_use]\nextern crate other;\n${CRATE["src/lib.rs"]}`,
      }),
    ],
  ])("not where %s", async (_, given) => {
    expect(await rules(given)).not.toContain("unseen-call");
  });
});
