import type { components, operations } from "./generated/api.ts";

type Environment = components["schemas"]["EnvironmentDetail"];
type Registry = components["schemas"]["Registry"];
type NewVersion = operations["createDeliveryVersion"]["requestBody"]["content"]["application/json"];

/** What a version of an environment is to be. */
interface WantedVersion {
  /** Becomes the tag of the copies. */
  name: string;
  /** Whether the environment is one of production. */
  production: boolean;
  labels: readonly string[];
  description: string;
  /** Where its images are copied to; without it they stay where they are. */
  registry?: Registry | undefined;
}

/** The request for a delivery version of all services that an environment runs. */
export function versionOfEnvironment(environment: Environment, wanted: WantedVersion): NewVersion {
  const { name, production, registry } = wanted;
  const prefix = registry === undefined ? undefined : imagePrefix(registry);
  return {
    ...{ project_key: environment.project_key, version_name: name, source: "from_env" },
    ...{ env_name: environment.env_key, production, labels: [...wanted.labels], desc: wanted.description },
    image_registry_id: registry?.registry_id ?? "",
    services: environment.services.map(({ service_name, containers }) => ({
      service_name,
      images: containers.map(({ name: container_name, image, image_name }) => {
        const target =
          prefix === undefined
            ? { target_image: image, target_image_tag: tagOf(image) }
            : { target_image: `${prefix}/${image_name}:${name}`, target_image_tag: name };
        return { container_name, ...target, push_image: prefix !== undefined };
      }),
    })),
  };
}

function tagOf(image: string): string {
  const [named = ""] = image.split("@");
  return /:([\w.-]+)$/.exec(named)?.[1] ?? "latest";
}

/** A registry as images name it: its host, and its namespace when it has one. */
function imagePrefix({ address, namespace }: Pick<Registry, "address" | "namespace">): string {
  const host = address.replace(/^https?:\/\//i, "").replace(/\/+$/, "");
  return namespace === "" ? host : `${host}/${namespace}`;
}
