/**
 * What git calls different and what it tracks, asked once for one look that only reads: whoever tells where things stand, what was left and whose it is
 * asks the same of the same tree. Kept while HEAD and the index are the same (W4), and no longer than the look: it is about the moment it began.
 */
import { readTracked, type TrackedFiles } from "./beside-status.ts";
import { type Head, headFromFiles } from "./head.ts";
import { indexIdentity, isSameIndex } from "./index-file.ts";
import type { Location } from "./locate.ts";
import type { Repository } from "./repository.ts";
import { readStatus, type StatusLine } from "./status.ts";

type AskGit<Answer> = (repository: Repository, timeoutMs: number) => Promise<Answer>;

export interface AskedOnce {
  readonly lines: AskGit<readonly StatusLine[]>;
  readonly tracked: AskGit<TrackedFiles>;
}

export const askedOnce = (location: Location): AskedOnce => ({
  lines: once(location, readStatus),
  tracked: once(location, readTracked),
});

function once<Answer>(location: Location, ask: AskGit<Answer>): AskGit<Answer> {
  interface Asked {
    readonly head: Head | null;
    readonly index: ReturnType<typeof indexIdentity>;
    readonly answer: Promise<Answer>;
  }
  let last: Asked | null = null;
  return (repository, timeoutMs) => {
    const [head, index] = [headFromFiles(location), indexIdentity(location)];
    // Where the files do not tell which commit it is, nobody knows that it is the same.
    const isKnown =
      last !== null && head !== null && last.head?.id === head.id && isSameIndex(last.index, index);
    if (last !== null && isKnown) return last.answer;
    const answer = ask(repository, timeoutMs);
    const asked: Asked = { head, index, answer };
    last = asked;
    // Who asks with more time may have an answer yet.
    answer.catch(() => {
      if (last === asked) last = null;
    });
    return answer;
  };
}
