import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface CodeHostApis {
  url: string;
  /** What the file holds now; undefined: there is none. */
  text: string | undefined;
  /** Answers instead of the file. */
  status: number | undefined;
  close(): Promise<void>;
}

/** Where each kind of code host serves `config/prod/settings.yaml` of `team/sub/shop` on branch `release/1`. */
const places: Record<string, string> = {
  "/api/v3/repos/team/shop/contents/config/prod/settings.yaml?ref=release%2F1": "github",
  "/api/v4/projects/team%2Fsub%2Fshop/repository/files/config%2Fprod%2Fsettings.yaml/raw?ref=release%2F1": "gitlab",
  "/api/v1/repos/team/shop/raw/config/prod/settings.yaml?ref=release%2F1": "gitea",
  "/api/v5/repos/team/shop/raw/config/prod/settings.yaml?ref=release%2F1": "gitee",
};

/** One file behind the APIs of four kinds of code hosts on loopback, for whoever has the token. */
export async function startCodeHostApis(token: string): Promise<CodeHostApis> {
  const server = createServer((request, response) => {
    const kind = places[request.url ?? ""];
    const { authorization, "private-token": privateToken } = request.headers;
    const isAllowed = kind === "gitlab" ? privateToken === token : authorization?.split(" ")[1] === token;
    if (!isAllowed) return void response.writeHead(401).end();
    if (kind === undefined || apis.text === undefined) return void response.writeHead(404).end();
    if (kind === "github" && request.headers["user-agent"] === undefined) return void response.writeHead(403).end();
    response.writeHead(apis.status ?? 200).end(apis.text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apis: CodeHostApis = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: undefined,
    status: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return apis;
}
