/** The salvage board: what a session left, in three columns, each group with its reasons, and what is to become of it. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Verdict } from "../../src/model/manifest.ts";
import type { SessionSummary } from "../../src/session/describe.ts";
import { acting, planChoices } from "./acting.ts";
import { type ApiError, changes, isHeld, order } from "./api.ts";
import { useAsked } from "./asked.ts";
import { type Board, canTake, chooseAll, emptyBoard, HELP, press, theRest, withGroups } from "./board.ts";
import { GroupCard } from "./group-card.tsx";
import { Leftovers } from "./leftovers.tsx";
import { Failure, Hint, Loaded, Notice, Waiting } from "./parts.tsx";
import { PlanDialog, Receipt } from "./plan-dialog.tsx";
import type { ToldSalvage } from "./told.ts";
import { unwatched, WatchedCheckView, watchedLine } from "./watched-check.tsx";
import { ACT_WORDS, type Choice, count, shown, shownLine, VERDICT_ORDER, VERDICT_WORDS } from "./words.ts";

export function LeftView({ session }: { readonly session: SessionSummary }) {
  const path = `/api/sessions/${encodeURIComponent(session.id)}/salvage`;
  const left = useAsked<ToldSalvage>(path);
  return (
    <>
      <Receipt session={session.id} />
      <Loaded of={left} waiting="Looking at what it left, and judging it …">
        {(data, isAgain) =>
          // What stood here before an act is no more: it is not shown beside its receipt.
          isAgain && isActOn(session) ? (
            <Waiting>Looking at what is left now …</Waiting>
          ) : (
            <Told session={session} told={data} again={left.again} />
          )
        }
      </Loaded>
      <PlanDialog />
    </>
  );
}

/** What was done in another session takes nothing of this one off the screen, and none of what is chosen here. */
const isActOn = ({ id }: SessionSummary): boolean =>
  acting.value.kind === "done" && (acting.value.of.session ?? id) === id;

interface ToldProps {
  readonly session: SessionSummary;
  readonly told: ToldSalvage;
  readonly again: () => void;
}

