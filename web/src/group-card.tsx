/** One group: its files, why it was judged so, what it changes, and what is to become of it. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ManifestChange, ManifestGroup } from "../../src/model/manifest.ts";
import { withRemedy } from "../../src/text/remedy-words.ts";
import { type ApiError, ask, isHeld } from "./api.ts";
import { type Board, canTake, choose, press } from "./board.ts";
import { DiffView } from "./diff-view.tsx";
import { Failure, Waiting } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import type { ToldDiff } from "./told.ts";
import { ACT_WORDS, type Choice, count, KIND_WORDS, shown, shownLine } from "./words.ts";

interface CardProps {
  readonly group: ManifestGroup;
  readonly session: string;
  readonly board: Board;
  readonly onBoard: (next: Board) => void;
}

const CHOICES: readonly Choice[] = ["commit", "park", "discard", "leave"];
const SHOWN_PATHS = 4;

export function GroupCard({ group, session, board, onBoard }: CardProps) {
  const at = board.groups.findIndex(({ id }) => id === group.id);
  const isHere = board.at === at;
  const [isOpen, isDiff] = [board.open.has(group.id), board.diff.has(group.id)];
  const chosen = board.choices.get(group.id);
  const files = isOpen ? group.changes : group.changes.slice(0, SHOWN_PATHS);
  const more = group.changes.length + (group.left_out ?? 0) - files.length;
  const pressed = (key: string): void => {
    const next = press({ ...board, at }, key);
    if (next) onBoard(next);
  };
  return (
    <article
      id={`group-${group.id}`}
      class={`group ${isHere ? "group-here" : ""} ${chosen ? "group-chosen" : ""}`}
      tabIndex={-1}
      aria-label={`${group.verdict}: ${group.changes[0]?.path ?? ""}${chosen ? `, chosen: ${chosen}` : ""}`}
      onFocusCapture={() => {
        if (!isHere) onBoard({ ...board, at, sure: null });
      }}
    >
      <ul class="paths">
        {files.map((change) => (
          <FileLine key={change.path} change={change} isOpen={isOpen} />
        ))}
        {more > 0 ? <li class="dim">and {count(more, "more file")}</li> : null}
      </ul>
      <Reasons group={group} isOpen={isOpen} />
      <p class="group-more">
        <button type="button" class="quiet" aria-expanded={isDiff} onClick={() => pressed("d")}>
          {isDiff ? "Hide changes" : "Show changes"} <kbd>d</kbd>
        </button>
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => pressed("r")}>
          {isOpen ? "Less" : "Why"} <kbd>r</kbd>
        </button>
      </p>
      {isDiff ? <GroupDiff session={session} group={group.id} /> : null}
      {isHeld() ? null : canTake(group) ? (
        <Choices group={group} board={board} onBoard={onBoard} />
      ) : (
        <NotIts group={group} />
      )}
      {isHere && board.sure !== null ? (
        <p class="sure" role="alert">
          {board.sure === "discard" ? "Discard it?" : "It is risky. Commit it all the same?"} Choose it once
          more, or anything else.
        </p>
      ) : null}
    </article>
  );
}

function Choices({ group, board, onBoard }: Omit<CardProps, "session">) {
  const chosen = board.choices.get(group.id);
  return (
    <fieldset class="choices">
      <legend class="sr">What becomes of it</legend>
      {CHOICES.map((act) => (
        <button
          key={act}
          type="button"
          class={`choice choice-${act}`}
          aria-pressed={chosen === act}
          disabled={act === "commit" && !board.canCommit}
          title={`${ACT_WORDS[act].verb}: ${ACT_WORDS[act].about}`}
          onClick={() => onBoard(choose(board, group.id, act))}
        >
          {ACT_WORDS[act].verb}
        </button>
      ))}
    </fieldset>
  );
}

/** W5: shown, for it lies in the same tree. */
function NotIts({ group: { changes } }: { readonly group: ManifestGroup }) {
  const others = changes.find(({ owner }) => owner === "other");
  if (!others) return <p class="not-its">Not this session's to settle: it is yours, and stays as it is.</p>;
  const { owner_session: session } = others;
  return (
    <p class="not-its">
      Not this session's to settle.{" "}
      {session === undefined ? null : (
        <a href={hrefOf({ kind: "session", session, tab: "left" })}>Decide on it in the session it is of</a>
      )}
    </p>
  );
}

const FileLine = ({ change, isOpen }: { readonly change: ManifestChange; readonly isOpen: boolean }) => (
  <li>
    <span class={`kind kind-${change.kind}`}>{KIND_WORDS[change.kind] ?? change.kind}</span>
    <span class="path">{shown(change.path)}</span>
    {change.owner === "session" ? null : <span class="badge">{OWNERS[change.owner]}</span>}
    {isOpen && change.owner_evidence.length > 0 ? (
      <span class="why">
        its own, because {shownLine(change.owner_evidence.map(({ message }) => message).join("; "))}
      </span>
    ) : null}
  </li>
);

const OWNERS: Readonly<Record<ManifestChange["owner"], string>> = {
  session: "its own",
  before: "yours, from before",
  other: "another session's",
  after: "changed after its end",
  unknown: "nobody knows whose",
};

function Reasons({ group, isOpen }: { readonly group: ManifestGroup; readonly isOpen: boolean }) {
  const reasons = isOpen ? group.reasons : group.reasons.slice(0, 1);
  return (
    <ul class="reasons">
      {reasons.map((one) => (
        <li key={`${one.rule} ${one.message}`}>
          {shownLine(withRemedy(one).message)}
          {isOpen ? <code class="rule">{shownLine(one.rule)}</code> : null}
          {isOpen && one.evidence.length > 0 ? (
            <ul class="evidence">
              {one.evidence.map((line) => (
                <li key={line}>{shown(line)}</li>
              ))}
            </ul>
          ) : null}
        </li>
      ))}
      {!isOpen && group.reasons.length > 1 ? (
        <li class="dim">and {count(group.reasons.length - 1, "more reason")}</li>
      ) : null}
    </ul>
  );
}

function GroupDiff({ session, group }: { readonly session: string; readonly group: string }) {
  const told = useSignal<ToldDiff | null>(null);
  const error = useSignal<ApiError | null>(null);
  useEffect(() => {
    ask<ToldDiff>(`/api/sessions/${encodeURIComponent(session)}/diff`, { group }).then(
      (found) => {
        told.value = found;
      },
      (thrown: ApiError) => {
        error.value = thrown;
      },
    );
  }, [session, group]);
  if (error.value) return <Failure error={error.value} />;
  if (told.value) return <DiffView told={told.value} session={isHeld() ? null : session} group={group} />;
  return <Waiting>Reading its changes …</Waiting>;
}
