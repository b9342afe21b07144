/** Texts that are deep, long or odd in every way a format can nest: what parsers overflow, choke or take forever on. */
type Text = (n: number) => string;

const nested =
  (open: string, close: string, [first = "", last = ""]: readonly string[] = []): Text =>
  (n) =>
    `${first}${open.repeat(n)}1${close.repeat(n)}${last}`;
const chain =
  (link: string, [first = "", last = ""]: readonly string[] = []): Text =>
  (n) =>
    `${first}${link.repeat(n)}${last}`;
const numbered =
  (link: (at: number) => string, [first = "", last = ""]: readonly string[] = []): Text =>
  (n) =>
    `${first}${Array.from({ length: n }, (_, at) => link(at)).join("")}${last}`;
/** Deeper would be larger than what is parsed. */
const MAX_INDENT = 1400;
const indented =
  (line: string): Text =>
  (n) =>
    Array.from({ length: Math.min(n, MAX_INDENT) }, (_, at) => `${" ".repeat(at)}${line}\n`).join("");

const SCRIPT: Readonly<Record<string, Text>> = {
  arrays: nested("[", "]", ["let a="]),
  unclosed: chain("["),
  parentheses: nested("(", ")", ["let a="]),
  objects: nested("{a:", "}", ["let a="]),
  blocks: nested("{", "}"),
  functions: nested("function f(){", "}"),
  classes: nested("class{a=", "}", ["let a="]),
  templates: nested("`${", "}`", ["let a="]),
  calls: nested("a(", ")"),
  "a chain of calls": chain("()", ["a"]),
  members: chain(".a", ["let a=b"]),
  nots: chain("!", ["let a=", "1"]),
  minuses: chain("- ", ["let a=", "1"]),
  "conditions in conditions": chain("a?b:", ["let a=", "1"]),
  arrows: chain("a=>", ["let a=", "1"]),
  sums: chain("+1", ["let a=1"]),
  assignments: chain("a=", ["", "1"]),
  commas: chain(",a", ["a"]),
  ifs: chain("if(a)", ["", ";"]),
  elses: chain("if(a);else ", ["", ";"]),
  labels: numbered((at) => `l${at}:`, ["", ";"]),
  awaits: chain("await ", ["async function f(){", "1}"]),
  news: chain("new ", ["let a=", "A"]),
  yields: chain("yield ", ["function*f(){", "1}"]),
  elements: nested("<a>", "</a>", ["let a="]),
  patterns: (n) => `let ${"[".repeat(n)}a${"]".repeat(n)}=b`,
  "a name with types in types": (n) => `let a:${"A<".repeat(n)}A${">".repeat(n)}`,
  "types on condition": chain("B extends C?D:", ["type A=", "E"]),
  unions: chain("|B", ["type A=B"]),
  namespaces: nested("namespace A{", "}"),
  comments: chain("/*"),
  quotes: chain("'"),
  backticks: chain("`"),
  exports: numbered((at) => `export const a${at}=1;\n`),
  "exports in exports": chain("exports.a=", ["", "1"]),
  "types in comments": chain("@typedef {", ["/** ", "*/"]),
};
const JSON_TEXTS: Readonly<Record<string, Text>> = {
  arrays: nested("[", "]"),
  unclosed: chain("["),
  objects: nested('{"a":', "}"),
  "unclosed objects": chain('{"a":'),
  "objects in arrays": nested('[{"a":', "}]"),
  keys: numbered((at) => `${at === 0 ? "" : ","}"k${at}":1`, ["{", "}"]),
  "the same key": chain('"a":1,', ["{", '"a":1}']),
  comments: chain("/*"),
  quotes: chain('"'),
  minuses: chain("-"),
};
const YAML: Readonly<Record<string, Text>> = {
  flow: nested("[", "]"),
  unclosed: chain("["),
  "maps in flow": nested("{a: ", "}"),
  lists: chain("- ", ["", "a"]),
  maps: indented("a:"),
  "keys that are maps": chain("? ", ["", "a"]),
  "laughs by the billion": (n) =>
    `a0: &a0 [x,x]\n${Array.from({ length: Math.min(n, 2000) }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}*a${at}]`).join("\n")}\n`,
  "merged keys": (n) =>
    `a0: &a0 {k: 1}\n${Array.from({ length: Math.min(n, 2000) }, (_, at) => `a${at + 1}: &a${at + 1}\n  <<: [*a${at}, *a${at}]`).join("\n")}\n`,
  anchors: chain("&a ", ["", "b"]),
  tags: chain("!!str ", ["", "b"]),
  documents: chain("---\n"),
  keys: numbered((at) => `k${at}: 1\n`),
  "the same key": chain("a: 1\n"),
  aliases: chain("*a "),
  quotes: chain('"'),
};
const TOML: Readonly<Record<string, Text>> = {
  arrays: nested("[", "]", ["a="]),
  unclosed: chain("[", ["a="]),
  tables: nested("{a=", "}", ["a="]),
  "dotted keys": chain(".a", ["a", "=1"]),
  "a dotted table": chain(".a", ["[a", "]"]),
  "lists of tables": chain("[[a]]\n"),
  keys: numbered((at) => `k${at}=1\n`),
  quotes: chain('"', ['a="""']),
  digits: chain("1", ["a="]),
};
const PYTHON: Readonly<Record<string, Text>> = {
  lists: nested("[", "]", ["a="]),
  unclosed: chain("("),
  nots: chain("not ", ["a=", "1"]),
  lambdas: chain("lambda:", ["a=", "1"]),
  ifs: indented("if a:"),
  classes: indented("class A:"),
  strings: nested('f"{', '}"', ["a="]),
  conditions: chain("a if b else ", ["a=", "1"]),
  sums: chain("+1", ["a=1"]),
  members: chain(".a", ["a=b"]),
  elifs: chain("elif a:\n pass\n", ["if a:\n pass\n"]),
  assignments: chain("a=", ["", "1"]),
  targets: (n) => `${"(".repeat(n)}a,${"),".repeat(n)}=b`,
  "targets of loops": (n) => `for ${"[".repeat(n)}a${"]".repeat(n)} in b: pass`,
  "lines that go on": chain("\\\n"),
  dots: chain(".", ["from ", " import a"]),
};
const PROSE: Readonly<Record<string, Text>> = {
  quotes: chain("> ", ["", "a"]),
  brackets: nested("[", "]"),
  links: nested("[a](", ")"),
  images: (n) => `${"![".repeat(n)}a${"](b)".repeat(n)}`,
  lists: indented("- a"),
  stars: chain("*", ["", "a"]),
  backticks: chain("`"),
  fences: chain("```\n"),
  elements: chain("<a>"),
  labels: numbered((at) => `[a${at}]: b\n`),
  "a table": chain("|a"),
  blanks: chain(" ", ["", "a"]),
  lines: numbered((at) => `line ${at % 7} of it\n`),
};
const BRACKETS: Readonly<Record<string, Text>> = {
  parentheses: nested("(", ")"),
  brackets: nested("[", "]"),
  braces: nested("{", "}"),
  "unclosed braces": chain("{"),
  angles: nested("A<", ">"),
  nots: chain("!", ["", "a"]),
  stars: chain("*", ["", "a"]),
  quotes: chain('"'),
  substitutions: nested("$(", ")"),
  "here documents": numbered((at) => `cat <<A${at} `),
  comments: chain("/*"),
  ends: chain(";}"),
};

/** File name, what is deep in it, and the text of that depth. */
export const DEEP_TEXTS: readonly (readonly [string, string, Text])[] = [
  ...of(SCRIPT, "k.ts", "k.jsx", "k.cjs"),
  ...of(JSON_TEXTS, "k.json", "package.json", "tsconfig.json", "package-lock.json", "k.jsonl"),
  ...of(YAML, "k.yaml", ".github/workflows/k.yml", "pnpm-lock.yaml"),
  ...of(TOML, "k.toml", "Cargo.toml", "pyproject.toml", "poetry.lock"),
  ...of(PYTHON, "k.py"),
  ...of(PROSE, "k.md", "CHANGELOG.md", "requirements.txt", "Dockerfile"),
  ...of(BRACKETS, "k.go", "k.rs", "K.java", "k.c", "k.cpp", "k.rb", "k.php", "k.sh", "k.css", "k.html"),
];

function of(texts: Readonly<Record<string, Text>>, ...names: string[]): [string, string, Text][] {
  return names.flatMap((name) =>
    Object.entries(texts).map(([kind, text]): [string, string, Text] => [name, kind, text]),
  );
}
