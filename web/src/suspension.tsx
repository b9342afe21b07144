/** A session that is suspended: why, where it goes on, and what ends that. Nobody need have died for it (L4). */
import type { SessionSummary } from "../../src/session/describe.ts";
import { shellLineWord } from "../../src/text/escape.ts";
import { Command } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import { shownLine } from "./words.ts";

export function Suspension({ of: session }: { readonly of: SessionSummary }) {
  const { id, state, suspended_for, renewed_as, sent_to } = session;
  if (state !== "suspended") return null;
  if (renewed_as !== undefined)
    return (
      <p>
        Its conversation was begun anew{" "}
        <a href={hrefOf({ kind: "session", session: renewed_as, tab: "life" })}>in another session</a>.
      </p>
    );
  if (sent_to !== undefined)
    return (
      <p>
        It goes on in another store: <span class="path">{shownLine(sent_to)}</span>
      </p>
    );
  return (
    <p>
      It is suspended{suspended_for === undefined ? "" : ` (${shownLine(suspended_for)})`}: nothing goes on in
      it until that is ended. <Command text={`refloat lift ${shellLineWord(id)}`} />
    </p>
  );
}
