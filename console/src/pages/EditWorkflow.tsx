import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { stringify } from "yaml";
import { Loaded } from "../parts.tsx";
import { useWords } from "../words.tsx";
import { definitionQuery } from "../workflowDefinitions.ts";
import { WorkflowForm } from "./WorkflowForm.tsx";

/** The definition of a workflow that is there. */
export default function EditWorkflow() {
  const { t } = useWords();
  const { project, workflow } = useParams({
    from: "/shell/v1/projects/detail/$project/pipelines/custom/$workflow/edit",
  });
  const navigate = useNavigate();
  const params = { project, workflow };
  return (
    <>
      <h1>{t("Edit {name}", { name: workflow })}</h1>
      <Loaded from={useQuery(definitionQuery(project, workflow))}>
        {(definition) => (
          <WorkflowForm
            {...params}
            text={stringify(definition, { lineWidth: 0 })}
            onSaved={() =>
              void navigate({
                to: "/v1/projects/detail/$project/pipelines/custom/$workflow",
                params,
                ignoreBlocker: true,
              })
            }
          />
        )}
      </Loaded>
    </>
  );
}
