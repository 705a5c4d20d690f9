import { ApiError } from "../../../shared/errors/apiError.ts";
import { prepareService } from "../../../shared/services/prepareService.ts";
import { filledTemplate } from "../../../shared/services/rules/templateContent.ts";
import type { YamlTemplate } from "../../../shared/services/store/yamlTemplates.ts";

type Content = Pick<YamlTemplate, "name" | "content" | "variables">;

/** The list shows the variables of every template, so they stay small. */
const maxVariableBytes = 64 * 1024;
/** Any service would do; what its text lacks, another one's would lack too. */
const sample = { projectKey: "project", name: "service" };

/**
 * A template as it is stored: its variables are the given ones, then those that the text asks for (contract P 12.1).
 * @throws ApiError 6045 when no service can be made of it
 */
export function prepareTemplate({ name, content, variables: given }: Content): Content {
  const { variables } = prepareService({ yaml: filledTemplate(content, sample), variables: given });
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes > maxVariableBytes)
    throw new ApiError(6045, `the variables have ${bytes} bytes; at most ${maxVariableBytes} are allowed`);
  return { name, content, variables };
}
