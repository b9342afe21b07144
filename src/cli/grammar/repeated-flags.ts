/**
 * `--group G...` and `op begin LABEL --path GLOB...` (DESIGN 10): a flag that may be repeated also takes several words after
 * it, as a shell's own expansion of a glob gives them. Only words that can be nothing else are taken: ids of groups, and
 * behind a label that was typed already, whatever is no flag. Pure.
 */
const GROUP_ID = /^g[0-9a-f]{3,}$/;

export function withRepeatedFlags(argv: readonly string[]): readonly string[] {
  const dashes = argv.indexOf("--");
  const end = dashes === -1 ? argv.length : dashes;
  const out: string[] = [];
  /** The flag whose values go on. */
  let open: "--group" | "--path" | null = null;
  for (const [at, word] of argv.entries()) {
    const before = argv[at - 1];
    const isValue = at > 0 && at < end && (before === "--group" || before === "--path");
    if (isValue) open = before === "--group" ? "--group" : hasLabel(argv.slice(0, at - 1)) ? "--path" : null;
    else if (at >= end || word.startsWith("-")) open = null;
    else if (open === "--path" || (open === "--group" && GROUP_ID.test(word))) out.push(open);
    else open = null;
    out.push(word);
  }
  return out;
}

/** `op begin LABEL`, with flags of ours before or between. */
function hasLabel(typed: readonly string[]): boolean {
  const begin = typed.findIndex((word, at) => word === "begin" && typed[at - 1] === "op");
  const next = begin === -1 ? undefined : typed[begin + 1];
  return next !== undefined && !next.startsWith("-");
}
