import { readStoredText, type StoredText, storeText } from "../../../base/aws/objects/objectStore.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { imageName, type ServiceContainer } from "../../../manifest/containers.ts";
import type { ServiceRecord, ServiceSummary, VersionedService } from "./services.ts";

/** What the rest of a container follows from is not stored. */
type StoredContainer = Pick<ServiceContainer, "name" | "image" | "type"> & {
  /** Of a chart alone. */
  imagePath?: NonNullable<ServiceContainer["imagePath"]>;
};

export interface StoredSummary extends Omit<ServiceSummary, "containers"> {
  containers: StoredContainer[];
}

export interface StoredRevision
  extends Omit<ServiceRecord, "yaml" | "variables" | "containers" | "source" | "name" | "warnings"> {
  /** Absent where there are none. */
  warnings?: ServiceRecord["warnings"];
  /** JSON of yaml and variables. */
  content: StoredText;
  summary: StoredSummary;
}

/** The attributes of a revision; a text that has grown large goes to the object store first. */
export async function toStored(record: ServiceRecord): Promise<StoredRevision & { type: string }> {
  const { yaml, variables, containers, name, source, warnings, ...rest } = record;
  return {
    type: "service",
    ...rest,
    ...(warnings.length > 0 && { warnings }),
    content: await storeText(JSON.stringify({ yaml, variables })),
    summary: { name, source, containers: containers.map(toStoredContainer), ...(rest.chart && { isChart: true }) },
  };
}

export async function toRecord(item: Item<StoredRevision>): Promise<VersionedService> {
  const { projectKey, kind, revision, createdBy, createdAt, group, version, summary, content, template } = item;
  const { warnings = [], strict, chart } = item;
  const { yaml, variables } = JSON.parse(await readStoredText(content)) as Pick<ServiceRecord, "yaml" | "variables">;
  const { name, source, containers } = summary;
  return {
    ...{ projectKey, kind, name, revision, yaml, variables, containers: containers.map(toContainer), source },
    ...{ warnings, createdBy, createdAt, group, version },
    ...(strict && { strict }),
    ...(template && { template }),
    ...(chart && { chart }),
  };
}

function toStoredContainer({ name, image, type, imagePath }: ServiceContainer): StoredContainer {
  return { name, image, type, ...(imagePath && { imagePath }) };
}

export function toContainer(stored: StoredContainer): ServiceContainer {
  const { imagePath = null, ...container } = stored;
  return { ...container, imageName: imageName(stored.image), imagePath };
}
