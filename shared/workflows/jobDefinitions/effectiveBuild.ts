import type { KeyVal } from "../definition/script/keyVal.ts";
import type { BuildDefinition, BuildScript, BuildTarget } from "./rules/build/buildDefinition.ts";

/**
 * What a build does for one of its targets: of a build from a template the template says how, the target which
 * repositories, and which values the template's variables have.
 * @param template its template, when it has one
 */
export function effectiveBuild(
  build: BuildDefinition,
  template: BuildScript | undefined,
  target: BuildTarget | undefined,
): BuildScript {
  if (build.source === "zadig") return build;
  if (template === undefined) throw new Error("a build from a template needs the template");
  return {
    ...template,
    repositories: target?.repositories ?? [],
    keyVals: overridden(template.keyVals, target?.keyVals ?? []),
  };
}

/** The target of a build by its service module, if it has it. */
export function targetOf(
  { targets }: BuildDefinition,
  { serviceName, serviceModule }: { serviceName: string; serviceModule: string },
): BuildTarget | undefined {
  return targets.find((target) => target.serviceName === serviceName && target.serviceModule === serviceModule);
}

/** The scope of the credentials of a target among those of its build. */
export function targetScope({
  serviceName,
  serviceModule,
}: Pick<BuildTarget, "serviceName" | "serviceModule">): string {
  return `${serviceName}/${serviceModule}`;
}

function overridden(known: readonly KeyVal[], given: readonly KeyVal[]): KeyVal[] {
  const byKey = new Map(given.map((pair) => [pair.key, pair]));
  const names = new Set(known.map(({ key }) => key));
  const values = known.map((pair) => {
    const own = byKey.get(pair.key);
    return own === undefined ? pair : { ...pair, value: own.value, choiceValues: own.choiceValues };
  });
  return [...values, ...given.filter(({ key }) => !names.has(key))];
}
