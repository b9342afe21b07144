/**
 * What was heard as records of a journal (D4: ids from the source, so reading twice adds nothing). Pure but for what is open by now.
 *
 * A session of ours that the agent works under has its one turn per attempt, and everything heard belongs to it. One that is only read
 * has the turns its transcript has: from what the person said until the agent's end record (L7). Where the last answer only reads like an
 * end, the turn is over when something follows that shows it, and who says so is on record: the program's end in order, or nobody.
 */
import { createHash } from "node:crypto";
import { isText } from "../../model/parts.ts";
import type { NewRecord, TurnEndedBy } from "../../model/record.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import type { Clock } from "../../platform/clock.ts";
import { factId, newRecord } from "../../session/new-record.ts";
import { packEdits } from "../../workspace/owning/kept-edits.ts";
import { personsWords } from "../words/go-on.ts";
import type {
  Heard,
  HeardCall,
  HeardMessage,
  HeardOutcome,
  HeardResult,
  PlanItem,
  ToolKind,
} from "../words/heard.ts";
import { editsOfExecution } from "./command-edits.ts";
import { foundBy, leftBy, sha256, wroteBy } from "./heard-edits.ts";

export interface HeardSource {
  readonly agent: string;
  readonly nativeId: string;
}

export interface OpenNow {
  /** The turn that is open; null: none. */
  readonly turn: string | null;
  /** Calls that are open, by the journal's ids. */
  readonly calls: readonly string[];
  /** Records that are there already, of a source that is read whole each time; null or left out: only what is new is read. */
  readonly known?: ReadonlySet<string> | null;
  /** The last that was heard of the turn reads like its end. */
  readonly seemsOver?: boolean;
}

interface SeemingEnd {
  readonly outcome: HeardOutcome;
  readonly at: number | null;
}

export interface HeardAround {
  /** Where in the source it stands: names what has no id of its own. */
  readonly place: string;
  /** The agent's plan, this included. */
  readonly plan: ReadonlyMap<string, PlanItem>;
}

const NO_EFFECT: ReadonlySet<ToolKind> = new Set(["read", "search", "fetch", "plan"]);

/** Files of one call that are named beside its input; a patch over more has them in its text. */
const MAX_NAMED = 200;

/** A call that is known to change files, and not how, changed what it names. */
function keptOf({ does, input, paths, edits }: HeardCall): readonly KeptEdit[] {
  const changes = edits.flatMap((edit) => (edit.kind === "read" ? [] : [edit]));
  if (does === "execute" && changes.length === 0) return editsOfExecution(input);
  if (does !== "edit" || changes.length > 0) return changes;
  return paths.map((path) => ({ kind: "unknown", path }));
}

/** An id nobody can mistake for another source's: two transcripts of one session may use the same ones. */
export const heardId = ({ agent, nativeId }: HeardSource, what: string, id: string): string =>
  factId("heard", plainId(`${agent}:${nativeId}:${what}:${id}`));

// biome-ignore lint/suspicious/noControlCharactersInRegex: an id with such characters is none of ours.
const UNUSUAL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** What may stand in an id of ours: one that may not gets a name from its bytes. */
const plainId = (id: string): string =>
  UNUSUAL.test(id) || id !== id.toWellFormed() ? `sha256:${sha256(id)}` : id;

/** The id of a session that is only read: the same for whoever finds its transcript there, and no other workspace's. */
export function heardSessionId({ agent, nativeId }: HeardSource, workspace: string): string {
  return createHash("sha256")
    .update(JSON.stringify(["refloat heard", agent, nativeId, workspace]))
    .digest("hex")
    .slice(0, 20);
}

/** Ids of calls are shown to people, and two transcripts of one session may use the same. */
const callPrefix = ({ nativeId }: HeardSource): string => `${nativeId.slice(0, 8)}:`;

/** The source's own id of a call of the journal; null: it is not this source's, or its id was too long to keep. */
export function nativeCall(source: HeardSource, call: string): string | null {
  const prefix = `call:${callPrefix(source)}`;
  return call.startsWith(prefix) ? call.slice(prefix.length) : null;
}

/**
 * What of a prompt the person typed; null: all of it was ours. A brief that was taken for a request would stand in the next brief, and that in
 * the one after it.
 */
function withoutBrief({ from, parts }: HeardMessage): HeardMessage["parts"] | null {
  const words = parts.flatMap((part) => (isText(part) ? [part.text] : [])).join("\n");
  if (from !== "person" || words === "") return parts;
  const own = personsWords(words);
  if (own === null || own === words) return own === null ? null : parts;
  return [{ type: "text", text: own }, ...parts.filter((part) => !isText(part))];
}

