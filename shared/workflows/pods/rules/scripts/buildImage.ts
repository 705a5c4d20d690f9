import { reasonPath } from "../paths.ts";

/**
 * Builds and pushes with BuildKit; the arguments are buildctl's. The wrapper asks its own daemon ten times, about every
 * tenth of a second, and gives up; a busy node needs longer (moby/buildkit#1423), so it may ask for about a minute.
 */
export const buildImage = `
if ! command -v buildctl-daemonless.sh >/dev/null 2>&1; then
  echo "building an image needs a cluster: there is no BuildKit here (the sandbox runs commands, not images)" > ${reasonPath}
  cat ${reasonPath}
  exit 127
fi
export BUILDCTL_CONNECT_RETRIES_MAX="\${BUILDCTL_CONNECT_RETRIES_MAX:-600}"
exec buildctl-daemonless.sh build --progress=plain "$@" 2>&1
`;
