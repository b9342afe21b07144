/** The changes of a group, side by side; on a narrow screen one below the other. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { BinarySides, type PicturesOf } from "./binary-sides.tsx";
import type { DiffBlock, DiffCell } from "./diff-rows.ts";
import { Notice } from "./parts.tsx";
import type { ChangedFile, ToldDiff } from "./told.ts";
import { count, KIND_WORDS, shown, sizeOf } from "./words.ts";

type Blocks = (unified: string) => DiffBlock[];

let loading: Promise<Blocks> | null = null;

/** For a page that has it in itself. */
export const haveBlocks = (blocks: Blocks): void => {
  loading = Promise.resolve(blocks);
};

/** Loaded once, by who looks at the first diff. */
function loadBlocks(): Promise<Blocks> {
  const file = "/diff.js";
  loading ??= (import(/* @vite-ignore */ file) as Promise<{ diffBlocks: Blocks }>).then(
    ({ diffBlocks }) => diffBlocks,
  );
  return loading;
}

interface DiffProps {
  readonly told: ToldDiff;
  /** Whose pictures are asked for; null: there is nobody to ask. */
  readonly session: string | null;
  readonly group: string;
}

export function DiffView({ told, session, group }: DiffProps) {
  const blocks = useSignal<Blocks | "failed" | null>(null);
  useEffect(() => {
    loadBlocks().then(
      (found) => {
        blocks.value = found;
      },
      () => {
        blocks.value = "failed";
      },
    );
  }, []);
  if (blocks.value === "failed")
    return <Notice tone="bad" title="The viewer of changes could not be loaded" />;
  if (blocks.value === null) return <p class="waiting">Reading its changes …</p>;
  const toBlocks = blocks.value;
  return (
    <div class="diff">
      {told.files.map((file, at) => (
        <FileDiff
          key={file.path}
          file={file}
          toBlocks={toBlocks}
          pictures={session === null ? null : { session, group, file: String(at) }}
        />
      ))}
      {told.left_out > 0 ? <p class="dim">{count(told.left_out, "more file")} not shown.</p> : null}
    </div>
  );
}

const WHY: Readonly<Record<NonNullable<ChangedFile["why"]>, string>> = {
  binary: "Not text",
  "too-large": "Too large to be shown",
  "not-held": "Its bytes are not held",
  "no-file": "No file: a link, a folder or a submodule",
};

/** Lines drawn of one file; nobody reads more in a card. */
const MAX_ROWS = 2000;

interface FileProps {
  readonly file: ChangedFile;
  readonly toBlocks: Blocks;
  readonly pictures: PicturesOf | null;
}

function FileDiff({ file, toBlocks, pictures }: FileProps) {
  const blocks = file.unified === null ? [] : toBlocks(file.unified);
  let left = MAX_ROWS;
  return (
    <figure class="file-diff">
      <figcaption>
        <span class={`kind kind-${file.kind}`}>{KIND_WORDS[file.kind] ?? file.kind}</span>{" "}
        <span class="path">{shown(file.path)}</span>
        {file.redacted > 0 ? <span class="badge">{count(file.redacted, "secret")} taken out</span> : null}
      </figcaption>
      {file.why !== null && file.binary === undefined ? (
        <p class="dim">
          {WHY[file.why]}: {sizeOf(file.from)} before, {sizeOf(file.to)} now.
        </p>
      ) : null}
      {file.binary ? <BinarySides file={file} pictures={pictures} /> : null}
      {file.unified === "" ? <p class="dim">The same lines: only what stands around them differs.</p> : null}
      {blocks.length > 0 ? (
        <section
          class="diff-scroll"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys, too.
          tabIndex={0}
          aria-label={`Changes of ${file.path}`}
        >
          <table class="diff-table">
            <thead class="sr">
              <tr>
                <th scope="col">line before</th>
                <th scope="col">before</th>
                <th scope="col">line now</th>
                <th scope="col">now</th>
              </tr>
            </thead>
            {blocks.map((block) => {
              const rows = block.rows.slice(0, Math.max(0, left));
              left -= rows.length;
              return <Block key={block.head} head={block.head} rows={rows} />;
            })}
          </table>
        </section>
      ) : null}
      {left <= 0 ? <p class="dim">The rest is not shown.</p> : null}
    </figure>
  );
}

const Block = ({ head, rows }: DiffBlock) => (
  <tbody>
    <tr class="diff-head">
      <td colSpan={4}>{shown(head)}</td>
    </tr>
    {rows.map(([before, now]) => (
      <tr key={`${before.n} ${now.n}`}>
        <Cell of={before} />
        <Cell of={now} />
      </tr>
    ))}
  </tbody>
);

const Cell = ({ of }: { readonly of: DiffCell }) => (
  <>
    <td class={`diff-n diff-${of.kind}`}>{of.n ?? ""}</td>
    <td class={`diff-text diff-${of.kind}`}>
      {of.kind === "gone" ? (
        <del>{shown(of.text)}</del>
      ) : of.kind === "new" ? (
        <ins>{shown(of.text)}</ins>
      ) : (
        shown(of.text)
      )}
    </td>
  </>
);
