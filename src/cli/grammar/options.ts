/** What was typed, read by name: commander hands it over untyped, so every use says what it expects. */
import { RefloatError } from "../../model/errors.ts";
import type { Grammar } from "./command-grammar.ts";

export type ParsedOptions = Readonly<Record<string, unknown>>;
export type ParsedArgument = string | readonly string[] | undefined;

export interface CommandInput {
  /** Every command there is: for the one that writes completion scripts. */
  readonly grammar: Grammar;
  /** The command's own words. */
  readonly words: readonly string[];
  readonly args: readonly ParsedArgument[];
  readonly options: ParsedOptions;
}

export const isSet = (input: CommandInput, name: string): boolean => input.options[name] === true;

export function textOption(input: CommandInput, name: string): string | null {
  const value = input.options[name];
  return typeof value === "string" ? value : null;
}

/** The values of a flag that may be repeated. */
export function listOption(input: CommandInput, name: string): readonly string[] {
  const value = input.options[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

export function textArgument(input: CommandInput, at: number): string | null {
  const value = input.args[at];
  return typeof value === "string" ? value : null;
}

export function listArgument(input: CommandInput, at: number): readonly string[] {
  const value = input.args[at];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** A whole number of at least 1, or null when it was not given. */
export function countOption(input: CommandInput, name: string, max: number): number | null {
  const text = textOption(input, name);
  if (text === null) return null;
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : 0;
  if (value < 1) throw usage(`--${name} wants a whole number from 1 on, not ${text}.`);
  return Math.min(value, max);
}

export const usage = (why: string): RefloatError => new RefloatError("E_USAGE", { why });
