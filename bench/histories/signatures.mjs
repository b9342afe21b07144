// How many things a function of the top level takes, and how many its callers give, by text alone: in languages where another number does not
// compile or fails. Null: it cannot be told (a rest parameter, a spread, several of one name).
const TYPED = /\.(?:[mc]?ts|tsx|py|go|rs)$/;
const DEFINED =
  /^(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:function|def|func|fn)\s+([A-Za-z_]\w{3,})\s*(?:<[^>()]*>|\[[^\]()]*\])?\(/gm;

/** `{ least, most }` by name. */
export function takenIn(path, text) {
  const found = new Map();
  if (!TYPED.test(path)) return found;
  for (const { 0: all, 1: name, index } of text.matchAll(DEFINED))
    found.set(name, found.has(name) ? null : takes(path, insideOf(text, index + all.length)));
  for (const [name, known] of found) if (known === null) found.delete(name);
  return found;
}

function takes(path, inside) {
  const all = inside === null ? null : partsOf(inside);
  if (all === null || all.some((one) => /^[*.&]*\.\.\.|^\*|\.\.\.[\w[*]|^self\b|^\//.test(one))) return null;
  const names = /\.go$/.test(path) ? all.flatMap((one) => (/\.\.\./.test(one) ? [] : [one])) : all;
  const optional = names.filter((one) => /^\w+\s*\?|=(?!>)/.test(one)).length;
  return { least: names.length - optional, most: names.length };
}

/** How many each call of it gives; those that cannot be told are left out. */
export function givenTo(text, name) {
  const calls = text.matchAll(new RegExp(`(?<![\\w$.]|function |def |func |fn )${name}\\(`, "g"));
  return [...calls].flatMap(({ 0: all, index }) => {
    const inside = insideOf(text, index + all.length);
    const parts = inside === null ? null : partsOf(inside);
    return parts === null || parts.some((one) => /^(?:\.\.\.|\*)|\.\.\.$|^\w+\s*=(?!=)/.test(one))
      ? []
      : [parts.length];
  });
}

/** What stands between this bracket and its end. Null: it does not end, or a text in it could hold brackets. */
function insideOf(text, start) {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (/["'`#]|\/(?=[/*])/.test(char) || (char === "/" && /[/*]/.test(text[at + 1] ?? ""))) return null;
    if (/[([{]/.test(char)) depth++;
    if (/[)\]}]/.test(char) && --depth === 0) return text.slice(start, at);
  }
  return null;
}

/** Null: what is smaller than or a type of several cannot be told apart. */
function partsOf(inside) {
  if (/[<>]/.test(inside.replaceAll("=>", "").replaceAll("->", ""))) return null;
  const parts = [""];
  let depth = 0;
  for (const char of inside) {
    if (/[([{]/.test(char)) depth++;
    if (/[)\]}]/.test(char)) depth--;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((one) => one.trim()).filter((one) => one !== "");
}
