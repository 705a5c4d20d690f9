import * as z from "zod";
import type { ConfigSource } from "../../../../shared/environments/store/configRecords.ts";

export const gitRepo = z.record(z.string(), z.json());

/** The file of a repository that a configuration comes from (contract P 7.1). */
export const sourceDetail = z.object({ git_repo_config: gitRepo.nullish(), load_path: z.string().nullish() });

export function toConfigSource({ git_repo_config, load_path }: z.output<typeof sourceDetail>): ConfigSource {
  return {
    ...(git_repo_config != null && { gitRepo: git_repo_config }),
    ...(load_path != null && { loadPath: load_path }),
  };
}
