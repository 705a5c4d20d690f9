import { ApiError } from "../../base/errors/apiError.ts";
import type { ErrorCode } from "../../base/errors/catalogue.ts";
import { type Key, keys } from "../../base/store/keys/keys.ts";
import { baseImages, findBaseImage } from "../../integrations/store/baseImages.ts";
import { codeHosts } from "../../integrations/store/codeHosts.ts";
import { dockerfileTemplates } from "../../integrations/store/dockerfileTemplates.ts";
import { allProjects, findCluster, findClusterByName, localClusterId } from "../../kube/clusters/store/clusters.ts";
import { strategiesOf } from "../../kube/clusters/strategies.ts";
import { privilegedJobProblem } from "../../projects/privilegedJobProblem.ts";
import type { AdvancedSettings, AdvancedSettingsInput } from "../definition/script/advancedSettings.ts";
import type { Repository, RepositoryInput } from "../definition/script/repository.ts";
import type { JobImage } from "../definition/script/scriptJob.ts";
import { type NamedUse, sameRecord } from "./store/namedUse.ts";

/** Records that have names. */
interface Records<R> {
  key(id: string): Key;
  find(id: string): Promise<R | undefined>;
  findByName(name: string): Promise<R | undefined>;
}

/** One transaction begins and ends all uses of a definition. */
const maxUses = 30;

/**
 * Turns the names that callers use into record ids. It notes what is used, and every name that nothing has, so that all
 * of them are refused together. A name that its record had when it was last saved is good as well.
 */
export class ReferenceResolver {
  readonly #projectKey: string | undefined;
  readonly #before: readonly NamedUse[];
  readonly #problems = new Set<string>();
  readonly #uses: NamedUse[] = [];
  readonly #codeHosts = new Map<string, ReturnType<typeof codeHosts.findByName>>();

  /** @param projectKey undefined for what belongs to no project @param before what was used until now */
  constructor(projectKey: string | undefined, before: readonly NamedUse[] = []) {
    this.#projectKey = projectKey;
    this.#before = before;
  }

  /** @returns what is used, each once @throws ApiError with `code` naming everything that does not exist */
  finish(code: ErrorCode): NamedUse[] {
    const distinct = this.#uses.filter((use, at) => this.#uses.findIndex((other) => sameRecord(use, other)) === at);
    if (distinct.length > maxUses)
      this.#problems.add(`refers to ${distinct.length} code hosts, images and others; at most ${maxUses} are allowed`);
    if (this.#problems.size > 0) throw new ApiError(code, [...this.#problems].join("; "));
    return distinct;
  }

  /** @param field where the name is in the body */
  async image(label: string, field: string): Promise<JobImage> {
    if ((await findBaseImage(label))?.id === "") return { imageId: "", label };
    return { imageId: (await this.record(baseImages, label, `${field}: base image`))?.id ?? "", label };
  }

  repositories(inputs: readonly RepositoryInput[], field: string): Promise<Repository[]> {
    return Promise.all(inputs.map((input, at) => this.#repository(input, `${field}[${at}].codehost_name: code host`)));
  }

  /** An empty name means none. @returns the record id */
  async dockerfile(name: string, field: string): Promise<string> {
    if (name === "") return "";
    return (await this.record(dockerfileTemplates, name, `${field}: Dockerfile template`))?.id ?? "";
  }

  /**
   * What the project's boundary does not allow its jobs (decisions 17.6); templates of builds are judged with their builds.
   * @param field where the settings are in the body
   */
  async boundary(
    { privilegedMode, useHostDockerDaemon }: Pick<AdvancedSettings, "privilegedMode" | "useHostDockerDaemon">,
    field: string,
  ): Promise<void> {
    if (this.#projectKey === undefined || !(privilegedMode || useHostDockerDaemon)) return;
    const problem = await privilegedJobProblem(this.#projectKey);
    if (problem === undefined) return;
    if (privilegedMode) this.#problems.add(`${field}privileged_mode ${problem}`);
    if (useHostDockerDaemon) this.#problems.add(`${field}use_host_docker_daemon ${problem}`);
  }

  /** An empty cluster is the installation's own; a strategy that nothing has is none (contract W 10.1). */
  async settings({ clusterName, strategyName, ...settings }: AdvancedSettingsInput): Promise<AdvancedSettings> {
    await this.boundary(settings, "advanced_settings.");
    const cluster = await this.#cluster(clusterName);
    if (cluster === undefined) {
      if (clusterName !== "")
        this.#problems.add(`advanced_settings.cluster_name: cluster ${clusterName} does not exist`);
      return { ...settings, clusterId: localClusterId, strategyId: "" };
    }
    const { clusterId, name, projectNames } = cluster;
    const isOpen = projectNames.includes(allProjects) || projectNames.includes(this.#projectKey ?? "");
    if (this.#projectKey !== undefined && !isOpen)
      this.#problems.add(`advanced_settings.cluster_name: cluster ${name} is not related to ${this.#projectKey}`);
    const key = keys.cluster(clusterId);
    this.#uses.push({ key, id: clusterId, name });
    const strategy = strategiesOf(cluster).find((one) => one.name === strategyName);
    const strategyId = strategy?.strategyId ?? "";
    if (strategyId !== "") this.#uses.push({ key, part: strategyId, id: strategyId, name: strategyName });
    return { ...settings, clusterId, strategyId };
  }

  /** @param what the field and the noun, for the refusal */
  async record<R extends { id: string }>(records: Records<R>, name: string, what: string): Promise<R | undefined> {
    const known = this.#before.find((use) => use.name === name && use.key.pk === records.key(use.id).pk);
    const found = (await records.findByName(name)) ?? (known && (await records.find(known.id)));
    if (found === undefined) this.#problems.add(`${what} ${name} does not exist`);
    else this.#uses.push({ key: records.key(found.id), id: found.id, name });
    return found;
  }

  async #cluster(name: string) {
    if (name === "") return findCluster(localClusterId);
    const known = this.#before.find((use) => use.name === name && use.key.pk === keys.cluster(use.id).pk);
    return (await findClusterByName(name)) ?? (known && (await findCluster(known.id)));
  }

  async #repository({ codeHostName, ...input }: RepositoryInput, what: string): Promise<Repository> {
    const found = this.#codeHosts.get(codeHostName) ?? this.record(codeHosts, codeHostName, what);
    this.#codeHosts.set(codeHostName, found);
    const host = await found;
    return { ...input, codeHostId: Number(host?.id ?? 0), source: host?.shown.type ?? "", owner: input.namespace };
  }
}
