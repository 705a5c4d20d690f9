import { describe, expect, test } from "vitest";
import { handlers } from "../../infra/local/handlers.ts";
import { apiGatewayEvent } from "../infra/aws/apiGatewayEvent.ts";

/** The event for an address as it stands, with a path that no URL parser has seen. */
function eventOf(method: string, path: string, { query = "", before = "/slipway" } = {}) {
  const event = apiGatewayEvent(method, `/x${query}`);
  return { ...event, path, requestContext: { ...event.requestContext, path: `${before}${path}` } };
}

/** API Gateway gives what begins with two slashes, or has them before a group's own part, to the group of the root. */
const ofRoot = (event: ReturnType<typeof eventOf>) => handlers.meta?.(event, {});

describe("a path with empty segments that reaches the group of the root in AWS", () => {
  test.each(["GET", "POST", "PUT", "DELETE"])(
    "%s is sent on to the path without them, body and all",
    async (method) => {
      expect(await ofRoot(eventOf(method, "//openapi/projects///project//"))).toMatchObject({
        statusCode: 308,
        headers: { location: "/slipway/openapi/projects/project", "x-request-id": expect.any(String) },
        body: "",
      });
    },
  );

  test("keeps its query and what was encoded in it", async () => {
    const query = "?projectKey=a%26b&tag=1&tag=%C3%BC";
    const answer = await ofRoot(eventOf("GET", "/openapi//service/yaml/a%20b%3Fc", { query }));
    expect(answer?.headers.location).toBe("/slipway/openapi/service/yaml/a%20b%3Fc?projectKey=a%26b&tag=1&tag=%C3%BC");
  });

  test("keeps the base path of a custom domain, and needs none", async () => {
    const located = async (before: string) =>
      (await ofRoot(eventOf("GET", "//openapi/x", { before })))?.headers.location;
    expect(await located("")).toBe("/openapi/x");
    expect(await located("/v1")).toBe("/v1/openapi/x");
  });

  test("never leads to another host", async () => {
    for (const path of [
      "//evil.example/x",
      "///evil.example",
      "//\\evil.example",
      "/\\\\evil.example//",
      "//%5Cevil.example",
    ])
      expect((await ofRoot(eventOf("GET", path, { before: "" })))?.headers.location ?? "/", path).toMatch(
        /^\/(?![/\\])/,
      );
  });

  test("stays 404 where it climbs, hides a slash, or has nothing to leave out", async () => {
    for (const path of [
      "//openapi/../x",
      "//openapi/./x",
      "//openapi/a%2Fb",
      "//openapi/%2e%2e",
      "//%zz",
      "/nowhere",
      "/",
    ])
      expect(await ofRoot(eventOf("GET", path)), path).toMatchObject({ statusCode: 404 });
  });
});

test("a group answers empty segments in its own part itself", async () => {
  const answer = await handlers.projects?.(eventOf("GET", "/openapi/projects//project///"), {});
  // Its own 401 instead of a 404 or a redirect: the path was found.
  expect(answer?.statusCode).toBe(401);
});
