/** Everything that is done before the agent starts (steps 2 and 3 of supervise.ts): a failure here starts nothing. */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { makePrivateDirectory } from "../platform/durable-file.ts";
import { type Environment, storeHome } from "../platform/places.ts";
import { randomId } from "../platform/random.ts";
import { type IsSharedServer, MARK_VARIABLE, markText } from "../session/leftovers.ts";
import { newRecord } from "../session/new-record.ts";
import { runFolder } from "../session/run-folder.ts";
import { conversationsOf } from "../store/contract/session-facts.ts";
import type { Store } from "../store/store.ts";
import { redactCommand } from "../text/redact-part.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import type { Agent } from "./agent.ts";
import { AsItGoes, type CommitPass } from "./as-it-goes.ts";
import type { OpenHearing, RunHearing } from "./hearing.ts";
import { OutputKeeper } from "./output-keeper.ts";
import { RunCaptures } from "./run-captures.ts";
import { RunJournal } from "./run-journal.ts";
import type { Program } from "./running-agent.ts";

export interface RunSetting {
  readonly store: Store;
  readonly agent: Agent;
  /** What was asked for, and the file found for its first word. */
  readonly command: readonly string[];
  /** What is recorded of it, where that is not the same: a brief in it is made anew by whoever goes on. */
  readonly typed?: readonly string[];
  readonly file: string;
  readonly workspace: () => Workspace;
  readonly place: string;
  /** The store's home, where run folders are. */
  readonly home: string;
  readonly env: Environment;
  /** Its input is a terminal: somebody may sit there (L7). */
  readonly hasTerminal: boolean;
  /** Added to the child's environment: the store, when it is not the one of the home. */
  readonly childEnv: Readonly<Record<string, string>>;
  readonly tell: (line: string) => void;
  /** It goes on with a session that was cut off. */
  readonly isResumed?: boolean;
  /** Who hears what the agent says of itself; left out: nobody knows this agent. */
  readonly openHearing?: OpenHearing;
  /** Told by a room that knows agents; left out: none is. */
  readonly isSharedServer?: IsSharedServer;
  /** Commits what ended operations of a session left, where the user's config asks for it; null: it does not. */
  readonly commitEnded?: ((session: SessionId, leave: AbortSignal) => Promise<CommitPass>) | null;
}

export interface PreparedRun {
  readonly session: SessionId;
  readonly attempt: number;
  readonly mark: string;
  readonly folder: string;
  /** As it is kept and shown: without secrets. */
  readonly shownCommand: readonly string[];
  readonly program: Program;
  readonly journal: RunJournal;
  readonly captures: RunCaptures;
  readonly keeper: OutputKeeper;
  /** Null: nobody knows this agent. */
  readonly hearing: RunHearing | null;
  readonly troubles: Troubles;
  /** Null: nothing is committed while it runs. */
  readonly asItGoes: AsItGoes | null;
}

export async function prepareRun(
  setting: RunSetting,
  { session, attempt }: { readonly session: SessionId; readonly attempt: number },
): Promise<PreparedRun> {
  const { store, agent, workspace, place, env, home } = setting;
  const troubles = new Troubles(setting.tell);
  const captures = new RunCaptures({
    store,
    session,
    attempt,
    workspace,
    place,
    env,
    onFailure: (reason, error) => troubles.add(`no ${reason} capture`, error),
  });
  const launch = agent.prepare(setting.command, { id: session, attempt });
  const [shownCommand] = await Promise.all([
    redactCommand(setting.typed ?? launch.command),
    captures.take("begin"),
  ]);
  crashPoint("run.before-mark");
  const folder = runFolder(home, session, attempt);
  makePrivateDirectory(folder);
  const { nativeId, copies = null } = launch;
  const row = setting.isResumed ? await store.session(session) : null;
  const earlier = row ? conversationsOf(row) : [];
  const hearing =
    setting.openHearing?.({
      ...{ session, attempt, nativeId, copies, earlier },
      onFailure: (error) => troubles.add("what the agent says of itself is not taken in", error),
    }) ?? null;
  const keeper = new OutputKeeper(
    folder,
    (error) => troubles.add("the last output is not kept", error),
    hearing ? (text) => hearing.words(text) : null,
  );
  const mark = markText({ session, attempt, random: randomId() });
  const turn = agent.reportsTurns ? [] : [turnRecord(setting)];
  const marked = {
    ...{ attempt, mark, command: shownCommand, native_id: nativeId },
    ...(earlier.length > 0 ? { earlier: earlier.map((one) => ({ ...one })) } : {}),
    ...(copies ? { copies: copies.of } : {}),
  };
  await store.append(session, { attempt }, [newRecord(store.clock, "agent.marked", marked), ...turn]);
  const journal = new RunJournal(store, { session, attempt }, (error) =>
    troubles.add("not recorded yet", error),
  );
  const { commitEnded = null } = setting;
  const pass = commitEnded && ((leave: AbortSignal): Promise<CommitPass> => commitEnded(session, leave));
  return {
    session,
    attempt,
    mark,
    folder,
    shownCommand,
    captures,
    keeper,
    hearing,
    troubles,
    journal,
    asItGoes: pass && new AsItGoes({ store, journal, pass, tell: setting.tell }),
    program: {
      file: setting.file,
      args: launch.command.slice(1),
      cwd: place,
      env: {
        ...env,
        ...setting.childEnv,
        ...launch.env,
        REFLOAT_HOME: storeHome(env),
        [MARK_VARIABLE]: mark,
      },
    },
  };
}

/**
 * An agent that reports no turns has one per attempt (DESIGN 9). One that has the terminal and that nobody hears has none (L7): the record only keeps
 * the attempt open, so that its death shows (L1).
 */
function turnRecord({ store, hasTerminal, openHearing }: RunSetting) {
  const turn = randomId();
  const isUnheard = hasTerminal && openHearing === undefined;
  const body = { turn, parts: null, input: null, ...(isUnheard ? { interactive: true } : {}) };
  return newRecord(store.clock, "turn.began", body, `turn:${turn}`);
}

// What went wrong on our side while the agent ran: each said once, all of it in the report.

/** Different failures worth telling apart; a store that fails every second is one. */
const MAX_KEPT = 50;

class Troubles {
  readonly all: string[] = [];
  readonly #tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** `what`: what is lost by it, in a few words. */
  add(what: string, error: Error): void {
    const code = error instanceof RefloatError ? ` (${error.code})` : "";
    const line = `${what}: ${error.message}${code}`;
    if (this.all.includes(line) || this.all.length >= MAX_KEPT) return;
    this.all.push(line);
    this.#tell(line);
  }
}
