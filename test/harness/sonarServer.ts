import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How the server answers for one project: its key says it. Others are analysed at once and meet their gate. */
export const sonarProjects = {
  poor: "poor",
  slow: "slow",
  endless: "endless",
  broken: "broken",
  gone: "gone",
  shaky: "shaky",
  closed: "closed",
} as const;

export interface SonarStandIn {
  url: string;
  /** Paths with queries, in order. */
  asked: string[];
  close(): Promise<void>;
}

type Answer = [status: number, body: unknown];

/** What SonarQube's web API tells about analyses, on loopback; ids of tasks and analyses begin with the project's key. */
export async function startSonarServer(token: string): Promise<SonarStandIn> {
  const asked: string[] = [];
  const looks = new Map<string, number>();
  const expected = `Basic ${Buffer.from(`${token}:`).toString("base64")}`;

  const taskAnswer = (id: string): Answer => {
    const [project = ""] = id.split(":");
    const look = (looks.get(id) ?? 0) + 1;
    looks.set(id, look);
    const task = { id, type: "REPORT", componentKey: project };
    switch (project) {
      case sonarProjects.slow:
        if (look <= 2) return [200, { task: { ...task, status: look === 1 ? "PENDING" : "IN_PROGRESS" } }];
        break;
      case sonarProjects.endless:
        return [200, { task: { ...task, status: "IN_PROGRESS" } }];
      case sonarProjects.broken:
        return [200, { task: { ...task, status: "FAILED", errorMessage: "the report has no files" } }];
      case sonarProjects.gone:
        return [404, { errors: [{ msg: `No activity found for task '${id}'` }] }];
      case sonarProjects.closed:
        return [403, { errors: [{ msg: "Insufficient privileges" }] }];
      case sonarProjects.shaky:
        if (look === 1) return [503, "starting"];
    }
    return [200, { task: { ...task, status: "SUCCESS", analysisId: `${project}:analysis`, branch: "main" } }];
  };
  const gateAnswer = (analysisId: string): Answer => {
    const isPoor = analysisId.startsWith(sonarProjects.poor);
    const conditions = [
      {
        status: isPoor ? "ERROR" : "OK",
        metricKey: "coverage",
        comparator: "LT",
        errorThreshold: "80",
        actualValue: "43.3",
      },
      { status: "OK", metricKey: "bugs", comparator: "GT", errorThreshold: "9", actualValue: "2" },
    ];
    return [200, { projectStatus: { status: isPoor ? "ERROR" : "OK", conditions } }];
  };
  const measures = Object.entries({
    ncloc: "1200",
    bugs: "2",
    vulnerabilities: "0",
    code_smells: "17",
    coverage: "43.3",
  });
  const answerTo = ({ pathname, searchParams }: URL): Answer => {
    switch (pathname) {
      case "/sonar/api/ce/task":
        return taskAnswer(searchParams.get("id") ?? "");
      case "/sonar/api/qualitygates/project_status":
        return gateAnswer(searchParams.get("analysisId") ?? "");
      case "/sonar/api/measures/component":
        return [
          200,
          {
            component: {
              key: searchParams.get("component"),
              measures: measures
                .filter(([metric]) => searchParams.get("metricKeys")?.split(",").includes(metric))
                .map(([metric, value]) => ({ metric, value })),
            },
          },
        ];
      default:
        return [404, {}];
    }
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://sonar");
    asked.push(`${url.pathname}${url.search}`);
    const [status, body] = request.headers.authorization === expected ? answerTo(url) : [401, ""];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sonar`,
    asked,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
