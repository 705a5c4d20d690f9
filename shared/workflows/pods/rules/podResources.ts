import type { ContainerResources } from "./containerJob.ts";
import { ContainerJobInvalid } from "./containerJobInvalid.ts";

interface Quantities {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
}

/** The resources in Kubernetes' words. @throws ContainerJobInvalid for a gpu_limit that is no `<resource name>: <n>` */
export function podResources(resources: ContainerResources): Quantities {
  const { cpuLimitMilli, memoryLimitMib, cpuRequestMilli, memoryRequestMib, gpuLimit } = resources;
  const limits = { ...quantities(cpuLimitMilli, memoryLimitMib), ...gpuOf(gpuLimit) };
  const requests = quantities(cpuRequestMilli, memoryRequestMib);
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

function quantities(cpuMilli: number | undefined, memoryMib: number | undefined): Record<string, string> {
  return {
    ...(cpuMilli !== undefined && { cpu: `${cpuMilli}m` }),
    ...(memoryMib !== undefined && { memory: `${memoryMib}Mi` }),
  };
}

function gpuOf(text: string): Record<string, string> {
  if (text.trim() === "") return {};
  const [, name, count] = /^\s*([A-Za-z0-9][A-Za-z0-9./_-]*)\s*:\s*(\d+)\s*$/.exec(text) ?? [];
  if (name !== undefined && count !== undefined) return { [name]: count };
  throw new ContainerJobInvalid(
    `gpu_limit ${JSON.stringify(text)} is not of the form <resource name>: <number>, for example nvidia.com/gpu: 1`,
  );
}
