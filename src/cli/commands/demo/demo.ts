/**
 * `demo`: a scripted session in a process of its own is killed with SIGKILL in the middle of a call; then this
 * process looks at what survived. Everything it says was looked at in the store; a promise that was not kept
 * is shown as such and makes the exit code 1 (T1).
 */

import { basename, join, relative } from "node:path";
import { openStore, type RefloatStore } from "../../../app/store/open-store.ts";
import { makeTemporaryDirectory, removeScratch } from "../../../platform/scratch.ts";
import { escapeForTerminal, shellWord } from "../../../text/escape.ts";
import { wrapToWidth } from "../../../text/width.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count } from "../../screen/words.ts";
import {
  callIsClosed,
  type DemoFinding,
  exportIsValid,
  inputStillWaits,
  lateWriteIsRefused,
  nextOwnerHasIt,
  nothingIsLost,
  ownerIsDead,
  streamIsKept,
} from "./findings.ts";
import { DEMO } from "./script.ts";
import { type StoryStep, tellStory } from "./story.ts";
import { runAndKill, type Victim } from "./victim.ts";

/** Between two findings at a terminal: time to read one. */
const PAUSE_MS = 500;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const folder = makeTemporaryDirectory("refloat-demo-");
  const isKept = isSet(input, "keep");
  try {
    return await play(context, folder, { isKept, isFast: isSet(input, "fast") });
  } finally {
    if (!isKept) removeScratch(folder);
  }
}

async function play(
  context: Context,
  folder: string,
  how: { readonly isKept: boolean; readonly isFast: boolean },
): Promise<CommandEnd> {
  const { out } = context;
  const say = async (...lines: readonly string[]): Promise<void> => {
    if (!out.isJson) await out.write(`${lines.join("\n")}\n`);
  };
  const path = join(folder, "refloat.db");
  await say(...openingLines(context));
  const victim = await runAndKill(path, folder);
  await say(...killLines(context, victim));
  const store = await openStore(path, { thread: false });
  const findings: DemoFinding[] = [];
  try {
    for await (const finding of look(store, victim, folder)) {
      findings.push(finding);
      if (out.isTerminal && !how.isFast) await context.clock.sleep(PAUSE_MS);
      await say(...findingLines(context, finding, findings.length));
    }
  } finally {
    await store.close();
  }
  const steps = await story(context, folder, how.isFast, say);
  const ok = [...findings, ...steps].every(({ isKept }) => isKept);
  if (out.isJson)
    await out.result({
      command: "demo",
      json: json(findings, steps, victim, how.isKept ? folder : null),
      text: () => [],
    });
  else await say(...closingLines(context, [...findings, ...steps], how.isKept ? folder : null));
  return ok ? EXIT.done : EXIT.failed;
}

/** The same for files: a repository, an agent that dies in it, and the commands a person would type next. */
async function story(
  context: Context,
  folder: string,
  isFast: boolean,
  say: (...lines: readonly string[]) => Promise<void>,
): Promise<StoryStep[]> {
  const { out } = context;
  const steps: StoryStep[] = [];
  const program = [process.execPath, process.argv[1] ?? ""];
  for await (const step of tellStory(folder, program, out.columns - INDENT)) {
    if (steps.length === 0) await say(out.style.bold("And what it did to the files?"), "");
    steps.push(step);
    if (out.isTerminal && !isFast) await context.clock.sleep(PAUSE_MS);
    await say(...stepLines(context, step));
  }
  return steps;
}

/** What is shown of one command's output: enough to see what it is like, and what `inspect` says to type next. */
const MAX_STEP_LINES = 26;
/** A command's output stands to the right of it. */
const INDENT = 4;

