/**
 * A tree that an agent worked in, kept as the oracle, and what each kind of tool truly does to it. The transcript is written beside it by
 * a scribe in the agent's own form (scribes.ts); what is rebuilt from that is held against the tree.
 */
export const ROOT = "/srv/agents/repo-gone";

/** The same numbers for the same seed, so that a state that fails can be made again. */
export class Chance {
  #state: number;
  constructor(seed: number) {
    this.#state = seed * 2654435761 + 1;
  }
  next(): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 13), 0x297a2d39);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
  is(share: number): boolean {
    return this.next() < share;
  }
}

const WORDS = [
  "alpha",
  "beta",
  "gamma",
  "const x = 1;",
  "return;",
  "}",
  "  indent",
  "\ttab",
  "“curly”",
  "a $& b",
  "ü",
  "",
];

export function textOf(chance: Chance): string {
  const lines = Array.from(
    { length: chance.below(12) },
    () => `${chance.of(WORDS)} ${chance.below(9)}${chance.is(0.1) ? "  " : ""}`,
  );
  const ends = chance.is(0.06) ? "\r\n" : "\n";
  const text = lines.join(ends) + (chance.is(0.85) && lines.length > 0 ? ends : "");
  return chance.is(0.03) ? `\ufeff${text}` : text;
}

export type Tree = Map<string, string>;

const plain = (text: string): string => text.replaceAll("\r\n", "\n");
const straight = (text: string): string => text.replaceAll(/[“”]/g, '"');

export interface Replacing {
  readonly old: string;
  readonly put: string;
  readonly isEverywhere: boolean;
}

/** What the tool that replaces text truly leaves, by agent; null: it refuses. */
export function replacedBy(agent: string, was: string, { old, put, ...how }: Replacing): string | null {
  const isEverywhere = how.isEverywhere && agent !== "pi";
  const mark = was.startsWith("\ufeff") ? "\ufeff" : "";
  const isCrlf = was.includes("\r\n") && was.indexOf("\r\n") <= was.indexOf("\n");
  const text = plain(was.slice(mark.length));
  const found = foundBy(agent, text, old);
  if (found === null || (!isEverywhere && text.split(found).length !== 2)) return null;
  const takesEnd = agent === "claude" && put === "" && !found.endsWith("\n") && text.includes(`${found}\n`);
  const from = takesEnd ? `${found}\n` : found;
  const to = agent === "claude" && found !== old ? put.replaceAll('"', "”") : put;
  const literal = (): string => to;
  const made = isEverywhere
    ? agent === "opencode"
      ? text.replaceAll(from, to)
      : text.replaceAll(from, literal)
    : text.replace(from, literal);
  if (made === text) return null;
  return mark + (isCrlf ? made.replaceAll("\n", "\r\n") : made);
}

/** Some look for what is like it, where it is not there as it was given. */
function foundBy(agent: string, text: string, old: string): string | null {
  if (text.includes(old)) return old;
  const at = agent === "codex" ? -1 : straight(text).indexOf(straight(old));
  return at === -1 ? null : text.slice(at, at + old.length);
}

export interface ScriptedCall {
  readonly what: "write" | "replace" | "read" | "shell" | "patch" | "delete" | "move";
  readonly path: string;
  readonly after?: string;
  readonly replace?: Replacing;
  readonly command?: string;
  /** What a command changes, unseen. */
  readonly changes?: readonly (readonly [path: string, after: string | null])[];
  /** Lines of a patch: where the model means it, what it keeps around, what it puts there. */
  readonly lines?: {
    readonly at: number;
    readonly keeps: number;
    readonly takes: number;
    readonly puts: readonly string[];
  };
  readonly to?: string;
}

/** A step of a random script: mostly edits, with reads and commands between. */
export function nextCall(agent: string, tree: Tree, chance: Chance, files: readonly string[]): ScriptedCall {
  const path = `${ROOT}/${chance.of(files)}`;
  const is = tree.get(path);
  const roll = chance.next();
  if (is === undefined || roll < 0.2) return { what: "write", path, after: textOf(chance) };
  if (roll < 0.65) return agent === "codex" ? patch(is, path, chance) : replace(is, path, chance);
  if (roll < 0.75) return { what: "read", path };
  if (roll < 0.79 && agent === "codex") return { what: "delete", path };
  if (roll < 0.83 && agent === "codex")
    return { what: "move", path, to: `${ROOT}/${chance.of(files)}.moved` };
  if (roll < 0.92)
    return {
      what: "shell",
      path,
      command: chance.of(["ls -la", "git status --short", "grep -rn x .", "cat src/none.ts | head"]),
    };
  return shell(path, is, chance, files);
}

function shell(path: string, is: string, chance: Chance, files: readonly string[]): ScriptedCall {
  const name = path.slice(ROOT.length + 1);
  const other = `${ROOT}/${chance.of(files)}`;
  switch (chance.below(6)) {
    case 0:
      return { what: "shell", path, command: `echo done >> ${name}`, changes: [[path, `${is}done\n`]] };
    case 1:
      return { what: "shell", path, command: `rm ${name}`, changes: [[path, null]] };
    case 2:
      return {
        what: "shell",
        path,
        command: `cat > ${name} <<'EOF'\nall new\nEOF`,
        changes: [[path, "all new\n"]],
      };
    case 3:
      return {
        what: "shell",
        path,
        command: `sed -i 's/a/b/' '${name}'`,
        changes: [[path, is.replaceAll(/^([^a\n]*)a/gm, "$1b")]],
      };
    case 4:
      return { what: "shell", path, command: "node scripts/build.mjs", changes: [[other, textOf(chance)]] };
    default:
      return { what: "shell", path, command: "npm test" };
  }
}

function replace(is: string, path: string, chance: Chance): ScriptedCall {
  const text = plain(is.replace(/^\ufeff/, ""));
  const from = chance.below(Math.max(text.length, 1));
  const taken = text.slice(from, from + 1 + chance.below(20));
  const old = chance.is(0.08) ? "not there at all" : chance.is(0.3) ? straight(taken) : taken;
  const put = chance.is(0.15) ? "" : `${chance.of(WORDS)}${chance.is(0.3) ? "\nmore" : ""}`;
  return {
    what: "replace",
    path,
    replace: { old: old === "" ? "nothing" : old, put, isEverywhere: chance.is(0.15) },
  };
}

function patch(is: string, path: string, chance: Chance): ScriptedCall {
  const count = Math.max(is.split("\n").length - 1, 1);
  const at = chance.below(count);
  const lines = {
    at,
    keeps: chance.below(2),
    takes: 1 + chance.below(2),
    puts: [`put ${chance.below(9)}`, "more"].slice(chance.below(2)),
  };
  return { what: "patch", path, lines };
}

export function applyShell(tree: Tree, { changes }: ScriptedCall): void {
  for (const [path, after] of changes ?? []) {
    if (after === null) tree.delete(path);
    else tree.set(path, after);
  }
}
