/**
 * What a call did, or was to do, to one file, as the transcript has it. From these the judge knows the end of a finished edit, and a
 * tree that is gone is rebuilt. Texts are what the source holds; what it cut or cannot tell exactly is not here.
 */
export type RecordedEdit = EditOfFile & {
  /**
   * The source made LF of every line's end, and may have left out a byte order mark, in what it says the file was (`before`, `old`, `new`
   * and a read's `text`; a write's `after` is what was written). The file's own are not known from it.
   */
  readonly areLineEndsLost?: true;
};

type EditOfFile =
  /** The whole file afterwards. `before`: the whole file before, null: there was none, undefined: not known. */
  | {
      readonly kind: "write";
      readonly path: string;
      readonly after: string;
      readonly before?: string | null;
    }
  /** One piece of text in the place of another, once or wherever it stands. */
  | {
      readonly kind: "replace";
      readonly path: string;
      readonly old: string;
      readonly new: string;
      readonly everywhere: boolean;
      readonly before?: string | null;
      /** Replaced by nothing it may have taken the line feed behind it along: the source does not say whether. */
      readonly mayTakeEnd?: true;
    }
  /** Lines put in after a line (0: at the beginning). */
  | {
      readonly kind: "insert";
      readonly path: string;
      readonly afterLine: number;
      readonly text: string;
    }
  /** A patch in the agent's own form (the text between its markers), for one file. */
  | {
      readonly kind: "patch";
      readonly path: string;
      readonly hunks: readonly PatchHunk[];
      readonly before?: string | null;
    }
  | { readonly kind: "delete"; readonly path: string; readonly before?: string | null }
  | { readonly kind: "move"; readonly path: string; readonly to: string }
  /** What a read showed. Not `isWhole`: only some lines, or cut. `fromLine` counts from 1. */
  | {
      readonly kind: "read";
      readonly path: string;
      readonly text: string;
      readonly isWhole: boolean;
      readonly fromLine: number;
    };

/** Lines of a patch: kept, taken out, put in, in order. */
export interface PatchHunk {
  /** A line the hunk stands below, where the form has one (`@@ class X`). */
  readonly below: readonly string[];
  readonly lines: readonly PatchLine[];
  /** The form says that these are the last lines of the file. */
  readonly isAtEnd?: boolean;
}

export interface PatchLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** What a journal keeps of a call's edits, so that the bytes they lead to can be had again. */
export type KeptEdit =
  | Exclude<RecordedEdit, { kind: "read" }>
  /** A command that puts these very words at the end of a file, or makes one of them. */
  | { readonly kind: "append"; readonly path: string; readonly text: string }
  /** It changed the file in a way that cannot be repeated. */
  | { readonly kind: "unknown"; readonly path: string };
