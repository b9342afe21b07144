/**
 * Which version of an agent is installed, told by where its program lies and without starting it, and whether that is newer than every one
 * that was tried: then it is named, since nobody has seen yet what it does with hooks of ours.
 */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import semver from "semver";
import { isJsonObject } from "../model/json.ts";
import { errnoOf } from "../platform/io-error.ts";
import { type Environment, findProgram } from "../platform/places.ts";
import type { AgentAdapter } from "./words/adapter.ts";

export interface UntriedVersion {
  readonly version: string;
  /** The newest that was tried. */
  readonly tried: string;
}

/** `.../node_modules/@scope/name/...`: the package it is of. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Null: it is not there, or where it lies does not say. */
export function installedVersion(
  { launch }: AgentAdapter,
  { place, env }: { readonly place: string; readonly env: Environment },
): string | null {
  const found = launch === null ? null : findProgram(launch.program, place, env);
  if (found?.kind !== "found") return null;
  const path = realpathSync(found.path);
  const [folder] = PACKAGE.exec(path) ?? [];
  if (folder !== undefined) return packagedVersion(join(folder, "package.json"));
  // As Homebrew, mise and Claude's own installer lay them out: a folder or a file for each version.
  return path.split("/").findLast((name) => /^\d/.test(name) && semver.valid(name) !== null) ?? null;
}

function packagedVersion(path: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isJsonObject(manifest) && typeof manifest.version === "string" ? manifest.version : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || errnoOf(thrown) !== null) return null;
    throw thrown;
  }
}

/** Null: it was tried, an older one than one that was, or no number that can be compared. */
export function untriedVersion({ versions }: AgentAdapter, version: string | null): UntriedVersion | null {
  const tried = versions
    .filter((one) => semver.valid(one) !== null)
    .toSorted(semver.compare)
    .at(-1);
  if (version === null || semver.valid(version) === null || tried === undefined) return null;
  return semver.gt(version, tried) ? { version, tried } : null;
}
