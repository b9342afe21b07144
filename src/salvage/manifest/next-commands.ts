/** What to type now, the command that helps most first; and the check to name in it. Pure, but for asking HEAD for a file. */
import { isJsonObject, parsedOrNull } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { HeadTree } from "../../triage/facts/known/triage-facts.ts";
import { ruleOf } from "../../triage/rules/table.ts";
import { whyNotOwn } from "../judging/judged-groups.ts";
import type { Salvage } from "../judging/salvage.ts";

/** Whether there is work that a check would make safe: nobody said that it is done, and nothing else speaks against it. */
export const wantsCheck = ({ groups }: Pick<Salvage, "groups">): boolean =>
  groups.some(
    ({ verdict, reasons }) =>
      verdict === "unknown" &&
      reasons.some((reason) => {
        const { remedy } = ruleOf(reason);
        return remedy !== undefined && reason.message.endsWith(remedy);
      }) &&
      reasons.every((reason) => ruleOf(reason).voids === "word"),
  );

/** `check`: the one the project most likely has; null: nothing says. What is settled first is not in the way of who goes on. */
export function nextCommands(found: Salvage, check: string | null = null): string[] {
  const { session, goesOn } = found;
  return [...aboutWork(found, check), ...(goesOn ? [resumeCommand(session.id)] : [])];
}

export const resumeCommand = (session: string): string => `refloat resume ${session}`;

function aboutWork({ session, groups, leftovers, owned }: Salvage, check: string | null): string[] {
  if (session.state === "live") return [`refloat show ${session.id}`];
  if (groups.length === 0) return [];
  // A plain folder that nobody worked in has nothing to compare with: held as it is now, it has from then on.
  const isFolder = owned.now.reading.head === null;
  if (session.isImplied && isFolder) return ["refloat capture"];
  if (session.isImplied) return ["refloat settle --adopt --dry-run", "refloat diff HEAD now"];
  // Put back first, it can be looked at; settling does that by itself (W8).
  if (owned.held) return [`refloat restore ${session.id}`, `refloat settle ${session.id}`];
  // What refloat leaves alone is not stopped by asking again: the list of processes says what ends it.
  const stop = leftovers.some(({ kept }) => kept === null)
    ? [`refloat inspect ${session.id} --stop-leftovers`]
    : [];
  const own = groups.some((group) => whyNotOwn(group) === null);
  const verify =
    own && check !== null && wantsCheck({ groups })
      ? [`refloat inspect ${session.id} --verify '${check}'`]
      : [];
  return own
    ? [...stop, ...verify, `refloat settle ${session.id}`]
    : [...stop, isFolder ? "refloat diff" : "refloat diff HEAD now"];
}

// The check a project most likely has, from what its files at HEAD say: for a command that can be typed as it stands (T1). It is
// only ever shown: nothing is run that the user did not type (T2).

/** Files that tell by being there, the surest first. */
const BY_NAME: readonly (readonly [name: string, check: string])[] = [
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pytest.ini", "python3 -m pytest"],
  ["conftest.py", "python3 -m pytest"],
  ["mix.exs", "mix test"],
];
/** What `npm init` writes where there is none. */
const NO_TEST = /no test specified/;

/** Null: nothing says. */
export async function likelyCheck(head: HeadTree): Promise<string | null> {
  if (await hasTestScript(head)) return "npm test";
  const top = new Set<string>((await head.list()).filter((path) => !path.includes("/")));
  const named = BY_NAME.find(([name]) => top.has(name))?.[1];
  if (named !== undefined) return named;
  const makefile = top.has("Makefile") ? await textAt(head, "Makefile") : "";
  return /^test\s*:/m.test(makefile) ? "make test" : null;
}

async function hasTestScript(head: HeadTree): Promise<boolean> {
  // Not there, or no JSON: then it names no script.
  const manifest = parsedOrNull(await textAt(head, "package.json"));
  const scripts = isJsonObject(manifest) && isJsonObject(manifest.scripts) ? manifest.scripts : {};
  return typeof scripts.test === "string" && !NO_TEST.test(scripts.test);
}

const textAt = async (head: HeadTree, path: string): Promise<string> =>
  Buffer.from((await head.read(path as PathName)) ?? []).toString("utf8");
