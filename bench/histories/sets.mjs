// The sets that were pinned before anything of them was judged and run once, oldest first: what is run and shown is the newest.
export const REPORTED = ["report-1", "report-2", "report-3", "report-4", "report-5", "report-6"];
// Of one kind of work alone, pinned and run once in the same way: shown beside them, with what they missed.
export const REPORTED_OF_A_KIND = ["migrations-report"];
