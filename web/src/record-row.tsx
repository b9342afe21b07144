/** One record of the conversation: a message, a call with its result folded, or a line that something happened. Everything in it is text (T3). */
import type { ComponentChildren } from "preact";
import { statusSaid } from "../../src/model/call-output.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { Manifest } from "../../src/model/manifest.ts";
import { type Journal, partsText } from "./journal.ts";
import type { ShownRecord } from "./told.ts";
import { clockTime, ordinal, shown, shownLine } from "./words.ts";

/** Records that tell the story; the others are there with "every record". */
const TOLD = new Set([
  "message.added",
  "message.ended",
  "call.started",
  "turn.began",
  "turn.ended",
  "input.queued",
  "claim.taken",
  "recovered",
  "session.finished",
  "session.suspended",
  "session.lifted",
  "operation.began",
  "operation.ended",
  "decided",
  "agent.planned",
  "superseded",
  "forgotten",
  "rows.lost",
]);

export function isShown(record: ShownRecord, journal: Journal, isAll: boolean): boolean {
  if (isAll) return true;
  // C3: one message is one row, however many pieces it came in. Of one whose end nobody wrote: where it grew last.
  if (record.kind === "message.grew") {
    const message = text(record.body.message);
    return !journal.hasEnded(message) && journal.streamed(message).lastSeq === record.seq;
  }
  return TOLD.has(record.kind);
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");

interface RowProps {
  readonly record: ShownRecord;
  readonly journal: Journal;
  readonly isOpen: boolean;
  /** Somebody still writes. */
  readonly isLive: boolean;
  /** How many there are in all. */
  readonly of: number;
  readonly onOpen: () => void;
  /** What it said and the evidence denies. */
  readonly claims: readonly ContradictedClaim[];
  /** Attempts in which nobody tried again: it was recovered (K1). */
  readonly recoveries: ReadonlySet<number>;
}

export type ContradictedClaim = Manifest["claims_contradicted"][number];

export function RecordRow(props: RowProps) {
  const { record, of } = props;
  return (
    <article aria-posinset={record.seq} aria-setsize={of} aria-label={`${record.kind}, record ${record.seq}`}>
      {rowOf(props)}
    </article>
  );
}

function rowOf(props: RowProps): ComponentChildren {
  const { record } = props;
  const { body, kind, state } = record;
  if (state !== "whole")
    return (
      <Line record={record}>{state === "forgotten" ? "erased on your order" : "damaged, and lost"}</Line>
    );
  switch (kind) {
    case "message.added":
      return <Message {...props} who={text(body.role)} />;
    case "message.ended":
      return <Message {...props} who="assistant" isCut={body.state === "cut-off"} />;
    case "message.grew":
      return <Message {...props} who="assistant" isCut={!props.isLive} isOpenEnd={props.isLive} />;
    case "input.queued":
      return <Message {...props} who="user" />;
    case "turn.began":
      return Array.isArray(body.parts) && body.parts.length > 0 ? (
        <Message {...props} who="user" />
      ) : (
        <Line record={record}>a turn began</Line>
      );
    case "turn.ended":
      return (
        <Line record={record} tone={body.outcome === "completed" ? "good" : "bad"}>
          the turn {TURN_WORDS[text(body.outcome)] ?? "ended"}
        </Line>
      );
    case "call.started":
      return <Call {...props} />;
    case "claim.taken":
      return <Line record={record}>{takenWords(body, props.recoveries)}</Line>;
    case "recovered":
      return (
        <Line record={record} tone="bad">
          ✕ it had ended without saying so; refloat closed what was open
        </Line>
      );
    case "operation.began":
      return <Line record={record}>began: {shownLine(text(body.label))}</Line>;
    case "operation.ended":
      return (
        <Line record={record} tone={body.aborted === true ? "bad" : "good"}>
          {body.aborted === true ? "gave up" : "ended"} an operation
        </Line>
      );
    case "session.suspended":
    case "session.lifted":
      return (
        <Line record={record}>
          {kind === "session.suspended" ? "suspended" : "no longer suspended"}
          {text(body.reason) === "" ? "" : `: ${shownLine(text(body.reason))}`}
        </Line>
      );
    case "decided":
      return (
        <Line record={record}>
          decided {shownLine(text(body.key))}: {shownLine(textOf(body.value))}
        </Line>
      );
    case "agent.planned":
      return <Plan record={record} />;
    default:
      return <Line record={record}>{shownLine(kind.replaceAll(".", " "))}</Line>;
  }
}

/** K1: to recover a session, and to break its claim, are attempts, and nobody tried again by it. */
function takenWords({ attempt, why }: JsonObject, recoveries: ReadonlySet<number>): string {
  if (recoveries.has(Number(attempt))) return "refloat looked at what was left";
  return why === "broken" ? "its claim was broken by order" : `${ordinal(Number(attempt))} try`;
}

const TURN_WORDS: Readonly<Record<string, string>> = {
  completed: "was completed",
  cancelled: "was stopped by a person",
  failed: "failed",
  interrupted: "was cut off",
};

interface LineProps {
  readonly record: ShownRecord;
  readonly tone?: "good" | "bad";
  readonly children: ComponentChildren;
}

const Line = ({ record, tone, children }: LineProps) => (
  <p class={`line ${tone ? `line-${tone}` : ""}`}>
    <time>{clockTime(record.at)}</time> {children}
  </p>
);

interface MessageProps {
  readonly who: string;
  readonly isCut?: boolean;
  /** It is being written. */
  readonly isOpenEnd?: boolean;
}

/** Longer ones are opened. */
const FOLDED_CHARS = 1200;

const isStreamed = ({ kind }: ShownRecord): boolean => kind === "message.ended" || kind === "message.grew";

/** What it claims and the workspace denies: by its words, however they are broken into lines. */
const contradicted = (said: string, claims: readonly ContradictedClaim[]): readonly ContradictedClaim[] => {
  const words = oneSpaced(said);
  return claims.filter((one) => one.said.trim() !== "" && words.includes(oneSpaced(one.said)));
};

const oneSpaced = (text: string): string => text.replaceAll(/\s+/g, " ").replace(/…$/, "").trim();

function Message(props: RowProps & MessageProps) {
  const { record, journal, claims, who, isCut = false, isOpenEnd = false, isOpen, onOpen } = props;
  const streamed = isStreamed(record) ? journal.streamed(text(record.body.message)) : null;
  const whole = streamed?.text ?? partsText(record.body.parts, "\n");
  const wrong = contradicted(whole, claims);
  const isLong = whole.length > FOLDED_CHARS;
  return (
    <div class={`message message-${who === "user" ? "user" : "agent"} ${isCut ? "cut" : ""}`}>
      <p class="message-who">
        {who === "user" ? "asked" : who === "system" ? "told before" : "agent"}{" "}
        <time class="dim">{clockTime(record.at)}</time>
        {isCut ? <span class="badge state-interrupted">cut off here</span> : null}
        {isOpenEnd ? <span class="badge state-live">being written</span> : null}
        {record.isRedacted ? <span class="badge">secrets taken out</span> : null}
      </p>
      <p class="message-text">
        {shown(isLong && !isOpen ? `${whole.slice(0, FOLDED_CHARS)} …` : whole) || "(nothing)"}
      </p>
      {isLong ? (
        <button type="button" class="quiet" onClick={onOpen}>
          {isOpen ? "Fold" : "Show all"}
        </button>
      ) : null}
      {wrong.map((one) => (
        <p key={`${one.claim} ${one.evidence}`} class="contradicted">
          <b>▲ It said “{shownLine(one.said)}”</b> The workspace says otherwise: {shownLine(one.evidence)}
        </p>
      ))}
    </div>
  );
}

const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, null, 2);

