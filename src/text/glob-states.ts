/**
 * A glob as states, all of them followed at once: the time is the length of the path times that of the glob, whatever either holds. A
 * pattern with several stars is tried in every way by a regular expression, and one line of somebody's config then stops
 * every command (T5). The same language as glob.ts says.
 */
type CharacterTest = (character: string) => boolean;

interface States {
  /** What leads on by itself, and what a character leads to. */
  readonly free: number[][];
  readonly edges: { readonly takes: CharacterTest; readonly to: number }[][];
}

const isAny: CharacterTest = () => true;
const isInName: CharacterTest = (character) => character !== "/";
const is =
  (wanted: string): CharacterTest =>
  (character) =>
    character === wanted;

/** `body`: without what anchors it; `isAnywhere`: it may lie in any folder. Whatever lies in what it names is meant, too. */
export function globStates(
  body: string,
  { isAnywhere }: { readonly isAnywhere: boolean },
): (path: string) => boolean {
  const states: States = { free: [[]], edges: [[]] };
  const add = (): number => states.free.push([]) && states.edges.push([]) - 1;
  const leads = (from: number, to: number): void => void states.free[from]?.push(to);
  const takes = (from: number, test: CharacterTest, to: number): void =>
    void states.edges[from]?.push({ takes: test, to });
  const start = add();
  leads(0, start);
  if (isAnywhere) {
    const above = add();
    leads(0, above);
    takes(above, isAny, above);
    takes(above, is("/"), start);
  }
  const end = build(body, start, { add, leads, takes });
  const inside = add();
  takes(end, is("/"), inside);
  takes(inside, isAny, inside);
  return (path) => {
    const last = walk(states, path);
    return last.has(end) || last.has(inside);
  };
}

interface GlobBuilder {
  add(): number;
  leads(from: number, to: number): void;
  takes(from: number, test: CharacterTest, to: number): void;
}

/** The state after all of it. */
function build(glob: string, start: number, { add, leads, takes }: GlobBuilder): number {
  const words: { readonly from: number; readonly to: number }[] = [];
  let at = start;
  const step = (test: CharacterTest): void => {
    const next = add();
    takes(at, test, next);
    at = next;
  };
  const loop = (test: CharacterTest): void => {
    const next = add();
    leads(at, next);
    takes(next, test, next);
    at = next;
  };
  const closeWord = (): void => {
    const { to } = words.pop() ?? { to: at };
    leads(at, to);
    at = to;
  };
  for (let i = 0; i < glob.length; i++) {
    const character = String.fromCodePoint(glob.codePointAt(i) ?? 0);
    const word = words.at(-1);
    const closing = character === "[" ? glob.indexOf("]", i + 2) : -1;
    if (glob.startsWith("**/", i)) {
      const [folder, name] = [add(), add()];
      leads(at, folder);
      takes(folder, isInName, name);
      takes(name, isInName, name);
      takes(name, is("/"), folder);
      at = folder;
      i += 2;
    } else if (glob.startsWith("**", i)) {
      loop(isAny);
      i += 1;
    } else if (character === "*") loop(isInName);
    else if (character === "?") step(isInName);
    else if (closing !== -1) {
      step(oneOf(glob.slice(i + 1, closing)));
      i = closing;
    } else if (character === "{" && glob.indexOf("}", i) > i) {
      words.push({ from: at, to: add() });
      const next = add();
      leads(at, next);
      at = next;
    } else if (character === "}" && word) closeWord();
    else if (character === "," && word) {
      leads(at, word.to);
      at = add();
      leads(word.from, at);
    } else {
      step(is(character));
      i += character.length - 1;
    }
  }
  while (words.length > 0) closeWord();
  return at;
}

/** Of one character nothing can be tried twice. */
function oneOf(inside: string): CharacterTest {
  const escaped = inside.replace(/[\\[\]&]/g, "\\$&");
  const pattern = new RegExp(`^[${escaped.startsWith("!") ? `^/${escaped.slice(1)}` : escaped}]$`, "su");
  return (character) => pattern.test(character);
}

function walk({ free, edges }: States, path: string): ReadonlySet<number> {
  let now = reached(free, [0]);
  for (const character of path) {
    const next: number[] = [];
    for (const state of now)
      for (const { takes, to } of edges[state] ?? []) if (takes(character)) next.push(to);
    if (next.length === 0) return new Set();
    now = reached(free, next);
  }
  return now;
}

function reached(free: readonly (readonly number[])[], from: readonly number[]): Set<number> {
  const found = new Set<number>();
  const todo = [...from];
  for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
    if (found.has(state)) continue;
    found.add(state);
    todo.push(...(free[state] ?? []));
  }
  return found;
}
