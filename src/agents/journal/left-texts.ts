/**
 * The texts that a transcript's finished calls left in files, the last of each: what proves that a tree is the one its agent worked in. What a
 * call that never ended may have written, and what nobody can repeat, is not among them. Pure: it listens, and is asked at the end.
 */
import { posix } from "node:path";
import { TRACKED_EDIT_CHARS } from "../../model/limits.ts";
import type { KeptEdit } from "../../model/recorded-edit.ts";
import { afterEdit, type FileText } from "../../workspace/owning/replay-edit.ts";
import type { Heard, HeardCall, HeardResult } from "../words/heard.ts";
import type { RecordedEdit } from "../words/recorded-edit.ts";
import { editsOfExecution } from "./command-edits.ts";

/** Files whose texts are held: a session that wrote more is known by these. */
const MAX_FILES = 500;

export class LeftTexts {
  readonly #folder: string;
  readonly #open = new Map<string, readonly (RecordedEdit | KeptEdit)[]>();
  readonly #texts = new Map<string, FileText | undefined>();
  #chars = 0;

  /** `folder`: what relative names are relative to. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  hear(heard: Heard): void {
    if (heard.kind === "call") this.#open.set(heard.id, editsOf(heard));
    if (heard.kind === "result") this.#ended(heard);
  }

  /** By absolute names. */
  texts(): ReadonlyMap<string, string> {
    const known = [...this.#texts].flatMap(([path, text]) =>
      typeof text === "string" && text !== "" ? [[path, text] as const] : [],
    );
    return new Map(known);
  }

  #ended({ call, status, origin, edits }: HeardResult): void {
    const asked = this.#open.get(call) ?? [];
    this.#open.delete(call);
    if (status !== "done" || origin !== "real") return;
    const done = edits.filter(({ kind }) => kind !== "read");
    for (const edit of done.length > 0 ? done : asked) this.#take(edit);
  }

  #take(edit: RecordedEdit | KeptEdit): void {
    const told = "before" in edit && !isEndLost(edit) ? edit.before : undefined;
    const was = told === undefined ? this.#texts.get(posix.resolve(this.#folder, edit.path)) : told;
    for (const [name, text] of afterEdit(edit, was)) {
      const path = posix.resolve(this.#folder, name);
      if (!this.#texts.has(path) && this.#texts.size >= MAX_FILES) continue;
      this.#chars += typeof text === "string" ? text.length : 0;
      this.#texts.set(path, this.#chars > TRACKED_EDIT_CHARS ? undefined : text);
    }
  }
}

const isEndLost = (edit: RecordedEdit | KeptEdit): boolean =>
  "areLineEndsLost" in edit && edit.areLineEndsLost === true;

const editsOf = ({ does, input, edits }: HeardCall): readonly (RecordedEdit | KeptEdit)[] => {
  const changes = edits.filter(({ kind }) => kind !== "read");
  return does === "execute" && changes.length === 0 ? editsOfExecution(input) : changes;
};
