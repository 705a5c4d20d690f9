import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { liveReleases } from "../../packaging/helm/liveReleases.ts";
import { type ReleaseTest, releaseTests } from "../../packaging/helm/releaseTests.ts";
import { readStoredRelease } from "../../packaging/helm/storedRelease.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { ReleasePlace } from "./releaseProxy.ts";

/** The tests of what is deployed, and its revision, which is our version. @throws EnvironmentProblem, ChartProblem, ClusterError */
export async function readTests(
  client: ClusterClient,
  { namespace, environmentId, service }: Pick<ReleasePlace, "namespace" | "environmentId" | "service">,
): Promise<{ version: number; tests: ReleaseTest[] }> {
  const live = await liveReleases(client, { namespace, release: service });
  const deployed = live.find((one) => one.status === "deployed" && one.environmentId === environmentId);
  if (deployed === undefined)
    throw new EnvironmentProblem(
      `service ${service} has no release in the cluster that could be tested; deploy it first`,
    );
  const tests = releaseTests(await readStoredRelease(client, { namespace, secret: deployed.secret }));
  if (tests.length === 0)
    throw new EnvironmentProblem(
      `the chart of service ${service} brings no tests, which are templates with the annotation helm.sh/hook: test`,
    );
  return { version: deployed.revision, tests };
}
