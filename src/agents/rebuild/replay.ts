/**
 * A transcript replayed: what it says of files, in the order in which it says it (D3). Only calls that ended well change a file here;
 * every other call that can write makes doubtful what it may have written, from its beginning until it was over, and so does whatever
 * of the transcript cannot be read. Pure: it listens, and is asked at the end.
 */
import { posix } from "node:path";
import { scriptOf } from "../codex/tool-calls.ts";
import { SeenIds } from "../transcript/seen-ids.ts";
import type { Heard, HeardCall, HeardMessage, HeardResult } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import { type CommandReach, reachOfCommand } from "./command-reach.ts";
import { type FileEdits, FileStories, type ReplayedCall } from "./file-stories.ts";
import type { RebuiltFile } from "./rebuilt-file.ts";
import { type Writer, Writers } from "./writers.ts";

interface OpenCall {
  readonly call: HeardCall;
  readonly from: number;
  readonly writer: Writer | null;
  /** The files its edits name. */
  readonly files: readonly string[];
}

export class TranscriptReplay {
  readonly #writers = new Writers();
  readonly #stories: FileStories;
  readonly #open = new Map<string, OpenCall>();
  readonly #seen = new SeenIds();
  readonly #cannotBe = new Map<string, string>();
  #folder: string | null = null;
  #step = 0;

  constructor(agent: { readonly keepsEnds: boolean }) {
    this.#stories = new FileStories(this.#writers, agent);
  }

  /** The session's folder, as its transcript says; null: it does not. */
  get folder(): string | null {
    return this.#folder;
  }

  /** Names that are no path, each with why. */
  get refused(): ReadonlyMap<string, string> {
    return this.#cannotBe;
  }

  get filesLeftOut(): number {
    return this.#stories.leftOut;
  }

  files(): readonly RebuiltFile[] {
    for (const open of this.#open.values()) if (open.writer !== null) this.#attempted(open);
    return this.#stories.files();
  }

  hear(heard: Heard): void {
    this.#step += 1;
    switch (heard.kind) {
      case "session":
        this.#folder ??=
          heard.cwd !== null && posix.isAbsolute(heard.cwd) ? posix.normalize(heard.cwd) : null;
        return;
      case "call":
        this.#called(heard);
        return;
      case "result":
        this.#ended(heard);
        return;
      case "message":
        this.#said(heard);
        return;
      case "rewound":
        // Some put files back with it, and none says so.
        this.anything("the person went back in the conversation, which");
        return;
      default:
        return;
    }
  }

  /** Something that is not told here may have changed any file: a record that cannot be read, the time between two transcripts. */
  anything(what: string): void {
    this.#step += 1;
    const writer = writerOf(null, what, "command");
    this.#writers.command(writer, { kind: "anything", isLasting: false });
    this.#writers.over(writer, this.#step);
  }

  #called(call: HeardCall): void {
    const key = `${call.id}\u0000${call.at ?? ""}\u0000${call.tool}`;
    // Told again with its time it is the same call; without one it may be another under the same id, and then nobody knows its result.
    if (this.#seen.has(key) || this.#open.has(call.id)) {
      if (call.at === null || !this.#seen.has(key)) this.#begun(call);
      return;
    }
    this.#seen.add(key);
    this.#open.set(call.id, this.#begun(call));
  }

  #begun(call: HeardCall): OpenCall {
    const from = this.#step;
    const files = this.#pathsOf([...call.edits.filter(isChange).flatMap(namedBy), ...call.paths]);
    const reach = reachOf(call, files);
    const isEdit = call.does === "edit" && files.length > 0;
    if (call.proof === "requested" || (reach.kind === "nothing" && !isEdit))
      return { call, from, writer: null, files };
    const writer = writerOf(call.id, `call ${call.id} (${call.tool})`, isEdit ? "edit" : "command");
    if (isEdit) this.#writers.edit(writer, files);
    else this.#writers.command(writer, reach);
    return { call, from, writer, files };
  }

  #ended(result: HeardResult): void {
    const open = this.#open.get(result.call);
    if (open === undefined) return;
    this.#open.delete(result.call);
    const { call, writer, files } = open;
    const ended: ReplayedCall = { id: call.id, from: open.from, to: this.#step };
    const isDone = result.status === "done" && result.origin === "real";
    const done = isDone ? result.edits.filter(isChange) : [];
    if (writer !== null) {
      const isKnown = isDone ? call.edits.some(isChange) || done.length > 0 : isRefused(call, result);
      if (call.does === "edit" && isKnown) this.#writers.withdraw(writer, files);
      else if (!goesOn(call, result)) this.#writers.over(writer, this.#step);
    }
    if (!isDone) {
      if (writer !== null && writer.end >= 0) this.#attempted(open);
      return;
    }
    this.#changed(call.edits.filter(isChange), done, ended);
    for (const edit of result.edits) if (edit.kind === "read") this.#read(edit, ended);
  }

  #attempted({ call }: OpenCall): void {
    const edits = call.edits.filter(isChange);
    for (const path of this.#pathsOf(edits.map((edit) => edit.path)))
      this.#stories.attempted(
        path,
        edits.filter((edit) => this.#placed(edit.path) === path),
        call.id,
      );
  }

