/**
 * The check a project most likely has, from what its files at HEAD say: for a command that can be typed as it stands (T1). It is
 * only ever shown: nothing is run that the user did not type (T2).
 */
import { isJsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { HeadTree } from "../../triage/facts/known/triage-facts.ts";

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
  const text = await textAt(head, "package.json");
  try {
    const manifest: unknown = JSON.parse(text);
    const scripts = isJsonObject(manifest) && isJsonObject(manifest.scripts) ? manifest.scripts : {};
    return typeof scripts.test === "string" && !NO_TEST.test(scripts.test);
  } catch (thrown) {
    // Not there, or no JSON: then it names no script.
    if (thrown instanceof SyntaxError) return false;
    throw thrown;
  }
}

const textAt = async (head: HeadTree, path: string): Promise<string> =>
  Buffer.from((await head.read(path as PathName)) ?? []).toString("utf8");
