/** What waits in a home's inbox, in the order in which refloat takes it in: two events of one hundredth of a second are told apart by when their files were written. */
import { basename } from "node:path";
import { listInbox } from "../../../src/agents/inbox/inbox-folder.ts";

export const waitingFiles = (home: string): readonly string[] =>
  listInbox(home).waiting.map(({ path }) => basename(path));
