import { filesPath, resultsPath } from "../paths.ts";

/**
 * Installs packages and runs the user's script. Arguments: the packages in one text, `name` or `name=version`; the shell
 * text below; the names of the outputs.
 */
export const runScript = `
packages=$1 collecting=$2
shift 2
install() {
  if command -v apk >/dev/null 2>&1; then apk add --no-cache "$@"
  elif command -v apt-get >/dev/null 2>&1; then
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
  else
    for package do
      shift
      case $package in *=*) package=\${package%%=*}-\${package#*=} ;; esac
      set -- "$@" "$package"
    done
    if command -v dnf >/dev/null 2>&1; then dnf install -y "$@"
    elif command -v microdnf >/dev/null 2>&1; then microdnf install -y "$@"
    elif command -v yum >/dev/null 2>&1; then yum install -y "$@"
    else echo "packages cannot be installed: the image has none of apk, apt-get, dnf, microdnf and yum"; return 1
    fi
  fi
}
if [ -n "$packages" ]; then
  if [ "\${container-}" = slipway-sandbox ]; then
    echo "the sandbox does not install packages on this machine: $packages"
  else
    install $packages || exit
  fi
fi
shell=sh
if command -v bash >/dev/null 2>&1; then shell=bash; fi
exec "$shell" -c "$collecting" "$shell" "$@"
`;

/**
 * Sources the user's script, and leaves the value of each declared output in a file when the shell ends, however it ends
 * (decisions 7.4). Nothing but what every `sh` has built in.
 */
export const collectOutputs = `
slipway_outputs=$*
set --
slipway_collect() {
  slipway_code=$?
  { set +eux; } 2>/dev/null
  trap - EXIT
  IFS=' '
  for slipway_name in $slipway_outputs; do
    eval "slipway_value=\\\${$slipway_name-}"
    if [ -n "$slipway_value" ]; then printf '%s' "$slipway_value" > "${resultsPath}/$slipway_name"; fi
  done
  exit "$slipway_code"
}
trap slipway_collect EXIT
. ${filesPath}/script
`;
