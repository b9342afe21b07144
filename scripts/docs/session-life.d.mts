import type { SessionLife } from "../../src/session/state.ts";

export type LifeEvent =
  | "taken"
  | "opened"
  | "completed"
  | "stopped"
  | "cut-off"
  | "released"
  | "finished"
  | "died"
  | "suspended"
  | "lifted";
export const EVENTS: readonly LifeEvent[];
export const UNBORN: SessionLife;
export function transition(life: SessionLife, event: LifeEvent): SessionLife;
