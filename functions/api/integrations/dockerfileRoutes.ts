import * as z from "zod";
import { recordRoutes } from "../../../shared/http/recordRoutes.ts";
import { defineRoute } from "../../../shared/http/route.ts";
import { filled, madeRecord, paging, plainName } from "../../../shared/http/schemas.ts";

/** Stored inside the record, far below the size of an item. */
const maxBytes = 64 * 1024;

/** Why a text is no Dockerfile that a build could begin with; undefined when it may be one. */
function dockerfileProblem(text: string): string | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) return `has ${bytes} bytes; at most ${maxBytes} are allowed`;
  const instructions = text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const first = instructions.find((line) => !/^ARG\s/i.test(line));
  if (first === undefined) return "must have an instruction FROM";
  if (!/^FROM\s+\S/i.test(first)) return "must begin with FROM <image>; only comments and ARG may stand before it";
  return undefined;
}

const maxCharacters = 5_000_000;

export const newDockerfile = z.object({
  name: plainName(),
  content: filled("content", maxCharacters).superRefine((text, context) => {
    const problem = dockerfileProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  }),
});

export const dockerfile = z
  .object({ id: z.string(), name: z.string(), content: z.string() })
  .meta({ id: "DockerfileTemplate" });

export const dockerfileList = z.object({
  dockerfile_template: z.array(z.object({ id: z.string(), name: z.string() }).meta({ id: "DockerfileTemplateItem" })),
  total: z.int(),
});

const routes = recordRoutes(
  {
    path: "/api/aslan/template/dockerfile",
    idForm: "hex",
    tag: "Template library",
    function: "Dockerfile Template",
    noun: "a Dockerfile template",
    nouns: "Dockerfile templates",
    nameField: "name",
  },
  { added: newDockerfile, changed: newDockerfile, listed: dockerfileList, shown: dockerfile, made: madeRecord },
);

export const dockerfileRoutes = {
  listDockerfiles: defineRoute({
    method: "GET",
    path: "/api/aslan/template/dockerfile",
    summary: "List the Dockerfile templates by name",
    tag: "Template library",
    permission: { kind: "systemAdmin" },
    query: z.object(paging),
    queryAliases: { pageNum: ["page_num"], pageSize: ["page_size"] },
    response: dockerfileList,
  }),
  addDockerfile: routes.add,
  getDockerfile: routes.read,
  updateDockerfile: routes.change,
  deleteDockerfile: routes.remove,
};
