import { filesPath, resultsPath, variablesPath } from "../paths.ts";

/**
 * Installs packages, takes over what the clone found out, and runs the user's script. Arguments: the packages in one
 * text, `name` or `name=version`; the shell text below; the names of the outputs. Names of ours are none that the user's
 * variables have: what is assigned here would be passed on to the script.
 */
export const runScript = `
slipway_packages=$1 slipway_collecting=$2
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
if [ -n "$slipway_packages" ]; then
  if [ "\${container-}" = slipway-sandbox ]; then
    echo "the sandbox does not install packages on this machine: $slipway_packages"
  else
    (install $slipway_packages) || exit
  fi
fi
for slipway_file in ${variablesPath}/*; do
  slipway_name=\${slipway_file##*/}
  case $slipway_name in [0-9]* | *[!A-Za-z0-9_]*) continue ;; esac
  eval "slipway_value=\\\${$slipway_name-}"
  if [ -z "$slipway_value" ] && IFS= read -r slipway_value < "$slipway_file"; then
    export "$slipway_name=$slipway_value"
  fi
done
slipway_shell=sh
if command -v bash >/dev/null 2>&1; then slipway_shell=bash; fi
exec "$slipway_shell" -c "$slipway_collecting" "$slipway_shell" "$@"
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