function Told({ session, told, again }: ToldProps) {
  const board = useSignal<Board>(emptyBoard);
  const isHelp = useSignal(false);
  const groups = VERDICT_ORDER.flatMap((verdict) => told.groups.filter((one) => one.verdict === verdict));
  const ids = groups.map(({ id }) => id).join(" ");
  // Other groups are another board, whatever object they come in.
  useEffect(() => {
    board.value = withGroups(board.value, groups, told.can_commit);
  }, [ids]);
  const plan = (): void => {
    if (board.value.choices.size > 0) void planChoices(session.id, board.value.choices, null);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLInputElement ||
        target instanceof HTMLTextAreaElement ||
        target instanceof HTMLSelectElement;
      if (
        isTyping ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector("dialog[open]")
      )
        return;
      const isOnButton = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
      if (event.key === "?") isHelp.value = !isHelp.value;
      else if (isHeld() && !LOOKING_KEYS.has(event.key)) return;
      else if (event.key === "Enter" && !isOnButton) plan();
      else {
        const next = press(board.value, event.key);
        if (next === null) return;
        const isMoved = next.at !== board.value.at;
        board.value = next;
        if (isMoved) document.getElementById(`group-${next.groups[next.at]?.id}`)?.focus();
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  return (
    <>
      <About told={told} session={session} again={again} />
      {groups.length === 0 ? <Nothing told={told} /> : null}
      {groups.length > 0 ? (
        <>
          <div class="board-head" hidden={isHeld()}>
            <button
              type="button"
              onClick={() => {
                board.value = theRest(board.value);
              }}
            >
              Commit what is safe, park what is risky <kbd>u</kbd>
            </button>
            <button
              type="button"
              class="quiet"
              aria-expanded={isHelp.value}
              onClick={() => {
                isHelp.value = !isHelp.value;
              }}
            >
              Keys <kbd>?</kbd>
            </button>
          </div>
          {isHelp.value ? <Keys /> : null}
          <div class="board">
            {VERDICT_ORDER.map((verdict) => (
              <Column
                key={verdict}
                verdict={verdict}
                session={session.id}
                board={board.value}
                onBoard={(next) => (board.value = next)}
              />
            ))}
          </div>
          {isHeld() ? null : <Bar board={board.value} onPlan={plan} />}
        </>
      ) : null}
    </>
  );
}

/** Of a page that only shows. */
const LOOKING_KEYS: ReadonlySet<string> = new Set(["n", "j", "b", "k", "r", "d", "Escape"]);

/** What a person must know before he decides. */
function About({ told, session, again }: ToldProps) {
  return (
    <>
      {session.state === "live" ? (
        <Notice tone="plain" title="It is still at work">
          What it writes may change any moment. Nothing can be settled before it ends.
        </Notice>
      ) : null}
      {told.moving ? (
        <Notice tone="plain" title="Something still writes here">
          What it may still change is unknown.
        </Notice>
      ) : null}
      {told.held ? (
        <Notice tone="plain" title="Its work is held, and not in this tree">
          <Hint
            text={`It is judged from what was captured. \`refloat restore ${session.id}\` puts it back.`}
          />
        </Notice>
      ) : null}
      {told.claims_contradicted.map((one) => (
        <Notice key={`${one.claim} ${one.said}`} tone="bad" title={`It said: “${shownLine(one.said)}”`}>
          The workspace says otherwise: {shownLine(one.evidence)}
        </Notice>
      ))}
      {told.leftovers.length > 0 ? (
        <Notice
          tone="plain"
          title={`${count(told.leftovers.length, "process", "processes")} of it still ${told.leftovers.length === 1 ? "runs" : "run"}`}
        >
          <Leftovers of={told.leftovers} />
        </Notice>
      ) : null}
      <OpenItems told={told} />
      <Check told={told} session={session.id} again={again} />
    </>
  );
}

function OpenItems({ told: { plan = [], operations } }: { readonly told: ToldSalvage }) {
  const open = plan.filter(({ state }) => state !== "done");
  const unended = operations.filter(({ state }) => state !== "ended");
  if (open.length + unended.length === 0) return null;
  return (
    <details class="open-items">
      <summary>
        {[
          ...(open.length > 0 ? [`${count(open.length, "item")} of its plan open`] : []),
          ...(unended.length > 0 ? [`${count(unended.length, "operation")} never ended`] : []),
        ].join(", ")}
      </summary>
      <ul class="plain">
        {open.map(({ text }) => (
          <li key={text}>☐ {shownLine(text)}</li>
        ))}
        {unended.map(({ id, label }) => (
          <li key={id}>began, and did not end: {shownLine(label)}</li>
        ))}
      </ul>
    </details>
  );
}

/** S7: where a check is trusted and was not run for this, it is said, and can be run. */
function Check({
  told,
  session,
  again,
}: {
  readonly told: ToldSalvage;
  readonly session: string;
  readonly again: () => void;
}) {
  const [isRunning, watched] = [useSignal(false), useSignal(unwatched)];
  const error = useSignal<ApiError | null>(null);
  if (isHeld()) return null;
  if (told.check === null)
    return (
      <p class="dim">
        <Hint text="No check of yours is known here. In a terminal, `refloat inspect --verify 'npm test'` runs one on this work; from then on it counts here, too." />
      </p>
    );
  const { command, state } = told.check;
  const run = async (): Promise<void> => {
    [isRunning.value, watched.value, error.value] = [true, unwatched, null];
    try {
      await order(`/api/sessions/${encodeURIComponent(session)}/verify`, {}, (line) => {
        watched.value = watchedLine(watched.value, line) ?? watched.value;
      });
    } catch (thrown) {
      error.value = thrown as ApiError;
    }
    isRunning.value = false;
    changes.value++;
    again();
  };
  const nameOf = (id: string): string => {
    const found = told.groups.find((one) => one.id.startsWith(id));
    const more = (found?.changes.length ?? 0) - 1;
    return `${found?.changes[0]?.path ?? "a group of it"}${more > 0 ? ` and ${more} more` : ""}`;
  };
  return (
    <div class="check-line">
      <span>
        Your check <code>{shown(command)}</code>{" "}
        {state === "not-run"
          ? "was not run for this: not checked"
          : state === "kept"
            ? "is in these verdicts (its last run)"
            : "was run"}
        .
      </span>
      <button type="button" disabled={isRunning.value} onClick={() => void run()}>
        {isRunning.value ? "It is running …" : "Run it now"}
      </button>
      {error.value ? <Failure error={error.value} /> : null}
      <WatchedCheckView of={watched.value} nameOf={nameOf} />
    </div>
  );
}

const Nothing = ({ told }: { readonly told: ToldSalvage }) => (
  <section class="hero hero-good">
    <p class="hero-word">
      {told.gaps.length > 0 ? "Nothing that could be looked into" : "Nothing left to decide"}
    </p>
    <p>
      {told.gaps.length > 0
        ? `${count(told.gaps.length, "path")} could not be looked into: ${told.gaps
            .slice(0, 3)
            .map(({ path, why }) => `${shown(path)} (${shownLine(why)})`)
            .join(", ")}.`
        : "Everything this session changed is committed, parked, discarded, or was left on purpose."}
    </p>
  </section>
);

interface ColumnProps {
  readonly verdict: Verdict;
  readonly session: string;
  readonly board: Board;
  readonly onBoard: (next: Board) => void;
}

const COLUMN_ACTS: readonly Choice[] = ["commit", "park", "discard", "leave"];

function Column({ verdict, session, board, onBoard }: ColumnProps) {
  const groups = board.groups.filter((one) => one.verdict === verdict);
  const own = groups.filter(canTake).length;
  const { title, about, mark } = VERDICT_WORDS[verdict];
  return (
    <section class={`column column-${verdict}`} aria-labelledby={`column-${verdict}`}>
      <header>
        <h2 id={`column-${verdict}`}>
          <span aria-hidden="true">{mark}</span> {title} <span class="n">{groups.length}</span>
        </h2>
        <p class="dim">{about}</p>
        {own > 1 && !isHeld() ? (
          <fieldset class="column-acts">
            <legend>All {own}:</legend>
            {COLUMN_ACTS.map((act) => (
              <button
                key={act}
                type="button"
                aria-label={`${ACT_WORDS[act].verb} all ${own} that are ${title.toLowerCase()}`}
                disabled={act === "commit" && !board.canCommit}
                onClick={() => onBoard(chooseAll(board, verdict, act))}
              >
                {ACT_WORDS[act].verb}
              </button>
            ))}
          </fieldset>
        ) : null}
        {board.sureOfAll?.verdict === verdict ? (
          <p class="sure" role="alert">
            {board.sureOfAll.act === "discard"
              ? `Discard all ${own}?`
              : `All ${own} are risky. Commit them all the same?`}{" "}
            Choose it once more, or anything else.
          </p>
        ) : null}
      </header>
      {groups.length === 0 ? <p class="empty">None.</p> : null}
      {groups.map((group) => (
        <GroupCard key={group.id} group={group} session={session} board={board} onBoard={onBoard} />
      ))}
    </section>
  );
}

const Keys = () => (
  <dl class="keys">
    {HELP.map(([keys, what]) => (
      <div key={keys}>
        <dt>
          {keys.split(" ").map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </dt>
        <dd>{what}</dd>
      </div>
    ))}
  </dl>
);

function Bar({ board, onPlan }: { readonly board: Board; readonly onPlan: () => void }) {
  const chosen = [...board.choices.values()];
  const words = (["commit", "park", "discard", "leave"] as const)
    .map((act) => [act, chosen.filter((one) => one === act).length] as const)
    .filter(([, n]) => n > 0)
    .map(([act, n]) => `${act} ${n}`);
  const isBusy = acting.value.kind === "planning" || acting.value.kind === "doing";
  return (
    <section class="bar-bottom" aria-label="What is chosen">
      <p role="status">
        {board.notice ??
          (chosen.length === 0
            ? "Choose what becomes of each group. Nothing is done before you see the plan."
            : `${chosen.length} of ${count(board.groups.length, "group")}: ${words.join(", ")}`)}
      </p>
      <button type="button" class="primary" disabled={chosen.length === 0 || isBusy} onClick={onPlan}>
        Show the plan <kbd>Enter</kbd>
      </button>
    </section>
  );
}
