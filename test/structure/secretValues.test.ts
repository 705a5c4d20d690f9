import { describe, expect, test } from "vitest";
import { importsOf, sourceFiles } from "./sourceFiles.ts";

const files = sourceFiles("functions", "shared");

const hiding = [
  "shared/kube/live/maskedManifest.ts",
  "shared/kube/live/maskedTemplate.ts",
  "shared/kube/live/secretValues.ts",
];

const importing = (target: string, folder = "") =>
  files
    .filter((file) => file.path.startsWith(folder) && importsOf(file).some((one) => one.target === target))
    .filter(({ text }) => !target.endsWith("objectStore.ts") || text.includes("readStoredText("));

/** Which of them import what hides values. */
const split = (found: typeof files) => {
  const hides = (file: (typeof files)[number]) => importsOf(file).some(({ target }) => hiding.includes(target));
  const paths = (chosen: typeof files) => chosen.map(({ path }) => path);
  return { hide: paths(found.filter(hides)), show: paths(found.filter((file) => !hides(file))) };
};

/** Who reads what may hold a value of a Secret (decisions 17.5); a new one says here what it does with it. */
describe("values of Secrets", () => {
  test("are in no stored text that an endpoint loads, unless it hides them", () => {
    expect(split(importing("shared/base/aws/objects/objectStore.ts", "functions/api/"))).toEqual({
      hide: ["functions/api/environments/handler.ts", "functions/api/statistics/rollbackDetail.ts"],
      show: ["functions/api/releaseplans/wire.ts", "functions/api/workflows/triggers/hookDeliveries.ts"],
    });
  });

  test("are in texts of delivery versions that are packed, and in none that is shown", () => {
    expect(split(importing("shared/base/aws/objects/objectStore.ts", "shared/delivery/"))).toEqual({
      hide: [
        "shared/delivery/packageCharts.ts",
        "shared/delivery/shownYaml.ts",
        "shared/delivery/sourceValues.ts",
        "shared/delivery/versionManifest.ts",
      ],
      // Values of charts, and the record of a version.
      show: ["shared/delivery/chartSources.ts", "shared/delivery/sources.ts", "shared/delivery/store/versions.ts"],
    });
  });

  test("of configurations reach one module, which hides them", () => {
    const readers = ["readConfig.ts", "readConfigHistory.ts"].flatMap((name) =>
      importing(`shared/environments/configs/${name}`),
    );
    const others = readers.filter(({ path }) => path !== "functions/api/environments/configs/configWire.ts");
    expect(split(others)).toEqual({
      hide: Array(2).fill("functions/api/environments/configs/configHandlers.ts"),
      show: [],
    });
  });

  test("of services are shown by one module, which hides them", () => {
    const ofServices = files.filter(({ path }) => path.startsWith("functions/api/services/"));
    const answering = ofServices.filter(({ text }) => /\byaml: .*\.yaml\b/.test(text));
    // The other one takes the text that is sent.
    expect(split(answering)).toEqual({
      hide: ["functions/api/services/wire.ts"],
      show: ["functions/api/services/changeService.ts"],
    });
  });

  test("are of a kind that these modules name", () => {
    expect(files.filter(({ text }) => text.includes('kind: "Secret"')).map(({ path }) => path)).toEqual([
      "shared/environments/apply/leaveCluster.ts",
      // Takes labels and objects away, and reads no value.
      "shared/environments/helm/adoptRelease.ts",
      "shared/environments/helm/installRelease.ts",
      // Says which a chart may know.
      "shared/environments/helm/releaseProxy.ts",
      "shared/environments/rules/configObject.ts",
      "shared/kube/apply/pullSecret.ts",
      "shared/kube/live/maskedTemplate.ts",
      // Releases as Helm keeps them, which it needs whole.
      "shared/packaging/helm/liveReleases.ts",
      "shared/packaging/helm/storedRelease.ts",
      // Secrets of jobs, in a namespace that no endpoint reads.
      "shared/workflows/pods/liveJob.ts",
      "shared/workflows/pods/removeContainerJob.ts",
      "shared/workflows/pods/rules/jobManifest.ts",
    ]);
  });
});
