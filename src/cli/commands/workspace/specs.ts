/** The commands about the tree: what is held of it, what changed, whose it is. */
import type { CommandSpec } from "../../context/command-spec.ts";

const SIDE = "a capture's id or the beginning of it, HEAD, or now";

export const WORKSPACE_SPECS: readonly CommandSpec[] = [
  {
    words: "capture",
    group: "Workspace",
    summary: "hold the exact state of the tree, outside the repository",
    about:
      "Holds every path that differs from HEAD, or only those named. What cannot be held is named as a gap; a path asked for by name that cannot be held means no capture at all. Nothing is written into the repository.",
    args: [{ name: "[paths...]", about: "only these files and folders", isPath: true }],
    options: [
      { flags: "-m, --message <text>", about: "a note to find it by" },
      { flags: "--precious <glob>", about: "hold ignored files of this name, too" },
      { flags: "--dry-run", about: "say what would be held, hold nothing" },
    ],
    examples: [
      ["refloat capture -m 'before the refactoring'", ""],
      ["refloat capture src/app.ts", "only this file, at the same cost in any repository"],
    ],
    load: () => import("./capture.ts"),
  },
  {
    words: "captures",
    group: "Workspace",
    summary: "the captures of this workspace, newest first",
    about: "Also what each act held before it changed anything (safety), with its plan.",
    options: [{ flags: "--last <n>", about: "only the last so many (20)" }],
    examples: [["refloat captures --json", ""]],
    load: () => import("./captures.ts"),
  },
  {
    words: "diff",
    group: "Workspace",
    summary: "what changed between a capture, HEAD and now",
    about:
      "Without arguments: from the newest capture, or from HEAD where there is none, to now. What differs only because HEAD moved is listed as committed since.",
    args: [
      { name: "[from]", about: SIDE },
      { name: "[to]", about: `${SIDE}; left out: now` },
    ],
    options: [
      { flags: "--stat", about: "the paths only, not their lines" },
      { flags: "--path <path>", about: "only this file or folder", isPath: true },
      {
        flags: "--layout <how>",
        about: "split where the screen is wide",
        choices: ["auto", "split", "unified"],
      },
    ],
    examples: [
      ["refloat diff", "what changed since the newest capture"],
      ["refloat diff HEAD now --stat", "everything that is not committed"],
      ["refloat diff 7k2m 9q4x", "between two captures"],
    ],
    load: () => import("./diff.ts"),
  },
  {
    words: "why",
    group: "Workspace",
    summary: "which session, call and operation changed a path",
    args: [{ name: "<path>", about: "a file, or file:line", isPath: true }],
    examples: [["refloat why src/app.ts:42", "who wrote this line"]],
    load: () => import("./why.ts"),
  },
  {
    words: "trust",
    group: "Workspace",
    summary: "let what this repository brings run: filters, verify, notify",
    about:
      "A repository can bring programs: filters that git would run on its files, and commands in its refloat.json (verify, notify). refloat runs none of them until you have seen and trusted exactly these; when they change, the trust is void. The check that you typed last with --verify is your check of this repository, where none that you trust is configured; it is shown here, too, and --revoke ends it.",
    options: [
      { flags: "--revoke", about: "take it back, and forget the check you typed" },
      { flags: "--dry-run", about: "say what would be trusted, change nothing" },
    ],
    examples: [["refloat trust", "shows them, then asks"]],
    load: () => import("./trust.ts"),
  },
];
