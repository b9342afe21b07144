/** The plan before anything is done, and the receipt after. */
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  type Acting,
  type AskedWhat,
  acting,
  apply,
  closeActing,
  planChoices,
  planRedo,
  planUndo,
  type ShownPlan,
} from "./acting.ts";
import { Conflicts } from "./conflicts.tsx";
import { Leftovers } from "./leftovers.tsx";
import { Command, Failure, Notice } from "./parts.tsx";
import type { ToldReceipt } from "./told.ts";
import { WatchedCheckView } from "./watched-check.tsx";
import { ACT_WORDS, type ActName, type Choice, count, shown, shownLine } from "./words.ts";

export function PlanDialog() {
  const now = acting.value;
  const box = useRef<HTMLDialogElement>(null);
  const isOpen = now.kind !== "none" && now.kind !== "done";
  useEffect(() => {
    const dialog = box.current;
    if (!dialog) return;
    if (isOpen && !dialog.open) dialog.showModal();
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  // What is new is read out, and keys are heard here; no button has the focus, for a second Enter must agree to nothing.
  useEffect(() => box.current?.querySelector("h2")?.focus(), [now.kind]);
  return (
    <dialog
      ref={box}
      class="plan"
      aria-labelledby="plan-title"
      onCancel={(event) => {
        event.preventDefault();
        if (now.kind !== "doing") closeActing();
      }}
      onKeyDown={(event) => {
        const isTyping = event.target instanceof HTMLTextAreaElement;
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "y" && now.kind === "shown" && canAgree(now.plan) && !isMessageOther.value)
          void apply(now.of, now.plan);
        if (event.key === "q" && now.kind !== "doing") closeActing();
        if (event.key === "e") {
          const message = box.current?.querySelector("textarea");
          message?.focus();
          // The key itself is no part of it.
          if (message) event.preventDefault();
        }
        event.stopPropagation();
      }}
    >
      <DialogBody now={now} />
    </dialog>
  );
}

const TITLES: Readonly<Record<AskedWhat, string>> = {
  settle: "The plan",
  undo: "Take it back",
  redo: "Do it again",
  unpark: "Bring it back",
  remove: "Remove work trees",
};

function DialogBody({ now }: { readonly now: Acting }) {
  switch (now.kind) {
    case "none":
    case "done":
      return null;
    case "planning":
    case "doing":
      return (
        <>
          <h2 id="plan-title" tabIndex={-1}>
            {now.kind === "doing" ? "Doing it …" : "Making the plan …"}
          </h2>
          <div role="status">
            <p class="waiting">
              <span class="spinner" aria-hidden="true" />
              {shownLine(
                now.said ??
                  (now.check.runs.length > 0
                    ? "Your check is run first."
                    : now.kind === "doing"
                      ? "Every byte is held first."
                      : "Looking at the tree."),
              )}
            </p>
          </div>
          <WatchedCheckView of={now.check} nameOf={() => "a group of yours"} />
        </>
      );
    case "failed":
      return (
        <>
          <h2 id="plan-title" tabIndex={-1}>
            Nothing was changed
          </h2>
          <Failure error={now.error} />
          <p class="actions">
            <button type="button" onClick={closeActing}>
              Close
            </button>
          </p>
        </>
      );
    case "shown":
      return <Shown now={now} />;
    default:
      return now satisfies never;
  }
}

const canAgree = ({ plan }: ShownPlan): boolean =>
  plan.acts.some(({ act }) => act !== "leave") || plan.acts.length > 0;

/** T1: a message that was written and is not in the plan yet is not passed over. */
const isMessageOther = signal(false);

const ORDER: readonly ActName[] = ["commit", "park", "discard", "restore", "leave"];

function Shown({ now }: { readonly now: Acting & { readonly kind: "shown" } }) {
  const { of, plan, isOther } = now;
  const leftovers = plan.leftovers ?? [];
  const [stopped, kept] = [leftovers.filter((one) => !one.kept), leftovers.filter((one) => one.kept)];
  return (
    <>
      <h2 id="plan-title" tabIndex={-1}>
        {TITLES[of.what]}
      </h2>
      {isOther ? (
        <Notice tone="plain" title="It changed meanwhile">
          The work is another by now than when you were shown the plan. Nothing was changed; this is the plan
          as it is now.
        </Notice>
      ) : null}
      {ORDER.map((act) => (
        <ActList
          key={act}
          act={act}
          of={of.what}
          plan={plan}
          chosen={of.what === "settle" ? (of.body.choices as Record<string, Choice>) : null}
        />
      ))}
      {plan.plan.acts.length === 0 && plan.conflicts.length === 0 ? <p>There is nothing to do.</p> : null}
      <Conflicts conflicts={plan.conflicts} />
      {stopped.length > 0 ? (
        <Notice tone="plain" title="First these are stopped: the dead session left them running">
          <Leftovers of={stopped} />
        </Notice>
      ) : null}
      {kept.length > 0 ? (
        <Notice tone="plain" title="These go on running: what they may still change is unknown">
          <Leftovers of={kept} />
        </Notice>
      ) : null}
      {of.what === "settle" && plan.message ? <MessageBox now={now} message={plan.message} /> : null}
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={!canAgree(plan) || isMessageOther.value}
          onClick={() => void apply(of, plan)}
        >
          Do it <kbd>y</kbd>
        </button>
        <button type="button" onClick={closeActing}>
          Not now <kbd>q</kbd>
        </button>
      </p>
      <p class="dim">
        Everything that is changed is held in the store first. One click takes all of it back.
      </p>
    </>
  );
}

interface ActListProps {
  readonly act: ActName;
  readonly of: AskedWhat;
  readonly plan: ShownPlan;
  /** Of what was chosen; null: nothing was. */
  readonly chosen: Readonly<Record<string, Choice>> | null;
}

/** Groups that nobody chose for are not named: they stay as they are. */
function ActList({ act, of, plan, chosen }: ActListProps) {
  const acts = plan.plan.acts.filter(
    (one) => one.act === act && (act !== "leave" || chosen === null || one.group in chosen),
  );
  if (acts.length === 0) return null;
  const words = of === "remove" ? REMOVED : { ...ACT_WORDS[act], thing: "file" };
  const files = acts.reduce((sum, { paths }) => sum + paths.length, 0);
  return (
    <section class={`plan-act plan-act-${act}`}>
      <h3>
        {words.verb} {count(files, words.thing)} <span class="dim">{words.about}</span>
      </h3>
      <ul class="paths">
        {acts.map(({ group, paths, why }) => (
          <li key={group}>
            {paths.slice(0, MAX_PATHS).map((path) => (
              <span key={path} class="path">
                {shown(path)}
              </span>
            ))}
            {paths.length > MAX_PATHS ? <span class="dim">and {paths.length - MAX_PATHS} more</span> : null}
            {why ? <span class="why">left: {shownLine(why)}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

const MAX_PATHS = 20;

const REMOVED = {
  verb: "Remove",
  done: "removed, and held",
  about: "every file in it is held first; undo brings it back",
  thing: "work tree",
} as const;

function MessageBox({
  now,
  message,
}: {
  readonly now: Acting & { readonly kind: "shown" };
  readonly message: string;
}) {
  const text = useSignal(message);
  const isOther = text.value.trim() !== message.trim() && text.value.trim() !== "";
  useEffect(() => {
    isMessageOther.value = isOther;
    return () => {
      isMessageOther.value = false;
    };
  }, [isOther]);
  const choices = new Map(Object.entries((now.of.body.choices ?? {}) as Record<string, Choice>));
  return (
    <div class="message-box">
      <label for="message">The commit's message</label>
      <textarea
        id="message"
        rows={3}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      {isOther ? (
        <button type="button" onClick={() => void planChoices(now.of.session ?? "", choices, text.value)}>
          Use this message
        </button>
      ) : null}
    </div>
  );
}

/** What came of it, and the way back. */
export function Receipt({ session }: { readonly session: string | null }) {
  const now = acting.value;
  if (now.kind !== "done" || now.of.session !== session) return null;
  const { of, receipt } = now;
  return (
    <Notice tone={receipt.done ? "good" : "bad"} title={titleOf(of.what, receipt)}>
      <ul class="plain">
        {ORDER.filter((act) => act !== "leave").map((act) => (
          <ReceiptLine key={act} act={act} of={of.what} receipt={receipt} />
        ))}
      </ul>
      {receipt.commit ? (
        <p>
          The commit is <code>{shown(receipt.commit.slice(0, 12))}</code>.
        </p>
      ) : null}
      <Conflicts conflicts={receipt.conflicts} />
      <p class="actions">
        {of.what !== "undo" && receipt.undo ? (
          <button type="button" onClick={() => void planUndo(of.session, receipt.undo ?? "")}>
            Take it back
          </button>
        ) : null}
        {of.what === "undo" && receipt.done ? (
          <button type="button" onClick={() => void planRedo(of.session)}>
            Do it again
          </button>
        ) : null}
        <button type="button" class="quiet" onClick={closeActing}>
          Close
        </button>
      </p>
      {receipt.undo_command ? <Command text={receipt.undo_command} /> : null}
    </Notice>
  );
}

function titleOf(what: AskedWhat, { done }: ToldReceipt): string {
  if (!done) return "Nothing was changed";
  return {
    settle: "Done",
    undo: "Taken back: it is as it was",
    redo: "Done again",
    unpark: "It is back in the tree",
    remove: "Removed",
  }[what];
}

interface LineProps {
  readonly act: ActName;
  readonly of: AskedWhat;
  readonly receipt: ToldReceipt;
}

function ReceiptLine({ act, of, receipt }: LineProps) {
  const acts = receipt.plan.acts.filter((one) => one.act === act);
  if (acts.length === 0 || !receipt.done) return null;
  const words = of === "remove" ? REMOVED : { ...ACT_WORDS[act], thing: "file" };
  const files = acts.reduce((sum, { paths }) => sum + paths.length, 0);
  return (
    <li>
      {count(files, words.thing)} {words.done}
    </li>
  );
}
