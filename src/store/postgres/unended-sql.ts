/** Sessions that have not ended are few among all there ever were: an index of their own finds them whatever the number of the others (T5). */

/** As `facts` has them: the JSON text of a key and of its value. */
export const UNENDED = `coalesce(facts->>'"ended_at_ms"', 'null') = 'null'`;

export const unendedSql = (s: string): string => `
CREATE INDEX sessions_unended ON ${s}.sessions (id) WHERE ${UNENDED};`;
