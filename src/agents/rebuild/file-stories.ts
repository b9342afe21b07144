/**
 * What is known of every file, step by step. A text is shown as a whole by a write, a whole read or the image an edit has of the file
 * before; finished edits are repeated on it where they can be repeated to the byte. Nothing here guesses: what cannot be known is said.
 */
import { REBUILT_CHARS, REBUILT_FILES, REBUILT_WORK_CHARS } from "../../model/limits.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import { editedText, isPlainText, isReadWhole, showsLines, withoutEnds } from "./edited-text.ts";
import { addCall, type RebuiltFile, type ReplayedFile, shownBy, unknownFile } from "./rebuilt-file.ts";
import type { Writers } from "./writers.ts";

/** A call that is over: from the step it began at to this one. */
export interface ReplayedCall {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** What a call was to do to a file, and what its result says it did; nothing there: as it was asked. */
export interface FileEdits {
  readonly asked: readonly RecordedEdit[];
  readonly done: readonly RecordedEdit[];
}

type WholeWrite = Extract<RecordedEdit, { kind: "write" }>;

export class FileStories {
  readonly #writers: Writers;
  readonly #keepsEnds: boolean;
  readonly #states = new Map<string, ReplayedFile>();
  #chars = 0;
  #work = 0;
  #leftOut = 0;

  /** `keepsEnds`: its tools give a file that is there its own line ends again, whatever they were told to write. */
  constructor(writers: Writers, { keepsEnds }: { readonly keepsEnds: boolean }) {
    this.#writers = writers;
    this.#keepsEnds = keepsEnds;
  }

  /** Files that were not followed. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** It was this. `isLossy`: but for line ends and byte order mark. */
  shown(path: string, text: string, isLossy: boolean, call: ReplayedCall): void {
    const state = this.#stateOf(path);
    if (state !== null && !this.#isBeside(state, path, call)) this.#show(state, path, text, isLossy, call);
  }

  /** Some of its lines were these. */
  showedLines(path: string, text: string, fromLine: number, call: ReplayedCall): void {
    const state = this.#stateOf(path);
    if (
      state === null ||
      this.#isBeside(state, path, call) ||
      !this.#mayWork(text.length + (state.text?.length ?? 0))
    )
      return;
    const fits = state.text !== null && !state.isGone && showsLines(state.text, text, fromLine);
    if (fits) return;
    if (state.text === null && !state.isGone) addCall(state, call.id);
    else if (this.#isCertain(state, path)) contradict(state, call.id);
    else state.doubt ??= `call ${call.id} shows other lines`;
  }

  edited(path: string, { asked, done }: FileEdits, call: ReplayedCall): void {
    const state = this.#stateOf(path);
    const edits = done.length > 0 ? done : asked;
    const last = edits.at(-1);
    if (state === null || last === undefined) return;
    const write = edits.findLast((edit): edit is WholeWrite => edit.kind === "write");
    if (last.kind === "delete") this.#delete(state, call);
    else if (write !== undefined && write === last) this.#write(state, path, write, asked, call);
    else this.#change(state, path, { asked, done }, call);
  }

  /** A call that was to change it has no end that can be believed: where nothing else is known of it, this is what it was to be. */
  attempted(path: string, edits: readonly RecordedEdit[], call: string): void {
    const state = this.#stateOf(path);
    if (state === null) return;
    const last = edits.at(-1);
    if (last?.kind === "write" && state.text === null && !state.isGone) {
      this.#hold(state, last.after);
      state.doubt = `call ${call}, which was to write this, may not have come to its end`;
    }
    addCall(state, call);
  }

  moved(path: string, to: string, call: ReplayedCall): void {
    const [from, there] = [this.#stateOf(path), this.#stateOf(to)];
    if (from === null || there === null || path === to) return;
    const writer = this.#writers.after(path, from.shownFrom);
    const isBeside = ranBeside(from, call) || ranBeside(there, call);
    const taken = writer === null ? null : `${writer.what} may have changed it before it was moved`;
    const doubt = from.doubt ?? taken ?? (isBeside ? BESIDE : null);
    const { text, isToTheByte, hasPlainEnds, contradiction, callsLeftOut } = from;
    this.#hold(there, text);
    Object.assign(there, {
      isGone: from.isGone,
      isToTheByte,
      hasPlainEnds,
      contradiction,
      doubt,
      callsLeftOut,
    });
    there.beside = onlyOnce(call);
    there.calls = [...from.calls];
    there.shownFrom = call.from;
    addCall(there, call.id);
    this.#delete(from, call);
  }

  files(): readonly RebuiltFile[] {
    return [...this.#states].map(([path, state]) => {
      const { text, isGone, calls, callsLeftOut } = state;
      return { path, text, isGone, calls: [...calls], callsLeftOut, ...this.#judged(state, path) };
    });
  }

  #judged(state: ReplayedFile, path: string): Pick<RebuiltFile, "label" | "why"> {
    if (state.contradiction !== null) return { label: "contradicted", why: state.contradiction };
    if (state.doubt !== null) return { label: "partial", why: state.doubt };
    if (state.text === null && !state.isGone)
      return { label: "partial", why: "no call shows the whole of it" };
    const writer = this.#writers.after(path, state.shownFrom);
    if (writer !== null)
      return {
        label: "partial",
        why: `as of call ${state.calls.at(-1) ?? "?"}; ${writer.what} may have changed it`,
      };
    if (!state.isGone && !state.isToTheByte)
      return { label: "partial", why: "its line ends or its encoding are not in the transcript" };
    return { label: "exact", why: null };
  }

  #delete(state: ReplayedFile, call: ReplayedCall): void {
    const isBeside = ranBeside(state, call);
    this.#hold(state, null);
    Object.assign(state, {
      isGone: true,
      isToTheByte: true,
      hasPlainEnds: true,
      contradiction: null,
      shownFrom: call.from,
    });
    state.doubt = isBeside ? BESIDE : null;
    state.beside = onlyOnce(call);
    shownBy(state, call.id);
  }

  #write(
    state: ReplayedFile,
    path: string,
    edit: WholeWrite,
    asked: readonly RecordedEdit[],
    call: ReplayedCall,
  ): void {
    const { after, before, areLineEndsLost } = edit;
    const isOverPlain = this.#keptPlain(state, path);
    const isAsAsked = asked.some((one) => one.kind === "write" && one.after === after);
    const isImage = typeof before === "string" && areLineEndsLost !== true && before.charCodeAt(0) !== 0xfeff;
    const endsKnown = this.#keepsEnds ? isImage : areLineEndsLost !== true || isAsAsked;
    state.doubt = null;
    const isNext = typeof before === "string" && withoutEnds(before) === withoutEnds(state.text ?? "");
    if (isNext && state.text !== null) state.beside = onlyOnce(call);
    else this.#beside(state, call, () => after, after);
    this.#hold(state, after);
    state.isGone = false;
    state.isToTheByte = after.isWellFormed() && (before === null || isOverPlain || endsKnown);
    state.hasPlainEnds = state.isToTheByte && isPlainText(after);
    state.shownFrom = call.from;
    state.contradiction = null;
    shownBy(state, call.id);
  }

