/**
 * What refloat knows of one agent: a folder with the same files each. `transcript` reads what it left, `places` says where, `launch` how
 * it is started, heard and gone on with (null: it is only read). Nothing outside agents/ knows an agent by name.
 */
import type { JsonObject } from "../../model/json.ts";
import type { Agent } from "../../supervise/agent.ts";
import type { AgentHome } from "./agent-home.ts";
import type { Heard, LineLinks } from "./heard.ts";
import type { AgentHooks } from "./hooks.ts";
import type { AgentInstall } from "./install.ts";

export type { AgentHome } from "./agent-home.ts";

export interface AgentAdapter {
  /** As `--agent` takes it and sessions show it. */
  readonly name: string;
  readonly title: string;
  /** Versions that were tried: whose files are read in tests and whose hooks were seen to fire, oldest first. */
  readonly versions: readonly string[];
  /** `run`: fixtures of real runs. `schema`: made from its published schema, never seen from a real run. */
  readonly fixtures: "run" | "schema";
  readonly transcript: TranscriptFormat;
  /** Its tools give a file that is there its own line ends and byte order mark again, whatever they were told to write; left out: they do not. */
  readonly keepsEnds?: true;
  readonly places: TranscriptPlaces;
  readonly launch: AgentLaunch | null;
  /** What its hooks tell; null: it has none that call a program. */
  readonly hooks: AgentHooks | null;
  /** What `init` puts into its files so that they call us; null: nothing can be. */
  readonly install: AgentInstall | null;
}

export type TranscriptFormat = LinesFormat | DocumentFormat | DatabaseFormat;

/** One JSON object a line, added at the end. */
export interface LinesFormat {
  readonly storage: "lines";
  /** Told by content, from the first objects of the file (at most RECOGNIZED_LINES): never by its name. */
  recognizes(first: readonly JsonObject[]): boolean;
  /** `path`: for a source that says of itself whose it is only by where it lies; left out: it is not known. */
  reader(path?: string): LineReader;
  /** What a line says depends on those before it: it is read from the beginning each time, and only what is new is taken in. */
  readonly remembers?: true;
}

export interface LineReader {
  /** Must be cheap for what it does not want. Never throws for a strange line: an unknown type is heard as such. */
  read(line: JsonObject): readonly Heard[];
  /**
   * Types of lines that say nothing, whatever else is in them: of a live stream they are not even parsed. What an agent prints most is
   * among them, the output of its tools as it grows.
   */
  readonly silent?: ReadonlySet<string>;
  /** Where the line stands among the others; null: this source does not say. */
  links(line: JsonObject): LineLinks | null;
  /** The same line below another parent, for sources whose history ends where a parent is missing; left out: it has no parents. */
  relink?(line: JsonObject, parent: string | null): JsonObject;
  /** What is said by nothing more having come: called when the last line was read. */
  end?(): readonly Heard[];
}

/** One text, written whole each time. */
export interface DocumentFormat {
  readonly storage: "document";
  recognizes(text: string): boolean;
  /** `path`: as for lines. */
  read(text: string, path?: string): readonly Heard[];
  /** It was cut off while it was written; without this the form cannot tell. */
  isTorn?(text: string): boolean;
}

/** Rows of a SQLite database, which may hold many sessions. Read from a copy (with -wal and -shm); a short look at one without a log takes none. */
export interface DatabaseFormat {
  readonly storage: "database";
  recognizes(tables: ReadonlySet<string>): boolean;
  /** Its sessions, newest first. */
  sessions(rows: Rows): readonly SessionInDatabase[];
  read(rows: Rows, nativeId: string): Iterable<Heard>;
  /** Which rows are a session's: the sessions' own table first, and its column that names the one that began it (null: there is none). */
  readonly kept: { readonly tables: readonly KeptTable[]; readonly parent: string | null };
}

export interface KeptTable {
  readonly table: string;
  /** The column that has the session's id. */
  readonly of: string;
  /** By which its rows are in order, so that what comes is behind what was there. */
  readonly order: string;
}

export interface SessionInDatabase {
  readonly nativeId: string;
  readonly cwd: string | null;
  /** When it was last changed, as far as its row says. */
  readonly at: number | null;
  readonly began: number | null;
}

/**
 * Reads one statement's rows. They are in memory together: a format asks for ids first and for what may be large one by one, with
 * `octet_length` in front of it.
 */
export type Rows = (sql: string, ...values: readonly (string | number | null)[]) => Iterable<JsonObject>;

