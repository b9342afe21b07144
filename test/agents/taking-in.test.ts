/**
 * What agents said of themselves in a session's journal: once, whole, in order, however often and in whatever pieces it was read (D2, D4).
 * Fixtures of real runs; the transcript of each grows from nothing to its last byte.
 */
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeIn } from "../../src/agents/journal/take-in.ts";
import { AGENTS } from "../../src/agents/registry.ts";
import type { AgentAdapter, FoundTranscript } from "../../src/agents/words/adapter.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { selfOwner } from "../../src/platform/identity.ts";
import { takeClaim } from "../../src/session/claims.ts";
import { newRecord } from "../../src/session/new-record.ts";
import type { Store } from "../../src/store/store.ts";
import { openTestStore } from "../support/memory-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { homeOf } from "./fixture-home.ts";
import { transcriptsOf } from "./hear-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");