export class HeardRecords {
  readonly #clock: Clock;
  readonly #source: HeardSource;
  readonly #ownTurns: boolean;
  #turn: string | null;
  #openTurn: string | null;
  readonly #calls: Set<string>;
  readonly #known: ReadonlySet<string>;
  /** The last answer reads like the end of the turn: what comes next says whether it was. */
  #seeming: SeemingEnd | null;

  /** `turns`: `source`: as the transcript has them. `session`: the one that is open. */
  constructor(
    clock: Clock,
    source: HeardSource,
    { turns, open }: { readonly turns: "source" | "session"; readonly open: OpenNow },
  ) {
    this.#clock = clock;
    this.#source = source;
    this.#ownTurns = turns === "source";
    this.#openTurn = open.turn;
    // Read again from its beginning, the turns are told again, too.
    this.#turn = open.known && this.#ownTurns ? null : open.turn;
    this.#calls = new Set(open.calls);
    this.#known = open.known ?? new Set();
    this.#seeming = open.turn !== null && open.seemsOver ? { outcome: "completed", at: null } : null;
  }

  /** A `delta` is an answer that nobody will hear the end of: whoever hears more waits. What is about the process is its supervisor's. */
  of(heard: Heard, { place, plan }: HeardAround): readonly NewRecord[] {
    switch (heard.kind) {
      case "message":
        return heard.from === "machinery" || heard.child !== null
          ? []
          : this.#message(heard, withoutBrief(heard));
      case "call":
        return this.#call(heard);
      case "result":
        return this.#result(heard);
      case "turn-ended":
        return this.#hearEnd(heard);
      case "ended":
        return this.#over("exit");
      case "plan":
      case "plan-item": {
        const items = [...plan].map(([id, item]) => ({ id, ...item }));
        const id = `plan:${place}:${sha256(JSON.stringify(items)).slice(0, 12)}`;
        return [this.#record("agent.planned", { items }, id, heard.at)];
      }
      case "child": {
        const { id, label, state, transcript } = heard;
        const body = { child: id, label, state, transcript };
        return id === "" ? [] : [this.#record("agent.child", body, `child:${id}:${state}`, heard.at)];
      }
      case "compacted":
        return [this.#record("agent.compacted", { summary: heard.summary }, `compacted:${place}`, heard.at)];
      case "session":
      case "turn-began":
      case "asked-model":
      case "rewound":
      case "limit":
      case "delta-over":
      case "unknown":
        return [];
      case "delta":
        return this.#cutOff(heard.id, heard.text);
    }
  }

  /** C3: what had come of it is kept, and marked cut off. */
  #cutOff(id: string, text: string): readonly NewRecord[] {
    const turn = this.#turn;
    if (turn === null || text === "") return [];
    const message = factId("heard-message", `${callPrefix(this.#source)}${turn}:${id}`);
    const opened = { message, turn, role: "assistant" as const, heard: true };
    const ended = { message, turn, state: "cut-off" as const, parts: [{ type: "text" as const, text }] };
    return [
      this.#record("message.opened", opened, `opened:${message}`, null),
      this.#record("message.ended", ended, `ended:${message}`, null),
    ];
  }

  #message({ id, role, from, at }: HeardMessage, own: HeardMessage["parts"] | null): readonly NewRecord[] {
    if (id === "") return [];
    const isAsked = from === "person" && this.#ownTurns;
    // Said while a tool runs, it belongs to the turn that is on.
    const ended = isAsked && this.#calls.size === 0 ? this.#left(at) : [];
    if (own === null) return ended;
    this.#seeming = null;
    const began = this.#inTurn(`message:${id}`, at);
    const body = { turn: this.#turn, role, parts: [...own], heard: true };
    const said = this.#isKnown(`message:${id}`)
      ? []
      : [this.#record("message.added", body, `message:${id}`, at)];
    return [...ended, ...began, ...said];
  }

  #call(heard: HeardCall): readonly NewRecord[] {
    const { id, tool, does, input, paths, edits, child, at } = heard;
    const call = this.#callId(id);
    if (id === "" || this.#calls.has(call)) return [];
    if (this.#isKnown(`call:${id}`)) return this.#inTurn(`call:${id}`, at);
    // Nothing of a subagent says that its parent goes on.
    if (child === null) this.#seeming = null;
    const began = this.#inTurn(`call:${id}`, at);
    const wrote = wroteBy(edits).map((one) => ({ ...one }));
    const kept = packEdits(keptOf(heard), input);
    this.#calls.add(call);
    const body = {
      ...{ call, turn: this.#turn ?? "", tool, input },
      effect: NO_EFFECT.has(does) ? ("none" as const) : ("unknown" as const),
      heard: true,
      does,
      ...(paths.length > 0 ? { paths: paths.slice(0, MAX_NAMED) } : {}),
      ...(wrote.length > 0 ? { wrote } : {}),
      ...(kept.length > 0 ? { edits: kept } : {}),
      ...(child === null ? {} : { child }),
    };
    return [...began, this.#record("call.started", body, `call:${id}`, at)];
  }

  /** A result of a call that is not open any more says nothing new: recovery, or an earlier record, closed it (C4). */
  #result({ call, status, origin, output, edits, at }: HeardResult): readonly NewRecord[] {
    const id = this.#callId(call);
    if (!this.#calls.delete(id)) return [];
    const isMadeUp = origin === "synthetic";
    const done = !isMadeUp && status === "done" ? edits : [];
    const [wrote, found] = [leftBy(done), foundBy(done)];
    const body = {
      call: id,
      status: isMadeUp ? ("unknown-outcome" as const) : status,
      output,
      synthetic: isMadeUp,
      heard: true,
      ...(wrote.length > 0 ? { wrote: wrote.map((one) => ({ ...one })) } : {}),
      ...(found.length > 0 ? { found: found.map((one) => ({ ...one })) } : {}),
    };
    return [this.#record("call.ended", body, `result:${id}`, at)];
  }

  /** A turn begins with the first thing heard in it, and has its name from that: the same whoever reads it, and from where. */
  #inTurn(first: string, at: number | null): readonly NewRecord[] {
    if (this.#turn !== null) return [];
    this.#turn = factId("heard-turn", plainId(`${this.#source.nativeId}:${first}`));
    if (this.#known.has(`turn:${this.#turn}`)) return [];
    this.#openTurn = this.#turn;
    const body = { turn: this.#turn, parts: null, input: null };
    const record = newRecord(this.#clock, "turn.began", body, `turn:${this.#turn}`);
    return [at === null ? record : { ...record, atMs: at }];
  }

  /** A record of its own ends a turn at once; what only reads like an end waits for what comes next. */
  #hearEnd({ outcome, proof, at }: Extract<Heard, { kind: "turn-ended" }>): readonly NewRecord[] {
    if (proof === "record") return this.#turnEnded(outcome, "agent", at);
    if (this.#turn !== null) this.#seeming = { outcome, at };
    return [];
  }

  /** What seemed its end was it: the agent's program ended in order after it, or nothing more will come. */
  #over(by: "exit" | "inferred"): readonly NewRecord[] {
    return this.#seeming === null ? [] : this.#turnEnded(this.#seeming.outcome, by, this.#seeming.at);
  }

  /** The person speaks again: without a word of its end it did not come to one. */
  #left(at: number | null): readonly NewRecord[] {
    return this.#seeming === null ? this.#turnEnded("failed", "inferred", at) : this.#over("inferred");
  }

  /** Nothing more will come: the agent is gone. */
  close(): readonly NewRecord[] {
    return this.#over("inferred");
  }

  #turnEnded(outcome: HeardOutcome, by: TurnEndedBy, at: number | null): readonly NewRecord[] {
    this.#seeming = null;
    if (!this.#ownTurns || this.#turn === null) return [];
    const turn = this.#turn;
    this.#turn = null;
    // Ended before, by its own record or by whoever found it cut off.
    if (turn !== this.#openTurn) return [];
    this.#openTurn = null;
    const ended = this.#record("turn.ended", { turn, outcome, reason: null, by }, `turn-end:${turn}`, at);
    return [...this.#neverEnded(at), ended];
  }

  /** Its turn is over and no result came: nobody saw it end, and nobody will (C4). */
  #neverEnded(at: number | null): readonly NewRecord[] {
    const left = [...this.#calls];
    this.#calls.clear();
    return left.map((call) => {
      const body = { call, status: "interrupted" as const, output: null, synthetic: true };
      return this.#record("call.ended", body, `result:${call}`, at);
    });
  }

  #isKnown(id: string): boolean {
    return this.#known.has(heardId(this.#source, "", id));
  }

  #callId(id: string): string {
    return factId("call", plainId(callPrefix(this.#source) + id));
  }

  #record<K extends Parameters<typeof newRecord>[1]>(
    kind: K,
    body: Parameters<typeof newRecord<K>>[2],
    id: string,
    at: number | null,
  ): NewRecord {
    const record = newRecord(this.#clock, kind, body, heardId(this.#source, "", id));
    return at === null ? record : { ...record, atMs: at };
  }
}
