import * as z from "zod";
import { moduleInput } from "../../definition/specParts.ts";
import { listOf } from "../../definition/wireFields.ts";
import { repositoryInputs } from "../container/jobRepositories.ts";
import { variableInputs } from "../container/jobVariables.ts";
import type { kind as freestyle } from "./kind.ts";

export type FreestyleSpec = z.output<typeof freestyle.schema>;
export type FreestyleService = FreestyleSpec["services"][number];

/** What a start call says (contract W 3). */
export const freestyleParameters = z.looseObject({
  kv: variableInputs,
  repo_info: repositoryInputs,
  services: listOf(z.looseObject({ ...moduleInput, repo_info: repositoryInputs, inputs: variableInputs })),
});

export function isPerService({ freestyle_type }: FreestyleSpec): boolean {
  return freestyle_type === "service_freestyle";
}
