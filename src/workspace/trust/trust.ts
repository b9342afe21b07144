/**
 * The user's trust in what came with a repository and would be run: programs (filters), and below, commands of its config. Records
 * in one session of the store, bound to the repository's place and to the exact text. Another text is another digest, so a change voids it.
 */
import { createHash } from "node:crypto";
import { isEmptyCheck } from "../../model/config.ts";
import { TRUST_SESSION } from "../../model/ids.ts";
import { bodyAs } from "../../model/record.ts";
import { selfOwner } from "../../platform/identity.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import type { Location } from "../git/locate.ts";
import type { Workspace } from "../opening/workspace.ts";

/** The newest word on this repository and this text. */
export async function isTrusted(store: Store, location: Location, digest: string): Promise<boolean> {
  if (!(await store.session(TRUST_SESSION))) return false;
  let trusted = false;
  for await (const record of store.journal(TRUST_SESSION)) {
    const body = bodyAs(record, "trust.given");
    if (body?.repository === location.commonDir && body.digest === digest) trusted = body.trusted;
  }
  return trusted;
}

/** The check that the user typed last for this repository; null: none, or he took that one back. */
async function lastTypedCheck(store: Store, location: Location): Promise<string | null> {
  if (!(await store.session(TRUST_SESSION))) return null;
  let last: { readonly check: string; readonly digest: string } | null = null;
  for await (const record of store.journal(TRUST_SESSION)) {
    const body = bodyAs(record, "trust.given");
    if (body?.repository !== location.commonDir) continue;
    const { digest, check } = body;
    // Older stores hold empty ones: the one before it is still his check.
    if (check !== undefined && isEmptyCheck(check)) continue;
    if (body.trusted && check !== undefined) last = { check, digest };
    else if (!body.trusted && last?.digest === digest) last = null;
  }
  return last?.check ?? null;
}

export interface GivenTrust {
  readonly trusted: boolean;
  /** The text of a check that was typed. */
  readonly check?: string;
}

export async function recordTrust(
  store: Store,
  location: Location,
  digest: string,
  given: GivenTrust,
): Promise<void> {
  const began = { agent: "refloat", workspace: "", goal: null, name: "trust" };
  const body = { repository: location.commonDir, digest, ...given };
  const { attempt } = await takeClaim(store, {
    session: TRUST_SESSION,
    owner: selfOwner("refloat"),
    records: ({ row }) => [
      ...(row ? [] : [newRecord(store.clock, "session.began", began)]),
      newRecord(store.clock, "trust.given", body),
    ],
  });
  await store.release(TRUST_SESSION, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
}

// Commands that a configuration names and refloat would run (SECURITY.md lists them all): each runs only where the user
// trusted its very text for this repository, by typing it or by `refloat trust`. Another text is another digest, so a
// change voids it. A plain folder has no configuration but the user's own.

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
