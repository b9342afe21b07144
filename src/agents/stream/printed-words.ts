/** What a command printed, for people: of an agent whose output is a stream of JSON what it says, else as it is. */
import { acpWords } from "../acp/acp-ears.ts";
import { agentOfCommand } from "../registry.ts";
import { streamWords } from "./stream-ears.ts";

export function printedWords(command: readonly string[], text: string): string {
  const reader = agentOfCommand(command)?.launch?.stream(command) ?? null;
  return reader ? streamWords(reader, text) : (acpWords(text) ?? text);
}
