/** Light or dark: as the system has it, until somebody says otherwise on this machine. */
import { effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

const KEPT_AS = "refloat-theme";

export const theme = signal<Theme>(readTheme());

function readTheme(): Theme {
  const kept = memory()?.getItem(KEPT_AS);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

/** A browser may refuse it, to a file above all: then it is chosen anew each time. */
function memory(): Storage | null {
  try {
    return localStorage;
  } catch (thrown) {
    if (thrown instanceof DOMException) return null;
    throw thrown;
  }
}

export function followTheme(): void {
  effect(() => {
    if (theme.value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    memory()?.setItem(KEPT_AS, theme.value);
  });
}

const NEXT: Readonly<Record<Theme, Theme>> = { auto: "light", light: "dark", dark: "auto" };

export const turnTheme = (): void => {
  theme.value = NEXT[theme.value];
};