  #changed(asked: readonly RecordedEdit[], done: readonly RecordedEdit[], call: ReplayedCall): void {
    const byPath = new Map<string, { asked: RecordedEdit[]; done: RecordedEdit[] }>();
    const take = (edits: readonly RecordedEdit[], into: keyof FileEdits): void => {
      for (const edit of edits) {
        const path = this.#placed(edit.path);
        if (path === null) continue;
        const known = byPath.get(path) ?? { asked: [], done: [] };
        known[into].push(edit);
        byPath.set(path, known);
      }
    };
    take(asked, "asked");
    take(done, "done");
    for (const [path, edits] of byPath) {
      const isMove = (edit: RecordedEdit): boolean => edit.kind === "move";
      const inPlace = {
        asked: edits.asked.filter((one) => !isMove(one)),
        done: edits.done.filter((one) => !isMove(one)),
      };
      this.#stories.edited(path, inPlace, call);
      const move = (edits.done.length > 0 ? edits.done : edits.asked).findLast(isMove);
      const to = move?.kind === "move" ? this.#placed(move.to) : null;
      if (to !== null) this.#stories.moved(path, to, call);
    }
  }

  #read(edit: Extract<RecordedEdit, { kind: "read" }>, call: ReplayedCall): void {
    const path = this.#placed(edit.path);
    if (path === null) return;
    if (edit.isWhole) this.#stories.shown(path, edit.text, edit.areLineEndsLost === true, call);
    else this.#stories.showedLines(path, edit.text, edit.fromLine, call);
  }

  /** A command that the person ran from the agent's prompt. */
  #said({ from, parts }: HeardMessage): void {
    const [first] = from === "person" ? parts : [];
    const [, command] = typeof first?.text === "string" ? (/^[$!] ?([\s\S]+)/.exec(first.text) ?? []) : [];
    if (command === undefined) return;
    const writer = writerOf(null, "a command of the person's", "command");
    const reach = reachOfCommand(command);
    this.#writers.command(writer, reach);
    if (reach.kind !== "anything" || !reach.isLasting) this.#writers.over(writer, this.#step);
  }

  #pathsOf(names: readonly string[]): readonly string[] {
    return [...new Set(names.flatMap((name) => this.#placed(name) ?? []))];
  }

  /** Absolute and without detours; null: no path that can be known. */
  #placed(name: string): string | null {
    const why = whyNoPath(name);
    if (why === null) return posix.resolve("/", this.#folder ?? "/", name).replace(/(?<=.)\/$/, "");
    if (this.#cannotBe.size < MAX_REFUSED) this.#cannotBe.set(name, why);
    return null;
  }
}

const MAX_REFUSED = 1000;
const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

function whyNoPath(name: string): string | null {
  if (name === "" || name.includes("\0") || !name.isWellFormed()) return "it is no path";
  if (/^~|^[a-z]+:\/\//.test(name)) return "where it points is not in the transcript";
  if (Buffer.byteLength(name) > MAX_PATH_BYTES) return "it is too long for a path";
  return name.split("/").some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES)
    ? "a name in it is too long"
    : null;
}

const writerOf = (call: string | null, what: string, kind: Writer["kind"]): Writer => ({
  ...{ call, what, kind },
  end: Number.POSITIVE_INFINITY,
});

const isChange = ({ kind }: RecordedEdit): boolean => kind !== "read";

const namedBy = (edit: RecordedEdit): readonly string[] =>
  edit.kind === "move" ? [edit.path, edit.to] : [edit.path];

const NOTHING: CommandReach = { kind: "nothing" };

/** What a call may write, whatever becomes of it. */
function reachOf({ does, input }: HeardCall, files: readonly string[]): CommandReach {
  switch (does) {
    case "read":
    case "search":
    case "fetch":
    case "plan":
      return NOTHING;
    case "edit":
      return files.length > 0 ? { kind: "named", words: files } : { kind: "anything", isLasting: false };
    case "execute": {
      const script = scriptOf(input);
      return script === null ? { kind: "anything", isLasting: false } : reachOfCommand(script);
    }
    case "delegate":
    case "other":
      return { kind: "anything", isLasting: false };
  }
}

/** Words of a failure in the middle of writing; without them an edit that failed was refused before it began. */
const IN_THE_MIDDLE =
  /\bE(?:NOSPC|IO|DQUOT|ROFS|ACCES|PERM|MFILE|NFILE|FBIG|BUSY)\b|no space left|input\/output error|permission denied|os error|timed out|abort/i;

/** A patch of several files may have been done in part, unless it was looked through first. */
function isRefused({ edits }: HeardCall, { status, origin, output }: HeardResult): boolean {
  if (status !== "failed" || origin !== "real" || IN_THE_MIDDLE.test(output)) return false;
  return new Set(edits.map(({ path }) => path)).size <= 1 || output.includes("verification failed");
}

/** The call is over and what it started is not. */
function goesOn({ does, input }: HeardCall, { output }: HeardResult): boolean {
  if (does === "edit") return false;
  if ([input.run_in_background, input.is_background, input.background].includes(true)) return true;
  const script = does === "execute" ? scriptOf(input) : null;
  const reach = script === null ? null : reachOfCommand(script);
  if (reach?.kind === "anything" && reach.isLasting) return true;
  return (
    does !== "other" &&
    /\b(?:in (?:the )?background|launched|async)/i.test(output.slice(0, 2000)) &&
    reach?.kind !== "nothing"
  );
}
