/** Which of a manifest's versions went down. */
import type { Versions } from "./tables.ts";
import { compareVersions } from "./version-order.ts";

type KnownVersions = Readonly<Versions> | null | undefined;

export function loweredVersions(old: KnownVersions, fresh: KnownVersions): string[] {
  if (!old || !fresh) return [];
  return Object.entries(fresh).flatMap(([name, version]) => {
    const was = old[name] ?? movedFrom(name, old, fresh);
    if (was === undefined) return [];
    const order = compareVersions(was, version);
    return order !== null && order < 0 ? [`${name} from ${was} to ${version}`] : [];
  });
}

/** Where it stood before it moved: among another kind of dependencies, for other Pythons, at the path of another major version in Go. */
function movedFrom(name: string, old: Readonly<Versions>, fresh: Readonly<Versions>): string | undefined {
  const key = Object.keys(old).find((other) => !(other in fresh) && thingOf(other) === thingOf(name));
  return key === undefined ? undefined : old[key];
}

const thingOf = (name: string): string =>
  name
    .replace(/^(?:dependencies|devDependencies|peerDependencies|optionalDependencies) /, "")
    .replace(/ ; .*$/, "")
    .replace(/[/.]v\d+$/, "");
