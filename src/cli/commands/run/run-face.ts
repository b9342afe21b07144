/** What a run is shown on: this process' own streams, and stderr for what refloat has to say of it. */
import type { RunFace, RunNews } from "../../../app/run/run-order.ts";
import type { Tell } from "../../../app/telling/news.ts";
import { CAUSE_WORDS } from "../../../model/causes.ts";
import type { Difference } from "../../../supervise/decide-resume.ts";
import { durationText } from "../../../text/counting.ts";
import { escapeForTerminal, shellLineWord } from "../../../text/escape.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import type { Output } from "../../screen/output.ts";
import { shortId } from "../../screen/short-id.ts";
import { bytesText, count, oneLine, timeText } from "../../screen/words.ts";
import { Countdown } from "./countdown.ts";

// What a supervisor has to say while its agent has the terminal: held back until the agent has left it.

/** Lines held at most; an agent may run for days. */
const MAX_HELD = 100;

class Narration {
  readonly #out: Output;
  #isHeld = false;
  #held: string[] = [];

  constructor(out: Output) {
    this.#out = out;
  }

  say(line: string): void {
    const safe = `refloat: ${escapeForTerminal(line, { newlines: "show" })}`;
    if (!this.#isHeld) this.#out.narrate(safe);
    else if (this.#held.length < MAX_HELD) this.#held.push(safe);
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const line of this.#held) this.#out.narrate(line);
    this.#held = [];
  }
}

export function runFace(context: Context): RunFace {
  const { stdin, stdout, stderr } = process;
  const narration = new Narration(context.out);
  const tellApp = teller(context);
  let countdown = new Countdown();
  return {
    streams: { stdin, stdout, stderr },
    tell: (news) => {
      if (news.kind === "limit-waits") countdown = new Countdown();
      const line =
        news.kind === "limit-left"
          ? countdown.line(news.leftMs)
          : runNewsLine(news, context.out.typed, tellApp);
      if (line !== null) narration.say(line);
    },
    hold: () => narration.hold(),
    release: () => narration.release(),
  };
}

/** `typed`: sentences of ours whose commands can be typed where they are printed (T6). Null: it was told otherwise. */
function runNewsLine(
  news: Exclude<RunNews, { kind: "limit-left" }>,
  typed: (text: string) => string,
  tellApp: Tell,
): string | null {
  switch (news.kind) {
    case "differs":
      return differenceLine(news.difference);
    case "goes-on":
      return `goes on with session ${shortId(news.session)}: ${news.typed.map(shellLineWord).join(" ")}`;
    case "begun-anew":
      return `${oneLine(news.agent)} finds no conversation of a folder that was moved (this one was at ${oneLine(news.movedFrom)}): a new one is begun, with the brief`;
    case "brought":
      return broughtLine(news);
    case "brief-not-given":
      return typed(
        `${oneLine(news.agent)} is started without the brief: this command line has no place for it that was seen to work. To have it, for pasting: refloat handoff ${shellLineWord(shortId(news.session))}`,
      );
    case "said":
      return news.line;
    case "noticed":
      return typed(news.line);
    case "notice-failed":
      return `what was left here could not be looked at: ${oneLine(news.error.message)}`;
    case "commits-nothing":
      return `nothing is committed as it goes: ${news.error.message}`;
    case "taken-over":
      return `the session was taken over: ${news.error.message}`;
    case "step-lost":
      return typed(
        `step ${news.step} of ${oneLine(news.file)} is ${oneLine(news.by)}'s now, by the file's word. See: refloat claim status`,
      );
    case "no-terminal":
      return `no terminal for the agent, it gets pipes: ${news.why}`;
    case "bundle-failed":
      return `the bundle was not written: ${news.error.message}`;
    case "bundle-gaps":
      return `the bundle ${news.folder} leaves out ${count(news.gaps, "path")}; its README.txt says which`;
    case "committed-as-it-went":
      return typed(
        `committed as it went: ${count(news.commits, "commit")}, the last is ${news.last.slice(0, 12)}. Taken back by: refloat undo`,
      );
    case "cut-off":
      return typed(
        `session ${shortId(news.session)} was cut off: ${cutOffWords(news)}. See: refloat show ${shellLineWord(shortId(news.session))}`,
      );
    case "limit-waits":
      return `waits for the usage limit's end, until ${timeText(news.untilMs)} (${durationText(news.ms)})`;
    case "limit-unwaited":
      return "it was told to end: the wait is over before the limit is";
    default:
      tellApp(news);
      return null;
  }
}

export function differenceLine({ what, was, is }: Difference): string {
  const shown = (value: string | null): string => (value === null ? "none" : oneLine(value.slice(0, 60)));
  const words = { branch: "the branch", head: "HEAD", history: "the repository's first commit" }[what];
  return `${words} is not what it was: ${shown(was)} then, ${shown(is)} now`;
}

function cutOffWords({ cause, warnedBy }: RunNews & { readonly kind: "cut-off" }): string {
  if (cause === "clean") return "it ended";
  return warnedBy === null ? CAUSE_WORDS[cause] : `it died of our warning, ${warnedBy} (--warn-signal)`;
}

/** What became of its conversation on another machine. */
export function broughtLine({ agent, by }: RunNews & { readonly kind: "brought" }): string {
  if (by.kind === "not-here")
    return `its conversation with ${agent} is not on this machine: ${oneLine(by.why)}; a new one is begun, with the brief`;
  const path = oneLine(by.path);
  return by.bytes === null
    ? `its conversation with ${agent} is here already, at ${path}`
    : `its conversation with ${agent} was brought here from the store: ${bytesText(by.bytes)}, to ${path}`;
}
