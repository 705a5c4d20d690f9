import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { imageName } from "../../../manifest/containers.ts";
import { filledText, listOf } from "../../definition/wireFields.ts";
import type { JobPlanner } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { amongTargets } from "../rollout/amongTargets.ts";
import { type BlueGreenRun, rolloutMinutes } from "../rollout/rolloutRun.ts";
import { deployVariables } from "../variables/deployVariables.ts";
import { kind as blueGreenDeploy } from "./kind.ts";

const input = z.looseObject({
  service_list: listOf(z.looseObject({ service_name: filledText, image_name: filledText })),
});

type Service = z.output<typeof blueGreenDeploy.schema>["services"][number];

/** One job task for each service. */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { service_list } = readInputs(input, parameters, job);
    if (service_list.length === 0) return { ...job.spec };
    const { services, service_options } = readSpec(blueGreenDeploy, job);
    const known = [...services, ...service_options];
    const chosen = service_list.map(({ service_name, image_name }) => {
      const found = known.find((one) => one.service_name === service_name);
      const service = amongTargets(found, job, `service_list names ${service_name}`, "services");
      return withImage(service, image_name, job.name);
    });
    return { ...job.spec, services: chosen };
  },
  expand: async (job) => {
    const { env, production, services } = readSpec(blueGreenDeploy, job);
    return services.map(({ service_name, service_and_image }) => {
      const images = service_and_image.map(({ service_module, image }) => ({
        container: service_module,
        image: image ?? "",
      }));
      const run: BlueGreenRun = {
        ...{ env: env ?? "", production: production === true, service: service_name, deployJob: job.name, images },
      };
      return {
        parts: [service_name],
        jobInfo: { service_name },
        spec: {
          ...{ production: run.production, env: run.env, deploy_timeout: rolloutMinutes, events: [] },
          service: {
            service_name,
            service_and_image: images.map(({ container, image }) => ({
              ...{ service_name, service_module: container, name: container, image, value: "" },
              image_name: imageName(image),
            })),
          },
        },
        run: { ...run },
        timeoutMinutes: rolloutMinutes,
      };
    });
  },
  variables: async (job) => {
    const { env, services } = readSpec(blueGreenDeploy, job);
    const deployed = services.map(({ service_name, service_and_image }) => ({
      name: service_name,
      modules: service_and_image.map(({ service_module, image }) => ({ name: service_module, image: image ?? "" })),
    }));
    return new Map(deployVariables(deployed, env ?? ""));
  },
};

/** The image goes to the module that had one of the same name, or to the only one. */
function withImage(service: Service, image: string, job: string): Service {
  const modules = service.service_and_image;
  const same = modules.filter((one) => imageName(one.image ?? "") === imageName(image));
  const [meant] = modules.length === 1 ? modules : same;
  if (meant === undefined || (modules.length > 1 && same.length > 1))
    throw new ApiError(
      6160,
      `inputs of job ${job}: image_name ${image} fits ${same.length} of the modules of service ${service.service_name}; it must fit one by its name`,
    );
  return { ...service, service_and_image: modules.map((one) => (one === meant ? { ...one, image } : one)) };
}
