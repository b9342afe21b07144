/** A tool of the MCP server: what it is called, what it takes, and what it answers, as the command line's `--json` has it (S7). */
import type { z } from "zod";
import type { AppPlace } from "../../app/place/app-place.ts";
import type { SalvageFace } from "../../app/salvage/salvage-session.ts";
import { MCP_TEXT_CHARS } from "../../model/limits.ts";

/** Where one call is answered: a place of its own, which is closed after it. */
export interface ToolPlace extends AppPlace {
  /** A sentence of ours whose commands can be typed where the server stands (T6); of another workspace after `face.tell` named it. */
  typed(text: string): string;
  readonly face: SalvageFace;
}

export interface ToolAnswer {
  /** The command's words joined by "-": the schema's name. */
  readonly command: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** What of it is no secret though it is called one: a step's token is for whoever holds the step. */
  readonly kept?: Readonly<Record<string, unknown>>;
  /** Sentences of ours, before the data. */
  readonly said: readonly string[];
  /** It is what the model reads, instead of the data: fenced and bounded already. */
  readonly markdown?: string;
}

export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  /** Nothing is written by it. */
  readonly readsOnly: boolean;
  answer(at: ToolPlace, given: z.output<Schema>): Promise<ToolAnswer>;
}

/** The compiler checks the answer against the input; the table of tools does not. */
export const tool = <Schema extends z.ZodObject>(one: Tool<Schema>): Tool => one as unknown as Tool;

/** No text with a NUL in it is a name, a path or a sentence. */
const noNul = (text: string): boolean => !text.includes("\0");

/** `schema`: z.string(), of the zod that whoever makes a schema has loaded. */
export const textInput = (schema: z.ZodString, about: string, most = MCP_TEXT_CHARS) =>
  schema.min(1).max(most).refine(noNul, "must hold no NUL").describe(about);
