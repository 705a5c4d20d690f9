import type { ScriptJob, ScriptJobInput } from "../definition/script/scriptJob.ts";
import { withoutCredentials } from "./credentials.ts";
import type { ReferenceResolver } from "./referenceResolver.ts";

/**
 * A job with record ids for names and without the values of its credentials.
 * @param imageField where the body names the image
 */
export async function resolveScriptJob(
  resolver: ReferenceResolver,
  { imageLabel, infrastructure, installs, scriptType, script, ...input }: ScriptJobInput,
  imageField: string,
): Promise<ScriptJob> {
  const [image, repositories, settings] = await Promise.all([
    resolver.image(imageLabel, imageField),
    resolver.repositories(input.repositories, "repo_info"),
    resolver.settings(input.settings),
  ]);
  const keyVals = withoutCredentials(input.keyVals);
  return { infrastructure, image, installs, scriptType, script, repositories, keyVals, settings };
}
