/** `queue add|list|cancel|retry`: work that waits for workers (app/fleet/queue.ts). */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  addToQueue,
  cancelItem,
  type ListedItem,
  listQueue,
  MAX_PROMPT_BYTES,
  PRIORITIES,
  retryItem,
} from "../../../app/fleet/queue.ts";
import { RefloatError } from "../../../model/errors.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { redactBeginnings } from "../../../text/redact-part.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";

/** Of a prompt in a list; `--raw` has all of it. */
const PROMPT_CHARS = 2000;
const MAX_SHOWN = 100;

export async function add(context: Context, input: CommandInput): Promise<CommandEnd> {
  const after = textOption(input, "after");
  const isTime = after !== null && /^\d+(?:\.\d+)?(?:ms|s|m|h)$/.test(after);
  const added = await addToQueue(context, {
    prompt: await promptIn(context, textArgument(input, 0) ?? ""),
    priority: priorityIn(input),
    afterMs: isTime ? parseDuration("--after", after) : null,
    afterItem: isTime ? null : after,
    repo: repoIn(context, input) ?? context.place(),
  });
  const { id, repository, isDeferred } = added;
  const state = isDeferred ? "deferred" : "waiting";
  await context.out.result({
    command: "queue-add",
    json: { item: id, repository, state },
    text: () => [
      `Item ${id} ${isDeferred ? "is added, and waits until it is due" : "waits for a worker"}.`,
      context.out.style.dim(
        context.out.typed(`To take it out again: refloat queue cancel ${shellLineWord(id)}`),
      ),
    ],
  });
  return EXIT.done;
}

function priorityIn(input: CommandInput): number {
  const text = textOption(input, "priority");
  if (text === null) return PRIORITIES.usual;
  if (/^[0-9]$/.test(text)) return Number(text);
  throw usage(`--priority wants a number from ${PRIORITIES.lowest} to ${PRIORITIES.highest}, not ${text}.`);
}

function repoIn(context: Context, input: CommandInput): string | null {
  const typed = textOption(input, "repo");
  return typed === null ? null : resolve(context.place(), typed);
}

/** The text itself, unless it names a file: a prompt that is a file's name is rare, and a wrong guess is shown by `queue list`. */
async function promptIn(context: Context, typed: string): Promise<string> {
  if (typed === "-") return fromStdin();
  const path = resolve(context.place(), typed);
  const isName =
    typed !== "" && !typed.includes("\n") && Buffer.byteLength(typed) < 4096 && !typed.includes("\0");
  const found = isName ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (!found?.isFile()) return typed;
  assertPromptSize(found.size);
  return readFileSync(path, "utf8");
}

async function fromStdin(): Promise<string> {
  if (process.stdin.isTTY === true) throw usage("Nothing comes from stdin: it is a terminal.");
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin) {
    pieces.push(Buffer.from(piece as Buffer));
    bytes += (piece as Buffer).length;
    assertPromptSize(bytes);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function assertPromptSize(bytes: number): void {
  if (bytes > MAX_PROMPT_BYTES)
    throw new RefloatError("E_TOO_LARGE", { what: "The prompt", bytes, limit: MAX_PROMPT_BYTES });
}

export async function list(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (isSet(input, "all") && textOption(input, "repo") !== null)
    throw usage("--all and --repo say different things.");
  const repo = isSet(input, "all") ? null : (repoIn(context, input) ?? context.place());
  const listed = await listQueue(context, { repo, isWithEnded: isSet(input, "ended") });
  const prompts = await shownPrompts(listed.items, isSet(input, "raw"));
  await context.out.result({
    command: "queue-list",
    json: {
      repository: listed.repository,
      items: listed.items.map((item, i) => itemJson(item, prompts[i] ?? null)),
    },
    text: () => (listed.items.length === 0 ? ["Nothing waits."] : itemLines(context, listed.items, prompts)),
  });
  return EXIT.done;
}

/** T4: without secrets, unless that is asked for. */
async function shownPrompts(items: readonly ListedItem[], isRaw: boolean): Promise<readonly Prompt[]> {
  if (isRaw) return items.map(({ prompt }) => prompt);
  const cut = items.map(({ prompt }) => ({ text: prompt ?? "", chars: PROMPT_CHARS }));
  return (await redactBeginnings(cut)).map(({ text }, i) => (items[i]?.prompt === null ? null : text));
}

type Prompt = ListedItem["prompt"];

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function itemJson(item: ListedItem, prompt: Prompt): Record<string, unknown> {
  return {
    ...{ id: item.id, repository: item.repository, repository_name: item.name, priority: item.priority },
    ...{
      state: stateIn(item),
      prompt,
      added_at: timeOf(item.addedAtMs),
      not_before: timeOf(item.notBeforeMs),
    },
    ...{ after: item.after?.id ?? null, retries: item.retries, why: item.why },
    session: item.session,
  };
}

/** Taken: what its session is. */
const stateIn = ({ state, session }: ListedItem): string =>
  state === "taken" ? (session?.state ?? "taken") : state;

function itemLines(context: Context, items: readonly ListedItem[], prompts: readonly Prompt[]): string[] {
  const { style, columns } = context.out;
  const ids = items.map(({ id }) => id);
  const nowMs = context.clock.nowMs();
  const lines = tableLines(
    [
      { title: "STATE" },
      { title: "ID", shrinkTo: 8, paint: style.bold },
      { title: "PRIORITY" },
      { title: "ADDED" },
      { title: "REPOSITORY", shrinkTo: 6 },
      { title: "PROMPT", shrinkTo: 10 },
    ],
    items
      .slice(0, MAX_SHOWN)
      .map((item, i) => [
        stateIn(item),
        shortId(item.id, ids),
        String(item.priority),
        agoText(item.addedAtMs, nowMs),
        oneLine(item.name),
        oneLine(prompts[i] ?? "(forgotten)"),
      ]),
    columns,
    style.dim,
  );
  const more = items.length - MAX_SHOWN;
  return more > 0 ? [...lines, style.dim(`... ${count(more, "more", "more")} (--json has them)`)] : lines;
}

export async function cancel(context: Context, input: CommandInput): Promise<CommandEnd> {
  const reason = textOption(input, "reason") ?? "cancelled by order";
  const { kind, item } = await cancelItem(context, textArgument(input, 0) ?? "", reason);
  const id = shortId(item.id);
  await context.out.result({
    command: "queue-cancel",
    json: { item: item.id, done: kind === "cancelled", stopping: kind === "stopping" },
    text: () =>
      kind === "cancelled"
        ? [`Item ${id} is cancelled.`]
        : [
            `Item ${id} runs: its session was asked to stop.`,
            context.out.style.dim(context.out.typed(`To see it end: refloat show ${shellLineWord(id)}`)),
          ],
  });
  return EXIT.done;
}

export async function retry(context: Context, input: CommandInput): Promise<CommandEnd> {
  const retried = await retryItem(context, textArgument(input, 0) ?? "");
  const { item } = retried;
  const as = retried.kind === "added" ? retried.as.id : item.id;
  await context.out.result({
    command: "queue-retry",
    json: { item: as, retries: item.id, lifted: retried.kind === "lifted" },
    text: () =>
      retried.kind === "added"
        ? [`Item ${shortId(item.id)} waits again, as ${as}.`]
        : [`The session of item ${shortId(item.id)} is no longer suspended: a worker takes it up.`],
  });
  return EXIT.done;
}