  #change(state: ReplayedFile, path: string, { asked, done }: FileEdits, call: ReplayedCall): void {
    const edits = done.length > 0 ? done : asked;
    const imaged = edits.find((edit) => "before" in edit && edit.before !== undefined);
    const before = imaged !== undefined && "before" in imaged ? imaged.before : undefined;
    if (typeof before === "string") this.#show(state, path, before, imaged?.areLineEndsLost === true, call);
    const { text } = state;
    const canWork = text !== null && this.#mayWork(text.length * edits.length);
    const made = text === null || state.isGone || !canWork ? null : repeated(text, { asked, done });
    addCall(state, call.id);
    state.hasPlainEnds &&= edits.every(putsPlain);
    if (made === null) {
      if (text !== null || state.isGone)
        state.doubt ??= `what call ${call.id} did to it cannot be repeated to the byte`;
      state.beside = onlyOnce(call);
      return;
    }
    // An image of the file before tells which of two came first.
    if (typeof before === "string") state.beside = onlyOnce(call);
    else this.#beside(state, call, (was) => repeated(was, { asked, done }), made);
    this.#hold(state, made);
  }

  /** Edits that ran side by side may have been done in either order: that must not make a difference. */
  #beside(
    state: ReplayedFile,
    { from, to }: ReplayedCall,
    edit: (text: string) => string | null,
    made: string,
  ): void {
    const { beside } = state;
    if (beside === null || from >= beside.end) {
      state.beside = { before: state.text, edits: [edit], end: to };
      return;
    }
    let other = edit(beside.before ?? "");
    for (const one of beside.edits) other = other === null ? null : one(other);
    if (other !== made || beside.edits.length >= MAX_BESIDE) state.doubt = BESIDE;
    beside.edits.push(edit);
    beside.end = to;
  }

  #show(state: ReplayedFile, path: string, text: string, isLossy: boolean, call: ReplayedCall): void {
    if (!this.#mayWork(text.length)) return;
    const isKnown = state.text !== null && !state.isGone;
    const isSame =
      isKnown && (isLossy ? withoutEnds(state.text ?? "") === withoutEnds(text) : state.text === text);
    if (isSame && isLossy) {
      addCall(state, call.id);
      if (state.doubt !== null) state.isToTheByte &&= this.#keptPlain(state, path);
      state.doubt = null;
      // Whoever changes the ends of lines alone is not seen by who does not look at them; the agent's own edits do not.
      if (this.#writers.after(path, state.shownFrom, "command") === null) state.shownFrom = call.from;
      return;
    }
    const isOther = !isSame && (isKnown || state.isGone) && this.#isCertain(state, path);
    const isPlain = !isOther && isPlainText(text) && this.#keptPlain(state, path);
    const earlier = state.calls.at(-1);
    if (isOther) contradict(state, call.id);
    shownBy(state, call.id);
    if (isOther && earlier !== undefined) state.calls.unshift(earlier);
    this.#hold(state, text);
    const isToTheByte = isReadWhole(text) && (!isLossy || isPlain);
    Object.assign(state, { isGone: false, isToTheByte, doubt: null, beside: null });
    state.hasPlainEnds = isToTheByte && isPlainText(text);
    state.shownFrom = call.from;
  }

  /** Shown while an edit of it ran: which of them came first is not known. */
  #isBeside(state: ReplayedFile, path: string, call: ReplayedCall): boolean {
    return (state.beside !== null && call.from < state.beside.end) || this.#writers.hasOpenEdit(path);
  }

  /** Nothing speaks against what is known of it. */
  #isCertain(state: ReplayedFile, path: string): boolean {
    const isKnown = state.isGone || state.text !== null;
    return isKnown && state.doubt === null && this.#writers.after(path, state.shownFrom) === null;
  }

  /** Its line ends were plain, and only edits of the agent's own can have changed it since. */
  #keptPlain(state: ReplayedFile, path: string): boolean {
    return state.hasPlainEnds && this.#writers.after(path, state.shownFrom, "command") === null;
  }

  #stateOf(path: string): ReplayedFile | null {
    const known = this.#states.get(path);
    if (known) return known;
    if (this.#states.size >= REBUILT_FILES) {
      this.#leftOut += 1;
      return null;
    }
    const state = unknownFile();
    this.#states.set(path, state);
    return state;
  }

  #hold(state: ReplayedFile, text: string | null): void {
    this.#chars -= state.text?.length ?? 0;
    const isTooMuch = text !== null && this.#chars + text.length > REBUILT_CHARS;
    state.text = isTooMuch ? null : text;
    this.#chars += state.text?.length ?? 0;
  }

  #mayWork(chars: number): boolean {
    this.#work += chars;
    return this.#work <= REBUILT_WORK_CHARS;
  }
}

