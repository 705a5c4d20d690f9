import type * as z from "zod";
import type { NewProject } from "../../../shared/projects/createProject.ts";
import type { Project, ProjectSummary } from "../../../shared/projects/store/projects.ts";
import type { Initialization } from "./initProject.ts";
import type { newHelmProject, newYamlProject } from "./initSchemas.ts";
import type { newProject, projectDetail, projectList } from "./schemas.ts";

/** Decisions 6.6. */
const deployTypes = { yaml: "k8s", helm: "helm", loaded: "external" } as const;

export function toNewProject(body: z.output<typeof newProject>): NewProject {
  return {
    projectKey: body.project_key,
    name: body.project_name,
    isPublic: body.is_public,
    description: body.description,
    projectType: body.project_type,
  };
}

export function toInitialization(body: z.output<typeof newYamlProject>): Initialization {
  return {
    project: toNewProject(body),
    services: body.service_list.map(({ service_name, source, yaml, variable_yaml, ...sent }) => {
      const from = source === "yaml" ? { yaml } : { template: { name: sent.template_name, autoSync: sent.auto_sync } };
      return { name: service_name, values: variable_yaml, ...from };
    }),
    environments: toEnvironments(body.env_list),
  };
}

export function toChartInitialization(body: z.output<typeof newHelmProject>): Initialization {
  return {
    project: toNewProject(body),
    services: body.service_list.map(({ service_name, template_name, values_yaml, variable_yaml, auto_sync }) => {
      const values = { valuesYaml: values_yaml, variables: variable_yaml };
      return { name: service_name, chartTemplate: template_name, autoSync: auto_sync, ...values };
    }),
    environments: toEnvironments(body.env_list),
  };
}

function toEnvironments(sent: z.output<typeof newHelmProject>["env_list"]): Initialization["environments"] {
  return sent.map(({ env_key, cluster_name, namespace }) => {
    return { envKey: env_key, clusterName: cluster_name, namespace };
  });
}

export function listAnswer(page: { projects: ProjectSummary[]; total: number }): z.input<typeof projectList> {
  return {
    projects: page.projects.map(({ projectKey, name, description, projectType }) => ({
      project_name: name,
      project_key: projectKey,
      deploy_type: deployTypes[projectType],
      description,
      desc: description,
    })),
    total: page.total,
  };
}

/** Both spellings of description and time: clients of the API read one or the other (contract P 24). */
export function detailAnswer(project: Project): z.input<typeof projectDetail> {
  return {
    project_name: project.name,
    project_key: project.projectKey,
    is_public: project.isPublic,
    desc: project.description,
    description: project.description,
    deploy_type: deployTypes[project.projectType],
    create_time: project.createdAt,
    created_time: project.createdAt,
    created_by: project.createdBy,
  };
}
