/**
 * What was said and called, in order, a hundred thousand records as well as ten: only what is in sight is drawn and asked for. It opens at its end,
 * where it died.
 */
import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type ApiError, follow } from "./api.ts";
import { type Heights, heightsOf } from "./heights.ts";
import { type Journal, openJournal, PAGE_RECORDS } from "./journal.ts";
import { Failure } from "./parts.tsx";
import { type ContradictedClaim, isShown, RecordRow } from "./record-row.tsx";
import type { ShownRecord } from "./told.ts";
import { count } from "./words.ts";

/** Of a row that was not drawn yet. */
const ESTIMATE = 44;
/** Drawn above and below what is in sight. */
const BEYOND = 600;

interface ConversationProps {
  readonly session: string;
  readonly head: number;
  readonly isLive: boolean;
  readonly claims: readonly ContradictedClaim[];
  /** Attempts in which nobody tried again: it was recovered (K1). */
  readonly recoveries: ReadonlySet<number>;
}

/** The record that somebody wants to see, from elsewhere on the page. */
export const wantedRecord = signal<number | null>(null);

interface Shown {
  readonly journal: Journal;
  heights: Heights;
  /** Rows that somebody opened. */
  readonly open: Set<number>;
  isAtEnd: boolean;
}

export function Conversation({ session, head, isLive, claims, recoveries }: ConversationProps) {
  const box = useRef<HTMLElement>(null);
  const [drawn, isAll] = [useSignal(0), useSignal(false)];
  const error = useSignal<ApiError | null>(null);
  const state = useMemo<Shown>(
    () => ({
      journal: openJournal(session),
      heights: heightsOf(head, ESTIMATE),
      open: new Set(),
      isAtEnd: true,
    }),
    [session],
  );
  const draw = (): void => {
    drawn.value++;
  };
  const grow = (to: number): void => {
    if (to > state.heights.count) state.heights = state.heights.grown(to);
  };
  grow(head);
  useEffect(() => {
    if (!isLive) return;
    const stop = new AbortController();
    const path = `/api/sessions/${encodeURIComponent(session)}/follow`;
    void follow(
      path,
      String(head),
      ({ data }) => {
        const record = data as ShownRecord;
        state.journal.add(record);
        grow(record.seq);
        draw();
      },
      stop.signal,
    );
    return () => stop.abort();
  }, [session, isLive]);
  useLayoutEffect(() => {
    if (state.isAtEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  });
  // Read here, so that it is drawn again for them.
  void drawn.value;
  void wantedRecord.value;
  const range = rangeOf(state.heights, box.current);
  const rows = rowsIn(state, range, isAll.value);
  useEffect(() => {
    // It is not asked for again and again: whoever looks says when.
    if (error.value) return;
    state.journal.need(firstNeeded(state.journal, rows, range), range.to).then(
      (isNew) => {
        error.value = null;
        if (isNew) draw();
      },
      (thrown: ApiError) => {
        error.value = thrown;
      },
    );
  });
  useEffect(() => {
    const seq = wantedRecord.value;
    if (seq === null || !box.current) return;
    wantedRecord.value = null;
    state.isAtEnd = false;
    box.current.scrollTop = state.heights.before(seq - 1);
    box.current.focus();
    draw();
  });
  const jump = (to: "first" | "last"): void => {
    state.isAtEnd = to === "last";
    if (box.current) box.current.scrollTop = to === "first" ? 0 : box.current.scrollHeight;
    draw();
  };
  return (
    <section aria-labelledby="conversation">
      <div class="section-head">
        <h2 id="conversation">What was said and done</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={isAll.value}
            onChange={() => {
              isAll.value = !isAll.value;
              state.heights = heightsOf(state.heights.count, ESTIMATE);
            }}
          />{" "}
          every record
        </label>
        <button type="button" onClick={() => jump("first")}>
          To the beginning
        </button>
        <button type="button" onClick={() => jump("last")}>
          To the end
        </button>
      </div>
      <p class="dim">
        {count(state.heights.count, "record")}. Calls are folded: open one to see what went in and what came
        out.
      </p>
      {error.value ? (
        <Failure
          error={error.value}
          again={() => {
            error.value = null;
            draw();
          }}
        />
      ) : null}
      <section
        ref={box}
        class="conversation"
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys, too.
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          state.isAtEnd = scrollTop + clientHeight >= scrollHeight - 4;
          draw();
        }}
      >
        <div style={{ height: `${state.heights.before(range.from)}px` }} />
        <Rows state={state} rows={rows} isLive={isLive} claims={claims} recoveries={recoveries} draw={draw} />
        <div style={{ height: `${Math.max(0, state.heights.total() - state.heights.before(range.to))}px` }} />
      </section>
    </section>
  );
}

