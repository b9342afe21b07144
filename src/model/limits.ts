/**
 * Every bound of the product, named, with its reason (T5). A number that limits something lives here or,
 * when only one file can ever need it, at the top of that file.
 */

const KiB = 1024;
const MiB = 1024 * KiB;

/** An id is shown on one line of a terminal and indexed; longer ones are somebody's data, not an id. */
export const MAX_ID_BYTES = 200;

/** Deeper JSON overflows recursive readers in other languages and in JSON.parse's callers. */
export const MAX_JSON_DEPTH = 200;

/** Of what an agent says: half of that, so that the record around it, and whatever shows it, have levels left. */
export const MAX_HEARD_DEPTH = 100;

/** A record's body larger than this goes to the contents first, so that its commit stays short. */
export const INLINE_BODY_BYTES = 256 * KiB;

/** The largest body of one record. A 20 MB tool output fits; a disk image does not. */
export const MAX_BODY_BYTES = 64 * MiB;

/** One chunk row. At 1 MiB a write transaction holds the lock for a few milliseconds (other writers go on). */
export const CHUNK_BYTES = MiB;

/** The largest single content. Over it a capture names the path as a gap instead of holding it. */
export const MAX_CONTENT_BYTES = 512 * MiB;

/** Contents of one store, before `gc` or `forget` is asked for. */
export const DEFAULT_STORE_CAP_BYTES = 20 * 1024 * MiB;

/** Records of one change (one all-or-nothing append). */
export const MAX_RECORDS_PER_CHANGE = 1000;

/** Rows a single read hands out; readers page. Keeps no statement open between pages (follow). */
export const READ_PAGE_ROWS = 500;

/** Rows of sessions a single read hands out: 1 KiB each or so, and a list of 10,000 is one statement on a server far away. */
export const SESSION_PAGE_ROWS = 20_000;

/** How long a commit waits for the store's write lock before it says E_STORE_BUSY. */
export const LOCK_WAIT_MS = 30_000;

/** Contents nobody names yet are kept this long: their writer may still be about to name them. */
export const UNNAMED_CONTENT_GRACE_MS = 60 * 60_000;

/** Between hosts a claim whose heartbeat is this old is presumed lost (K2, K3). */
export const DEFAULT_CLAIM_THRESHOLD_MS = 120_000;

/** The heartbeat's timer: four chances within the threshold. */
export const HEARTBEAT_INTERVAL_MS = 30_000;

/** Of a shorter threshold: so many heartbeats fit into it, so that some may be lost on the way. */
export const BEATS_PER_THRESHOLD = 4;

/** How often a supervisor looks whether a step it holds needs a heartbeat in its file: well within the shortest useful threshold. */
export const STEP_LOOK_MS = 5000;

/** A step's owner leaves at most this much between two heartbeats, whatever the file says of it: a longer pause lets the default threshold pass, and a mistyped one would hold the step for good. */
export const MAX_STEP_PAUSE_MS = 240_000;

/** A heartbeat in a state file is written to the second: pauses shorter than that cannot be seen there. */
export const MIN_STEP_PAUSE_MS = 1000;

/** A streamed message is flushed at most this often ... */
export const STREAM_FLUSH_INTERVAL_MS = 250;

/** ... or when this much text is waiting, whichever comes first (C3: the last bounded flush). */
export const STREAM_FLUSH_BYTES = 32 * KiB;

/** What one streamed message may grow to before its writer must end it. */
export const MAX_STREAM_BYTES = 32 * MiB;

/** A larger file is named in a capture, not held: dumps and images are not what an agent's session is about. */
export const CAPTURE_FILE_BYTES = 64 * MiB;

/** What one capture reads in all before it names the rest. */
export const CAPTURE_TOTAL_BYTES = 2 * 1024 * MiB;

/** Paths of one capture: at 300 bytes each they fit a record's body. */
export const CAPTURE_PATHS = 100_000;

/** Captures in memory at once where a journal's are read in order: of a large tree each is megabytes. */
export const CAPTURE_PAGE_ROWS = 20;

/** How long a capture reads before it names the rest as over budget. */
export const CAPTURE_BUDGET_MS = 60_000;

/** A path that changes while it is read is read again so often before it is named as moving. */
export const CAPTURE_READ_TRIES = 3;

/** A capture during which HEAD or the index changed is begun again so often before it fails. */
export const CAPTURE_TRIES = 3;

/** Paths held with both sides when HEAD moved; a switch between distant branches can touch everything. */
export const CAPTURE_MOVED_PATHS = 5000;

/** Commits that no remote has, kept with one capture: days of work between two pushes. A history that was never pushed may be more: it is named, not kept. */
export const CAPTURE_COMMITS_BYTES = 64 * MiB;

