import type { Page } from "playwright-core";
import { keys, lists } from "../../shared/base/store/keys/keys.ts";
import { imageName } from "../../shared/manifest/containers.ts";
import { toStored } from "../../shared/projects/services/store/storedService.ts";
import { batchWrite } from "../harness/batchWrite.ts";
import { deploymentYaml } from "../harness/manifests.ts";
import type { Slipway } from "../harness/slipway.ts";
import { ask } from "./ask.ts";
import { median, number, timed } from "./figures.ts";
import { fillLog } from "./fill.ts";
import { judged, printTable, progress } from "./report.ts";

const project = "many";
/** Rows that the console shows at once. */
const onPage = 50;
const nameOf = (at: number): string => `service-${String(at).padStart(5, "0")}`;

interface Measured {
  what: string;
  /** Milliseconds of each round. */
  opened: number[];
  paged: number[];
  searched: number[];
}

/** How long lists are that people page through and search, with so many services in one project and as many records. */
export async function benchLists(page: Page, slipway: Slipway, size: number, rounds: number): Promise<void> {
  progress(`${size} services of one project, ${size} records of the operation log`);
  await ask(slipway, "POST", "/openapi/projects/project", {
    ...{ project_name: project, project_key: project, project_type: "yaml", is_public: false },
  });
  await fillServices(size);
  await fillLog(size);
  const services = await measure(rounds, `${size} services of a project`, {
    open: () => page.goto(`${slipway.runtime.url}/console/v1/projects/detail/${project}/services`),
    isOpen: () =>
      rowsOf(page, "Services")
        .nth(onPage - 1)
        .waitFor(),
    turn: () => page.getByRole("link", { name: "Next" }).click(),
    isTurned: () => rowsOf(page, "Services").getByText(nameOf(onPage), { exact: true }).waitFor(),
    search: () => page.getByLabel("Search services").fill(nameOf(size - 1)),
    isFound: () =>
      rowsOf(page, "Services")
        .getByText(nameOf(size - 1), { exact: true })
        .waitFor(),
  });
  const log = rowsOf(page, "Operation log");
  const operations = await measure(rounds, `an operation log of ${size} records`, {
    open: () => page.goto(`${slipway.runtime.url}/console/administration`),
    isOpen: () => log.nth(onPage - 1).waitFor(),
    turn: () => page.getByRole("link", { name: "Older" }).last().click(),
    isTurned: () =>
      log
        .getByText(`change ${size - 1}`, { exact: false })
        .first()
        .waitFor({ state: "detached" }),
    search: async () => {
      await page.getByRole("searchbox", { name: "Account, then Enter" }).fill("Bob");
      await page.keyboard.press("Enter");
    },
    isFound: () => log.getByText("success", { exact: true }).first().waitFor({ state: "detached" }),
  });
  const rows = [services, operations].flatMap(({ what, opened, paged, searched }) =>
    Object.entries({ opened, "next page": paged, searched }).map(([step, times]) => [
      ...[`${what}, ${step}`, `${number(median(times))} ms`],
      ...judged(undefined),
    ]),
  );
  const how = `Each page has ${onPage} rows; a search of services begins 250 ms after the last key. Medians of ${rounds} rounds.`;
  printTable("Long lists", how, ["what", "figure", "goal", "verdict"], rows);
}

const rowsOf = (page: Page, name: string) => page.getByRole("list", { name, exact: true }).getByRole("listitem");

type Step = () => Promise<unknown>;

async function measure(
  rounds: number,
  what: string,
  steps: Record<"open" | "isOpen" | "turn" | "isTurned" | "search" | "isFound", Step>,
): Promise<Measured> {
  const measured: Measured = { what, opened: [], paged: [], searched: [] };
  const taken = async (begin: Step, isOver: Step): Promise<number> =>
    (await timed(async () => [await begin(), await isOver()])).milliseconds;
  for (let round = -1; round < rounds; round++) {
    const opened = await taken(steps.open, steps.isOpen);
    const paged = await taken(steps.turn, steps.isTurned);
    const searched = await taken(steps.search, steps.isFound);
    if (round < 0) continue;
    measured.opened.push(opened);
    measured.paged.push(paged);
    measured.searched.push(searched);
  }
  return measured;
}

/** Puts services into a project as a creation would leave them. */
async function fillServices(size: number): Promise<void> {
  const image = "registry.example.com/shop/api:1";
  const container = { name: "main", image, imageName: imageName(image), imagePath: null, type: "" as const };
  const stored = await Promise.all(
    Array.from({ length: size }, (_, at) =>
      toStored({
        ...{
          projectKey: project,
          kind: "test",
          name: nameOf(at),
          revision: 1,
          yaml: deploymentYaml(nameOf(at), image),
        },
        ...{ variables: [], containers: [container], warnings: [], source: "spock", createdBy: "bench" },
        ...{ createdAt: 1_700_000_000, group: 0 },
      }),
    ),
  );
  await batchWrite(size, (at) => ({
    ...keys.service(project, "test", nameOf(at)),
    ...{ ...stored[at], version: 1, listPk: lists.services(project, "test"), listSk: nameOf(at) },
  }));
}
