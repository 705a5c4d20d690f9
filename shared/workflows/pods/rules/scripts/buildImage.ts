import { reasonPath } from "../paths.ts";

/** Builds and pushes with BuildKit; the arguments are buildctl's. */
export const buildImage = `
if ! command -v buildctl-daemonless.sh >/dev/null 2>&1; then
  echo "building an image needs a cluster: there is no BuildKit here (the sandbox runs commands, not images)" > ${reasonPath}
  cat ${reasonPath}
  exit 127
fi
exec buildctl-daemonless.sh build --progress=plain "$@" 2>&1
`;
