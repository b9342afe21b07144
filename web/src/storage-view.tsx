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
}

export function StorageView() {
  const told = useAsked<Storage>("/api/storage");
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
            <p>Records stay for ever. What nothing needs any more is dropped, and nothing else, by</p>
            <Command text="refloat store gc" />
          </>
        )}
      </Loaded>
    </>
  );
}
