/** Told by its id alone, in a file of its own: lists of sessions leave it out, and must not load what acts need. */
export const isActsSession = (id: string): boolean => /^acts-[0-9a-f]{24}$/.test(id);
