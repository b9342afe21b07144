/**
 * What is known of one file's bytes, and of the difference between two: small, and plain JSON, so that it can be
 * kept by content and a second look costs nothing.
 */
import type { Alias } from "../manifests/aliases.ts";
import type { HookSources } from "../manifests/hook-sources.ts";
import type { Language } from "../paths/languages.ts";

/** Another number when what follows means something else: then nothing kept is believed. */
export const ANALYSIS_VERSION = 40;

/** A file names another: an import, a require, a dynamic import of a fixed text. */
export interface Reference {
  readonly specifier: string;
  /** Names it wants of it; "default" for the default; none where it takes it whole. */
  readonly names: readonly string[];
  /** The names are members read of a module that may not be one: nothing is missing unless the module is there. */
  readonly isOfModule?: boolean;
  /** Members of values, whose types nobody here follows: only a name that was there and went is missing. */
  readonly isOfValue?: boolean;
  /** Members of plainly known types, `Type#member` (parse/type-members.ts): asked for where they are new, or went. */
  readonly isOfType?: boolean;
  /** Types only: gone at run time. */
  readonly isType: boolean;
  /** Inside try, or behind a condition: may be missing on purpose. */
  readonly isOptional: boolean;
  readonly line: number;
}

/** The specifier of what is read of values: it may be of any type of the workspace. */
export const OF_VALUES = "#";
/** The specifier of what templates in texts read of what they are given, whatever that is. */
export const OF_TEMPLATES = "{{";

export interface SourceFacts {
  readonly references: readonly Reference[];
  readonly exports: readonly string[];
  /** Of Python: what its classes have where that is all written down, in the words of parse/type-members.ts. */
  readonly members?: readonly string[];
  /** Specifiers all of whose exports are handed on. */
  readonly stars: readonly string[];
  /** It has import or export syntax, so its default is a name like any other. */
  readonly isModule: boolean;
  /** False: it exports in a way that cannot be read off, so no name is said to be missing. */
  readonly areExportsKnown: boolean;
  /** Its words, where its exports are not known; none where there are too many. */
  readonly words: readonly string[];
  /** Members it calls and does not have itself, but on what is from elsewhere (script-calls.ts); of Python with the modules that may have them (python-called.ts). */
  readonly called: readonly string[];
  /** What functions that it gives take, `name takes` (arguments.ts): `f`, `Class`, `Class.member`, `Class#method`. */
  readonly takes: readonly string[];
  /** What it gives to functions of other files, `specifier name gives`, each once. */
  readonly calls: readonly string[];
  /** The first line of each of them. */
  readonly callLines: readonly number[];
  /** Names of others that it hands on, `name specifier imported`. */
  readonly handsOn: readonly string[];
  /** Its calls of its own functions that do not fit, `name gives takes`. */
  readonly misfits: readonly string[];
  /** Names it calls as functions and that its top level does not declare: parameters, or functions that went. */
  readonly calledInside: readonly string[];
  /** Names used and defined nowhere in the file. */
  readonly undefinedNames: readonly string[];
  /** The first line of each of them, where it is told. */
  readonly undefinedLines?: readonly (number | null)[];
  /** Names of the file's top level that nothing uses and nobody is given. */
  readonly unusedNames: readonly string[];
  /** Bodies that only pretend: "line 3: ...". */
  readonly stubs: readonly string[];
  /** How many functions there are, named or not. */
  readonly functions: number;
  /** How many of them do nothing or only return nothing. */
  readonly hollow: number;
  /** How many of those take something. */
  readonly hollowTaking: number;
  /** Names of functions by the size of their bodies: to see them emptied. */
  readonly bodies: BodySizes;
  /** One text for the last statement of the top level: what kind, of what name. */
  readonly lastStatement: string;
  /** How many lines that statement has. */
  readonly endLines: number;
  /** The same text for every statement of the top level, the last ones where there are many. */
  readonly statements: readonly string[];
  /** The last statement is the kind files end with, and the only one of it: a list of exports. */
  readonly isEndClosed: boolean;
  /** The last statement is nearly all there is: one block around everything. */
  readonly isEndMost: boolean;
  /** The last statement only declares: whoever needs it has yet to be given it. */
  readonly isEndBare: boolean;
  /** What the last statement declares is needed by what stands above it. */
  readonly isEndUsed: boolean;
  /** The last statement has no semicolon, and others of its kind have: as when a chain of calls is cut. */
  readonly isEndLoose: boolean;
  /** The last statement ends with what ends statements. */
  readonly isEndStopped: boolean;
  /** Below the last statement `export {}` stands, as compilers of types write it last. */
  readonly isEndMarked: boolean;
  /** Below the last statement a comment stands: as when what it is about is missing. */
  readonly hasEndComment: boolean;
}

