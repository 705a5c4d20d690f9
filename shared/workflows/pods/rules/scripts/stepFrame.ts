import { statePath } from "../paths.ts";

/**
 * Runs one step in `sh`. Arguments: the step's name; `always` or `normal`; `carry` or `stop`; a script of ours and its
 * arguments. A failure is noted for the steps that follow, and with `carry` the container itself succeeds, so that the
 * later ones run and reports are kept; the main container ends with the exit code that was noted. Our names are none that
 * the user's variables have: what is assigned here would be passed on to the script.
 */
export const stepFrame = `
slipway_step=$1 slipway_when=$2 slipway_mode=$3 slipway_inner=$4
shift 4
if [ -e ${statePath}/failed ] && [ "$slipway_when" != always ]; then exit 0; fi
cd /workspace || exit 1
sh -c "$slipway_inner" sh "$@"
slipway_code=$?
if [ "$slipway_code" -ne 0 ] && [ ! -e ${statePath}/failed ]; then
  echo "$slipway_step $slipway_code" > ${statePath}/failed
fi
if [ "$slipway_mode" = stop ]; then exit "$slipway_code"; fi
exit 0
`;
