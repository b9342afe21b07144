/**
 * What the session's own records tell the next one: what was asked, what was done, what its plan leaves open, its subagents, what ran
 * beside it, and what nobody knows. The agent's word is told as its word (T2).
 */

import type { FoldedCall } from "../conversation/fold.ts";
import type { Manifest } from "../model/manifest.ts";
import { pathFromText } from "../model/path-name.ts";
import { firstAbout, isToTheProgram } from "../salvage/story/agent-story.ts";
import type { SessionStory } from "../salvage/story/session-story.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import type { ChildTool } from "../text/child-resume-words.ts";
import { count } from "../text/counting.ts";
import { shellLineWord } from "../text/escape.ts";
import { redactBeginnings } from "../text/redact-part.ts";
import { mentions } from "../workspace/owning/named-paths.ts";
import type { BriefChild, BriefRecorded, BriefTold } from "./brief-facts.ts";
import { childrenOf } from "./told-children.ts";
import { isPutBehind, machinesOf } from "./told-machinery.ts";
import { editedFiles, fileName, isEnded, lastTest, outputText, ranBy, ranCommands } from "./told-work.ts";

export interface ToldSources {
  readonly store: Store | null;
  readonly row: SessionRow | null;
  readonly story: SessionStory;
  readonly manifest: Manifest;
  /** The workspace's top. */
  readonly root: string;
  /** Commands as they can be typed where the brief is printed (T6). */
  readonly typed: (text: string) => string;
  /** How its agent goes on with a subagent; null or left out: not at all. */
  readonly childTool?: ChildTool | null;
}

/** Requests that are told; the first of them is never left out for newer ones. */
const MAX_REQUESTS = 12;
const REQUEST_CHARS = 2000;
const MAX_PLAN = 40;
const RECORDED_CHARS = 300;

export async function toldFacts(sources: ToldSources): Promise<BriefTold> {
  const { story, manifest, root } = sources;
  const { calls } = story;
  const own = calls.filter(({ heard }) => (heard?.child ?? null) === null);
  return {
    requests: await requestsIn(story, manifest),
    files: editedFiles(calls, root),
    ran: await ranCommands(own.filter((call) => !isPutBehind(call))),
    test: await lastTest(calls, root),
    plan: story.plan.slice(0, MAX_PLAN),
    children: childrenOf(calls, story, {
      ...{ root, groups: manifest.groups, tool: sources.childTool ?? null },
      places: await childPlaces(sources),
    }),
    machines: await machinesOf(story),
    recorded: await recordedIn(sources),
    unknown: await unknownIn(sources),
    more: moreCommands(sources),
  };
}

/** All but the one that stands for the goal; a long session's first and its newest. */
async function requestsIn({ requests }: SessionStory, { goal }: Manifest): Promise<readonly string[]> {
  const first = firstAbout(requests);
  const isGoal = first !== undefined && goal !== null && isSame(goal, first.text);
  const rest = requests.filter(
    (one) => one.text.trim() !== "" && !isToTheProgram(one.text) && !(isGoal && one === first),
  );
  const shown =
    isGoal || rest.length <= MAX_REQUESTS
      ? rest.slice(-MAX_REQUESTS)
      : [rest[0], ...rest.slice(1 - MAX_REQUESTS)];
  const texts = shown.map((one) => ({ text: one?.text.trim() ?? "", chars: REQUEST_CHARS }));
  return (await redactBeginnings(texts)).map(({ text }) => text);
}

/** The goal may be the request's beginning, and without its secrets. */
const SAME_CHARS = 40;
const isSame = (goal: string, text: string): boolean =>
  goal.trim().slice(0, SAME_CHARS) === text.trim().slice(0, SAME_CHARS);

/** C4: a result the agent's program made up, beside what the tree shows. */
async function recordedIn({ story, manifest, root }: ToldSources): Promise<readonly BriefRecorded[]> {
  const listed = new Set(manifest.calls.map(({ id }) => id));
  const made = story.calls.filter(
    ({ id, result }) =>
      listed.has(id) &&
      result?.isSynthetic === true &&
      result.isHeard &&
      outputText(result.output).trim() !== "",
  );
  const changes = manifest.groups.flatMap((group) => group.changes);
  return Promise.all(
    made.map(async (call) => {
      const text = outputText(call.result?.output ?? null).trim();
      const [said] = await redactBeginnings([{ text, chars: RECORDED_CHARS }]);
      return { call: call.id, said: said?.text ?? "", saw: sawOf(call, story.calls, { changes, root }) };
    }),
  );
}

