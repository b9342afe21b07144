/** Requirements as PEP 508 writes them: `name[extra]==1.2 ; marker`, `name @ git+https://host/repo@v1.2`. */
import type { Versions } from "./tables.ts";

const NAME = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*/;
const PINS = /^\(?\s*((?:===|==|~=|>=|>|<=|<|!=)[^;#)\\]*)/;
const URL = /^@\s*([^\s;]+)/;
/** A repository without a name in front; pip then takes the name from `#egg=`, or from the repository itself. */
const REPOSITORY = /^\s*(?:-e\s+|--editable[= ]\s*)?((?:git|hg|svn|bzr)\+[^\s#;]+)(?:#\S*?egg=([\w.-]+))?/;

export const fromRequirements = (lines: readonly unknown[]): Versions =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const found = typeof line === "string" ? readRequirement(line) : null;
      return found ? [found] : [];
    }),
  );

function readRequirement(line: string): [name: string, pin: string] | null {
  const repository = REPOSITORY.exec(line);
  if (repository) {
    const [, url = "", egg] = repository;
    return [nameOf(egg ?? url.replace(/@[^/@]*$/, "")), url];
  }
  const name = NAME.exec(line);
  if (!name) return null;
  const rest = line.slice(name[0].length);
  const pin = URL.exec(rest)?.[1] ?? boundIn(PINS.exec(rest)?.[1] ?? "");
  // The same package twice, for two Pythons: each line is compared with its own.
  const marker = /;\s*([^#]*[^#\s])/.exec(rest)?.[1];
  return pin === undefined ? null : [`${nameOf(name[1] ?? "")}${marker ? ` ; ${marker}` : ""}`, pin];
}

const nameOf = (text: string): string => text.toLowerCase().replaceAll("_", "-");

/** What it may not fall below; where nothing says so, what it must stay below. */
function boundIn(text: string): string | undefined {
  const pins = text.split(",").map((pin) => pin.trim());
  return pins.find((pin) => /^(?:===|==|~=|>=|>)/.test(pin)) ?? pins.find((pin) => pin.startsWith("<"));
}
