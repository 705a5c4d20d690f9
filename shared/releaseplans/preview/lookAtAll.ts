import { mapBounded } from "../../base/common/mapBounded.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import type { EnvironmentPreview, ModulePreview, ServicePreview } from "../../workflows/jobs/preview.ts";
import { lateSentence } from "../../workflows/jobs/variables/lateValues.ts";
import type { JobAhead, PlannedEnvironment, PlannedJob } from "./jobAhead.ts";
import { sentenceOf } from "./placesAhead.ts";
import type { PreviewReader } from "./reader.ts";

/** What a job would do to one service. */
export interface ServiceAhead {
  name: string;
  action: string;
  modules: readonly ModulePreview[];
  objects: readonly ObjectPreview[];
  notes: string[];
  error?: string;
}

/** What a job would do to one environment. */
export interface DeployAhead extends Pick<EnvironmentPreview, "projectKey" | "envKey" | "production"> {
  /** Of the workflow. */
  jobName: string;
  /** Why the reader sees no differences. */
  hidden?: string;
  services: ServiceAhead[];
}

type Mask = PlannedJob["mask"];

/** Environments do not wait for each other: one whose cluster is gone keeps none but itself. */
const environmentsAtOnce = 32;
const jobsAtOnce = 2;
const servicesAtOnce = 4;

/** Looks at the environments of all jobs, as far as the reader may. */
export async function lookAtAll(jobs: readonly PlannedJob[], reader: PreviewReader): Promise<JobAhead[]> {
  const all = jobs.flatMap(({ environments, mask }) => environments.map((environment) => ({ environment, mask })));
  const groups = Map.groupBy(all, ({ environment: { projectKey, envKey } }) => `${projectKey}/${envKey}`);
  const found = new Map<PlannedEnvironment, DeployAhead>();
  await mapBounded([...groups.values()], environmentsAtOnce, (group) =>
    mapBounded(group, jobsAtOnce, async ({ environment, mask }) => {
      found.set(environment, await lookAt(environment, mask, reader));
    }),
  );
  return jobs.map(({ environments, mask: _, ...job }) => ({
    ...job,
    deploys: environments.flatMap((environment) => found.get(environment) ?? []),
  }));
}

async function lookAt(
  { projectKey, envKey, production, jobName, beside = [], services }: PlannedEnvironment,
  mask: Mask,
  reader: PreviewReader,
): Promise<DeployAhead> {
  const place = { projectKey, envKey, production, jobName };
  const late = lateSentence("the environment", envKey);
  if (late !== undefined) return { ...place, services: services.map((one) => unseen(one, mask, [late])) };
  const named = [{ projectKey, envKey, production }, ...beside];
  const refusals = await mapBounded(named, servicesAtOnce, (one) => reader.environmentRefusal(one));
  const hidden = refusals.find((refusal) => refusal !== undefined);
  if (hidden !== undefined) return { ...place, hidden, services: services.map((one) => unseen(one, mask)) };
  return { ...place, services: await mapBounded(services, servicesAtOnce, (one) => lookAtService(one, mask)) };
}

/** Without a look at the environment. */
function unseen({ name, action, notes }: ServicePreview, mask: Mask, more: readonly string[] = []): ServiceAhead {
  return { name, action: mask(action), modules: [], objects: [], notes: [...notes, ...more] };
}

/** Values that the workflow keeps secret are left out, wherever the cluster shows them. */
async function lookAtService(service: ServicePreview, mask: Mask): Promise<ServiceAhead> {
  const known = unseen(service, mask);
  try {
    const { name = service.name, modules, objects, notes = [] } = await service.look();
    return {
      ...known,
      name,
      modules: modules.map(({ name: module, now, next }) => ({ name: module, now: mask(now), next: mask(next) })),
      objects: objects.map((object) => ({ ...object, diff: mask(object.diff) })),
      notes: [...known.notes, ...notes],
    };
  } catch (error) {
    return { ...known, error: mask(sentenceOf(error)) };
  }
}
