/** What a call did to one file: journals keep it, so the words are the model's. */
export type { PatchHunk, PatchLine, RecordedEdit } from "../../model/recorded-edit.ts";
