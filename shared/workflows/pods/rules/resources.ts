import type { ContainerResources } from "./containerJob.ts";

const cores = 1000;
const gib = 1024;

/** CPU and memory limits and requests of the presets (contract W 11.1). */
const presets = {
  high: [16 * cores, 32 * gib, 4 * cores, 4 * gib],
  medium: [8 * cores, 16 * gib, 2 * cores, 2 * gib],
  low: [4 * cores, 8 * gib, cores, gib],
  min: [2 * cores, 2 * gib, cores / 2, gib / 2],
} as const;

export type ResourcePreset = keyof typeof presets;

/** Numbers as they come in `res_req_spec`: m and Mi, 0 for none. */
export interface ResourceSpec {
  cpuLimit: number;
  memoryLimit: number;
  cpuRequest: number;
  memoryRequest: number;
  gpuLimit: string;
}

/** What a job asks for: by a preset, or with `define` and unknown words the given numbers (contract W 11.1). */
export function resourcesOf(request: string, spec: ResourceSpec): ContainerResources {
  const preset = Object.hasOwn(presets, request) ? presets[request as ResourcePreset] : undefined;
  const given = [spec.cpuLimit, spec.memoryLimit, spec.cpuRequest, spec.memoryRequest];
  const [cpuLimitMilli = 0, memoryLimitMib = 0, cpuRequestMilli = 0, memoryRequestMib = 0] = preset ?? given;
  return {
    ...(cpuLimitMilli > 0 && { cpuLimitMilli }),
    ...(memoryLimitMib > 0 && { memoryLimitMib }),
    ...(cpuRequestMilli > 0 && { cpuRequestMilli }),
    ...(memoryRequestMib > 0 && { memoryRequestMib }),
    gpuLimit: spec.gpuLimit,
  };
}
