/** Small pieces that every view is made of. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Verdict } from "../../src/model/manifest.ts";
import type { SessionSummary } from "../../src/session/describe.ts";
import { type ApiError, connection } from "./api.ts";
import type { Asked, AskedView } from "./asked.ts";
import { theme, turnTheme } from "./theme.ts";
import { STATE_WORDS, shown, VERDICT_WORDS } from "./words.ts";

export const Boat = () => (
  <svg class="boat" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M4 19h24l-4 7H8z" class="hull" />
    <path d="M15 4v13H6z" class="sail" />
    <path d="M17 7v10h7z" class="jib" />
  </svg>
);

export const ThemeButton = () => (
  <button type="button" class="quiet" onClick={turnTheme} title="Light, dark, or as the system has it">
    <span aria-hidden="true">{theme.value === "dark" ? "☾" : theme.value === "light" ? "☀" : "◐"}</span>
    <span class="sr"> Theme: {theme.value}</span>
  </button>
);

interface NoticeProps {
  readonly tone: "good" | "bad" | "plain";
  readonly title: string;
  readonly children?: ComponentChildren;
}

export const Notice = ({ tone, title, children }: NoticeProps) => (
  <div class={`notice notice-${tone}`} role={tone === "bad" ? "alert" : undefined}>
    <strong>{title}</strong>
    {children === undefined ? null : <div>{children}</div>}
  </div>
);

/** A command that can be typed as it stands (T6), and copied. */
export function Command({ text }: { readonly text: string }) {
  const isCopied = useSignal(false);
  const copy = (): void => {
    navigator.clipboard?.writeText(text).then(
      () => {
        isCopied.value = true;
        setTimeout(() => {
          isCopied.value = false;
        }, 1500);
      },
      () => undefined,
    );
  };
  return (
    <span class="command">
      <code>{shown(text)}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`Copy: ${text}`}>
        {isCopied.value ? "copied" : "copy"}
      </button>
    </span>
  );
}

/** Hints name commands in marks: those can be copied. */
export function Hint({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/(`[^`]+`)/)
        .map((part, at) =>
          part.startsWith("`") ? <code key={at}>{shown(part.slice(1, -1))}</code> : shown(part),
        )}
    </>
  );
}

export const Failure = ({ error, again }: { readonly error: ApiError; readonly again?: () => void }) => (
  <Notice tone="bad" title={shown(error.message ?? "It failed.")}>
    <p>
      <Hint text={error.hint ?? ""} />
    </p>
    {again ? (
      <button type="button" onClick={again}>
        Try again
      </button>
    ) : null}
  </Notice>
);

export const Waiting = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="waiting" role="status">
    <span class="spinner" aria-hidden="true" />
    {children}
  </p>
);

interface LoadedProps<T> {
  readonly of: AskedView<T>;
  readonly waiting: string;
  readonly children: (data: T, isAgain: boolean) => ComponentChildren;
}

/** Loading, failed, or there. */
export function Loaded<T>({ of, waiting, children }: LoadedProps<T>) {
  const state: Asked<T> = of.state.value;
  switch (state.kind) {
    case "loading":
      return <Waiting>{waiting}</Waiting>;
    case "failed":
      // The frame says so already, and what to do.
      if (state.error.code === "E_PAGE_TOKEN" && connection.value === "refused") return null;
      return <Failure error={state.error} again={of.again} />;
    case "ready":
      return <>{children(state.data, state.isAgain)}</>;
    default:
      return state satisfies never;
  }
}

export const StateBadge = ({
  of,
}: {
  readonly of: Pick<SessionSummary, "state" | "unsettled" | "supervised">;
}) => (
  <span class="badges">
    <span class={`badge state-${of.state}`}>{STATE_WORDS[of.state]}</span>
    {of.unsettled ? <span class="badge unsettled">work at stake</span> : null}
    {of.state === "live" && !of.supervised ? <span class="badge">not supervised</span> : null}
  </span>
);

export const VerdictBadge = ({ verdict }: { readonly verdict: Verdict }) => (
  <span class={`badge verdict-${verdict}`}>
    <span aria-hidden="true">{VERDICT_WORDS[verdict].mark} </span>
    {VERDICT_WORDS[verdict].title.toLowerCase()}
  </span>
);
