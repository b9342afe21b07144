/**
 * The commit object itself: the user's author and committer, now, signed where the user signs. Signing must work without a
 * terminal within a bound, else the act stops: nobody waits for a passphrase that cannot be asked.
 */
import { RefloatError } from "../../model/errors.ts";
import { type ConfigEntry, lastValue } from "../../workspace/git/config.ts";
import type { Repository } from "../../workspace/git/repository.ts";

/** An agent with the key at hand signs in well under a second; one that asks somebody would take for ever. */
const SIGN_TIMEOUT_MS = 30_000;

/** The message is text of ours in UTF-8, whatever encoding the user's own editor would have given it. */
const UTF_8 = [{ key: "i18n.commitEncoding", value: "UTF-8" }] as const;

export interface NewCommit {
  readonly tree: string;
  /** Null: the first commit. */
  readonly parent: string | null;
  readonly message: string;
}

export async function writeCommit(
  repository: Repository,
  { tree, parent, message }: NewCommit,
): Promise<string> {
  const isSigned = isTrue(lastValue(repository.config, "commit.gpgsign"));
  const args = ["commit-tree", tree, ...(parent === null ? [] : ["-p", parent]), "-F", "-"];
  const input = Buffer.from(message.endsWith("\n") ? message : `${message}\n`);
  const common = { input, isWriting: true, keepsIdentity: true } as const;
  if (!isSigned) return idIn(await repository.run(args, { ...common, settings: UTF_8 }));
  try {
    const settings = [...UTF_8, ...signingSettings(repository.config)];
    const options = { ...common, settings, mayAsk: true, timeoutMs: SIGN_TIMEOUT_MS };
    return idIn(await repository.run([...args, "-S"], options));
  } catch (thrown) {
    const isOurs =
      thrown instanceof RefloatError && (thrown.code === "E_GIT_FAILED" || thrown.code === "E_GIT_LIMIT");
    if (!isOurs) throw thrown;
    throw new RefloatError("E_SIGNING_NEEDS_YOU", { why: String(thrown.data.why) }, thrown);
  }
}

/** The door puts the repository's own programs out of action; for a commit the user orders, his signing is his. */
function signingSettings(config: readonly ConfigEntry[]): { key: string; value: string }[] {
  const keys = [
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "gpg.ssh.defaultkeycommand",
  ];
  return keys.flatMap((key) => {
    const value = lastValue(config, key);
    return value === null ? [] : [{ key, value }];
  });
}

const isTrue = (value: string | null): boolean => value !== null && /^(?:true|yes|on|1)$/i.test(value);
const idIn = (output: Buffer): string => output.toString("latin1").trim();
