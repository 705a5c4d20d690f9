import { reasonPath } from "../paths.ts";

/** What BuildKit says of a registry that it did not get an answer from. A command that fails by itself ends otherwise. */
const unreached =
  "failed to do request.*(i/o timeout|TLS handshake timeout|connection refused|connection reset|no route to host|EOF)";

/**
 * Builds and pushes with BuildKit; the arguments are buildctl's. The wrapper asks its own daemon ten times, about every
 * tenth of a second, and gives up; a busy node needs longer (moby/buildkit#1423), so it may ask for about a minute.
 * BuildKit asks a registry for what a base image is only once; where no answer comes, the build continues in a
 * second or third try with what it has already built.
 */
export const buildImage = `
if ! command -v buildctl-daemonless.sh >/dev/null 2>&1; then
  echo "building an image needs a cluster: there is no BuildKit here (the sandbox runs commands, not images)" > ${reasonPath}
  cat ${reasonPath}
  exit 127
fi
export BUILDCTL_CONNECT_RETRIES_MAX="\${BUILDCTL_CONNECT_RETRIES_MAX:-600}"
said=$(mktemp)
for try in 1 2 3; do
  { { buildctl-daemonless.sh build --progress=plain "$@" 2>&1; echo $? > "$said.code"; } | tee "$said"; } || :
  code=$(cat "$said.code")
  if [ "$code" = 0 ] || [ $try = 3 ] || ! tail -n 3 "$said" | grep -Eqi '^error: .*${unreached}'; then break; fi
  echo "a registry did not answer; the build is tried again"
done
rm -f "$said" "$said.code"
exit "$code"
`;
