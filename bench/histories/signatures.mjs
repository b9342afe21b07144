// How many things a function or a method takes, and how many its callers give, by text alone: in languages where another number does not
// compile or fails. Null: it cannot be told (a rest parameter, a spread, several of one name).
const TYPED = /\.(?:[mc]?ts|tsx|py|go|rs)$/;
const DEFINED =
  /^[ \t]*(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:function|def|func(?:\s*\([^)]*\))?|fn)\s+([A-Za-z_]\w{3,})\s*(?:<[^>()]*>|\[[^\]()]*\])?\(/gm;
/** Given by what it is called on. */
const RECEIVER = /^(?:&?\s*(?:'\w+\s+)?(?:mut\s+)?self|cls)\b/;

/** `{ least, most }` by name. */
export function takenIn(path, text) {
  const found = new Map();
  if (!TYPED.test(path)) return found;
  for (const { 0: all, 1: name, index } of text.matchAll(DEFINED))
    found.set(name, found.has(name) ? null : takes(insideOf(text, index + all.length)));
  for (const [name, known] of found) if (known === null) found.delete(name);
  return found;
}

function takes(inside) {
  const parts = inside === null ? null : partsOf(inside);
  if (parts === null || parts.some((one) => /^[*.&]*\.\.\.|^\*|\.\.\.[\w[*]|^\//.test(one))) return null;
  const all = parts.filter((one, at) => at > 0 || !RECEIVER.test(one));
  const optional = all.filter((one) => /^\w+\s*\?|=(?!>)/.test(one)).length;
  return { least: all.length - optional, most: all.length };
}

/** How many each call of it gives; those that cannot be told are left out. */
export function givenTo(text, name) {
  const calls = text.matchAll(new RegExp(`(?<![\\w$]|function |def |func |fn |\\) )${name}\\(`, "g"));
  return [...calls].flatMap(({ 0: all, index }) => {
    const inside = insideOf(text, index + all.length);
    const parts = inside === null ? null : partsOf(inside);
    return parts === null || parts.some((one) => /^(?:\.\.\.|\*)|\.\.\.$|^\w+\s*=(?!=)/.test(one))
      ? []
      : [parts.length];
  });
}

/** What stands between this bracket and its end, texts in it left empty. Null: it does not end, or has a comment in it. */
function insideOf(text, start) {
  let depth = 1;
  let inside = "";
  for (let at = start; at < text.length; at++) {
    const said = SAID.exec(text.slice(at, at + MAX_SAID))?.[0];
    if (said !== undefined) {
      inside += '""';
      at += said.length - 1;
      continue;
    }
    const char = text[at];
    if (/["'`#]/.test(char) || (char === "/" && /[/*]/.test(text[at + 1] ?? ""))) return null;
    if (/[([{]/.test(char)) depth++;
    if (/[)\]}]/.test(char) && --depth === 0) return inside;
    inside += char;
  }
  return null;
}
const SAID = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`)/;
/** A longer text is data. */
const MAX_SAID = 1000;

/** Null: what is smaller than something, or a type of several that does not end. */
function partsOf(inside) {
  const parts = [""];
  let depth = 0;
  for (const [at, char] of [...inside].entries()) {
    const isType =
      char === "<" ? /\w/.test(inside[at - 1] ?? "") : char === ">" && !/[=-]/.test(inside[at - 1] ?? "");
    if (/[<>]/.test(char) && !isType && !/[=-]/.test(inside[at - 1] ?? "")) return null;
    if (/[([{]/.test(char) || (char === "<" && isType)) depth++;
    if (/[)\]}]/.test(char) || (char === ">" && isType)) depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return depth === 0 ? parts.map((one) => one.trim()).filter((one) => one !== "") : null;
}
