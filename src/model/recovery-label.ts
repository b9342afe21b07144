/** The label of a claim that a recovery holds: its attempt does no work of its own, and whoever finds it waits. */
export const RECOVERY_LABEL = "recovery";
