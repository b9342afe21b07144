/**
 * The configuration a session is judged by (T2): as committed when it began, with the user's own over it; never uncommitted
 * bytes, nor what the session committed itself. An implied session is judged by HEAD's.
 */
import type { RefloatConfig } from "../../model/config.ts";
import { RefloatError } from "../../model/errors.ts";
import { bodyAs } from "../../model/record.ts";
import type { Environment } from "../../platform/places.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { OnUnknownKey } from "../../text/read-config-text.ts";
import { firstCapture } from "../captures/captures.ts";
import { captureRecordId } from "../captures/take-capture.ts";
import { readHead } from "../git/head.ts";
import { hasCommit } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";
import { committedConfig, mergeConfigs, readConfig, userConfig } from "../opening/config.ts";
import type { Workspace } from "../opening/workspace.ts";
import { isBeginning } from "../owning/own.ts";
import { laidUpon } from "../sessions/imports.ts";

/** Throws E_BAD_CONFIG of what can be corrected, HEAD's and the user's own; never of a commit of the past. */
export async function judgingConfig(
  store: Store | null,
  row: SessionRow | null,
  workspace: Workspace,
  env: Environment,
  onUnknownKey?: OnUnknownKey,
): Promise<RefloatConfig> {
  if (workspace.kind === "folder") return userConfig(env, onUnknownKey);
  const repository = await workspace.repository();
  const begin = store && row ? await firstHead(store, row) : undefined;
  const head = (await readHead(repository)).id;
  if (begin === undefined || begin === head) return readConfig(repository, head, env, onUnknownKey);
  const committed = begin === null ? {} : await configAtBegin(repository, begin, onUnknownKey);
  return mergeConfigs(committed, userConfig(env, onUnknownKey));
}

/** Nobody can correct a commit that is made: what cannot be used there must not lock the session for good. */
async function configAtBegin(
  repository: Repository,
  begin: string,
  onUnknownKey?: OnUnknownKey,
): Promise<RefloatConfig> {
  // A fresh clone at the same path need not have that commit: then only the user's own configuration judges.
  if (!(await hasCommit(repository, begin))) return {};
  return committedConfig(repository, begin, onUnknownKey).catch(nothingSafe);
}

/** By rules that nobody can read nothing is safe. Throws on whatever is no E_BAD_CONFIG. */
export function nothingSafe(thrown: unknown): RefloatConfig {
  if (!(thrown instanceof RefloatError) || thrown.code !== "E_BAD_CONFIG") throw thrown;
  return { rules: [{ paths: ["**"], verdict: "unknown", reason: thrown.message }] };
}

/** Undefined: it was never captured. Null: no commit, or nobody saw where it began; a later HEAD may be its own commit. */
async function firstHead(store: Store, { id }: SessionRow): Promise<string | null | undefined> {
  const first = await firstCapture(store, id);
  if (!first) return undefined;
  if ((await laidUpon(store))(id)({ seq: first.seq, id: captureRecordId(first.id) })) return null;
  const [record] = await store.records({ session: id, kinds: ["session.began"], limit: 1 });
  const isSupervised = record !== undefined && bodyAs(record, "session.began")?.supervised === true;
  return isBeginning(first.capture.reason, { isSupervised }) ? (first.capture.head?.id ?? null) : null;
}
