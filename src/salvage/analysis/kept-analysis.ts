/**
 * What was found out about contents, kept beside the store for the next look (P10). Keys are content hashes and names; what
 * another build found out is not believed, and what is damaged is found out again: a wrong fact could become a wrong "safe". Each entry has
 * a checksum over the build that made it (kept 1, kept 2), so that its shape is that build's own; kept verdicts are checked once more
 * (judge-once.ts). Facts of single files are not: a schema for each of thousands costs a second look what it saves (P10), and says
 * nothing that the checksum does not.
 */
import { join } from "node:path";
import { dropKeptTexts, type KeptTexts, openKeptTexts } from "../../platform/kept-texts.ts";
import { programBuild } from "../../platform/own-files.ts";

const NAME = "analysis.cache";
/** Both sides of ten thousand changed files of 4 KiB; every look goes through it once to find what is where, so no larger. */
const MAX_BYTES = 64 * 1024 * 1024;

export const openKeptAnalysis = (home: string): KeptTexts =>
  openKeptTexts(join(home, NAME), { build: programBuild(), maxBytes: MAX_BYTES });

/** It names what files held: whoever has something forgotten has this forgotten. */
export const dropKeptAnalysis = (home: string): void => dropKeptTexts(join(home, NAME));