export interface FoundTranscript {
  readonly path: string;
  /** In a database: which of its sessions. Else what its name says, to be checked; null: it says nothing. */
  readonly nativeId: string | null;
  readonly modifiedMs: number;
  readonly bytes: number;
  /** A subagent's own transcript: whose, begun by which call and called what, as far as the agent's files beside it say. */
  readonly child?: {
    readonly parent: string;
    readonly call: string | null;
    readonly label: string | null;
  };
  /** The session's own folder, where finding it meant looking inside (a database); else only reading it tells. */
  readonly cwd?: string | null;
  /** When it began, where finding it meant looking inside. */
  readonly beganMs?: number | null;
}

/** A mark the agent leaves while it lives, by which its process can be told (K2). */
export interface LivenessMark {
  readonly nativeId: string | null;
  readonly path: string;
  readonly pid: number | null;
  /** Clock ticks since boot, as /proc/PID/stat has it; null: the mark has none, then only its absence proves anything. */
  readonly processStart: number | null;
  /** The namespace the pid counts in, as /proc/PID/ns/pid names it; left out: the mark does not say. */
  readonly pidNamespace?: string;
}

/** A transcript that was kept on another machine. */
export interface BroughtTranscript {
  readonly nativeId: string;
  /** Where it lay there; other systems' paths have other separators. */
  readonly path: string;
  /** The folder it was begun in, as it says; null: it does not. */
  readonly cwd: string | null;
  /** Where the agent is started here. */
  readonly folder: string;
}

export type Landing =
  /** `isMoved`: the agent goes on with it as with one whose folder was moved. */
  | { readonly kind: "at"; readonly path: string; readonly isMoved: boolean }
  /** `why`: the end of a sentence that begins with the agent's name. */
  | { readonly kind: "nowhere"; readonly why: string };

export interface TranscriptPlaces {
  /**
   * Transcripts that may be of work in `folder` (an absolute path), newest first. May return some of other folders: the reader
   * checks the folder inside. Never follows a link out of the agent's own folder.
   */
  find(home: AgentHome, folder: string): readonly FoundTranscript[];
  marks(home: AgentHome): readonly LivenessMark[];
  /**
   * Where one of another machine is to lie so that the agent's own resume finds it: a name that the agent itself would give. Nothing that
   * came with it becomes a part of the path unless it has the agent's form. Left out: for agents that are only read.
   */
  lands?(home: AgentHome, brought: BroughtTranscript): Landing;
}

/**
 * How the brief reaches the model. What is put before a prompt stays in the conversation for good; the others are of this start alone, so
 * that the next start's brief takes their place.
 */
export type BriefChannel = "system-prompt-flag" | "instructions-file" | "before-prompt";

export interface ContinuedCommand {
  readonly command: readonly string[];
  readonly brief: BriefChannel;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What is known of the start besides the brief's text; a channel that needs it is left alone where it is not given. */
export interface BriefAround {
  /** The file that has the brief. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The conversation was begun by this command: it has every flag that was ever given. */
  readonly hasAllFlags: boolean;
  /** Of the agent, when it last wrote; null: nobody knows. */
  readonly version: string | null;
  /** Its folder was moved since the conversation was begun, and this is the transcript; left out: it is where it was. */
  readonly moved?: { readonly transcript: string };
}

export interface AgentLaunch {
  /** What is typed to start it. */
  readonly program: string;
  /** Is this command line this agent, by its program's name? */
  recognizes(command: readonly string[]): boolean;
  /** How it is supervised: its id chosen, its stream read, its stop ladder (L7, S2). */
  agent(): Agent;
  /** Reads the live stream of a command whose output is a form of JSON; null: this command's is not. */
  stream(command: readonly string[]): LineReader | null;
  /** The agent's own resume by id with the user's flags, the brief given with it; null: it has none for this command line. */
  resume(
    nativeId: string,
    command: readonly string[],
    brief: string,
    around?: BriefAround,
  ): ContinuedCommand | null;
  /** A new conversation that knows, by the same command line: with the prompt that is in it, else told to go on; null: it takes none. */
  startWith(command: readonly string[], brief: string, around?: BriefAround): ContinuedCommand | null;
  /** The tool by which its model goes on with a subagent, and the field that takes its id; left out: it has none. */
  readonly resumesChild?: { readonly tool: string; readonly field: string };
  /**
   * Whether this is the command line of a server that all of the user's sessions share; left out: it has none. Such a one is no session's
   * leftover and is never stopped (S2), and a mark it inherited says nothing of whose tools it runs.
   */
  serves?(command: readonly string[]): boolean;
}
