/**
 * Reaching a path below a folder without ever following a symlink on the way (W3): the folder is opened once,
 * every component below it with O_DIRECTORY|O_NOFOLLOW, and the last name is used through its parent's
 * descriptor (/proc/self/fd/N/name). A parent that somebody swaps for a link is refused or stays the folder it
 * was; it never leads outside.
 *
 * The descriptors of the last path's folders stay open for the next path: neighbours cost one step. So a
 * caller must prove afterwards that the name still is what it opened (readers: a second lstat by plain name).
 * Into what git keeps for itself it goes for nobody: every writer into a tree comes through here, and no plan, capture or
 * bundle has any business there (W3).
 *
 * Where /proc/self/fd is missing, only reading is offered, with each parent checked by lstat.
 */
import { closeSync, constants, existsSync, lstatSync, openSync } from "node:fs";
import { RefloatError } from "../model/errors.ts";
import { isGitName, pathFromBytes } from "../model/path-name.ts";
import { errnoOf } from "./io-error.ts";

/** Deeper paths than this are nobody's source tree, and each level costs a descriptor. */
const MAX_DEPTH = 256;
const SLASH = 0x2f;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Why a path's parent could not be reached: it is not there, or something else stands in its place. */
export type WhyUnreachable = "missing" | "not-a-directory" | "unreadable";

export type ReachedPath =
  | {
      readonly kind: "reached";
      /** The last name, through its parent's descriptor. Valid until the next call. */
      readonly at: Buffer;
      /** The parent's descriptor; null where the platform has no /proc/self/fd. */
      readonly parent: number | null;
    }
  | { readonly kind: "unreachable"; readonly why: WhyUnreachable };

export interface DescriptorWalk {
  /** `path` is relative, without empty, "." or ".." components; E_GIT_NAME for one that is git's own. */
  reach(path: Uint8Array): ReachedPath;
  /** The path by its plain name: for the proof afterwards, never for the first look. */
  plain(path: Uint8Array): Buffer;
  /** Lets go of every folder but the root: the next path is walked from there, as the tree is then. */
  refresh(): void;
  /** True: every component is opened by descriptor, so that writing is safe too. */
  readonly isProof: boolean;
  close(): void;
}

interface OpenFolder {
  readonly name: Buffer;
  readonly fd: number;
}

export function openDescriptorWalk(root: Uint8Array | string): DescriptorWalk {
  const rootBytes = Buffer.from(root);
  const isProof = existsSync("/proc/self/fd");
  // The root itself may be reached through links: it is the user's own choice, made before.
  const rootFd = openSync(rootBytes, constants.O_RDONLY | constants.O_DIRECTORY);
  const levels: OpenFolder[] = [];

  function leave(depth: number): void {
    for (const level of levels.splice(depth).reverse()) closeSync(level.fd);
  }

  function enter(names: readonly Buffer[]): WhyUnreachable | null {
    let depth = 0;
    while (depth < names.length && levels[depth]?.name.equals(names[depth] as Buffer)) depth++;
    leave(depth);
    for (const name of names.slice(depth)) {
      try {
        levels.push({ name, fd: openSync(below(levels.at(-1)?.fd ?? rootFd, name), FOLDER) });
      } catch (thrown) {
        return whyUnreachable(thrown);
      }
    }
    return null;
  }

  return {
    isProof,
    plain: (path) => Buffer.concat([rootBytes, Buffer.from("/"), path]),
    reach: (path) => {
      const names = componentsOf(path);
      const last = names.pop();
      if (last === undefined) return { kind: "unreachable", why: "missing" };
      if (!isProof) return reachByName(rootBytes, names, path);
      const why = enter(names);
      if (why) return { kind: "unreachable", why };
      const parent = levels.at(-1)?.fd ?? rootFd;
      return { kind: "reached", at: below(parent, last), parent };
    },
    refresh: () => leave(0),
    close: () => {
      leave(0);
      closeSync(rootFd);
    },
  };
}

const below = (fd: number, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), name]);

function componentsOf(path: Uint8Array): Buffer[] {
  const bytes = Buffer.from(path);
  const names: Buffer[] = [];
  for (let at = 0; at <= bytes.length; ) {
    const slash = bytes.indexOf(SLASH, at);
    const end = slash === -1 ? bytes.length : slash;
    const name = bytes.subarray(at, end);
    const isName = name.length > 0 && !name.equals(Buffer.from(".")) && !name.equals(Buffer.from(".."));
    if (!isName || name.includes(0) || names.length >= MAX_DEPTH) return [];
    if (isGitName(pathFromBytes(name))) throw new RefloatError("E_GIT_NAME", { path: pathFromBytes(bytes) });
    names.push(name);
    at = end + 1;
  }
  return names;
}

/** Without descriptors: honest about what is there now, no proof against a swap in between. */
function reachByName(root: Buffer, names: readonly Buffer[], path: Uint8Array): ReachedPath {
  let parent = root;
  for (const name of names) {
    parent = Buffer.concat([parent, Buffer.from("/"), name]);
    try {
      if (!lstatSync(parent).isDirectory()) return { kind: "unreachable", why: "not-a-directory" };
    } catch (thrown) {
      return { kind: "unreachable", why: whyUnreachable(thrown) };
    }
  }
  return { kind: "reached", at: Buffer.concat([root, Buffer.from("/"), path]), parent: null };
}

function whyUnreachable(thrown: unknown): WhyUnreachable {
  switch (errnoOf(thrown)) {
    case "ENOENT":
      return "missing";
    case "ENOTDIR":
    case "ELOOP":
      return "not-a-directory";
    case "EACCES":
    case "EPERM":
      return "unreadable";
    default:
      throw thrown;
  }
}
