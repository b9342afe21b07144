/** A file that is no text: what it was and what it is, drawn where it is a picture. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { askPicture } from "./api.ts";
import type { ChangedFile } from "./told.ts";
import { bytes, shown, sizeOf } from "./words.ts";

export interface PicturesOf {
  readonly session: string;
  readonly group: string;
  /** Its place among the group's files. */
  readonly file: string;
}

interface SidesProps {
  readonly file: ChangedFile;
  readonly pictures: PicturesOf | null;
}

export function BinarySides({ file, pictures }: SidesProps) {
  const [before, after] = [file.from?.size ?? 0, file.to?.size ?? 0];
  const more = after - before;
  return (
    <>
      <p class="dim">
        No lines to compare.{" "}
        {file.from !== null && file.to !== null
          ? more === 0
            ? `It is as long as before, and has other bytes.`
            : `It is ${bytes(Math.abs(more))} ${more > 0 ? "longer" : "shorter"} than before.`
          : null}
      </p>
      <div class="sides">
        <BinarySide file={file} side="before" pictures={pictures} />
        <BinarySide file={file} side="after" pictures={pictures} />
      </div>
    </>
  );
}

function BinarySide({ file, side, pictures }: SidesProps & { readonly side: "before" | "after" }) {
  const state = side === "before" ? file.from : file.to;
  const is = file.binary?.[side] ?? null;
  const word = side === "before" ? "before" : "now";
  return (
    <div class="side">
      <p class="side-word">{word}</p>
      {state === null ? (
        <p class="side-none">{side === "before" ? "There was no such file." : "It is gone."}</p>
      ) : is?.picture && pictures ? (
        <Picture of={pictures} side={side} alt={`${shown(file.path)}, ${word}`} />
      ) : (
        <p class="side-none">{is?.name ?? "text"}</p>
      )}
      <p class="dim">
        {state === null ? "nothing" : `${is?.name ?? "text"}, ${sizeOf(state)}`}
        {state?.hash ? (
          <>
            , <code title="The beginning of its SHA-256">{state.hash.slice(0, 12)}</code>
          </>
        ) : null}
      </p>
    </div>
  );
}

interface PictureProps {
  readonly of: PicturesOf;
  readonly side: "before" | "after";
  readonly alt: string;
}

function Picture({ of: { session, group, file }, side, alt }: PictureProps) {
  const address = useSignal<string | "failed" | null>(null);
  const size = useSignal<string | null>(null);
  useEffect(() => {
    let mine: string | null = null;
    let isOver = false;
    askPicture(`/api/sessions/${encodeURIComponent(session)}/picture`, { group, file, side }).then(
      (found) => {
        mine = found;
        if (isOver) URL.revokeObjectURL(found);
        else address.value = found;
      },
      () => {
        address.value = "failed";
      },
    );
    return () => {
      isOver = true;
      if (mine !== null) URL.revokeObjectURL(mine);
    };
  }, [session, group, file, side]);
  if (address.value === "failed") return <p class="side-none">It cannot be drawn.</p>;
  if (address.value === null) return <p class="side-none">Reading it …</p>;
  return (
    <>
      <img
        src={address.value}
        alt={alt}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          size.value = `${naturalWidth} × ${naturalHeight}`;
        }}
        onError={() => {
          address.value = "failed";
        }}
      />
      {size.value ? <p class="dim">{size.value}</p> : null}
    </>
  );
}