export interface FileFacts {
  readonly language: Language;
  readonly size: number;
  readonly lines: number;
  readonly isBinary: boolean;
  readonly isLastLineWhole: boolean;
  /** It ends with an empty line, as a text cut between two parts does. */
  readonly hasBlankEnd: boolean;
  readonly hasNulPadding: boolean;
  /** Line of the first conflict marker. */
  readonly conflictAt: number | null;
  /**
   * `unparsed`: no parser, too large, or not text. `isUnlooked`: a parser could not take it or died of it, so nothing at all is
   * known; `isPassing`: another look may tell more, so it is not kept.
   */
  readonly parse:
    | { readonly kind: "sound" }
    | { readonly kind: "broken"; readonly line: number; readonly message: string }
    | {
        readonly kind: "unparsed";
        readonly why: string;
        readonly isUnlooked?: true;
        readonly isPassing?: true;
      };
  readonly source: SourceFacts | null;
  /** Versions it pins, by name, where it is a manifest (versions/). */
  readonly versions: Readonly<Record<string, string>> | null;
  /** Where its hooks come from, where it configures pre-commit (manifests/hook-sources.ts). */
  readonly hooks: HookSources | null;
  /** What of a package manifest runs code. */
  readonly running: string | null;
  /** Files a package manifest names as its ways in. */
  readonly entries: readonly string[];
  /** What else a package manifest names: files and folders beside it, and `module:a.b` of Python (manifests/named-files.ts). */
  readonly named: readonly string[];
  /** Names it lets sources be imported by, where it is a configuration (manifests/aliases.ts). */
  readonly aliases: readonly Alias[];
  /** Every name in it that may be a package, where it says which ones a Python project or a Rust crate needs. */
  readonly declares: readonly string[];
  /** A few dozen of its lines as numbers: enough to tell a copy from another file (sketch.ts). */
  readonly sketch: readonly number[];
  /** Its last lines with something in them, where no parser here tells what its last statement is. */
  readonly tail: string;
  /** It ends with words or a mark below which nothing ever stands (text/ends.ts). */
  readonly hasKnownEnd: boolean;
  /** It ends inside of something: code that nothing closes, a section with nothing in it, notes above no data. */
  readonly isEndInside: boolean;
  /** What it says of a database's tables (text/tables.ts). Null: nothing. */
  readonly tables: TableFacts | null;
  /** What of a workflow's records it is, by its content (workflow-records.ts). Null: none. */
  readonly workflow: WorkflowRecord | null;
}

export interface TableFacts {
  /** Each declaration as `name text`, its blanks made one: what is the same says the same. */
  readonly declared: readonly string[];
  /** The line of each of them. */
  readonly lines: readonly number[];
  /** Names of tables and columns in SQL, small letters. */
  readonly named: readonly string[];
}

export interface WorkflowRecord {
  readonly kind: "state" | "companion";
  /** Files that its steps say they made, as it names them. */
  readonly artifacts: readonly string[];
}

export interface Delta {
  readonly gone: number;
  readonly added: number;
  /** Lines of before; 0 for a new file. */
  readonly linesBefore: number;
  /** Bytes of before are the beginning of after. */
  readonly isAppend: boolean;
  /** The part of the difference that touches the end of the file: lines gone and added there. */
  readonly atEnd: { readonly gone: number; readonly added: number };
  /** Its last line is the old one with other words in it, or what came at its end is one closed block (text/ends.ts), or its last section or definition is the old one. Not asked of what a parser here follows: its last statement tells. */
  readonly isEndKept: boolean;
  /** Labels of links that Markdown uses and no longer defines. */
  readonly dangling: readonly string[];
  /** Marks of unfinished work on added lines: "line 3: ...". */
  readonly placeholders: readonly string[];
  /** Rules of redaction that fired on added lines: "line 3: github". */
  readonly secrets: readonly string[];
  /** BEGIN and END lines among the lines that were added. */
  readonly markers: readonly { readonly kind: "begin" | "end"; readonly label: string }[];
}

/** Why a file could not be looked into; null: it was. */
export const unlookedWhy = (facts: FileFacts | null): string | null =>
  facts?.parse.kind === "unparsed" && facts.parse.isUnlooked === true ? facts.parse.why : null;

/** Inside of a text of the file its quotes would be escaped. */
const PASSING = '"isPassing":true';

/** Facts that say of themselves that another look may tell more: they are used once and not kept. */
export const isPassing = (text: string): boolean => text.includes(PASSING);

/** Functions by how much is in them, as far as one that was emptied can be told by it: names alone, for a size differs at every edit. */
interface BodySizes {
  readonly large: readonly string[];
  readonly middling: readonly string[];
  readonly bare: readonly string[];
}

/** Characters of a body that is much to lose. */
const LARGE_CHARS = 200;
/** Those of one that does something. */
const MIDDLING_CHARS = 40;
/** In these not even a call to another fits. */
const BARE_CHARS = 30;

export function bySize(sizes: ReadonlyMap<string, number>): BodySizes {
  const names = (least: number, most: number): string[] =>
    [...sizes].flatMap(([name, size]) => (size >= least && size <= most ? [name] : []));
  return {
    large: names(LARGE_CHARS, Number.POSITIVE_INFINITY),
    middling: names(MIDDLING_CHARS, LARGE_CHARS - 1),
    bare: names(0, BARE_CHARS),
  };
}

/** Of functions of one name the largest counts. */
export function takeSize(sizes: Map<string, number>, name: string, size: number): void {
  sizes.set(name, Math.max(sizes.get(name) ?? 0, size));
}
