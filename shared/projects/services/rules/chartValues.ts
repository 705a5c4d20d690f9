import { filledTemplate } from "./templateContent.ts";

/**
 * The values of a chart template for a service (contract P 3.2): `$T-Project$`, `$T-Service$`, and `{{.key}}` of the
 * template's own variables. Whatever else is in braces is the chart's, for Helm to render.
 */
export function filledChartValues(
  values: string,
  service: { projectKey: string; name: string },
  variables: readonly { key: string; value: string }[],
): string {
  const known = new Map(variables.map(({ key, value }) => [key, value]));
  return filledTemplate(values, service).replaceAll(/\{\{\s*\.([\w-]+)\s*\}\}/g, (whole, key: string) => {
    return known.get(key) ?? whole;
  });
}
