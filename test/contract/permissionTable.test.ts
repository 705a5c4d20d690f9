import { expect, test } from "vitest";
import { groups } from "../../functions/api/groups.ts";
import { permissionTable } from "../../shared/http/document/permissionTable.ts";

const introduction = `# Who may call what

Every endpoint with its permission, where the request says which project and environment the permission is checked in,
and the words of its operation log. Written by \`npm run docs:permissions\` from the declarations.

System administrators may call everything but what only the user itself may do; administrators of a project everything
in their project that asks for a verb. A request that does not say its project is answered with 400.

`;

test("docs/permissions.md is what the declarations say (npm run docs:permissions writes it)", async () => {
  await expect(introduction + permissionTable(groups)).toMatchFileSnapshot("../../docs/permissions.md");
});