/** What git may take to pack them: a capture is waited for. */
export const CAPTURE_COMMITS_MS = 30_000;

/** How long an act looks at its paths, and how long its safety capture may take: it refuses rather than leave one out. */
export const ACT_BUDGET_MS = 10 * 60_000;

/** What may lie in a folder an act replaces, beyond what the plan names: a build cache fits, node_modules does not (W6). */
export const ACT_INSIDE_PATHS = 5000;
export const ACT_INSIDE_BYTES = 256 * MiB;

/** How long an act waits for a lock of somebody else's git, and for a git command of a dead executor: both are short. */
export const ACT_LOCK_WAIT_MS = 5000;

/** Free space an act leaves on the workspace's file system: git and editors need some to go on. */
export const ACT_SPARE_BYTES = 4 * MiB;

/** How long a process of its own may look into one change: the largest honest file, of 1 MB, takes about one second. */
export const PARSE_ALONE_MS = 20_000;

/** What it may use in all: where the command is killed, a parser that does not end goes on until then. */
export const PARSE_ALONE_CPU_S = 600;

/** What that process may fill: with the tree of the largest honest file, of 1 MB, it has 220 MB in all. */
export const PARSE_ALONE_HEAP_MB = 1024;

/** Messages a session keeps in memory for its views, unless `begin` asks for another window. */
export const DEFAULT_WINDOW_MESSAGES = 10_000;

/** What git may take for a capture somebody asked for: a cold status of a very large tree on a slow disk. */
export const CAPTURE_STATUS_MS = 120_000;

/** A capture nobody asked for: what it reads ... */
export const AUTO_CAPTURE_BUDGET_MS = 5000;

/** ... and what git may take for it. `begin` and `finish` wait for one, so it is seconds, not minutes. */
export const AUTO_CAPTURE_STATUS_MS = 10_000;

/**
 * A call waits so long for a capture that is being read; then it starts, and the capture proves less. As long as such a
 * capture may read: on a busy machine a shorter wait made owners unknown, and captures take a fifth of the time at most.
 */
export const CALL_CAPTURE_WAIT_MS = AUTO_CAPTURE_BUDGET_MS;

/** After a capture by status, calls bring the next one only after so many times what it took: a fifth of the time at most. */
export const AUTO_CAPTURE_REST = 4;

/** A longer line of a transcript is passed over and named: an image in base64 fits, a disk image does not, and memory stays bounded. */
export const TRANSCRIPT_LINE_BYTES = 16 * MiB;

/** So many of a transcript's first objects are looked at to tell whose it is. */
export const TRANSCRIPT_FIRST_LINES = 20;

/** Behind so many bytes nobody looks for the first objects any more: a few lines as long as a line may be, and it is no transcript. */
export const TRANSCRIPT_FIRST_BYTES = 4 * TRANSCRIPT_LINE_BYTES;

/** A transcript that is one document is read whole; a larger one is refused. */
export const TRANSCRIPT_DOCUMENT_BYTES = 64 * MiB;

/** A database is copied before it is read, with its log; a larger one is passed over and named. */
export const TRANSCRIPT_DATABASE_BYTES = 2048 * MiB;

/** A kept transcript is cut into pieces of so much, each compressed alone: one that has grown is put again from its last piece on. */
export const TRANSCRIPT_PIECE_BYTES = 256 * KiB;

/**
 * With a shared store a transcript is kept as it grows, so often while its agent lives: a machine that is lost with its disk costs no more of
 * it than was said in that time, and a session-hour no more than so many records.
 */
export const TRANSCRIPT_KEEP_EVERY_MS = 30_000;

/** A record of it names each piece: behind one of many pieces there is a longer pause, so that this costs under 2 KB a second. */
export const TRANSCRIPT_KEEP_PIECE_MS = 100;

/** So long a transcript is kept: longer than an agent cleans up after, and than anybody comes back to a session. */
export const TRANSCRIPT_KEPT_DAYS = 90;

/** What kept transcripts may take in a store, compressed; a single one that is larger as it lies is not kept. */
export const TRANSCRIPT_KEPT_BYTES = 2048 * MiB;

/** Two pages: what a fresh session reads before anything else must leave it room to work. */
export const DEFAULT_BUDGET_TOKENS = 2000;

/** The head, one command and the line that counts the rest: a smaller brief would say nothing. */
export const MIN_BUDGET_TOKENS = 200;

/** A brief longer than a context window helps nobody. */
export const MAX_BUDGET_TOKENS = 200_000;

/** So many damaged places of a transcript are listed, the others counted: a report that nobody reads to its end, and memory stays bounded. */
export const TRANSCRIPT_DAMAGE_LISTED = 10_000;

