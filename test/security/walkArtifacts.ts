import { newId, nowSeconds } from "../../shared/base/store/ids.ts";
import { createArtifact, describeArtifact, findArtifact } from "../../shared/packaging/artifacts/store/artifacts.ts";
import type { Call } from "./walk.ts";

/** An image that a build made, as its registry described it. */
export async function walkArtifacts(call: Call): Promise<void> {
  const [id, image] = [newId(), "registry.example.com/walk/app:v1"];
  await createArtifact(
    {
      ...{ artifactId: id, type: "image", name: "app", source: "workflow_v4", image, imageTag: "v1", imageDigest: "" },
      ...{ imageSize: 0, architecture: "", os: "", packageFileLocation: "", packageStorageUri: "" },
      ...{ projectKey: "walk", createdBy: "admin", createdTime: nowSeconds(), activities: [] },
    },
    "",
  );
  const made = await findArtifact(id);
  const facts = { imageDigest: `sha256:${"1".repeat(64)}`, imageSize: 7, architecture: "amd64", os: "linux" };
  if (made !== undefined) await describeArtifact(made, facts);
  const query = { image };
  await call("GET /api/directory/dc/artifact", { query });
  await call("GET /api/aslan/delivery/artifacts");
  await call("GET /api/aslan/delivery/artifacts/image", { query });
  await call("GET /api/aslan/delivery/artifacts/{id}", { params: { id } });
  await call("POST /api/aslan/delivery/artifacts/{id}/activities", { params: { id }, body: { type: "publish" } });
  await call("GET /openapi/artifacts/trace", { query });
}
