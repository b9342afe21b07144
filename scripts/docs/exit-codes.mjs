// The exit codes in words, for docs/cli.md.
export const EXIT_CODES_TEXT = `| code | means |
|---|---|
| 0 | done |
| 1 | failed: unknown id, conflicts in an import, nobody to ask, or the answer was no |
| 3 | only with \`--exit-code\`: a session is interrupted or suspended |
| 4 | held by another |
| 5 | damaged |
| 64 | usage |
| 75 | try again later: the disk is full, the store busy or out of reach |
| 124 to 127 | of \`run\` only ([run.md](run.md)): our timeout, a failure of ours before the start, not executable, not found |

\`run\` otherwise ends with the agent's own code. Of ours 2 is never used: agents read it from a hook as "block". A command that is ended by a signal dies of it (\`log --follow\`
by Ctrl-C: 130 in a shell).`;