/** So many calls of a transcript are listed, the newest and those left open; finished ones beyond that are counted. */
export const TRANSCRIPT_CALLS_LISTED = 20_000;

/** Of one rebuilt file so many calls are listed, the first and the newest; the others are counted. */
export const REBUILT_CALLS_LISTED = 1000;

/** So many edits of one call are kept with it; a call of more is a program (T5). */
export const KEPT_EDITS = 200;

/** So much of one call's edits is kept beside what its input has, in characters; longer ones cannot be repeated. */
export const KEPT_EDIT_CHARS = 256 * 1024;

/** So much text of the calls' edits is held for one session, in characters; of older calls beyond it nothing can be repeated. */
export const TRACKED_EDIT_CHARS = 32 * MiB;

/** A file is followed through so many edits; beyond them, and of longer texts, nothing is proven. */
export const REPLAYED_EDITS = 2000;
export const REPLAYED_CHARS = 2 * MiB;

/** So many files at HEAD are read to repeat edits on them, the same for every look at a tree (T5). */
export const REPLAYED_FILES = 2000;

/** So many files of a transcript are followed; others are counted. A session that edits more is a program. */
export const REBUILT_FILES = 100_000;

/** So much text of all rebuilt files is held at once, in characters; what comes beyond it is not rebuilt. */
export const REBUILT_CHARS = 128 * MiB;

/** So many characters are looked through to repeat edits, all in all: a hundred thousand edits of a long source, and an end (T5). */
export const REBUILT_WORK_CHARS = 8 * 1024 * MiB;

/** So many events wait in the inbox until a refloat process takes them in: a long day of one agent. What comes then is dropped and counted. */
export const INBOX_WAITING = 8192;

/** An event with a longer payload is large; so many large ones wait, and of further ones only this much is kept, with the cut named. */
export const INBOX_LARGE_BYTES = 16 * KiB;
export const INBOX_LARGE_WAITING = 256;

/** The most that is kept of one payload. Together with the counts: an inbox that nobody drains is under 400 MiB. */
export const INBOX_BODY_BYTES = MiB;

/** A shell's patterns go over so much of a payload: they try each word with each other. A longer one before a call counts as destructive. */
export const INBOX_GLANCE_BYTES = 8 * KiB;

/** A file above the body: names of folders and programs. A larger file was not written by the recorder and is quarantined unread. */
export const INBOX_HEAD_BYTES = 256 * KiB;

/** Without its closing line a file may still be being written for so long; a writer that needs longer was killed, or its machine. */
export const INBOX_TORN_AFTER_MS = 60_000;

/** What a Date can hold: a time beyond it could be stored and never be shown. */
export const MAX_TIME_MS = 8_640_000_000_000_000;

/** Torn files that are kept to be looked at, the newest; a kill tears one. */
export const INBOX_TORN_KEPT = 256;

/** Before a destructive command the agent waits at most this long for a capture; then the call goes on without a before-image. */
export const BEFORE_CAPTURE_MS = 200;

/**
 * What is held by the recorder's own hands while a call waits: files up to this size and so much in all (read, written and synced in a
 * part of that time), so many paths, and work trees that one command names. Words of a command that are looked for as paths, ignored files,
 * commits that only a log names, and of a repository that nobody else has anything of, the newest commits.
 */
export const HOLD_FILE_BYTES = 16 * MiB;
export const HOLD_TOTAL_BYTES = 32 * MiB;
export const HOLD_PATHS = 5000;
export const HOLD_TREES = 4;
export const HOLD_WORDS = 400;
/** What its patterns stand for, words a pattern has a choice of, and names in a folder with clones in it. */
export const HOLD_PLACES = 1000;
export const HOLD_CHOICES = 64;
export const HOLD_NAMES = 500;
export const HOLD_IGNORED_PATHS = 2000;
export const HOLD_TIPS = 500;
export const HOLD_COMMITS = 50;

/** A file of what was held: contents, a pack of commits, git's own files, and what git listed. A larger one was not written by the holder. */
export const HELD_FILE_BYTES = 256 * MiB;

/** So many of them wait; with more the program is asked, which puts what it holds into the store at once. */
export const HELD_WAITING = 64;

/** Torn ones that are kept to be looked at: each may be as large as what was being held. */
export const HELD_TORN_KEPT = 8;

/** Marks of open turns are kept so long: nobody is told of older ones (DESIGN 9). */
export const OPEN_MARKS_MS = 72 * 60 * 60_000;

/** Marks and folders that are looked at in one go when old ones are taken away; the rest has its turn when these are gone. */
export const OPEN_MARKS_LOOKED_AT = 10_000;

