import { ChartProblem } from "../helm/chartProblem.ts";

/** A version of a chart, and the address that it is fetched from. */
export interface PlacedVersion {
  version: string;
  url: string;
}

/** A chart repository as it is asked. */
export interface ChartSource {
  /** Whether it is there, is what its type says, and takes the login. @throws ChartProblem when not */
  check(): Promise<void>;
  /**
   * The packed chart of one version, as it came.
   * @param wanted a version, a range as dependencies have it, or nothing for the newest that is no preview
   * @throws ChartProblem
   */
  fetch(name: string, wanted: string): Promise<Buffer>;
  /** What it has of a chart: nothing of one that is not there. @throws ChartProblem */
  versions(name: string): Promise<PlacedVersion[]>;
}

export function notThere(repoName: string, name: string, wanted: string, isKnown: boolean): ChartProblem {
  if (!isKnown) return new ChartProblem(`chart repository ${repoName} has no chart ${name}; check its name`);
  const which = wanted === "" ? "that is no preview; name one" : `${wanted}; name one that is there`;
  return new ChartProblem(`chart repository ${repoName} has no version of chart ${name} ${which}`);
}
