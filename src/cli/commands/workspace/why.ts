/** `why PATH[:LINE]`: which session, call and operation brought a path, or one of its lines, to what it is. Reads only. */
import { readFileSync } from "node:fs";
import { sessionsHere, type WorkspaceHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { ContentHash } from "../../../model/ids.ts";
import { type PathName, pathForDisplay, pathJson } from "../../../model/path-name.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { linesOf } from "../../../text/diff-lines.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { textOf } from "../../../text/text-of.ts";
import { truncateToWidth } from "../../../text/width.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import { contentFinder, type FindContent } from "../../../workspace/compare/content-finder.ts";
import { lineOrigin } from "../../../workspace/compare/line-origin.ts";
import { nowSide } from "../../../workspace/compare/sides.ts";
import { lookAt, pathAt } from "../../../workspace/files/read-path.ts";
import { headStates } from "../../../workspace/git/head-states.ts";
import type { Repository } from "../../../workspace/git/repository.ts";
import { CLEAN, type Claim, claimsOn, type TrackedCapture } from "../../../workspace/owning/own.ts";
import { loadTracks, NOW, withNow } from "../../../workspace/owning/session-tracks.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { type CommandInput, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { hanging } from "../../screen/hanging.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";

/** Lines are looked for in files of this size at most. */
const MAX_BYTES = 4 * 1024 * 1024;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  const { path, line } = parse(here, textArgument(input, 0) ?? "");
  const { workspace } = here;
  const rows = store ? await sessionsHere(store, here) : [];
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const loaded = store ? await loadTracks(store.raw, workspace.root, rows) : [];
  const side = await nowSide(workspace, [path], { env: here.env, clock: context.clock });
  const { reading } = side;
  const tracks = reading ? withNow(loaded, rows, { ...side, reading }, context.clock.nowMs()) : loaded;
  const claims = claimsOn(path, tracks).toSorted((a, b) => b.to.atMs - a.to.atMs || b.to.seq - a.to.seq);
  const commits = tracks.flatMap(({ captures }) => captures.map(({ headId }) => headId));
  const find = contentFinder({
    store: store?.raw ?? null,
    repository,
    root: workspace.root,
    commits,
    maxBytes: MAX_BYTES,
  });
  const text = line === null ? null : lineNow(here, path, line);
  const origin = text === null ? null : lineOrigin(text, await stepsOf(claims, path, find, repository));
  const shown = await withSafeLabels(text === null ? claims : claims.filter((claim) => claim === origin));
  await context.out.result({
    command: "why",
    json: { ...pathJson(path), line, text, changes: shown.map((claim) => claimJson(claim, rows)) },
    text: () => lines(context, { path, line, text, shown, rows }),
  });
  return EXIT.done;
}

/** An operation's label is the agent's own words (T4); the line is the user's own file and stays what it is. */
async function withSafeLabels(claims: readonly Claim[]): Promise<Claim[]> {
  const { value: labels } = await withoutSecrets(
    claims.map(({ calls }) => calls.map(({ operations }) => operations)),
  );
  return claims.map((claim, i) => ({
    ...claim,
    calls: claim.calls.map((call, j) => ({ ...call, operations: labels[i]?.[j] ?? [] })),
  }));
}

/** A file may have a colon and a number in its name: what is there is meant first. */
function parse(here: WorkspaceHere, typed: string): { path: PathName; line: number | null } {
  const whole = pathHere(here, typed);
  const [, file, number] = /^(.+):(\d{1,9})$/s.exec(typed) ?? [];
  if (file === undefined || lookAt(here.workspace.root, whole)) return { path: whole, line: null };
  return { path: pathHere(here, file), line: Number(number) };
}

function lineNow({ workspace }: WorkspaceHere, path: PathName, line: number): string {
  const stat = lookAt(workspace.root, path);
  if (!stat?.isFile() || stat.size > MAX_BYTES)
    throw new RefloatError("E_NO_FILE", {
      path: pathForDisplay(path),
      why: "it is no file whose lines can be read",
    });
  const lines = linesOf(textOf(readFileSync(pathAt(workspace.root, path))) ?? "");
  const text = lines[line - 1];
  if (text === undefined) throw usage(`${shownPath(path)} has ${count(lines.length, "line")}, not ${line}.`);
  return text;
}

async function stepsOf(
  claims: readonly Claim[],
  path: PathName,
  find: FindContent,
  repository: Repository | null,
) {
  const steps = [];
  for (const claim of claims) {
    const before = await linesAt(claim.fromKey, claim.from);
    steps.push({ step: claim, before, after: await linesAt(claim.toKey, claim.to) });
  }
  return steps;

  async function linesAt(key: string, capture: TrackedCapture): Promise<string[] | null> {
    if (key === "-") return [];
    const hash = key === CLEAN ? await hashInHead(capture) : (/ ([0-9a-f]{64})$/.exec(key)?.[1] ?? null);
    if (hash === "") return [];
    const text = hash === null ? null : textOf(await find(path, hash as ContentHash, 0));
    return text === null ? null : linesOf(text);
  }

  /** "": the commit does not have the path; null: it does, and git does not have the blob. */
  async function hashInHead({ headId }: TrackedCapture): Promise<string | null> {
    if (!repository || headId === null) return "";
    const found = (await headStates(repository, headId, [path])).get(path);
    return found?.kind === "missing" ? null : (found?.state?.hash ?? "");
  }
}

function claimJson(
  { session, from, to, calls, evidence }: Claim,
  rows: readonly SessionRow[],
): Record<string, unknown> {
  const row = rows.find(({ id }) => id === session);
  return {
    session,
    agent: row?.facts.agent ?? null,
    calls: calls.map(({ id, tool }) => ({ id, tool })),
    operations: [...new Set(calls.flatMap(({ operations }) => operations))],
    from_capture: from.id,
    to_capture: to.id,
    at: new Date(to.atMs).toISOString(),
    evidence: [evidence],
  };
}

interface WhyView {
  readonly path: PathName;
  readonly line: number | null;
  readonly text: string | null;
  readonly shown: readonly Claim[];
  readonly rows: readonly SessionRow[];
}

function lines(context: Context, { path, line, text, shown, rows }: WhyView): string[] {
  const { bold, dim } = context.out.style;
  const indented = (one: string): string[] => hanging(`    ${one}`, "      ", context.out.columns);
  const name = shownPath(path);
  const what = line === null ? name : `${name}:${line}`;
  const ids = rows.map(({ id }) => id as string);
  return [
    bold(what) + (text === null ? "" : `  ${truncateToWidth(oneLine(text), context.out.columns)}`),
    ...shown.flatMap((claim) => {
      const agent = rows.find(({ id }) => id === claim.session)?.facts.agent;
      const operations = [...new Set(claim.calls.flatMap((call) => call.operations))];
      return [
        `  ${agoText(claim.to.atMs, context.clock.nowMs())}: session ${shortId(claim.session, ids)}` +
          `${typeof agent === "string" ? ` (${oneLine(agent)})` : ""}`,
        ...indented(oneLine(claim.evidence.message)),
        ...(operations.length > 0 ? indented(`in the operation ${operations.map(oneLine).join(", ")}`) : []),
        dim(`    between ${captureName(claim.from)} and ${captureName(claim.to)}`),
      ];
    }),
    ...(shown.length === 0 ? ["  No session is known to have changed it."] : []),
  ];
}

const captureName = ({ id }: TrackedCapture): string => (id === NOW ? "now" : `capture ${shortId(id)}`);
