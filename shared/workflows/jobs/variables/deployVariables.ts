/** A service, Service or workload that a job brings images to. */
interface Deployed {
  name: string;
  modules: readonly { name: string; image: string }[];
}

/** What other jobs may use of a deployment before it runs (contract W 6). @param env absent: of jobs that name a namespace */
export function deployVariables(deployed: readonly Deployed[], env?: string): [string, string][] {
  const modules = deployed.flatMap(({ name, modules }) =>
    modules.map((module) => ({ path: `${name}.${module.name}.IMAGE`, image: module.image })),
  );
  const images = modules.map(({ image }) => image).filter((image) => image !== "");
  return [
    ...(env === undefined ? [] : [["envName", env] as [string, string]]),
    ["SERVICES", deployed.map(({ name }) => name).join(",")],
    ["IMAGES", images.join(",")],
    ...modules.map(({ path, image }): [string, string] => [path, image]),
  ];
}