const STATUS_WORDS: Readonly<Record<string, string>> = {
  done: "done",
  failed: "failed",
  cancelled: "stopped",
  interrupted: "cut off",
  "unknown-outcome": "may have happened",
};

function Call({ record, journal, isLive, isOpen, onOpen }: RowProps) {
  const { body } = record;
  const end = journal.endOf(text(body.call));
  const status = end ? statusSaid(text(end.body.status), end.body.output) : "";
  // C4: recovery writes that down; before it has, it is so all the same.
  const isUnseen = end ? end.body.synthetic === true : !isLive;
  const words = end ? (STATUS_WORDS[status] ?? status) : isLive ? "no result yet" : "may have happened";
  return (
    <div class={`call call-${isUnseen ? "unknown" : end ? status : "open"}`}>
      <button type="button" class="call-head" aria-expanded={isOpen} onClick={onOpen}>
        <span class="call-tool">{shownLine(text(body.tool))}</span>
        <span class="call-input">{shownLine(briefInput(body.input))}</span>
        <span class="call-status">{words}</span>
      </button>
      {isUnseen ? (
        <p class="call-note">
          Nobody saw it end: whether it happened is not known.
          {end ? " refloat wrote this result after the death." : ""}
        </p>
      ) : null}
      {isOpen ? (
        <div class="call-body">
          <h4>went in</h4>
          <pre>{shown(textOf(body.input))}</pre>
          <h4>came out</h4>
          <pre>{end ? shown(outputText(end.body.output)) : "nothing: no result was recorded"}</pre>
        </div>
      ) : null}
    </div>
  );
}

function briefInput(input: Json | undefined): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return textOf(input);
  const { command, file_path, path } = input as JsonObject;
  const [told] = [command, file_path, path].filter((one) => typeof one === "string");
  return typeof told === "string" ? told : JSON.stringify(input);
}

function outputText(output: Json | undefined): string {
  const parts = Array.isArray(output) ? partsText(output, "\n") : "";
  return parts !== "" ? parts : textOf(output);
}

function Plan({ record }: { readonly record: ShownRecord }) {
  const items = Array.isArray(record.body.items) ? (record.body.items as readonly JsonObject[]) : [];
  return (
    <div class="message">
      <p class="message-who">its plan</p>
      <ul class="plan-items">
        {items.map((item, at) => (
          <li key={at} class={`plan-${text(item.state)}`}>
            {item.state === "done" ? "☑" : item.state === "doing" ? "◧" : "☐"} {shownLine(text(item.text))}
          </li>
        ))}
      </ul>
    </div>
  );
}
