/**
 * Records turned into text piece by piece: each call gives what is to be written next. A streamed message is
 * continued where the last flush ended, wrapped to the screen as far as the words known so far allow.
 */
import type { Json } from "../../../model/json.ts";
import { isText, isThinking, type Part, readParts } from "../../../model/parts.ts";
import type { CallEndStatus, StoredRecord } from "../../../model/record.ts";
import { RECOVERY_LABEL } from "../../../model/recovery-label.ts";
import { escapeForTerminal } from "../../../text/escape.ts";
import { displayWidth } from "../../../text/width.ts";
import type { Output } from "../../screen/output.ts";
import { statusText, whyWords } from "../../screen/state-text.ts";
import { oneLine, ordinal } from "../../screen/words.ts";
import { callHead, partLines, resultLines } from "./log-lines.ts";

const INDENT = "  ";

export class FollowText {
  readonly #out: Output;
  /** The message whose text the cursor stands behind; null: at the beginning of a line. */
  #streaming: string | null = null;
  #column = 0;
  /** The calls still open by id, and the one whose head was written last. */
  readonly #calls = new Map<string, string>();
  #lastCall: string | null = null;
  /** Inputs seen in the queue: the turn that takes one repeats its text. */
  readonly #inputs = new Map<string, readonly Part[]>();
  /** What is open for a program at a terminal is no turn (L7): its end is not told as one. */
  #attempt: string | null = null;
  /** Of a gateway's conversation each message is a claim, and none of them a try. */
  readonly #isOfGateway: boolean;

  constructor(out: Output, { isOfGateway }: { readonly isOfGateway: boolean }) {
    this.#out = out;
    this.#isOfGateway = isOfGateway;
  }

  /** `isTry`: of a claim that was taken: somebody began to work by it. */
  add(record: StoredRecord, { isTry }: { readonly isTry: boolean }): string {
    if (record.isDamaged) return this.#line(this.#out.style.red(`#${record.seq} is damaged`));
    const { body } = record;
    switch (record.kind) {
      case "message.opened":
        return this.#open(text(body.message), text(body.role));
      case "message.grew":
        return this.#grow(text(body.message), partsOf(body.parts));
      case "message.ended":
        return (
          this.#grow(text(body.message), partsOf(body.parts)) +
          this.#close(text(body.message), text(body.state))
        );
      default:
        return this.#whole(record, isTry);
    }
  }

  end(): string {
    return this.#break();
  }

  #whole(record: StoredRecord, isTry: boolean): string {
    const { body } = record;
    const { style } = this.#out;
    switch (record.kind) {
      case "claim.taken":
        return this.#line(style.dim(`── ${takenText(record, { isTry, isOfGateway: this.#isOfGateway })} ──`));
      case "claim.released":
        return this.#line(style.dim("── claim given back ──"));
      case "input.queued":
        this.#inputs.set(text(body.input), partsOf(body.parts));
        return this.#said("queued", partsOf(body.parts));
      case "turn.began":
        if (body.interactive === true) this.#attempt = text(body.turn);
        return this.#taken(body.input, partsOf(body.parts));
      case "input.taken":
        return this.#taken(body.input, partsOf(body.parts));
      case "message.added":
        return this.#said(text(body.role), partsOf(body.parts));
      case "call.started":
        return this.#started(record);
      case "call.ended":
        return this.#ended(record);
      case "turn.ended":
        if (text(body.turn) === this.#attempt) return "";
        return this.#line(
          `${style.dim("── turn, ")}${statusText(style, text(body.outcome))}${style.dim(" ──")}`,
        );
      default:
        return "";
    }
  }

  #started({ body, isForgotten }: StoredRecord): string {
    const tool = text(body.tool);
    const line = this.#line(callHead(this.#out, { tool, input: body.input ?? null, isForgotten }));
    this.#calls.set(text(body.call), tool);
    this.#lastCall = text(body.call);
    return line;
  }

  #ended(record: StoredRecord): string {
    const id = text(record.body.call);
    const tool = this.#lastCall === id ? null : (this.#calls.get(id) ?? null);
    this.#calls.delete(id);
    return this.#line(...resultLines(this.#out, resultOf(record), tool));
  }

  #taken(input: Json | undefined, given: readonly Part[]): string {
    const queued = typeof input === "string" ? this.#inputs.get(input) : undefined;
    const parts = queued ?? given;
    return parts.length === 0 ? "" : this.#said("user", parts);
  }

  #said(role: string, parts: readonly Part[]): string {
    return this.#line(
      this.#out.style.bold(oneLine(role)),
      ...parts.flatMap((part) => partLines(this.#out, part)),
    );
  }

  #open(message: string, role: string): string {
    const head = this.#line(this.#out.style.bold(oneLine(role)));
    this.#streaming = message;
    this.#column = 0;
    return head;
  }

  #grow(message: string, parts: readonly Part[]): string {
    // Two messages streamed at once: each change of speaker begins a new line.
    let before = "";
    if (this.#streaming !== message && parts.length > 0) {
      before = this.#break();
      this.#streaming = message;
    }
    return (
      before +
      parts
        .map((part) => this.#wrapped(isText(part) || isThinking(part) ? part.text : `[${part.type}]`))
        .join("")
    );
  }

  #close(message: string, state: string): string {
    const note = state === "cut-off" ? this.#line(this.#out.style.dim(`${INDENT}(cut off)`)) : "";
    return this.#streaming === message ? this.#break() + note : note;
  }

  #wrapped(said: string): string {
    const safe = escapeForTerminal(said, { newlines: "keep" });
    let result = "";
    for (const piece of safe.split(/(\n| +)/)) {
      if (piece === "") continue;
      const width = displayWidth(piece);
      if (piece === "\n") {
        result += "\n";
        this.#column = 0;
        continue;
      }
      if (this.#column > 0 && this.#column + width > this.#out.columns) {
        result = `${result.trimEnd()}\n`;
        this.#column = 0;
        if (piece.startsWith(" ")) continue;
      }
      if (this.#column === 0) {
        result += INDENT;
        this.#column = INDENT.length;
      }
      result += piece;
      this.#column += width;
    }
    return result;
  }

  #line(...lines: readonly string[]): string {
    return `${this.#break()}${lines.join("\n")}\n`;
  }

  #break(): string {
    const isMidLine = this.#streaming !== null && this.#column > 0;
    this.#lastCall = null;
    this.#streaming = null;
    this.#column = 0;
    return isMidLine ? "\n" : "";
  }
}

function resultOf(record: StoredRecord): Parameters<typeof resultLines>[1] {
  const { body } = record;
  return {
    seq: record.seq,
    status: text(body.status) as CallEndStatus,
    output: body.output ?? null,
    isSynthetic: body.synthetic === true,
    isForgotten: record.isForgotten,
  };
}

/** Breaking a claim and recovering are attempts in which nobody tried again. */
function takenText(
  record: StoredRecord,
  { isTry, isOfGateway }: { readonly isTry: boolean; readonly isOfGateway: boolean },
): string {
  const { attempt, why } = record.body;
  if (why === "broken") return `claim ${whyWords("broken")}`;
  const number = isOfGateway ? `claim ${Number(attempt)}` : `${ordinal(Number(attempt))} try`;
  const who = isTry ? number : RECOVERY_LABEL;
  return `${who}: ${whyWords(text(why))}`;
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const partsOf = (value: Json | undefined): readonly Part[] => readParts(value);
