/**
 * The kinds of record that what an agent says of itself adds: how far its transcript was read, what its hooks told, its plan, its
 * subagents, its shortened context. Its messages, calls and results are records like everybody's, with `heard` in them.
 */
import { z } from "zod";

/** A piece of a transcript: the hash of its own bytes, the content that holds them compressed, and what that takes. */
const keptPiece = z.looseObject({ sha256: z.string(), hash: z.string(), stored: z.number().int() });

const keptTranscript = z.looseObject({
  agent: z.string(),
  native_id: z.string(),
  /** Where it lay. */
  path: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
  /** How each piece is compressed. */
  form: z.string(),
  chunks: z.array(keptPiece),
  /** It is a subagent's. */
  child: z.boolean().optional(),
  /** The session's rows of the database at `path`, a line of JSON each, and not that file. */
  rows: z.boolean().optional(),
});
export type KeptTranscript = z.infer<typeof keptTranscript>;
/** A whole file that a call left, by the SHA-256 of its bytes. `ends_lost`: hashed with LF for every line's end, and without a byte order mark. */
export const wroteFile = z.looseObject({
  path: z.string(),
  hash: z.string(),
  ends_lost: z.boolean().optional(),
});

/** What a call was to do to a file. Texts stand there as they are, or as the place in the call's input that has them (`at`). */
const keptEdit = z.looseObject({ kind: z.string(), path: z.string() });

/** Of a call that was heard of. */
export const HEARD_CALL = {
  /** Read in what the agent says of itself: the record came later than the call, nobody knows by how much. */
  heard: z.boolean().optional(),
  /** Whole files it was to leave behind, by the SHA-256 of their bytes. */
  wrote: z.array(wroteFile).optional(),
  /** What it was to do to files, as far as it can be repeated. */
  edits: z.array(keptEdit).optional(),
  /** What its tool does, whatever the agent calls it: read, edit, execute, search, fetch, plan, delegate, other. */
  does: z.string().optional(),
  /** Files it names, as it names them. */
  paths: z.array(z.string()).optional(),
  /** The subagent that made it. */
  child: z.string().optional(),
};

/** How a call found a file that it changed; null: there was none. `ends_lost`: hashed with LF for every line's end. */
export const foundFile = z.looseObject({
  path: z.string(),
  hash: z.string().nullable(),
  ends_lost: z.boolean().optional(),
});

/** The agent's process as a hook found it above itself (K2). */
const hookProcess = z.looseObject({
  boot: z.string(),
  pid: z.number().int(),
  started: z.number(),
  comm: z.string(),
});

/** What is held of the tree as it was before a call; `none`: the call went on without, and why. */
export const beforeImage = z.union([
  z.looseObject({
    kind: z.literal("held"),
    capture: z.string(),
    /** Of other work trees that the command may have meant. */
    also: z.array(z.string()).optional(),
    /** What the command takes away and no capture has: paths, or in words. */
    without: z.array(z.string()).optional(),
  }),
  z.looseObject({ kind: z.literal("none"), reason: z.string() }),
]);

export const AGENT_KINDS = {
  /**
   * One event of the agent's hooks, as its file of the inbox had it: the file's name is the record's id, so it is here once (D4). An
   * observation: it claims nothing and renews nothing (K1), and what it says is the agent's own word (T2).
   */
  "agent.observed": {
    by: "anyone",
    body: z.looseObject({
      agent: z.string(),
      /** As the agent spells it. */
      event: z.string(),
      native_id: z.string().nullable(),
      /** Where it happened: the payload's own word, which may be a tool's or a subagent's folder. */
      cwd: z.string().nullable(),
      /** The subagent, or the agent that this one started, that it happened in. */
      child: z.string().nullable(),
      /** What it means, in the words of every agent. */
      heard: z.array(z.looseObject({ kind: z.string() })),
      process: hookProcess.nullable(),
      /** Told at a session's start and at prompts; null: as there. */
      pid_namespace: z.string().nullable(),
      before: beforeImage.optional(),
      /** Of another process than the one that the session was proved to live in: it ends nothing, and says nothing of who lives (K1, K2). */
      other_process: z.boolean().optional(),
      /** The payload was longer than the inbox takes: so many bytes of it came. */
      cut: z.number().int().optional(),
    }),
    shape: ["agent", "event", "native_id"],
  },
  /**
   * So far was the agent's own transcript read: written with what was read, in one change, so that nothing is taken in twice and nothing
   * is left out.
   */
  "agent.heard": {
    by: "anyone",
    body: z.looseObject({
      agent: z.string(),
      /** The id the agent knows the session by. */
      native_id: z.string(),
      path: z.string().nullable(),
      /** The folder it was started in, as it says. */
      cwd: z.string().nullable().optional(),
      /** The same folder in the workspace, where somebody looked: it may be called otherwise here. Empty: the workspace's top. */
      inside: z.string().optional(),
      version: z.string().nullable(),
      /** Where reading goes on; null: it was not read yet. */
      next: z.looseObject({ line: z.number().int(), byte: z.number().int() }).nullable(),
      /** Where it stands by its own words: `transcript check` has the same. */
      status: z.string(),
      /** Types of its records nobody here knows: a newer version of the agent. */
      unknown_types: z.number().int(),
      /** It is a subagent's. */
      child: z.boolean().optional(),
      /** So many messages and calls at its beginning are those of a conversation that it is a copy of: told there, and not again. */
      copied: z.number().int().optional(),
      /** It was heard over this protocol, word for word as it was said; left out: in its transcript. */
      channel: z.enum(["acp"]).optional(),
    }),
    shape: ["agent", "native_id", "next", "status", "channel"],
  },
  /** The agent's own list of what is to be done, whole each time it changed. */
  "agent.planned": {
    by: "owner",
    body: z.looseObject({
      items: z.array(
        z.looseObject({
          id: z.string().optional(),
          text: z.string(),
          state: z.enum(["open", "doing", "done"]),
        }),
      ),
    }),
    shape: [],
  },
  /** A subagent, as its parent tells of it. */
  "agent.child": {
    by: "owner",
    body: z.looseObject({
      child: z.string(),
      label: z.string(),
      state: z.enum(["begun", "done", "failed"]),
      transcript: z.string().nullable(),
    }),
    shape: ["child", "state"],
  },
  /** The agent shortened its context: what its model lost stands before this record. */
  "agent.compacted": {
    by: "owner",
    body: z.looseObject({ summary: z.string().nullable() }),
    shape: [],
  },
  /**
   * The agent's end of a connection to refloat is closed: at the latest then it let go of it, dead or alive. An observation (K1): it says
   * when, never how; whoever recovers the session says what it died of.
   */
  "agent.disconnected": {
    by: "anyone",
    body: z.looseObject({
      channel: z.enum(["mcp"]),
      /** `end-of-input`, or the signal that ended our end of it. */
      how: z.string(),
      /** What the other end called itself. */
      client: z.string().nullable(),
      /** The attempt whose mark it was under; null: under none, the session was the only live one there. */
      attempt: z.number().int().nullable(),
    }),
    shape: ["channel", "how", "attempt"],
  },
  /** The agent's own transcript is in the contents, byte for byte, as it was when the session ended. */
  "transcript.kept": {
    by: "owner",
    body: keptTranscript,
    shape: ["agent", "native_id", "bytes"],
  },
  /** So many kept transcripts of this session were dropped: they were older, or more, than is kept. */
  "transcript.dropped": {
    by: "anyone",
    body: z.looseObject({ records: z.number().int(), days: z.number(), bytes: z.number() }),
    shape: ["records", "days", "bytes"],
  },
} as const;
