/** A packed chart that goes to a repository. */
export interface ChartToPush {
  name: string;
  version: string;
  archive: Buffer;
}

/** What is said where a repository has another chart under the version. */
export function takenSentence({ name, version }: ChartToPush, digest: string): string {
  const has = digest === "" ? "" : ` (sha256:${digest.replace(/^sha256:/, "")})`;
  return `it has chart ${name} ${version} with other content${has}, and a version that people use is not replaced; make a version with another chart_version`;
}
