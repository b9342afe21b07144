/** What goes between the library's thread and the worker that runs the driver: calls by name, and errors whole. */
import { type ErrorCode, type ErrorData, ensureError, RefloatError } from "../../model/errors.ts";
import type { Driver } from "../contract/driver.ts";

export type DriverMethod = Exclude<keyof Driver, "kind">;

export interface CallMessage {
  readonly id: number;
  readonly method: DriverMethod;
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly kind: "value"; readonly value: unknown }
  | { readonly id: number; readonly kind: "error"; readonly error: WireError };

/** Null id: the driver could not be opened at all. */
export type OpenedMessage =
  | { readonly kind: "opened" }
  | { readonly kind: "failed"; readonly error: WireError };

export interface WireError {
  readonly code: ErrorCode | null;
  readonly data: ErrorData;
  readonly message: string;
  readonly stack: string | undefined;
}

export interface WorkerInput {
  readonly path: string;
  readonly acceptLoss: boolean;
  /** Null: the engine needs none. */
  readonly gate: SharedArrayBuffer | null;
}

export function toWire(thrown: unknown): WireError {
  const error = ensureError(thrown);
  const isOurs = error instanceof RefloatError;
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : "";
  return {
    code: isOurs ? error.code : null,
    data: isOurs ? error.data : {},
    message: error.message,
    stack: `${error.stack}${cause}`,
  };
}

export function fromWire(wire: WireError): Error {
  const cause = new Error(wire.message);
  if (wire.stack !== undefined) cause.stack = wire.stack;
  return wire.code ? new RefloatError(wire.code, wire.data, cause) : cause;
}
