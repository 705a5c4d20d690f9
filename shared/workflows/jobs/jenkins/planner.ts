import { jenkinsServers } from "../../../integrations/store/jenkinsServers.ts";
import { plannedIntegration } from "../outside/plannedIntegration.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { kind as jenkins } from "./kind.ts";

export const jenkinsSort = { noun: "Jenkins server", records: jenkinsServers };

/** What the runner needs to build one job of a Jenkins server. */
export interface JenkinsRun {
  serverId: string;
  jobName: string;
  parameters: { name: string; value: string }[];
}

/** What a build gives to later jobs. */
export const jenkinsOutputs = ["BUILD_NUMBER", "BUILD_URL", "RESULT"] as const;

/** Builds of jobs of a Jenkins server: one job task for each of its jobs (contract W 8.9). */
export const planner: JobPlanner = {
  expand: async (job, { project }) => {
    const { id, jobs } = readSpec(jenkins, job);
    const server = await plannedIntegration(jenkinsSort, {
      ...{ job: job.name, field: "id", id, projectKey: project.key },
    });
    return jobs.map(({ job_name, parameters }) => {
      const given = parameters.map(({ name, value }) => ({ name, value: String(value ?? "") }));
      const run: JenkinsRun = { serverId: id, jobName: job_name, parameters: given };
      return {
        parts: [job_name],
        jobInfo: { jenkins_job_name: job_name },
        spec: {
          ...{ id, host: server.shown.url },
          job: {
            job_name,
            job_id: 0,
            job_output: "",
            parameters: parameters.map((one, at) => ({ ...one, ...given[at] })),
          },
        },
        run: { ...run },
        timeoutMinutes: 0,
      };
    });
  },
  /** Of a job that builds a single one, outputs have its own name too (contract W 6). */
  variables: async (job) => {
    const { jobs } = readSpec(jenkins, job);
    const [only, ...others] = jobs;
    if (only === undefined || others.length > 0) return new Map();
    return new Map(
      jenkinsOutputs.map((name) => [`output.${name}`, `{{.job.${job.name}.${only.job_name}.output.${name}}}`]),
    );
  },
};
