import { statePath } from "../paths.ts";

/**
 * Runs one step in `sh`. Arguments: the step's name; `always` or `normal`; `carry` or `stop`; a script of ours and its
 * arguments. A failure is noted for the steps that follow, and with `carry` the container itself succeeds, so that the
 * later ones run and reports are kept; the main container ends with the exit code that was noted.
 */
export const stepFrame = `
step=$1 when=$2 mode=$3 inner=$4
shift 4
if [ -e ${statePath}/failed ] && [ "$when" != always ]; then exit 0; fi
cd /workspace || exit 1
sh -c "$inner" sh "$@"
code=$?
if [ "$code" -ne 0 ] && [ ! -e ${statePath}/failed ]; then echo "$step $code" > ${statePath}/failed; fi
if [ "$mode" = stop ]; then exit "$code"; fi
exit 0
`;