function stepLines({ out }: Context, { command, about, output, isKept }: StoryStep): string[] {
  const mark = isKept ? out.style.green("✔") : out.style.red("✘");
  const lines = output
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapToWidth(escapeForTerminal(line, { newlines: "show" }), out.columns - INDENT));
  const shown = lines.slice(0, MAX_STEP_LINES);
  const more = lines.length - shown.length;
  return [
    `${mark} ${about}`,
    `  ${out.style.bold(`$ refloat ${command.map(shellWord).join(" ")}`)}`,
    ...shown.map((line) => (line === "" ? "" : out.style.dim(`${" ".repeat(INDENT)}${line}`))),
    ...(more > 0 ? [out.style.dim(`    ... ${count(more, "more line")}`)] : []),
    "",
  ];
}

async function* look(store: RefloatStore, victim: Victim, workspace: string): AsyncGenerator<DemoFinding> {
  yield ownerIsDead(store, victim);
  yield nothingIsLost(store, victim);
  const session = await store.begin({ id: DEMO.session, agent: DEMO.agent, workspace });
  const view = session.view("people");
  yield nextOwnerHasIt(session);
  yield streamIsKept(view, victim);
  yield callIsClosed(view);
  yield inputStillWaits(session);
  yield lateWriteIsRefused(store);
  yield exportIsValid(session);
  await session.release();
}

function openingLines({ out }: Context): string[] {
  return [
    out.style.bold("An agent is killed in the middle of a call. What is left?"),
    "",
    ...wrapToWidth(
      `A process runs a session: "${DEMO.goal}" It answers, calls two tools, takes another input into its queue, and starts a third call, deploy.`,
      out.columns,
    ),
  ];
}

function killLines({ out }: Context, { pid }: Victim): string[] {
  return ["", `  ${out.style.red(`kill -9 ${pid}`)}`, ""];
}

function findingLines({ out }: Context, { promise, isKept, seen }: DemoFinding, number: number): string[] {
  const mark = isKept ? out.style.green("✔") : out.style.red("✘");
  const wrapped = (text: string, indent: number): string[] =>
    wrapToWidth(text, out.columns - indent).map((line) => " ".repeat(indent) + line);
  const [head = "", ...rest] = wrapped(promise, 5);
  return [
    `${mark} ${number}  ${out.style.bold(head.slice(5))}`,
    ...rest.map((line) => out.style.bold(line)),
    ...seen.flatMap((text) => wrapped(text, 5).map((line) => out.style.dim(line))),
    "",
  ];
}

function closingLines(
  { out }: Context,
  findings: readonly { readonly isKept: boolean }[],
  folder: string | null,
): string[] {
  const kept = findings.filter(({ isKept }) => isKept).length;
  const verdict =
    kept === findings.length
      ? out.style.green(`${kept} of ${findings.length} promises kept.`)
      : out.style.red(
          `${findings.length - kept} of ${findings.length} promises were NOT kept. Please report this.`,
        );
  const refloat = invocation();
  return [
    verdict,
    "",
    out.style.bold("Try next"),
    ...(folder === null
      ? [`  ${refloat} demo --keep`, "      the same, and keeps the store to look around in"]
      : [
          `  export REFLOAT_STORE=${join(folder, "refloat.db")}`,
          `  ${refloat} show demo`,
          "      the session's tries, turns and calls",
          `  ${refloat} log demo`,
          "      what was said, up to the cut",
          `  rm -r ${folder}`,
        ]),
    "  docs/library.md",
    "      the same in your own program, in 40 lines",
  ];
}

/** How this program was started: before it is installed there is no `refloat` to type. */
function invocation(): string {
  const script = process.argv[1] ?? "refloat";
  return basename(script) === "refloat" ? "refloat" : `node ${relative(process.cwd(), script) || script}`;
}

function json(
  findings: readonly DemoFinding[],
  steps: readonly StoryStep[],
  victim: Victim,
  folder: string | null,
): Record<string, unknown> {
  return {
    ok: [...findings, ...steps].every(({ isKept }) => isKept),
    killed: { pid: victim.pid, signal: victim.signal },
    findings: findings.map(({ promise, isKept, seen }) => ({ promise, kept: isKept, seen })),
    story: steps.map(({ command, code, isKept }) => ({ command, exit_code: code, kept: isKept })),
    folder,
  };
}
