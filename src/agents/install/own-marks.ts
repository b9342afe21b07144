/** By what a file or a few lines are known to be ours. Pure. */

const BEGIN = "# >>> refloat >>> (`refloat uninstall` takes this out again)";
const END = "# <<< refloat <<<";
const BLOCK = /(?:\r?\n)?# >>> refloat >>>[^\n]*\n(?:[^\n]*\n)*?# <<< refloat <<<[^\n]*(?:\r?\n|$)/;

/** A file of ours alone names its recorder, or says that it is ours. */
export const hasOwnMark = (text: string): boolean => /refloat-hook|^(?:\/\/|#) refloat:/m.test(text);

/** Ours stands at the end, one empty line below the rest; where it stands already it is put in the same place. */
export function putBlock(text: string, lines: readonly string[]): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const block = [BEGIN, ...lines, END, ""].join(newline);
  const there = BLOCK.exec(text);
  if (there !== null) {
    const lead = /^\r?\n/.exec(there[0])?.[0] ?? "";
    return text.slice(0, there.index) + lead + block + text.slice(there.index + there[0].length);
  }
  const gap = text === "" ? "" : text.endsWith("\n") ? newline : newline + newline;
  return `${text}${gap}${block}`;
}

export const takeBlock = (text: string): string => text.replace(BLOCK, "");
