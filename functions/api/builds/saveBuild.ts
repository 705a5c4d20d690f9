import type * as z from "zod";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import type { KeyVal } from "../../../shared/workflows/definition/script/keyVal.ts";
import { scriptWarnings } from "../../../shared/workflows/definition/script/scriptWarnings.ts";
import type { DefinitionWarning } from "../../../shared/workflows/definition/warnings.ts";
import { withoutCredentials } from "../../../shared/workflows/jobDefinitions/credentials.ts";
import { targetScope } from "../../../shared/workflows/jobDefinitions/effectiveBuild.ts";
import type { ReferenceResolver } from "../../../shared/workflows/jobDefinitions/referenceResolver.ts";
import { resolveBuildScript } from "../../../shared/workflows/jobDefinitions/resolveBuildScript.ts";
import type {
  BuildDefinition,
  BuildTarget,
} from "../../../shared/workflows/jobDefinitions/rules/build/buildDefinition.ts";
import type { Resolved, Wanted } from "../../../shared/workflows/jobDefinitions/saveDefinition.ts";
import { buildTemplates } from "../../../shared/workflows/jobDefinitions/store/buildTemplates.ts";
import type { newBuild, newTemplateBuild } from "./schemas.ts";

type OwnBuild = z.output<typeof newBuild>;
type TemplateBuild = z.output<typeof newTemplateBuild>;

/** A build as a caller wants it, with names for records (contract W 10.1, 10.3). */
export function wantedBuild(body: OwnBuild | TemplateBuild, projectKey: string): Wanted<BuildDefinition> {
  const { name } = body;
  const resolve = async (resolver: ReferenceResolver, before: BuildDefinition | undefined) => {
    if (before !== undefined && before.source !== body.source) throw wrongForm(name, before.source);
    return body.source === "zadig" ? resolveOwn(resolver, body) : resolveFromTemplate(resolver, body);
  };
  return { projectKey, name, resolve };
}

/** A template has been warned of when it was saved. */
export function buildWarnings(body: OwnBuild | TemplateBuild): DefinitionWarning[] {
  return body.source === "zadig" ? scriptWarnings(body.script, "build_script") : [];
}

/** The source of a build stays (contract W 10.2). */
function wrongForm(name: string, source: BuildDefinition["source"]): ApiError {
  const made = source === "template" ? "from a template; send source=template" : "without a template; leave source out";
  return new ApiError(6521, `build ${name} was made ${made}`);
}

async function resolveOwn(resolver: ReferenceResolver, body: OwnBuild): Promise<Resolved<BuildDefinition>> {
  const script = await resolveBuildScript(resolver, body.script);
  const targets = body.targets.map((target): BuildTarget => ({ ...target, repositories: [], keyVals: [] }));
  return {
    content: { source: "zadig", ...script, targets },
    keyVals: [{ scope: "", path: "parameters", keyVals: body.script.keyVals }],
  };
}

/** What the template calls a credential is one, whatever is said of it here. */
async function resolveFromTemplate(
  resolver: ReferenceResolver,
  body: TemplateBuild,
): Promise<Resolved<BuildDefinition>> {
  const template = await resolver.record(buildTemplates, body.templateName, "template_name: build template");
  if (template !== undefined)
    await resolver.boundary(template.content.settings, `template_name: build template ${body.templateName}: `);
  const credentials = new Set(
    (template?.content.keyVals ?? []).filter(({ isCredential }) => isCredential).map(({ key }) => key),
  );
  const sent = body.targets.map((target) => ({ ...target, keyVals: marked(target.keyVals, credentials) }));
  const targets = await Promise.all(
    sent.map(async (target, at) => ({
      ...target,
      repositories: await resolver.repositories(target.repositories, `target_services[${at}].repo_info`),
      keyVals: withoutCredentials(target.keyVals),
    })),
  );
  return {
    content: { source: "template", templateId: template?.id ?? "", targets },
    keyVals: sent.map((target, at) => ({
      scope: targetScope(target),
      path: `target_services[${at}].inputs`,
      keyVals: target.keyVals,
    })),
  };
}

function marked(keyVals: readonly KeyVal[], credentials: ReadonlySet<string>): KeyVal[] {
  return keyVals.map((pair) => (credentials.has(pair.key) ? { ...pair, isCredential: true } : pair));
}