interface SeenTree {
  readonly changes: Manifest["groups"][number]["changes"];
  readonly root: string;
}

/** What the tree shows at the paths that the call names; null: it names none that differs. */
function sawOf(call: FoldedCall, calls: readonly FoldedCall[], { changes, root }: SeenTree): string | null {
  const command = ranBy(call);
  const names = new Set((call.heard?.paths ?? []).map((path) => fileName(root, path)));
  const named = changes.find(
    ({ path }) => names.has(path) || (command !== null && mentions(command, pathFromText(path))),
  );
  if (!named) return null;
  const before = calls
    .filter((one) => one.seq < call.seq && isEnded(one) && one.result.status === "done")
    .flatMap(({ heard }) => heard?.wrote ?? [])
    .findLast(({ path }) => fileName(root, path) === named.path);
  const hash = named.to?.hash;
  if (before && typeof hash === "string" && hash !== before.hash)
    return `${named.path} holds something else than the finished call before it wrote`;
  return before && hash === before.hash
    ? `${named.path} is still what the finished call before it wrote`
    : `${named.path}, which it names, is changed in the tree`;
}

/** What nobody can tell, and why: the next one is not to take silence for an answer (T1). */
async function unknownIn({ store, row, story, manifest, typed }: ToldSources): Promise<readonly string[]> {
  const status = store && row ? await heardStatus(store, row, story) : null;
  const isQuiet =
    manifest.session.state === "live" || (status === "dirty-idle" && !story.turns.at(-1)?.isInferred);
  const ends = status === null || isQuiet ? undefined : SILENT_ENDS[status];
  const log = row ? typed(`refloat log ${shellLineWord(row.id)}`) : null;
  const gaps = manifest.gaps.length;
  return [
    ...(ends === undefined ? [] : [ends]),
    ...(story.compactions > 0 && log !== null
      ? [
          `Its context was shortened ${count(story.compactions, "time")}: what its model no longer knew is in ${log}.`,
        ]
      : []),
    ...(gaps > 0 ? [`${count(gaps, "path")} could not be read or compared.`] : []),
    ...(story.isCutShort ? ["Its oldest records were not looked at."] : []),
  ];
}

const SILENT_ENDS: Readonly<Record<string, string>> = {
  "dirty-in-stream":
    "Its records end while its model was to answer: what that was about to say or do is on no record.",
  "dirty-idle":
    "Its records end without an end: whether it began anything after its last words is on no record.",
  lost: "Its records hold nothing of the conversation.",
};

/** Of one session: its own transcript, and those of its subagents. */
const SOURCES = 30;

/** Where each subagent worked, by its own transcript; a later reading may not say it again. */
async function childPlaces({
  store,
  row,
}: Pick<ToldSources, "store" | "row">): Promise<ReadonlyMap<string, string>> {
  if (!store || !row) return new Map();
  const query = { session: row.id, kinds: ["agent.heard"] as const, order: "backward" as const };
  const heard = (await store.records({ ...query, limit: CHILD_READINGS })).reverse();
  return new Map(
    heard.flatMap(({ body }) =>
      body.child === true && typeof body.cwd === "string"
        ? [[String(body.native_id), body.cwd] as const]
        : [],
    ),
  );
}

/** The same for whoever lists them and judges nothing: without verdicts. */
export const childrenTold = async ({
  store,
  row,
  story,
  root,
  childTool = null,
}: Omit<ToldSources, "manifest" | "typed">): Promise<readonly BriefChild[]> =>
  childrenOf(story.calls, story, {
    ...{ root, groups: [], tool: childTool },
    places: await childPlaces({ store, row }),
  });

/** A child is read again while it works: the newest of these have each that matters. */
const CHILD_READINGS = 500;

/** Where its own transcript stood when it was last read. */
async function heardStatus(store: Store, row: SessionRow, { calls }: SessionStory): Promise<string | null> {
  const children = new Set(calls.flatMap(({ heard }) => heard?.child ?? []));
  const newest = await store.records({
    session: row.id,
    kinds: ["agent.heard"],
    order: "backward",
    limit: SOURCES,
  });
  const own = newest.find(({ body }) => !children.has(String(body.native_id)));
  return typeof own?.body.status === "string" ? own.body.status : null;
}

function moreCommands({ row, typed, story }: ToldSources): readonly string[] {
  if (!row) return [];
  const hasWords = story.requests.length + story.calls.length + story.messages.length > 0;
  return [
    ...(hasWords ? [`refloat log ${shellLineWord(row.id)}`] : []),
    `refloat inspect ${shellLineWord(row.id)}`,
  ].map(typed);
}
