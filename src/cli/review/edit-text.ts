/** A text in the user's editor, as git finds it: a private file of ours, gone afterwards. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureError } from "../../model/errors.ts";
import { createDurable } from "../../platform/durable-file.ts";
import type { Environment } from "../../platform/places.ts";
import { makeTemporaryDirectory, removeScratch } from "../../platform/scratch.ts";

export type EditedText =
  | { readonly kind: "edited"; readonly text: string }
  | { readonly kind: "empty" }
  | { readonly kind: "failed"; readonly why: string };

/** What git falls back on, too. */
const DEFAULT_EDITOR = "vi";
const NAME = "COMMIT_EDITMSG";
/** A message longer than this is some other file. */
const MAX_MESSAGE_CHARS = 64 * 1024;
const HELP =
  "\n# The message of the one commit this review makes. Lines that begin with #\n# are left out; an empty message leaves it as it was.\n";

export const editorOf = (env: Environment): string =>
  env.GIT_EDITOR || env.VISUAL || env.EDITOR || DEFAULT_EDITOR;

export async function editText(text: string, env: Environment): Promise<EditedText> {
  const folder = makeTemporaryDirectory("refloat-message-");
  const path = join(folder, NAME);
  try {
    createDurable(path, `${text.trimEnd()}\n${HELP}`);
    const why = await runEditor(editorOf(env), path);
    if (why !== null) return { kind: "failed", why };
    const kept = messageIn(readFileSync(path, "utf8"));
    if (kept.length > MAX_MESSAGE_CHARS) return { kind: "failed", why: "the message is too long" };
    return kept === "" ? { kind: "empty" } : { kind: "edited", text: `${kept}\n` };
  } finally {
    removeScratch(folder);
  }
}

/** As git's own clean-up: no comments, no spaces at the ends of lines, no empty lines around it. */
export function messageIn(text: string): string {
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** Null: it ended well. The user's own words are a command line of the shell, as in git. */
async function runEditor(editor: string, path: string): Promise<string | null> {
  const child = spawn("/bin/sh", ["-c", `${editor} "$@"`, editor, path], { stdio: "inherit" });
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    if (code === 0) return null;
    return signal === null ? `the editor exited with ${code}` : `the editor died by ${signal}`;
  } catch (thrown) {
    return ensureError(thrown).message;
  }
}
