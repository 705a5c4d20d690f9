import { createHash } from "node:crypto";
import { startDoor, type TestRegistry } from "./testRegistry.ts";

/** A small server with the interface of ChartMuseum: an index, packages, uploads that replace nothing. */
export interface Museum extends TestRegistry {
  /** New charts are not in the index, as where it is made anew now and then. */
  indexLags: boolean;
}

export async function startMuseum({ username, password }: { username: string; password: string }): Promise<Museum> {
  const charts = new Map<string, Buffer>();
  const hidden = new Set<string>();
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const door = await startDoor(async (request, response) => {
    if (request.headers.authorization !== wanted) return void response.writeHead(401).end();
    const { method, url = "" } = request;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (method === "POST" && url === "/api/charts") {
      const sent = Buffer.concat(parts);
      const type = { "content-type": String(request.headers["content-type"]) };
      const form = await new Response(new Uint8Array(sent), { headers: type }).formData();
      const file = form.get("chart");
      if (!(file instanceof File)) return void response.writeHead(400).end();
      if (charts.has(file.name)) return void response.writeHead(409).end('{"error":"file already exists"}');
      charts.set(file.name, Buffer.from(await file.arrayBuffer()));
      if (museum.indexLags) hidden.add(file.name);
      return void response.writeHead(201).end('{"saved":true}');
    }
    if (url === "/index.yaml") return void response.writeHead(200).end(indexOf(charts, hidden));
    const found = charts.get(/^\/charts\/(.+)$/.exec(url)?.[1] ?? "");
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  const museum: Museum = Object.assign(door, { indexLags: false });
  return museum;
}

function indexOf(charts: ReadonlyMap<string, Buffer>, hidden: ReadonlySet<string>): string {
  const entries: Record<string, object[]> = {};
  for (const [file, packed] of charts) {
    if (hidden.has(file)) continue;
    const [, name = "", version = ""] = /^([a-z-]+)-(\d.*)\.tgz$/.exec(file) ?? [];
    const digest = createHash("sha256").update(packed).digest("hex");
    entries[name] = [...(entries[name] ?? []), { apiVersion: "v2", name, version, urls: [`charts/${file}`], digest }];
  }
  return JSON.stringify({ apiVersion: "v1", entries, serverInfo: {} });
}
