/** How far a claim in this store reaches: honest, because two machines with a file each share nothing. */
export function scopeOf(kind: "sqlite" | "postgres"): string {
  return kind === "postgres" ? "shared through Postgres" : "this machine";
}
