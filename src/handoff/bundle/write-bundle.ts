/**
 * A bundle (DESIGN 10, `run --bundle DIR`): what a session left, for a machine that may be gone tomorrow. Written over and
 * over while the session lives and at its end: each file is replaced whole, so that whoever fetches the folder at any
 * instant gets whole files; README.txt comes last.
 */
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { makePrivateDirectory, removeDurable, writeDurable } from "../../platform/durable-file.ts";
import { replaceDurableFrom } from "../../platform/durable-stream.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { exportLines } from "../../store/export.ts";
import type { Store } from "../../store/store.ts";
import { fileMayHoldSecret } from "../../text/redact.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { BriefFacts } from "../brief-facts.ts";
import type { Brief } from "../write-brief.ts";
import { blackboxHtml, bundleReadme, sessionTimeline } from "./blackbox.ts";
import { archiveEntries, type BundleGap, type BundleSource, bundleChanges } from "./bundle-changes.ts";
import { tarOf } from "./tar.ts";

export const BUNDLE_SCHEMA = "refloat.bundle/1";
export const BUNDLE_JOURNAL = "journal.jsonl";

export interface BundleOptions {
  readonly folder: string;
  readonly store: Store;
  readonly row: SessionRow;
  /** Null: a folder without git. */
  readonly repository: Repository | null;
  /** What the session's last capture holds; null: there is none, so no changes go along. */
  readonly capture: TakenCapture | null;
  readonly headAtBegin: string | null;
  readonly manifest: Manifest;
  readonly facts: BriefFacts;
  readonly brief: Brief;
  readonly isRaw: boolean;
  /** What blackbox.html shows with the page's components; left out: it has none of them. */
  readonly page?: Readonly<Record<string, unknown>>;
}

export interface BundleResult {
  readonly folder: string;
  readonly gaps: readonly BundleGap[];
}

export async function writeBundle(options: BundleOptions): Promise<BundleResult> {
  const { folder, store, row, isRaw } = options;
  makePrivateDirectory(folder);
  const changes = await writeChanges(options);
  const { gaps } = changes;
  const lines = exportLines(store, { sessions: [row.id], raw: isRaw });
  await replaceDurableFrom(join(folder, BUNDLE_JOURNAL), ended(lines));
  writeTexts(options, changes, await sessionTimeline(store, row));
  return { folder, gaps };
}

interface WrittenChanges {
  readonly gaps: readonly BundleGap[];
  readonly patch: Buffer;
  readonly untracked: number;
  readonly hasCommits: boolean;
}

async function writeChanges(options: BundleOptions): Promise<WrittenChanges> {
  const { folder, store, capture, repository, isRaw } = options;
  if (!capture) return writeNone(folder, [{ path: ".", why: "no capture was taken" }]);
  const source: BundleSource = { store, repository, isRaw, capture: capture.capture, atMs: capture.atMs };
  const { patch, untracked, gaps } = await bundleChanges(source);
  writeDurable(join(folder, "changes.patch"), patch);
  await replaceDurableFrom(join(folder, "untracked.tar"), tarOf(archiveEntries(source, untracked)));
  const head = capture.capture.head?.id ?? null;
  const commits =
    repository && head !== null
      ? await bundleCommits(repository, { head, headAtBegin: options.headAtBegin, isRaw })
      : ({ kind: "none" } as const);
  const file = join(folder, "commits.bundle");
  if (commits.kind === "bundle") writeDurable(file, commits.bytes);
  else removeDurable(file);
  const missing = commits.kind === "gap" ? [{ path: "commits.bundle", why: commits.why }] : [];
  return {
    gaps: [...gaps, ...missing],
    patch,
    untracked: untracked.length,
    hasCommits: commits.kind === "bundle",
  };
}

async function writeNone(folder: string, gaps: readonly BundleGap[]): Promise<WrittenChanges> {
  writeDurable(join(folder, "changes.patch"), "");
  await replaceDurableFrom(join(folder, "untracked.tar"), tarOf(none()));
  removeDurable(join(folder, "commits.bundle"));
  return { gaps, patch: Buffer.alloc(0), untracked: 0, hasCommits: false };
}

