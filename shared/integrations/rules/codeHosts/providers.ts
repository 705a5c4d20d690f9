import { gerrit } from "./gerrit.ts";
import { gitea } from "./gitea.ts";
import { gitee } from "./gitee.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { other } from "./other.ts";
import type { CodeHostProvider, Webhook } from "./provider.ts";

/** Where repositories are cloned from, by the type of the code host (decisions 7.7). */
const providers = { github, gitlab, gitee, gitea, gerrit, other } as const satisfies Record<string, CodeHostProvider>;

export type CodeHostType = keyof typeof providers;
/** Code hosts that call when something happens. */
export type GitVendor = {
  [T in CodeHostType]: (typeof providers)[T] extends { webhook: Webhook } ? T : never;
}[CodeHostType];

/** The provider of each type of code host. */
export const codeHostProviders: Readonly<
  { [T in GitVendor]: CodeHostProvider & { webhook: Webhook } } & Record<CodeHostType, CodeHostProvider>
> = providers;
export const codeHostTypes = Object.keys(providers) as CodeHostType[];
export const gitVendors = codeHostTypes.filter((type): type is GitVendor => "webhook" in providers[type]);

/** The types whose API is used, for sentences. */
export function typesWithApi(): CodeHostType[] {
  return codeHostTypes.filter((type) => codeHostProviders[type].api !== undefined);
}

/** Sources of charts that are named by code hosts (contract P 3.3); each means `repo`. */
export const chartSourcesOfCodeHosts: readonly string[] = codeHostTypes.flatMap(
  (type) => codeHostProviders[type].chartSources ?? [],
);

/** The provider of a type as a message or a task has it, which may be no type. */
export function findProvider(type: string): CodeHostProvider | undefined {
  return Object.hasOwn(providers, type) ? codeHostProviders[type as CodeHostType] : undefined;
}
