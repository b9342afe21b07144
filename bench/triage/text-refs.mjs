// Who names whom, by reading the text and not by asking the judge: the states must not be made by what they measure.
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}(?:\/[^"']*)?)["']/g;
const ENDINGS = [
  "",
  ".js",
  ".ts",
  ".mjs",
  ".cjs",
  ".json",
  ".tsx",
  ".jsx",
  "/index.js",
  "/index.ts",
  "/index.mjs",
  "/index.cjs",
];

/** A name in a comment names nothing. An address in a string is not a comment. */
export const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:'"`\\])\/\/.*$/gm, "$1");

/** A long text in quotes is a listing, a template or a page: what is named in it is not taken here. */
const LONG_TEXT = /"(?:[^"\\\n]|\\.){200,}"|'(?:[^'\\\n]|\\.){200,}'/g;

export function namedBy(path, text, tree) {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  const found = [];
  for (const [, specifier] of withoutComments(text.replace(LONG_TEXT, '""')).matchAll(SPECIFIER)) {
    // A folder means what its manifest says, which may be another file than the one that is missing.
    if (/(?:^|\/)\.{1,2}\/?$/.test(specifier)) continue;
    const base = normalise(`${folder}/${specifier}`);
    const places = [
      ...(TYPES.test(path) ? typesOf(base) : []),
      ...ENDINGS.map((ending) => `${base}${ending}`),
    ];
    const target = places.map((at) => at.replace(/^\//, "")).find((at) => tree.has(at));
    if (target !== undefined) found.push({ specifier, target });
  }
  return found;
}

const TYPES = /\.d\.[mc]?ts$/;
/** Types mean types, which may lie beside a script of the same name; sources come before what was made of them. */
function typesOf(base) {
  const stem = base.replace(/\.[mc]?js$/, "");
  return [".ts", ".tsx", ".d.ts", "/index.ts", "/index.d.ts"].map((ending) => `${stem}${ending}`);
}

function normalise(path) {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

/** Names a caller takes from a specifier: in a list, or read as members of what it was given whole. */
export function namesTaken(source, specifier) {
  const text = withoutComments(source);
  const module = `["']${specifier.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}["']`;
  const names = new Set();
  const lists = [
    `\\{([^{}]*)\\}\\s*=\\s*(?:require|await\\s+import)\\(\\s*${module}`,
    `import\\s*(?:[\\w$]+\\s*,\\s*)?\\{([^{}]*)\\}\\s*from\\s*${module}`,
  ];
  for (const list of lists) takeLists(text, list, names);
  for (const [, name] of text.matchAll(
    new RegExp(`require\\(\\s*${module}\\s*\\)\\.([A-Za-z_$][\\w$]*)`, "g"),
  ))
    names.add(name);
  for (const local of takenWhole(text, module)) {
    const word = local.replace(/\$/g, "\\$");
    takeLists(text, `\\{([^{}]*)\\}\\s*=\\s*${word}\\s*[;,\\n]`, names);
    // Read, and neither set nor asked whether it is there.
    const member = `(?<![\\w$./"'-]|typeof\\s|!)${word}\\.([A-Za-z_$][\\w$]*)(?![\\w$])(?!\\s*(?:=[^=]|&&|\\|\\||\\?))`;
    for (const [, name] of text.matchAll(new RegExp(member, "g"))) names.add(name);
  }
  return [...names].filter((name) => !GIVEN_ALWAYS.has(name));
}

/** What a module or a function has without anybody giving it. */
const GIVEN_ALWAYS = new Set([
  "default",
  "__esModule",
  "prototype",
  "name",
  "length",
  "call",
  "apply",
  "bind",
]);

function takenWhole(text, module) {
  const wrapped = "(?:[\\w$.]*(?:_interopRequireWildcard|__importStar)\\(\\s*)?";
  const ways = [
    `(?:const|let|var|,)\\s*([\\w$]+)\\s*=\\s*${wrapped}(?:require|await\\s+import)\\(\\s*${module}\\s*\\)+\\s*[;,\\n]`,
    `import\\s*\\*\\s*as\\s+([\\w$]+)\\s+from\\s*${module}`,
  ];
  const locals = ways.flatMap((way) => [...text.matchAll(new RegExp(way, "g"))].map(([, local]) => local));
  // A name that stands for something else, too: which of them a member is read of, this reading does not tell.
  return locals.filter((local) => bindingsOf(text, local) <= countOf(locals, local));
}

const bindingsOf = (text, local) =>
  [
    ...text.matchAll(
      new RegExp(`(?:\\b(?:const|let|var)\\s+|,\\s*)${local.replace(/\$/g, "\\$")}\\s*=[^=>]`, "g"),
    ),
  ].length;

const countOf = (list, one) => list.filter((other) => other === one).length;

function takeLists(text, pattern, names) {
  for (const [, list] of text.matchAll(new RegExp(pattern, "g")))
    for (const item of list.split(",")) {
      // With a default it may be missing on purpose.
      if (item.includes("=")) continue;
      const name = item.trim().split(/\s*:\s*|\s+as\s+/)[0];
      if (/^[A-Za-z_$][\w$]*$/.test(name)) names.add(name);
    }
}
