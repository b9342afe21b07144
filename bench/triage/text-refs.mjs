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
const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:'"`\\])\/\/.*$/gm, "$1");

export function namedBy(path, text, tree) {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  const found = [];
  for (const [, specifier] of withoutComments(text).matchAll(SPECIFIER)) {
    // A folder means what its manifest says, which may be another file than the one that is missing.
    if (/(?:^|\/)\.{1,2}\/?$/.test(specifier)) continue;
    const base = normalise(`${folder}/${specifier}`);
    const target = ENDINGS.map((ending) => `${base}${ending}`.replace(/^\//, "")).find((at) => tree.has(at));
    if (target !== undefined) found.push({ specifier, target });
  }
  return found;
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

/** Names a caller takes from a specifier: destructured, imported by name, or read as members of what it was given. */
export function namesTaken(source, specifier) {
  const text = withoutComments(source);
  const quoted = specifier.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const names = new Set();
  const lists = [
    new RegExp(`\\{([^{}]*)\\}\\s*=\\s*require\\(\\s*["']${quoted}["']`, "g"),
    new RegExp(`import\\s*\\{([^{}]*)\\}\\s*from\\s*["']${quoted}["']`, "g"),
  ];
  for (const pattern of lists)
    for (const [, list] of text.matchAll(pattern))
      for (const item of list.split(",")) {
        const name = item.trim().split(/\s*:\s*|\s+as\s+|\s*=\s*/)[0];
        if (/^[A-Za-z_$][\w$]*$/.test(name)) names.add(name);
      }
  const whole = new RegExp(
    `(?:const|let|var)\\s+([\\w$]+)\\s*=\\s*require\\(\\s*["']${quoted}["']\\s*\\)\\s*[;,\\n]`,
    "g",
  );
  for (const [, local] of text.matchAll(whole)) {
    const member = new RegExp(`\\b${local.replace(/\$/g, "\\$")}\\.([A-Za-z_$][\\w$]*)\\s*\\(`, "g");
    for (const [, name] of text.matchAll(member)) names.add(name);
  }
  return [...names];
}
