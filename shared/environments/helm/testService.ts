import { ApiError } from "../../base/errors/apiError.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { ReleaseTest } from "../../packaging/helm/releaseTests.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { overtaken, startStepChange } from "../change/startStepChange.ts";
import { EnvironmentProblem, failingWith } from "../failures.ts";
import { requireService } from "../plan/standingService.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";
import { updateRefusal } from "../rules/status.ts";
import { setTestRun } from "../store/testRuns.ts";
import { readTests } from "./readTests.ts";

/**
 * Runs the tests of a service's release: accepted here, done by the state machine. The outcome is stored with the
 * service; the environment stays as it is.
 * @throws ApiError 404 unknown environment or service; 400 for a service that is no chart; 6076 in a wrong state, and
 * where there are no tests
 */
export async function testService(name: EnvironmentName, serviceName: string, actor: Actor): Promise<void> {
  const { environment } = await requireTests(name, serviceName);
  const event = environment.status === "success" ? "finish" : "fail";
  const begun = await startStepChange("test", environment, actor.name, {
    test: { service: serviceName, event, error: environment.error },
    beside: ({ changeId, by, startedAt }) => [
      setTestRun(environment, serviceName, {
        ...{ changeId, by, startedAt, status: "running" },
        ...{ version: 0, endedAt: 0, error: "", tests: [] },
      }),
    ],
  });
  if (!begun) throw new ApiError(6076, overtaken);
}

/** Which tests would run. @throws ApiError as `testService` */
export async function previewTests(name: EnvironmentName, serviceName: string): Promise<ObjectPreview[]> {
  const { tests } = await requireTests(name, serviceName);
  return tests.map(({ kind, name: object, template }) => {
    return { serviceName, kind, name: object, action: "create", diff: "", note: `a test, from ${template}` };
  });
}

async function requireTests(
  name: EnvironmentName,
  serviceName: string,
): Promise<{ environment: Awaited<ReturnType<typeof requireService>>["environment"]; tests: ReleaseTest[] }> {
  const { environment, service } = await requireService(name, serviceName);
  if (service.release === undefined)
    throw new ApiError(400, `service ${serviceName} is no chart; only releases of charts have tests`);
  return failingWith(6076, async () => {
    // What runs under a change that still waits for readiness is not there to be tested.
    const refused = updateRefusal({ ...environment, rollingOut: false });
    if (refused !== undefined) throw new EnvironmentProblem(refused);
    const { client } = await openCluster(environment.clusterId);
    const { tests } = await readTests(client, { ...environment, service: serviceName });
    return { environment, tests };
  });
}
