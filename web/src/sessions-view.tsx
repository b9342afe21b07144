/** Every session, with a search and filters. */
import { useSignal } from "@preact/signals";
import type { SessionSummary } from "../../src/session/describe.ts";
import { ask } from "./api.ts";
import { useAsked } from "./asked.ts";
import { Loaded, StateBadge } from "./parts.tsx";
import { hrefOf, lookAgain, type SessionsLook } from "./route.ts";
import { ago, count, endOf, nameOf, ordinal, STATE_WORDS, shortOf, shown, shownLine } from "./words.ts";

interface Sessions {
  readonly sessions: readonly SessionSummary[];
  readonly found: number;
  readonly in_all: number;
}

const FILTERS = [
  ["", "All"],
  ["unsettled", "Work at stake"],
  ["interrupted", "Cut off"],
  ["suspended", "Suspended"],
  ["live", "At work"],
  ["idle", "Between turns"],
  ["finished", "Finished"],
] as const;

const SCOPES = [
  ["repository", "this repository"],
  ["here", "this work tree"],
  ["all", "everything"],
] as const;

const PAGE = 100;
/** The most that one answer has. */
const ANSWER = 500;

/** Answers that were given one after the other may name one session twice: it moved down meanwhile. */
async function askSessions(path: string, query: Readonly<Record<string, unknown>>): Promise<Sessions> {
  const wanted = Number(query.limit);
  const answers: Sessions[] = [];
  for (let skip = 0; skip < wanted; skip += ANSWER)
    answers.push(await ask<Sessions>(path, { ...query, skip, limit: Math.min(ANSWER, wanted - skip) }));
  const all = new Map(answers.flatMap(({ sessions }) => sessions.map((one) => [one.id, one] as const)));
  const { found = 0, in_all = 0 } = answers.at(-1) ?? {};
  return { sessions: [...all.values()], found, in_all };
}

/** Of an address that somebody wrote, only what there is. */
const known = (of: readonly (readonly [string, string])[], value: string, first: string): string =>
  of.some(([one]) => one === value) ? value : first;

export function SessionsView({ look: given }: { readonly look: SessionsLook }) {
  const limit = useSignal(PAGE);
  const { search = "" } = given;
  const state = known(FILTERS, given.state ?? "", "");
  const scope = known(SCOPES, given.scope ?? "", "repository");
  const list = useAsked<Sessions>("/api/sessions", { search, state, scope, limit: limit.value }, askSessions);
  const look = (other: SessionsLook): void => {
    limit.value = PAGE;
    lookAgain({ search, state, scope, ...other });
  };
  return (
    <>
      <h1>Sessions</h1>
      <search class="filters">
        <label class="sr" for="search">
          Search by id, name, agent or folder
        </label>
        <input
          id="search"
          type="search"
          placeholder="Search by id, name, agent, folder"
          value={search}
          onInput={(event) => look({ search: event.currentTarget.value })}
        />
        <label class="scope">
          of{" "}
          <select value={scope} onChange={(event) => look({ scope: event.currentTarget.value })}>
            {SCOPES.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend class="sr">State</legend>
          {FILTERS.map(([value, title]) => (
            <label key={value} class="chip">
              <input
                type="radio"
                name="state"
                checked={state === value}
                onChange={() => look({ state: value })}
              />
              <span>{title}</span>
            </label>
          ))}
        </fieldset>
      </search>
      <Loaded of={list} waiting="Looking for sessions …">
        {({ sessions, found, in_all }) => (
          <>
            <p class="dim" role="status">
              {found === in_all ? count(in_all, "session") : `${found} of ${count(in_all, "session")}`}
            </p>
            {sessions.length === 0 ? (
              <Nothing isAny={in_all > 0} />
            ) : (
              <SessionRows sessions={sessions} isWhere={scope === "all" || areApart(sessions)} />
            )}
            {found > sessions.length ? (
              <button
                type="button"
                onClick={() => {
                  limit.value += PAGE;
                }}
              >
                Show more
              </button>
            ) : null}
          </>
        )}
      </Loaded>
    </>
  );
}

const Nothing = ({ isAny }: { readonly isAny: boolean }) => (
  <p class="empty">
    {isAny ? (
      "No session is like that. Take the search or the filter away."
    ) : (
      <>
        No sessions here yet. <code>refloat run -- claude</code> begins one; “everything” above lists other
        folders.
      </>
    )}
  </p>
);

/** In more than one folder. */
const areApart = (sessions: readonly SessionSummary[]): boolean =>
  new Set(sessions.map(({ workspace }) => workspace)).size > 1;

interface RowsProps {
  readonly sessions: readonly SessionSummary[];
  /** The folder of each is said. */
  readonly isWhere: boolean;
}

export const SessionRows = ({ sessions, isWhere }: RowsProps) => (
  <ul class="rows">
    {sessions.map((one) => (
      <li key={one.id}>
        <a
          href={hrefOf({
            kind: "session",
            session: one.id,
            tab: one.unsettled && one.state !== "live" ? "left" : "life",
          })}
        >
          <StateBadge of={one} />
          <span class="row-name">
            {nameOf(one)}
            {isWhere ? <span class="path row-where">{shown(one.workspace ?? "no folder")}</span> : null}
          </span>
          <span class="dim row-end">
            {endOf(one) === STATE_WORDS[one.state] ? null : shownLine(endOf(one))}
          </span>
          <span class="dim row-facts">
            {one.name !== null && one.agent !== null ? `${shownLine(one.agent)} · ` : ""}
            {one.last_attempt > 1 ? `${ordinal(one.last_attempt)} try · ` : ""}
            {ago(one.ended_at ?? one.started_at)} · <code>{shortOf(shown(one.id))}</code>
          </span>
        </a>
      </li>
    ))}
  </ul>
);
