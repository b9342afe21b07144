/** Where a session is sent to: a file, or another machine by the user's own ssh. Pure. */
import { resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { shellWord } from "../../model/shell-word.ts";

export type SendTarget =
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "ssh";
      /** As ssh takes it: host, or user@host. */
      readonly host: string;
      readonly port: number | null;
      /** The folder its command is started in; null: where ssh begins. */
      readonly path: string | null;
    };

const SSH = /^ssh:\/\/(?:([^/@]+)@)?(\[[0-9a-fA-F:.]+\]|[^/:@]+)(?::([0-9]{1,5}))?(\/.*)?$/;

/** `ssh://[USER@]HOST[:PORT]/PATH`; `/~/` is the home there. What is none is a file. */
export function parseTarget(typed: string, stands: string): SendTarget {
  if (!typed.startsWith("ssh://")) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed))
      throw usage(`Not an address that a session is sent to: ${typed}.`);
    return { kind: "file", path: resolve(stands, typed) };
  }
  const [, user, host = "", port, path = ""] = SSH.exec(typed) ?? [];
  // Else ssh would take it for an option of its own.
  const isSafe = [user ?? "", host].every((word) => !word.startsWith("-") && !/[\s\p{Cc}]/u.test(word));
  if (host === "" || !isSafe || user?.includes(":"))
    throw usage(`Not an address that ssh knows: ${typed}. It is ssh://HOST/PATH.`);
  const bare = host.startsWith("[") ? host.slice(1, -1) : host;
  return {
    kind: "ssh",
    host: user === undefined ? bare : `${user}@${bare}`,
    port: port === undefined ? null : Number(port),
    path: pathIn(path),
  };
}

/** `/~/x` is below the home there, where ssh begins; a path of no words is that, too. */
function pathIn(path: string): string | null {
  const below = path.startsWith("/~/") ? path.slice(3) : path === "/~" ? "" : path;
  return below === "" || below === "/" ? null : below;
}

/** As it is recorded and typed again. */
export function targetText(target: SendTarget): string {
  if (target.kind === "file") return target.path;
  const { host, port, path } = target;
  const at = host.indexOf("@") + 1;
  const name = host.slice(at).includes(":") ? `${host.slice(0, at)}[${host.slice(at)}]` : host;
  const inside = path === null ? "" : path.startsWith("/") ? path : `/~/${path}`;
  return `ssh://${name}${port === null ? "" : `:${port}`}${inside}`;
}

export const isSameTarget = (a: SendTarget, b: SendTarget): boolean => targetText(a) === targetText(b);

/** How long ssh goes on without a word of the other machine: a minute, asked every 15 seconds. */
const KEEPS_ALIVE = ["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"];

/** `program`: refloat there, as its shell understands it. */
export function sshArguments(
  { host, port, path }: Extract<SendTarget, { kind: "ssh" }>,
  program: string,
  words: readonly string[],
): string[] {
  const place = path === null ? [] : ["-C", path];
  const command = [program, ...[...place, ...words].map(shellWord)].join(" ");
  return ["-T", ...KEEPS_ALIVE, ...(port === null ? [] : ["-p", String(port)]), "--", host, command];
}

const usage = (why: string): RefloatError => new RefloatError("E_USAGE", { why });
