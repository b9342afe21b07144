/** What a view shows: asked for when it appears, and again when something changed; what is there stays on the screen meanwhile. */
import { type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type ApiError, ask, changes } from "./api.ts";

export type Asked<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "ready"; readonly data: T; readonly isAgain: boolean }
  | { readonly kind: "failed"; readonly error: ApiError };

export interface AskedView<T> {
  readonly state: Signal<Asked<T>>;
  again(): void;
}

type Query = Readonly<Record<string, unknown>>;

/** `load`: where one answer is not all of it. */
export function useAsked<T>(
  path: string,
  query: Query = {},
  load: (path: string, query: Query) => Promise<T> = ask,
): AskedView<T> {
  const key = `${path}?${JSON.stringify(query)}`;
  const state = useMemo(() => signal<Asked<T>>({ kind: "loading" }), [path]);
  const view = useMemo(() => asking(state, () => load(path, query)), [key]);
  const tick = changes.value;
  useEffect(() => {
    view.again();
    return view.stop;
  }, [view, tick]);
  return { state, again: view.again };
}

function asking<T>(state: Signal<Asked<T>>, load: () => Promise<T>) {
  let asked = 0;
  return {
    again: (): void => {
      const mine = ++asked;
      if (state.value.kind === "ready") state.value = { ...state.value, isAgain: true };
      load().then(
        (data) => {
          if (mine === asked) state.value = { kind: "ready", data, isAgain: false };
        },
        (error: ApiError) => {
          if (mine === asked) state.value = { kind: "failed", error };
        },
      );
    },
    /** An older answer must not stand over a newer question. */
    stop: (): void => {
      asked++;
    },
  };
}
