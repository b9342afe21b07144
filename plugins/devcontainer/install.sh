#!/bin/sh
# A devcontainer feature: refloat, where there is a Node to run it; its store on a volume (devcontainer-feature.json), for the container goes.
set -e
VERSION=${VERSION:-latest}
if ! command -v npm >/dev/null; then
  echo "refloat needs Node 20.20 or newer: add ghcr.io/devcontainers/features/node before it." >&2
  exit 1
fi
npm install --global --ignore-scripts "refloat@$VERSION"
mkdir -p /var/lib/refloat
chmod 0700 /var/lib/refloat
if [ -n "${_REMOTE_USER:-}" ]; then chown "$_REMOTE_USER" /var/lib/refloat; fi
