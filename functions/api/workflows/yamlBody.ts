import { type ApiError, badRequest } from "../../../shared/errors/apiError.ts";
import type { BodyReader } from "../../../shared/http/route.ts";
import { type ManifestLimits, RENDERED_LIMITS } from "../../../shared/manifest/limits.ts";
import { ManifestError } from "../../../shared/manifest/manifestError.ts";
import { readYaml, yamlValue } from "../../../shared/manifest/parseYaml.ts";

/** A definition that offers every service of a large project holds more values than a manifest. */
const limits: ManifestLimits = {
  ...{ ...RENDERED_LIMITS, maxNodes: 200_000, maxAliasNodes: 200_000 },
  // They go on as JSON.
  integers: "safe",
};

function refused(problem: string): ApiError {
  return badRequest([{ in: "body", path: "", problem }]);
}

/** Definitions come as YAML or as JSON, which is YAML too (contract W 1.1). */
export const yamlBody: BodyReader = {
  mediaType: "application/yaml",
  read: (text) => {
    try {
      const source = readYaml(text, {}, limits);
      if (source.tree?.kind === "map") return yamlValue(source);
    } catch (error) {
      if (!(error instanceof ManifestError)) throw error;
      throw refused(`is not JSON, nor YAML: ${error.message}`);
    }
    throw refused("is not JSON, nor a mapping in YAML");
  },
};
