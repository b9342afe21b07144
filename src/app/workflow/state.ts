/** `state init|import|upgrade|repair|export`: the files that are meant, each changed in one step with its companion (change-state.ts). */
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { redactJson } from "../../text/redact.ts";
import { decisionsIn } from "../../workflow/decision-log.ts";
import { isToken, isVersion, type Version } from "../../workflow/definition.ts";
import {
  type RepairedFile,
  type RepairOptions,
  repairFile,
  type UpgradedFile,
  upgradeFile,
} from "../../workflow/file-acts.ts";
import {
  DEFAULT_BRANCH,
  type ImportedState,
  type InitedFile,
  importState,
  initState,
} from "../../workflow/new-state.ts";
import { parsedFile } from "../../workflow/read-doc.ts";
import { own } from "../../workflow/state-doc.ts";
import { handoffOf, stateFileAt } from "../../workflow/state-paths.ts";
import { upgradeState } from "../../workflow/upgrade.ts";
import { readText } from "../../workflow/validate-files.ts";
import type { AppPlace } from "../place/app-place.ts";
import { filesAndLost, filesMeant, newStateFile } from "../place/state-files.ts";
import { carryOutOf } from "./carry-out-here.ts";

/** 1.0 is read, and written by nobody. */
export type WrittenVersion = Exclude<Version, "1.0">;

export interface StateInit {
  /** The file or its folder; null: of the folder somebody stands in. */
  readonly file: string | null;
  /** Null: its folder's name. */
  readonly project: string | null;
  readonly region: string | null;
  readonly branch: string | null;
  readonly version: WrittenVersion;
  /** Also in the place of one that is gone and left something (T1). */
  readonly isFresh: boolean;
}

/** Never over another. */
export async function initStateFile(at: AppPlace, order: StateInit): Promise<InitedFile> {
  const { file, project, region, branch, version, isFresh } = order;
  const store = await at.openOrMakeStore();
  return initState(store.raw, newStateFile(at, file), {
    ...{ project, version, isFresh },
    region: region ?? "",
    branch: branch ?? DEFAULT_BRANCH,
  });
}

export interface StateImport extends Pick<StateInit, "file" | "version" | "isFresh"> {
  /** A state file, its folder, or an export. */
  readonly from: string;
}

export async function importStateFile(
  at: AppPlace,
  order: StateImport,
): Promise<ImportedState & { readonly from: string }> {
  const { file, version: to, isFresh } = order;
  const from = stateFileAt(order.from);
  const given = stateIn(from);
  const store = await at.openOrMakeStore();
  const imported = await importState(store.raw, newStateFile(at, file), given, { from, to, isFresh });
  return { ...imported, from };
}

function stateIn(from: string): JsonObject {
  const value = parsedFile(from);
  const exported = own(value, "states");
  const first = Array.isArray(exported) ? own(exported[0], "state") : undefined;
  const state = first ?? value;
  if (!isJsonObject(state))
    throw new RefloatError("E_STATE_DAMAGED", { path: from, why: "It holds no state." });
  if (Array.isArray(exported) && exported.length > 1)
    throw new RefloatError("E_USAGE", {
      why: `${from} holds ${exported.length} states; export the one you mean.`,
    });
  return state;
}

export async function upgradeStateFiles(
  at: AppPlace,
  named: readonly string[],
  to: WrittenVersion,
): Promise<readonly UpgradedFile[]> {
  const files = await filesMeant(at, named);
  const store = await at.openOrMakeStore();
  const done: UpgradedFile[] = [];
  for (const file of files) done.push(await upgradeFile(store.raw, file, to));
  await carryOutOf(at, store.raw, files);
  return done;
}

export async function repairStateFiles(
  at: AppPlace,
  named: readonly string[],
  options: RepairOptions,
): Promise<readonly RepairedFile[]> {
  const files = await filesAndLost(at, named);
  const store = await at.openOrMakeStore();
  const done: RepairedFile[] = [];
  for (const file of files) done.push(await repairFile(store.raw, file, options));
  // What waited for a damaged file can be done in a whole one.
  if (options.isDryRun !== true) await carryOutOf(at, store.raw, files);
  return done;
}

export interface ExportedStates {
  readonly states: Json;
  /** Whether secrets were taken out (T4). */
  readonly redacted: boolean;
}

export async function exportStateFiles(
  at: AppPlace,
  named: readonly string[],
  { to, isRaw }: { readonly to: WrittenVersion; readonly isRaw: boolean },
): Promise<ExportedStates> {
  const states: Json = (await filesMeant(at, named)).map((file) => exported(file, to));
  if (isRaw) return { states, redacted: false };
  const { value, count } = await redactJson(withTokens(states, () => null));
  return { states: withTokens(value, (_, path) => tokenAt(states, path)), redacted: count > 0 };
}

/**
 * The token of a claim is a number of the file's own and no secret in it: a marker in its place would be damage to whoever reads the
 * export, `state import` among them.
 */
function withTokens(
  value: Json,
  token: (known: Json, path: readonly string[]) => Json,
  path: readonly string[] = [],
): Json {
  if (Array.isArray(value))
    return value.map((item, i) => withTokens(item as Json, token, [...path, String(i)]));
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => [
      key,
      withTokens(inner as Json, token, [...path, key]),
    ]);
    return Object.fromEntries(entries);
  }
  return path.at(-1) === "attempt_token" && (value === null || isToken(value)) ? token(value, path) : value;
}

function tokenAt(states: Json, path: readonly string[]): Json {
  const found = path.reduce<Json | undefined>(
    (inner, key) => (Array.isArray(inner) ? (inner[Number(key)] as Json) : own(inner, key)),
    states,
  );
  return isToken(found) ? found : null;
}

function exported(file: string, to: WrittenVersion): Json {
  const doc = parsedFile(file);
  if (!isJsonObject(doc) || !isVersion(own(doc, "schema_version")))
    throw new RefloatError("E_STATE_DAMAGED", { path: file, why: "It is not a state file." });
  const companion = readText(handoffOf(file));
  return {
    path: file,
    version: own(doc, "schema_version") ?? null,
    state: upgradeState(doc, to),
    decisions: decisionsIn(doc).flatMap((one) => (one ? [{ ...one }] : [])),
    handoff: companion.kind === "read" ? companion.text : null,
  };
}