/** One message of an MCP client: a call's arguments are a few lines; what is longer is answered with an error, and read no further. */
export const MCP_MESSAGE_BYTES = 4 * MiB;

/** What a tool answers a model: agents cut off or refuse answers much longer than this. */
export const MCP_ANSWER_BYTES = 96 * KiB;

/** Calls that wait for those before them; a model asks for a handful at once, a broken client for any number. */
export const MCP_WAITING_CALLS = 2000;

/** A tool waits so long for the store's lock: clients give a call up after a minute, and those behind it wait with it. */
export const MCP_LOCK_WAIT_MS = 5000;

/** After the end of the input what was asked before is answered so long; whoever asked is gone, and the server goes, too. */
export const MCP_LAST_CALLS_MS = 10_000;

/** A text that a tool is given: a note, a reason, a label. */
export const MCP_TEXT_CHARS = 4000;

/** Names or globs that a tool is given at once. */
export const MCP_LIST_ITEMS = 1000;

/** Of one record on the page: what somebody reads of a message or a result; the rest is counted. */
export const RECORD_SHOWN_BYTES = 64 * KiB;

/** Of one file in a diff for the page: nobody reads more lines, and a browser draws no more at once. */
export const MAX_DIFFED_BYTES = 512 * KiB;

/** Of one picture that is shown as it was and as it is. */
export const MAX_PICTURE_BYTES = 4 * MiB;

/** Files of one group in an answer; the rest is counted. */
export const MAX_DIFFED_FILES = 200;

/** The page's watcher looks so often whether anybody wrote: what a person calls at once. */
export const WATCH_STEP_MS = 300;

/** ... and so often whether owners still live: a death is written down by nobody. */
export const WATCH_LIVENESS_MS = 1500;

/** A request's body: choices for some hundred groups and a commit's message. */
export const HTTP_BODY_BYTES = 256 * KiB;

/** One answer, as JSON: a page of records, a manifest, a diff. What is longer is cut, and says what was left out. */
export const HTTP_ANSWER_BYTES = 8 * MiB;

/** Requests with the right token, a second: two hundred pages that look again after every change ask that much. */
export const HTTP_REQUESTS_PER_SECOND = 600;

/** ... and at once, before that rate counts. */
export const HTTP_REQUEST_BURST = 1200;

/** Requests without the right token, a second: a page with an old token asks once or twice, somebody who guesses any number. */
export const HTTP_REFUSALS_PER_SECOND = 5;

/** ... and at once. */
export const HTTP_REFUSAL_BURST = 50;

/** Records as they were shown last, without their secrets, for pages that look at the same sessions: the search for secrets is what costs most. */
export const HTTP_SHOWN_BYTES = 16 * MiB;

/** ... and pages of them as they were sent: what a person scrolls back to, in some thirty of the longest usual ones. */
export const HTTP_WRITTEN_BYTES = 16 * MiB;

/** Open streams of changes: two for each of some hundred pages. */
export const HTTP_STREAMS = 512;

/** Connections at all, idle ones among them. */
export const HTTP_CONNECTIONS = 1024;

/** A client that reads or writes nothing for so long is let go; a stream says something more often than that. */
export const HTTP_IDLE_MS = 60_000;

/** A stream that has nothing to say says so: proxies and idle bounds see that it lives. */
export const HTTP_BEAT_MS = 15_000;

/** The whole head, and the whole request, must have come by then: who sends a byte a minute holds nothing. */
export const HTTP_HEAD_MS = 10_000;
export const HTTP_REQUEST_MS = 30_000;

/** Records that a bundle's blackbox.html holds at most, the newest, fewer while its agent still runs; and what it holds of them and of changes together: it must open on a telephone. */
export const BLACKBOX_RECORDS = 5000;
export const BLACKBOX_LIVE_RECORDS = 200;
export const BLACKBOX_BYTES = 4 * MiB;

/** Of what a check says while it runs: what is kept to look for secrets in, what a page is shown of it, and how often. */
export const CHECK_HEARD_CHARS = 64 * KiB;
export const CHECK_SHOWN_CHARS = 8 * KiB;
export const CHECK_SHOWN_EVERY_MS = 200;

/** Lines of how far something is that a page has not read yet: those that may be left out are, from then on. */
export const HTTP_UNREAD_LINES = 16;

/** Journals and lists that are read side by side: each lies in memory whole, and one thread reads the store. */
export const HTTP_READS_AT_ONCE = 4;

/** Work on the same trees (judging, planning, acting) that waits for what is before it. */
export const HTTP_WAITING_CALLS = 64;

/** A token that somebody brings in a file: as long as those we make, at least. */
export const MIN_TOKEN_CHARS = 32;
