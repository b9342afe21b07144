/**
 * `refloat commit SESSION --ended --yes` as a process of its own, for a supervisor whose user asked for that (W1): judging may
 * take its time and hooks may, too, while the agent's output passes through us without a pause. It begins a session of its
 * own (setsid), so that a Ctrl-C at our terminal does not reach it in the middle of a plan; when we die, it goes on to its end.
 *
 * It is the command itself and not a file of ours with a message of its own: a run outlives an update of refloat, and what it starts
 * then is the newer program. The command's JSON is a contract between the two (DESIGN 10); a private message would be none.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { RefloatConfig } from "../../model/config.ts";
import { ensureError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { parsedOrNull } from "../../model/json.ts";
import { builtFile } from "../../platform/own-files.ts";
import type { Store } from "../../store/store.ts";
import type { CommitPass } from "../../supervise/as-it-goes.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { judgingConfig } from "../../workspace/trust/judging-config.ts";

export type CommitAt = NonNullable<NonNullable<RefloatConfig["commit"]>["at"]>;

/** A result names each group's paths; what is longer is not read, and the commit is in the journal all the same. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * T2: as committed before the agent starts, or for a session that is gone on with, as it was when that began; and the user's
 * own. A config that cannot be read keeps nothing from starting: then nothing is committed.
 */
export async function commitAt(
  store: Store,
  workspace: Workspace,
  { resumes, env }: { readonly resumes: SessionId | undefined; readonly env: NodeJS.ProcessEnv },
  onFailed: (error: Error) => void,
): Promise<CommitAt> {
  try {
    const row = resumes === undefined ? null : await store.session(resumes);
    const { commit } = await judgingConfig(store, row, workspace, env);
    return commit?.at ?? "never";
  } catch (thrown) {
    onFailed(ensureError(thrown));
    return "never";
  }
}

export type EndedCommitter = (session: SessionId, signal: AbortSignal) => Promise<CommitPass>;

/** `typedStore`: as the user named it for this run; null: it is found as by him. */
export function endedCommitter(place: string, typedStore: string | null): EndedCommitter {
  return async (session, signal) => {
    const store = typedStore === null ? [] : ["--store", typedStore];
    const program = fileURLToPath(builtFile("cli/bin.js"));
    const words = ["commit", session, "--ended", "--yes", "--json", "--no-input", "-C", place, ...store];
    const child = spawn(process.execPath, [program, ...words], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const over = lifeOf(child);
    const left = new Promise<null>((resolve) => signal.addEventListener("abort", () => resolve(null)));
    const ended = await Promise.race([over, left]);
    if (ended !== null) return passOf(ended);
    child.unref();
    child.stdout.destroy();
    return { kind: "left" };
  };
}

interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
}

async function lifeOf(child: ChildProcess & { readonly stdout: Readable }): Promise<ChildExit> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on("data", (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= MAX_OUTPUT_BYTES) pieces.push(piece);
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code, signal, stdout: Buffer.concat(pieces).toString("utf8") };
}

/** As docs/json.md has them; what else they say is not asked for (D5). */
const answer = z.discriminatedUnion("schema", [
  z.object({ schema: z.literal("refloat.error/1"), code: z.string(), message: z.string() }),
  z.object({
    schema: z.literal("refloat.commit/1"),
    commit: z.string().nullable(),
    plan: z.object({ id: z.string().nullable() }),
  }),
]);

function passOf({ code, signal, stdout }: ChildExit): CommitPass {
  const said = answer.safeParse(parsedOrNull(stdout));
  if (!said.success) {
    const how = signal === null ? `with code ${code ?? "unknown"}` : `by ${signal}`;
    return { kind: "failed", code: null, message: `the process that commits ended ${how}` };
  }
  if (said.data.schema === "refloat.error/1")
    return { kind: "failed", code: said.data.code, message: said.data.message };
  const { commit, plan } = said.data;
  return commit === null || plan.id === null
    ? { kind: "left" }
    : { kind: "committed", commit, plan: plan.id };
}