async function* none(): AsyncGenerator<never> {
  // Nothing to archive.
}

function writeTexts(
  { folder, store, row, capture, manifest, facts, brief, isRaw, page }: BundleOptions,
  { gaps, patch, untracked, hasCommits }: WrittenChanges,
  timeline: Awaited<ReturnType<typeof sessionTimeline>>,
): void {
  const head = capture?.capture.head ?? null;
  const about = {
    schema: BUNDLE_SCHEMA,
    made_at: new Date(store.clock.nowMs()).toISOString(),
    raw: isRaw,
    capture: capture?.id ?? null,
  };
  // What nobody looked into is not in the bundle either: one list for both.
  const named = new Set(gaps.map(({ path }) => path));
  const all = [...gaps, ...manifest.gaps.filter(({ path }) => !named.has(path))];
  const text = JSON.stringify({ ...about, ...manifest, gaps: all }, null, 1);
  writeDurable(join(folder, "manifest.json"), `${text}\n`);
  writeDurable(join(folder, "handoff.md"), brief.markdown);
  const html = blackboxHtml({
    facts,
    handoff: brief.markdown,
    timeline,
    patch: patch.toString("utf8"),
    gaps,
    page: page ? { ...page, gaps } : null,
  });
  writeDurable(join(folder, "blackbox.html"), html);
  const readme = bundleReadme({
    session: row.id,
    head: head?.id ?? null,
    branch: head?.branch ?? null,
    hasPatch: patch.length > 0,
    hasUntracked: untracked > 0,
    hasCommits,
    isRaw,
    gaps,
  });
  writeDurable(join(folder, "README.txt"), readme);
}

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

// Commits of the session that would be gone with the machine: those that no remote has; in a repository without remotes,
// those made since it began. As git's own bundle; left out, and named, when a secret may be in them or they are too many.

/** What a bundle of a session's commits may have: more is a history, not a session's work. */
const MAX_COMMIT_BYTES = 64 * 1024 * 1024;

type BundleCommits =
  | { readonly kind: "none" }
  | { readonly kind: "bundle"; readonly bytes: Buffer }
  | { readonly kind: "gap"; readonly why: string };

async function bundleCommits(
  repository: Repository,
  {
    head,
    headAtBegin,
    isRaw,
  }: { readonly head: string; readonly headAtBegin: string | null; readonly isRaw: boolean },
): Promise<BundleCommits> {
  try {
    const remotes = (await repository.run(["for-each-ref", "--format=%(objectname)", "refs/remotes"]))
      .toString("utf8")
      .trim();
    const known = remotes === "" ? headAtBegin : null;
    if (remotes === "" && known === null) return { kind: "none" };
    const range = ["HEAD", "--not", ...(known === null ? ["--remotes"] : [known])];
    const commits = (await repository.run(["rev-list", ...range])).toString("utf8").trim();
    // HEAD may have moved since the capture: then these are not the commits that are meant.
    if (commits === "" || !commits.startsWith(head)) return { kind: "none" };
    if (!isRaw && (await hasSecret(repository, range)))
      return { kind: "gap", why: "a commit may hold a secret" };
    const bytes = await repository.run(["bundle", "create", "--quiet", "-", ...range]);
    return bytes.length > MAX_COMMIT_BYTES
      ? { kind: "gap", why: `the commits have more than ${MAX_COMMIT_BYTES} bytes` }
      : { kind: "bundle", bytes };
  } catch (thrown) {
    if (thrown instanceof RefloatError) return { kind: "gap", why: thrown.message };
    throw thrown;
  }
}

async function hasSecret(repository: Repository, range: readonly string[]): Promise<boolean> {
  const shown = await repository.run(["log", "-p", "--no-ext-diff", "--no-textconv", "--no-color", ...range]);
  return shown.length > MAX_COMMIT_BYTES || (await fileMayHoldSecret(shown.toString("utf8")));
}
