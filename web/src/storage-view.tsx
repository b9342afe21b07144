/** How much the store holds, of how much it may. */
import { useAsked } from "./asked.ts";
import { Command, Loaded } from "./parts.tsx";
import { bytes, count, shown } from "./words.ts";

interface Storage {
  readonly location: string;
  readonly engine: string;
  readonly sessions: number;
  readonly records: number;
  readonly contents: number;
  readonly content_bytes: number;
  readonly bytes: number;
  readonly cap_bytes: number;
  readonly would_free: { readonly transcripts: number; readonly contents: number; readonly bytes: number };
}

/** Nothing is wrong where nothing has happened yet. */
const NoStore = () => (
  <>
    <h1>Storage</h1>
    <section class="hero hero-good">
      <p class="hero-word">Nothing is stored yet</p>
      <p>The first session makes the store. Looking at this page makes none.</p>
    </section>
  </>
);

export function StorageView() {
  const told = useAsked<Storage>("/api/storage");
  const state = told.state.value;
  if (state.kind === "failed" && state.error.code === "E_NO_STORE") return <NoStore />;
  return (
    <>
      <h1>Storage</h1>
      <Loaded of={told} waiting="Measuring the store …">
        {(info) => (
          <>
            <section class="meter-box">
              <label for="meter">
                {bytes(info.bytes)} of at most {bytes(info.cap_bytes)}
              </label>
              <meter id="meter" min={0} max={info.cap_bytes} high={info.cap_bytes * 0.8} value={info.bytes}>
                {Math.round((info.bytes / info.cap_bytes) * 100)} %
              </meter>
            </section>
            <dl class="facts">
              <div>
                <dt>sessions</dt>
                <dd>{count(info.sessions, "session")}</dd>
              </div>
              <div>
                <dt>journal</dt>
                <dd>{count(info.records, "record")}</dd>
              </div>
              <div>
                <dt>held work</dt>
                <dd>
                  {count(info.contents, "content")}, {bytes(info.content_bytes)}
                </dd>
              </div>
              <div>
                <dt>where</dt>
                <dd class="path">{shown(info.location)}</dd>
              </div>
              <div>
                <dt>engine</dt>
                <dd>{shown(info.engine)}</dd>
              </div>
            </dl>
            <Free of={info} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Records are never among it (D2). */
function Free({ of: { would_free: free, bytes: all } }: { readonly of: Storage }) {
  const isAny = free.contents + free.bytes + free.transcripts > 0;
  return (
    <section class="card" aria-labelledby="free">
      <h2 id="free">{isAny ? `${bytes(free.bytes)} can be freed` : "Nothing can be freed"}</h2>
      <p>
        {isAny
          ? `${count(free.contents, "content")} that no record names any more${free.transcripts > 0 ? `, and ${count(free.transcripts, "kept transcript")} whose time is over` : ""}: ${Math.round((free.bytes / Math.max(1, all)) * 100)} % of the store.`
          : "Every content is named by a record, or was put within the last hour."}{" "}
        Records, and all work that is held for a session, stay.
      </p>
      {isAny ? <Command text="refloat store gc" /> : null}
    </section>
  );
}
