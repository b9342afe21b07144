/** One session: what happened, what it left, the brief for whoever goes on. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "./api.ts";
import { useAsked } from "./asked.ts";
import { Conversation } from "./conversation.tsx";
import { HandoffView } from "./handoff-view.tsx";
import { LeftView } from "./left-view.tsx";
import { LifePicture, recoveriesOf, useRate } from "./life-picture.tsx";
import { Loaded, Notice, StateBadge } from "./parts.tsx";
import { hrefOf, type SessionTab } from "./route.ts";
import { Suspension } from "./suspension.tsx";
import type { ToldSalvage, ToldSession } from "./told.ts";
import {
  ago,
  clockTime,
  endOf,
  isDead,
  lasted,
  nameOf,
  ordinal,
  STATE_WORDS,
  shown,
  shownLine,
} from "./words.ts";

const TABS: readonly (readonly [SessionTab, string])[] = [
  ["life", "What happened"],
  ["left", "What it left"],
  ["handoff", "Handoff"],
];

interface SessionProps {
  readonly session: string;
  readonly tab: SessionTab;
}

export function SessionView({ session, tab }: SessionProps) {
  const told = useAsked<ToldSession>(`/api/sessions/${encodeURIComponent(session)}`);
  return (
    <Loaded of={told} waiting="Reading its journal …">
      {(data) => (
        <>
          <Head told={data} />
          <nav class="tabs" aria-label="Of this session">
            {TABS.map(([one, title]) => (
              <a
                key={one}
                href={hrefOf({ kind: "session", session: data.session.id, tab: one })}
                aria-current={one === tab ? "page" : undefined}
              >
                {title}
              </a>
            ))}
          </nav>
          {tab === "life" ? <Life told={data} /> : null}
          {tab === "left" ? <LeftView session={data.session} /> : null}
          {tab === "handoff" ? <HandoffView session={data.session.id} /> : null}
        </>
      )}
    </Loaded>
  );
}

function Head({ told: { session } }: { readonly told: ToldSession }) {
  const { started_at: from, ended_at: to } = session;
  const isHeld = session.state === "suspended" && !isDead(session);
  return (
    <header class="session-head">
      <h1>
        {nameOf(session)} <StateBadge of={session} />
      </h1>
      {endOf(session) === STATE_WORDS[session.state] || isHeld ? null : (
        <p class="session-end">{shownLine(endOf(session))}</p>
      )}
      <Suspension of={session} />
      {session.goal === null ? null : <p class="goal">“{shown(session.goal.slice(0, MAX_GOAL))}”</p>}
      <dl class="facts">
        <div>
          <dt>agent</dt>
          <dd>{shownLine(session.agent ?? "unknown")}</dd>
        </div>
        <div>
          <dt>began</dt>
          <dd>{from === null ? "unknown" : `${ago(from)}, at ${clockTime(from)}`}</dd>
        </div>
        {from !== null && to !== null ? (
          <div>
            <dt>lasted</dt>
            <dd>{lasted(Date.parse(to) - Date.parse(from))}</dd>
          </div>
        ) : null}
        <div>
          <dt>try</dt>
          <dd>{ordinal(Math.max(1, session.last_attempt))}</dd>
        </div>
        <div>
          <dt>folder</dt>
          <dd class="path">{shown(session.workspace ?? "none")}</dd>
        </div>
        <div>
          <dt>id</dt>
          <dd>
            <code>{shown(session.id)}</code>
          </dd>
        </div>
      </dl>
    </header>
  );
}

const MAX_GOAL = 400;

/** What the workspace says of it: judged once, for who looks at what happened. */
function useJudged({ session }: ToldSession): ToldSalvage | null {
  const judged = useSignal<ToldSalvage | null>(null);
  useEffect(() => {
    // Of one at work nothing is said yet.
    if (session.state === "live") return;
    ask<ToldSalvage>(`/api/sessions/${encodeURIComponent(session.id)}/salvage`).then(
      (found) => {
        judged.value = found;
      },
      // A tree that is gone has nothing to say; what it left says so itself.
      () => undefined,
    );
  }, [session.id, session.state]);
  return judged.value;
}

const PLAN_MARKS = { done: "☑", doing: "◧", open: "☐" } as const;
const PLAN_WORDS = { done: "done", doing: "was at it", open: "not begun" } as const;

function Life({ told }: { readonly told: ToldSession }) {
  const { decisions, notes } = told;
  const judged = useJudged(told);
  const rate = useRate(told);
  const plan = judged?.plan ?? [];
  const claims = judged?.claims_contradicted ?? [];
  const steps = judged?.steps ?? [];
  return (
    <>
      <LifePicture told={told} rate={rate ?? null} />
      {claims.map((one) => (
        <Notice key={`${one.claim} ${one.said}`} tone="bad" title={`It said: “${shownLine(one.said)}”`}>
          The workspace says otherwise: {shownLine(one.evidence)}
        </Notice>
      ))}
      {plan.length > 0 ? (
        <section aria-labelledby="plan">
          <h2 id="plan">
            Its plan, {plan.filter(({ state }) => state === "done").length} of {plan.length} done
          </h2>
          <ul class="plan-items">
            {plan.map(({ text, state }) => (
              <li key={text} class={`plan-${state}`}>
                <span aria-hidden="true">{PLAN_MARKS[state]}</span> {shownLine(text)}{" "}
                <span class="dim">{PLAN_WORDS[state]}</span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {steps.length > 0 ? (
        <section aria-labelledby="steps">
          <h2 id="steps">Steps of the workflow</h2>
          <ol class="plain">
            {steps.map(({ id, name, status, sub_step }) => (
              <li key={id}>
                <b>{shownLine(id)}</b> {shownLine(name)}{" "}
                <span class="badge">{shownLine(status.replaceAll("_", " "))}</span>
                {sub_step === null ? null : <span class="dim"> at {shownLine(sub_step)}</span>}
              </li>
            ))}
          </ol>
        </section>
      ) : null}
      {/* Of an agent that nobody heard but by what it printed; the others' words stand below. */}
      {rate === null && judged?.last_output ? (
        <section aria-labelledby="printed">
          <h2 id="printed">Its last words</h2>
          <section
            class="printed"
            aria-labelledby="printed"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys, too.
            tabIndex={0}
          >
            <pre>{shown(judged.last_output)}</pre>
          </section>
        </section>
      ) : null}
      {decisions.length > 0 ? (
        <section aria-labelledby="decisions">
          <h2 id="decisions">Decided</h2>
          <ul class="plain">
            {decisions.map((one) => (
              <li key={`${one.key} ${one.at}`}>
                <b>{shownLine(one.key)}</b>: {shownLine(String(one.value))}
                {one.reason === null ? null : <span class="dim"> because {shownLine(one.reason)}</span>}
                {one.step === null ? null : <span class="badge badge-apart">step {shownLine(one.step)}</span>}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {notes.length > 0 ? (
        <section aria-labelledby="notes">
          <h2 id="notes">What became of it</h2>
          <ul class="plain">
            {notes.map((one) => (
              <li key={one.seq}>
                <time class="dim">{clockTime(one.at)}</time> {shownLine(one.text)}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <Conversation
        session={told.session.id}
        head={told.head}
        isLive={told.session.state === "live"}
        claims={claims}
        recoveries={recoveriesOf(told)}
      />
    </>
  );
}
