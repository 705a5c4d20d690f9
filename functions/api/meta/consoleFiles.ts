import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { config, keptWithConfig } from "../../../shared/base/settings/config.ts";
import type { ApiHandler } from "../../../shared/http/createApi.ts";
import type { ApiEvent, ApiResponse } from "../../../shared/http/exchange.ts";
import { headersOf } from "../../../shared/http/headersOf.ts";

/** The folder that bundling puts beside the function. */
export const consoleFolder = "console";

/** Nothing from elsewhere but what changes, nothing inline; the one picture is the empty icon. */
const policy = keptWithConfig(() => {
  const { protocol, origin } = URL.parse(config().SLIPWAY_SOCKET_ADDRESS) ?? {};
  const connected = protocol === "wss:" ? `'self' ${origin}` : "'self'";
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src ${connected}; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`;
});

const common = () => ({
  "content-security-policy": policy(),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
});

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

interface Asset {
  type: string;
  plain: Buffer;
  brotli: Buffer;
}

/** Answers with the files of a built console: those of `assets` by name, and its one page for all other paths. */
export function consoleFiles(folder: string): ApiHandler {
  const index = readFileSync(join(folder, "index.html"), "utf8");
  const assets = new Map(
    readdirSync(join(folder, "assets"))
      .filter((name) => existsSync(join(folder, "assets", `${name}.br`)))
      .map((name): [string, Asset] => {
        const type = types[extname(name)] ?? "application/octet-stream";
        const file = join(folder, "assets", name);
        return [name, { type, plain: readFileSync(file), brotli: readFileSync(`${file}.br`) }];
      }),
  );
  return async (event) => {
    if (event.httpMethod !== "GET" && event.httpMethod !== "HEAD")
      return {
        ...page(405, "Not here", "The console is read with GET."),
        headers: { ...common(), allow: "GET, HEAD" },
      };
    if (event.path === "/console") return { statusCode: 308, headers: { ...common(), location: "console/" }, body: "" };
    const name = /^\/console\/assets\/([^/]+)$/.exec(event.path)?.[1];
    if (name === undefined) return html(200, withBase(index, event.path));
    const asset = assets.get(name);
    return asset === undefined
      ? page(404, "No such file", "Load the page again: there is a newer one.")
      : sent(asset, event);
  };
}

function sent({ type, plain, brotli }: Asset, event: ApiEvent): ApiResponse {
  const takesBrotli = /\bbr\b/.test(headersOf(event)["accept-encoding"] ?? "");
  return {
    statusCode: 200,
    headers: {
      ...common(),
      "content-type": type,
      // Their names change with what they hold.
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(takesBrotli && { "content-encoding": "br" }),
    },
    body: (takesBrotli ? brotli : plain).toString("base64"),
    isBase64Encoded: true,
  };
}

/** Addresses in the page are relative to the console, however deep the path is, and whatever precedes it. */
function withBase(index: string, path: string): string {
  const depth = path.slice("/console/".length).split("/").length - 1;
  return index.replace("<head>", `<head><base href="${"../".repeat(depth) || "./"}">`);
}

/** A page of one sentence; one with 503 loads itself again. */
export function page(status: number, title: string, text: string): ApiResponse {
  const again = status === 503 ? '<meta http-equiv="refresh" content="2">' : "";
  const shown = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return html(
    status,
    `<!doctype html><html lang="en"><head><meta charset="utf-8">${again}<title>${title}</title></head><body><h1>${title}</h1><pre>${shown}</pre></body></html>`,
  );
}

function html(statusCode: number, body: string): ApiResponse {
  const headers = { ...common(), "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" };
  return { statusCode, headers: statusCode === 503 ? { ...headers, "retry-after": "2" } : headers, body };
}
