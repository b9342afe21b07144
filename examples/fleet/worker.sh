#!/bin/sh
# One worker on a fresh clone. What it needs of the environment:
#   REPOSITORY     the address that is cloned
#   REFLOAT_STORE  postgres://... of the whole fleet
#   AGENT_COMMAND  what is started, {prompt} and {handoff} filled in by the worker: codex exec -- {prompt}
#   SLOTS, DRAIN   sessions at a time, and from SIGTERM to the end (must be less than the container's stop time)
set -eu
: "${REPOSITORY:?}" "${REFLOAT_STORE:?}" "${AGENT_COMMAND:?}"
clone="${CLONE:-$HOME/repo}"
[ -d "$clone/.git" ] || git clone --quiet "$REPOSITORY" "$clone"
git -C "$clone" fetch --quiet --all
# The command is words for a shell: exec, so that signals reach the worker itself.
eval "exec refloat worker --repo \"\$clone\" --slots \"\${SLOTS:-1}\" --drain \"\${DRAIN:-60s}\" ${WORKER_FLAGS:-} -- $AGENT_COMMAND"