/** What ran beside it cannot have been done in another order without making a difference. */
const onlyOnce = ({ to }: ReplayedCall): ReplayedFile["beside"] => ({
  before: null,
  edits: [() => null],
  end: to,
});

/** Another call changed it meanwhile. */
const ranBeside = ({ beside }: ReplayedFile, { from, to }: ReplayedCall): boolean =>
  beside !== null && from < beside.end && beside.end !== to;

const BESIDE = "calls that ran side by side changed it";

/** So many edits of one file at once are compared in either order. */
const MAX_BESIDE = 16;

/** What it puts in brings no other line ends, and no byte order mark. */
function putsPlain(edit: RecordedEdit): boolean {
  if (edit.kind === "replace") return isPlainText(edit.new);
  return (
    edit.kind === "patch" && edit.hunks.every(({ lines }) => lines.every(({ text }) => isPlainText(text)))
  );
}

function contradict(state: ReplayedFile, call: string): void {
  const earlier = state.calls.at(-1) ?? "?";
  state.contradiction ??= `call ${call} shows another text than call ${earlier} left`;
  addCall(state, call);
}

/** By what the result says, or by what was asked for; where both can be repeated they must agree. */
function repeated(text: string, { asked, done }: FileEdits): string | null {
  const isPatch = (edits: readonly RecordedEdit[]): boolean =>
    edits.length > 0 && edits.every(({ kind }) => kind === "patch");
  if (done.length === 0) return editedText(text, asked, { hunks: "first" });
  const byResult = editedText(text, done, { hunks: "only" });
  if (!isPatch(done) || !isPatch(asked)) return byResult;
  const byCall = editedText(text, asked, { hunks: "first" });
  if (byResult === null || byCall === null) return byResult ?? byCall;
  return byResult === byCall ? byResult : null;
}
