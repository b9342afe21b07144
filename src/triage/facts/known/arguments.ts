/**
 * What a function takes and what a call gives it, as short texts (file-facts.ts keeps many), and whether they fit. Pure.
 *
 * Of scripts numbers: `1-2`, `1-` where more may follow, `0-0|2-2` for overloads; a call gives `2`, or `2+` where it spreads more.
 * Of Python names, after a bracket: `(a,b=,*,c,**`, where `b=` may be left out, `/` and `*` are Python's own marks; a call gives
 * `1,c` or `1+,**`: one by its place, `c` by its name, more by stars. A `?` in front: something may make it another (a decorator).
 */
export type FunctionTakes = string;
export type CallGives = string;

/** What a name of a file stands for: something that a module gives. */
export interface BoundName {
  readonly specifier: string;
  /** `*`: the module itself. */
  readonly name: string;
}

export const isDoubtful = (takes: FunctionTakes): boolean => takes.startsWith("?");

export function fits(takes: FunctionTakes, gives: CallGives): boolean {
  const plain = isDoubtful(takes) ? takes.slice(1) : takes;
  return plain.startsWith("(") ? fitsPython(plain, gives) : fitsScript(plain, gives);
}

/** Whether a call that fitted may no longer: only then is it worth asking who calls. */
export function isNarrower(was: FunctionTakes, is: FunctionTakes): boolean {
  if (was === is) return false;
  return is.includes("(") ? isNarrowerPython(was, is) : isNarrowerScript(was, is);
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const rangesOf = (takes: FunctionTakes): Range[] =>
  takes.split("|").map((one) => {
    const [least = "", most = ""] = one.split("-");
    return { least: Number(least), most: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
  });

function fitsScript(takes: FunctionTakes, gives: CallGives): boolean {
  const count = Number.parseInt(gives, 10);
  const isSpread = gives.endsWith("+");
  return rangesOf(takes).some(({ least, most }) => (isSpread || count >= least) && count <= most);
}

function isNarrowerScript(was: FunctionTakes, is: FunctionTakes): boolean {
  const ends = [...rangesOf(was), ...rangesOf(is)].flatMap(({ least, most }) => [least, most]);
  const most = Math.max(...ends.filter(Number.isFinite)) + 1;
  return Array.from({ length: most + 1 }, (_, count) => `${count}`).some(
    (gives) => fitsScript(was, gives) && !fitsScript(is, gives),
  );
}

interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
  readonly way: "place" | "any" | "name";
}

interface Signature {
  readonly parameters: readonly Parameter[];
  readonly takesMore: boolean;
  readonly takesAnyName: boolean;
}

const wordsOf = (takes: FunctionTakes): string[] =>
  takes
    .slice(takes.indexOf("(") + 1)
    .split(",")
    .filter((word) => word !== "");

function signatureOf(takes: FunctionTakes): Signature {
  const words = wordsOf(takes);
  const slash = words.indexOf("/");
  const star = words.findIndex((word) => word === "*" || word === "*+");
  const parameters = words.flatMap((word, at): Parameter[] => {
    if (/^[*/]/.test(word)) return [];
    const way = at < slash ? "place" : star !== -1 && at > star ? "name" : "any";
    return [{ name: word.replace("=", ""), isOptional: word.endsWith("="), way }];
  });
  return { parameters, takesMore: words.includes("*+"), takesAnyName: words.includes("**") };
}

function fitsPython(takes: FunctionTakes, gives: CallGives): boolean {
  const { parameters, takesMore, takesAnyName } = signatureOf(takes);
  const [first = "0", ...given] = gives.split(",");
  const count = Number.parseInt(first, 10);
  const [hasMore, hasAnyName] = [first.endsWith("+"), given.includes("**")];
  const names = given.filter((name) => name !== "**");
  const placed = parameters.filter(({ way }) => way !== "name");
  if (count > placed.length && !takesMore) return false;
  const byPlace = new Set(placed.slice(0, count));
  const isKnown = (name: string): boolean =>
    parameters.some((one) => one.name === name && one.way !== "place" && !byPlace.has(one));
  if (!takesAnyName && !names.every(isKnown)) return false;
  const isGiven = (one: Parameter): boolean =>
    one.isOptional || byPlace.has(one) || (one.way !== "place" && (hasAnyName || names.includes(one.name)));
  return parameters.every((one) => isGiven(one) || (hasMore && one.way !== "name"));
}

/** Wider is what only got more at its end that may be left out. */
function isNarrowerPython(was: FunctionTakes, is: FunctionTakes): boolean {
  if (isDoubtful(was) !== isDoubtful(is)) return true;
  const [old, now] = [wordsOf(was), wordsOf(is)];
  const isKept = old.every((word, at) => word === now[at] || `${word}=` === now[at]);
  return !isKept || !now.slice(old.length).every((word) => /^\*|=$/.test(word));
}

/** For people: "1", "1 or 2", "at least 1"; of Python its parameters. */
export function takesInWords(takes: FunctionTakes): string {
  const plain = takes.replace("?", "");
  if (plain.startsWith("("))
    return `${plain.replaceAll(",", ", ").replace("*+", "*args").replace("**", "**kwargs").replaceAll("=", "=...")})`;
  return rangesOf(plain)
    .map(({ least, most }) =>
      most === Number.POSITIVE_INFINITY
        ? `at least ${least}`
        : least === most
          ? `${least}`
          : `${least} to ${most}`,
    )
    .join(" or ");
}

/** "1 argument", "at least 2 arguments", "1 argument, b=". */
export function givesInWords(gives: CallGives): string {
  const [first = "0", ...names] = gives.split(",");
  const count = Number.parseInt(first, 10);
  const plain = `${first.endsWith("+") ? "at least " : ""}${count} argument${count === 1 ? "" : "s"}`;
  return [plain, ...names.map((name) => (name === "**" ? name : `${name}=`))].join(", ");
}
