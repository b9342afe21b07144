/** What is kept of what a script's functions take and of what it gives to others (arguments.ts), once the walk over it is done. */
import { fits } from "../known/arguments.ts";
import type { SourceFacts } from "../known/file-facts.ts";
import { noArguments, takeImport, takeVariable } from "./script-arguments.ts";
import { type ArgumentsSeen, createCallees, type Top } from "./script-callees.ts";
import { type HandedName, handedBy, topValues } from "./script-handing.ts";
import type { ScriptNames } from "./script-names.ts";
import { type Node, nodesAt } from "./script-node.ts";
import { callsOfTop } from "./script-scopes.ts";
import { type Parts, takesOf } from "./script-takes.ts";

/** Calls kept of one file; bundles have more, and nobody calls into those. */
const MAX_CALLS = 500;

export type ArgumentFacts = Pick<SourceFacts, "takes" | "calls" | "callLines" | "handsOn" | "misfits">;

export function finishArguments(
  seen: ArgumentsSeen,
  program: Node,
  statements: readonly Node[],
  names: ScriptNames,
  text: string,
  lineAt: (offset: number) => number,
): ArgumentFacts {
  const callees = createCallees(seen, names, topOf(seen, program, statements, names));
  const calls = new Map<string, number>();
  const misfits = new Set<string>();
  const taken = new Map<string, string>();
  const isMarked = SILENCED.test(text);
  for (const call of seen.calls) {
    const callee = callees.of(call);
    if (!callee || /\s/.test(callee.name) || (isMarked && isSilenced(text, call.at))) continue;
    if (callee.kind === "imported") {
      const key = `${callee.specifier} ${callee.name} ${call.gives}`;
      if (calls.size < MAX_CALLS && !/\s/.test(callee.specifier))
        calls.set(key, Math.min(calls.get(key) ?? call.at, call.at));
      continue;
    }
    const takes = taken.get(callee.id) ?? takesOf(callee.functions, seen.asked);
    taken.set(callee.id, takes);
    if (!fits(takes, call.gives) && misfits.size < MAX_CALLS)
      misfits.add(`${callee.name} ${call.gives} ${takes}`);
  }
  const inOrder = [...calls].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...given(statements, seen),
    calls: inOrder.map(([call]) => call),
    callLines: inOrder.map(([, at]) => lineAt(at)),
    misfits: [...misfits].sort(),
  };
}

/** Of a file that declares a name of its top level again, which of the two a call means: another walk, for those files alone. */
function topOf(
  seen: ArgumentsSeen,
  program: Node,
  statements: readonly Node[],
  { declared }: ScriptNames,
): Top {
  const own = noArguments({ isTyped: false });
  for (const statement of statements) {
    if (statement.type === "ImportDeclaration") takeImport(statement, own);
    for (const one of nodesAt(statement, "declarations")) takeVariable(one, own);
  }
  const values = topValues(statements);
  const called = new Set(seen.calls.map(({ root }) => root ?? ""));
  const isTwice = (name: string): boolean => called.has(name) && (declared.get(name) ?? 0) > 1;
  const twice = new Set([...own.bound.keys(), ...values.keys()].filter(isTwice));
  return {
    bound: own.bound,
    values,
    isMeant: twice.size > 0 ? callsOfTop(program, twice) : () => false,
  };
}

const SILENCED = /@ts-(?:ignore|expect-error|nocheck)/;

/** `// @ts-expect-error` above a call: somebody means it. */
function isSilenced(text: string, at: number): boolean {
  if (text.includes("@ts-nocheck")) return true;
  const line = text.lastIndexOf("\n", at - 1);
  if (line === -1) return false;
  return SILENCED.test(text.slice(text.lastIndexOf("\n", line - 1) + 1, line));
}

function given(statements: readonly Node[], seen: ArgumentsSeen): Pick<SourceFacts, "takes" | "handsOn"> {
  const own = topValues(statements);
  const takes = new Map<string, Node[]>();
  const handsOn = new Set<string>();
  const add = (name: string, parts: Parts): void => {
    for (const [suffix, fn] of parts)
      takes.set(`${name}${suffix}`, [...(takes.get(`${name}${suffix}`) ?? []), fn]);
  };
  const take = (handed: HandedName): void => {
    const { name } = handed;
    if ("parts" in handed) add(name, handed.parts);
    else if ("specifier" in handed) handsOn.add(`${name} ${handed.specifier} ${handed.imported}`);
    else {
      const bound = seen.bound.get(handed.local);
      if (bound) handsOn.add(`${name} ${bound.specifier} ${bound.name}`);
      else if (!seen.assigned.has(handed.local)) {
        add(name, own.get(handed.local) ?? []);
        for (const [reached, functions] of seen.added)
          if (/^[^.#]*/.exec(reached)?.[0] === handed.local)
            add(
              name,
              functions.map((fn) => [reached.slice(handed.local.length), fn] as const),
            );
      }
    }
  };
  for (const handed of handedBy(statements)) take(handed);
  const isPlain = (one: string): boolean => one.split(" ").length === 3;
  return {
    takes: [...takes]
      .filter(([name]) => !/\s/.test(name))
      .map(([name, functions]) => `${name} ${takesOf(functions, seen.asked)}`)
      .sort(),
    handsOn: [...handsOn].filter(isPlain).sort(),
  };
}
