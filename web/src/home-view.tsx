/** The first view: what died, what is at stake, what to do. */

import type { StatusGroup } from "../../src/app/status/status-groups.ts";
import type { Verdict } from "../../src/model/manifest.ts";
import type { SessionSummary } from "../../src/session/describe.ts";
import { withRemedy } from "../../src/text/remedy-words.ts";
import { useAsked } from "./asked.ts";
import { Command, Loaded, Notice, StateBadge, VerdictBadge } from "./parts.tsx";
import { hrefOf } from "./route.ts";
import { SessionRows } from "./sessions-view.tsx";
import { Suspension } from "./suspension.tsx";
import { ago, count, endOf, isDead, nameOf, STATE_WORDS, shown, shownLine, VERDICT_ORDER } from "./words.ts";

export interface Home {
  readonly place: string;
  readonly workspace: string | null;
  readonly version: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly sessions: readonly SessionSummary[];
  readonly sessions_in_all: number;
  readonly groups: readonly StatusGroup[];
  readonly not_judged: readonly { readonly session: string; readonly why: string }[];
  readonly tree: {
    readonly changed: number;
    readonly staged: number;
    readonly parked: readonly string[];
  } | null;
  readonly next: readonly string[];
  readonly may_act: boolean;
  readonly why_not: string | null;
}

export function HomeView() {
  const home = useAsked<Home>("/api/home");
  return (
    <Loaded of={home} waiting="Looking at your sessions …">
      {(data) => <Told home={data} />}
    </Loaded>
  );
}

function Told({ home }: { readonly home: Home }) {
  const wanting = home.sessions.filter(
    ({ state, unsettled }) =>
      state !== "live" && (unsettled || state === "interrupted" || state === "suspended"),
  );
  const live = home.sessions.filter(({ state }) => state === "live");
  // What is at stake comes first, however long ago it died; of the others there is nothing to decide.
  const atStake = wanting.filter(({ unsettled, state }) => unsettled || state === "suspended");
  const onlyCut = wanting.filter((one) => !atStake.includes(one));
  const rest = home.sessions.filter((one) => !wanting.includes(one) && !live.includes(one)).slice(0, 6);
  const isElsewhere = home.sessions.some(({ workspace }) => workspace !== home.workspace);
  return (
    <>
      <p class="where">{shown(home.workspace ?? home.place)}</p>
      {wanting.length === 0 ? <h1 class="sr">Now</h1> : <h1>{headlineOf(wanting)}</h1>}
      {home.may_act ? null : (
        <Notice tone="plain" title="Look, but not act">
          {shown(home.why_not ?? "")}
        </Notice>
      )}
      {wanting.length === 0 ? <AllWell home={home} live={live.length} /> : null}
      {atStake.length > 0 ? <Wanting home={home} sessions={atStake} /> : null}
      {onlyCut.length > 0 ? (
        <section aria-labelledby="only-cut">
          <h2 id="only-cut">Cut off, with nothing left to decide</h2>
          <p class="dim">
            None of their work is in the tree any more. What was said and done is kept, and the next session
            is told of it.
          </p>
          <SessionRows sessions={onlyCut.slice(0, MAX_CUT_ROWS)} isWhere={isElsewhere} />
          {onlyCut.length > MAX_CUT_ROWS ? (
            <p>
              <a href={hrefOf({ kind: "sessions", look: { state: "interrupted" } })}>
                {count(onlyCut.length - MAX_CUT_ROWS, "more session")} like these
              </a>
            </p>
          ) : null}
        </section>
      ) : null}
      {live.length > 0 ? (
        <section aria-labelledby="live">
          <h2 id="live">At work now</h2>
          <SessionRows sessions={live} isWhere={isElsewhere} />
        </section>
      ) : null}
      {rest.length > 0 ? (
        <section aria-labelledby="recent">
          <h2 id="recent">Before that</h2>
          <SessionRows sessions={rest} isWhere={isElsewhere} />
          <p>
            <a href={hrefOf({ kind: "sessions" })}>All {count(home.sessions_in_all, "session")}</a>
          </p>
        </section>
      ) : null}
      <Aside home={home} />
    </>
  );
}

const MAX_CUT_ROWS = 5;

/** In one sentence: what died, what is suspended, and whether anything is at stake. */
function headlineOf(wanting: readonly SessionSummary[]): string {
  const open = wanting.filter(({ unsettled }) => unsettled).length;
  if (open > 0) return `${count(open, "session")} left work that is yours to decide on`;
  const cut = wanting.filter(isDead).length;
  const held = wanting.length - cut;
  if (cut === 0) return `${count(held, "session is", "sessions are")} suspended; no work is at stake`;
  const also = held === 0 ? "" : `, ${held} ${held === 1 ? "is" : "are"} suspended`;
  return `${count(cut, "session was", "sessions were")} cut off${also}; no work is at stake`;
}

