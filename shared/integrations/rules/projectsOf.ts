/** In a list of project keys: every project of the installation. */
export const allProjects = "<all_projects>";

/** Whether jobs of a project may use a record that says for which projects it is. */
export function isForProject({ projects }: { projects: readonly string[] }, projectKey: string): boolean {
  return projects.includes(allProjects) || projects.includes(projectKey);
}
