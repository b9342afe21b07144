/**
 * Commands that a configuration names and refloat would run (SECURITY.md lists them all): each runs only where the user
 * trusted its very text for this repository, by typing it or by `refloat trust`. Another text is another digest, so a
 * change voids it. A plain folder has no configuration but the user's own.
 */
import { createHash } from "node:crypto";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../opening/workspace.ts";
import { isTrusted, lastTypedCheck, recordTrust } from "./trust.ts";

/** The keys of a configuration whose value is a command. */
export type CommandKey = "verify" | "notify";

const digestOf = (key: CommandKey, text: string): string =>
  createHash("sha256").update(`${key}\0${text}`).digest("hex");

export async function isTextTrusted(
  store: Store | null,
  workspace: Workspace,
  key: CommandKey,
  text: string,
): Promise<boolean> {
  if (store === null || workspace.kind === "folder") return false;
  return isTrusted(store, workspace.location, digestOf(key, text));
}

export async function trustText(
  store: Store,
  workspace: Workspace,
  key: CommandKey,
  text: string,
  given: { readonly trusted: boolean } = { trusted: true },
): Promise<void> {
  if (workspace.kind === "folder") return;
  // Said once: a loop that is started every minute with the same words does not grow the store by it.
  if ((await isTextTrusted(store, workspace, key, text)) === given.trusted) return;
  await recordTrust(store, workspace.location, digestOf(key, text), given);
}

/** S7: the check the user typed last for this repository is his check here, where no configuration names one that he trusts. */
export async function typedCheck(store: Store | null, workspace: Workspace): Promise<string | null> {
  if (store === null || workspace.kind === "folder") return null;
  return lastTypedCheck(store, workspace.location);
}

/** Typed outside any session's mark: trusted from now on, and remembered until another is typed or it is taken back. */
export async function rememberTyped(store: Store, workspace: Workspace, check: string): Promise<void> {
  if (workspace.kind === "folder" || (await typedCheck(store, workspace)) === check) return;
  await recordTrust(store, workspace.location, digestOf("verify", check), { trusted: true, check });
}