interface Range {
  readonly from: number;
  /** The first that is not drawn any more. */
  readonly to: number;
}

function rangeOf(heights: Heights, box: HTMLElement | null): Range {
  const view = box?.clientHeight || 600;
  const top = box ? box.scrollTop : Math.max(0, heights.total() - view);
  const from = heights.rowAt(Math.max(0, top - BEYOND));
  const to = heights.rowAt(top + view + BEYOND) + 1;
  // Rows that are not shown have no height: many of them may lie in sight at once, and are asked for in turn.
  return { from: Math.max(from, to - MAX_DRAWN), to: Math.min(heights.count, to) };
}

const MAX_DRAWN = 20 * PAGE_RECORDS;

interface Row {
  readonly seq: number;
  /** Undefined: it is being read. */
  readonly record: ShownRecord | undefined;
}

function rowsIn({ journal, heights }: Shown, range: Range, isAll: boolean): readonly Row[] {
  const rows: Row[] = [];
  for (let seq = range.from + 1; seq <= range.to; seq++) {
    const record = journal.record(seq);
    if (record && !isShown(record, journal, isAll)) heights.set(seq - 1, 0);
    else rows.push({ seq, record });
  }
  return rows;
}

/** C3: a message that ends in sight may have begun before it: so far back it is looked for. */
function firstNeeded(journal: Journal, rows: readonly Row[], { from }: Range): number {
  const isCut = rows.some(({ record }) => {
    const message = record?.kind === "message.ended" ? record.body.message : undefined;
    return typeof message === "string" && !journal.streamed(message).isWhole;
  });
  if (!isCut) return from + 1;
  let first = from + 1;
  while (first > 1 && from - first < MAX_BACK && journal.record(first - 1)) first--;
  return Math.max(1, first - PAGE_RECORDS);
}

const MAX_BACK = 10 * PAGE_RECORDS;

interface RowsProps {
  readonly state: Shown;
  readonly rows: readonly Row[];
  readonly isLive: boolean;
  readonly claims: readonly ContradictedClaim[];
  /** Attempts in which nobody tried again: it was recovered (K1). */
  readonly recoveries: ReadonlySet<number>;
  readonly draw: () => void;
}

function Rows({ state, rows, isLive, claims, recoveries, draw }: RowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const { journal, open } = state;
  useLayoutEffect(() => {
    let isOther = false;
    for (const row of list.current?.children ?? []) {
      const at = Number((row as HTMLElement).dataset.seq) - 1;
      const height = (row as HTMLElement).offsetHeight;
      if (Math.abs(state.heights.get(at) - height) < 1) continue;
      state.heights.set(at, height);
      isOther = true;
    }
    if (isOther) draw();
  });
  const isReading = rows.some(({ record }) => record === undefined);
  return (
    // A feed owns articles: where there is none yet, it is no feed.
    <div ref={list} role={rows.length > 0 ? "feed" : undefined} aria-busy={isReading}>
      {rows.map(({ seq, record }) => (
        <div key={seq} data-seq={seq} class="record">
          {record ? (
            <RecordRow
              record={record}
              journal={journal}
              isOpen={open.has(seq)}
              isLive={isLive}
              claims={claims}
              recoveries={recoveries}
              of={state.heights.count}
              onOpen={() => {
                if (!open.delete(seq)) open.add(seq);
                state.isAtEnd = false;
                draw();
              }}
            />
          ) : (
            <article class="record-wait" aria-label={`record ${seq}, being read`}>
              …
            </article>
          )}
        </div>
      ))}
    </div>
  );
}