function AllWell({ home, live }: { readonly home: Home; readonly live: number }) {
  const isNew = home.sessions.length === 0;
  const changed = home.tree?.changed ?? 0;
  return (
    <section class="hero hero-good">
      <p class="hero-word">{isNew ? "No sessions yet" : "Nothing is at stake"}</p>
      {isNew ? (
        <>
          <p>
            Start an agent under refloat, and whatever ends it, the next one knows what was going on. Agents
            you start by themselves are seen, too, once <code>refloat init</code> was run.
          </p>
          <Command text="refloat run -- claude" />
          {changed > 0 ? (
            <p>
              {count(changed, "path differs", "paths differ")} from HEAD here. <code>refloat inspect</code>{" "}
              judges them.
            </p>
          ) : null}
        </>
      ) : (
        <p>
          {live > 0 ? `${count(live, "agent is", "agents are")} at work. ` : ""}
          Every session that ended is settled: nothing was left half done.
        </p>
      )}
    </section>
  );
}

function Wanting({ home, sessions }: { readonly home: Home; readonly sessions: readonly SessionSummary[] }) {
  const rest = sessions.slice(MAX_CARDS);
  const open = rest.filter(({ unsettled }) => unsettled).length;
  return (
    <section aria-label="What needs you">
      {sessions.slice(0, MAX_CARDS).map((one, at) => (
        <WantingCard key={one.id} session={one} home={home} isFirst={at === 0} />
      ))}
      <MoreLink n={open} state="unsettled" are="left work to decide on" />
      <MoreLink n={rest.length - open} state="suspended" are="suspended" />
    </section>
  );
}

/** To all of the kind: those that are shown are among them. */
const MoreLink = ({ n, state, are }: { readonly n: number; readonly state: string; readonly are: string }) =>
  n === 0 ? null : (
    <p>
      <a href={hrefOf({ kind: "sessions", look: { state } })}>
        {count(n, "more session")} {are}
      </a>
    </p>
  );

const MAX_CARDS = 5;

interface CardProps {
  readonly session: SessionSummary;
  readonly home: Home;
  readonly isFirst: boolean;
}

function WantingCard({ session, home, isFirst }: CardProps) {
  const groups = home.groups.filter((group) => group.session === session.id);
  const notJudged = home.not_judged.find((one) => one.session === session.id);
  return (
    <article class={`hero ${isDead(session) ? "hero-bad" : "hero-open"} ${isFirst ? "" : "hero-small"}`}>
      <header>
        <StateBadge of={session} />
        <span class="dim">{ago(session.ended_at ?? session.started_at)}</span>
        {session.workspace === home.workspace ? null : (
          <span class="path dim">{shown(session.workspace ?? "no folder")}</span>
        )}
      </header>
      <h2 class="hero-word">
        {nameOf(session)}: {headOf(session)}
      </h2>
      <Suspension of={session} />
      {groups.length > 0 ? <Stake groups={groups} /> : null}
      {groups.length === 0 && session.unsettled ? (
        <p>It left work that nobody has settled{notJudged ? `: ${shownLine(notJudged.why)}` : ""}.</p>
      ) : null}
      {groups.length === 0 && !session.unsettled ? <p>It left nothing in the tree.</p> : null}
      <p class="actions">
        {session.unsettled ? (
          <a class="button primary" href={hrefOf({ kind: "session", session: session.id, tab: "left" })}>
            Decide what stays
          </a>
        ) : null}
        <a class="button" href={hrefOf({ kind: "session", session: session.id, tab: "life" })}>
          See what happened
        </a>
      </p>
    </article>
  );
}

function headOf(session: SessionSummary): string {
  if (session.state === "suspended" && !isDead(session)) return "it is suspended";
  const end = endOf(session);
  return `${end === STATE_WORDS.idle ? "it stopped " : ""}${shownLine(end)}`;
}

/** Numbers first, then the files of the worst. */
function Stake({ groups }: { readonly groups: readonly StatusGroup[] }) {
  const worst = groups.slice(0, MAX_GROUPS);
  return (
    <>
      <p class="stake">
        {VERDICT_ORDER.map((verdict) => (
          <StakeCount
            key={verdict}
            verdict={verdict}
            n={groups.filter((one) => one.verdict === verdict).length}
          />
        ))}
      </p>
      <ul class="stake-list">
        {worst.map(({ id, verdict, changes, reasons: [reason] }) => (
          <li key={id}>
            <VerdictBadge verdict={verdict} />
            <span class="path">{shown(changes[0]?.path ?? "")}</span>
            {changes.length > 1 ? <span class="dim"> and {changes.length - 1} more</span> : null}
            <span class="why">{reason ? shownLine(withRemedy(reason).message) : null}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const MAX_GROUPS = 4;

const StakeCount = ({ verdict, n }: { readonly verdict: Verdict; readonly n: number }) =>
  n === 0 ? null : (
    <span class={`stake-n verdict-${verdict}`}>
      <b>{n}</b> {verdict}
    </span>
  );

function Aside({ home }: { readonly home: Home }) {
  const parked = home.tree?.parked ?? [];
  if (home.next.length === 0 && parked.length === 0) return null;
  return (
    <section class="aside" aria-labelledby="in-a-terminal">
      <h2 id="in-a-terminal">In a terminal</h2>
      <ul>
        {home.next.map((command) => (
          <li key={command}>
            <Command text={command} />
          </li>
        ))}
      </ul>
      {parked.length > 0 ? (
        <p>
          {count(parked.length, "group of changes is", "groups of changes are")} parked.{" "}
          <a href={hrefOf({ kind: "parked" })}>Look at what is parked, and bring it back</a>
        </p>
      ) : null}
    </section>
  );
}
