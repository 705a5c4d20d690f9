import { useNavigate, useParams } from "@tanstack/react-router";
import { useWords } from "../words.tsx";
import { newWorkflowText } from "../workflowText.ts";
import { WorkflowForm } from "./WorkflowForm.tsx";

/** A workflow from what is put together. */
export default function NewWorkflow() {
  const { t } = useWords();
  const { project } = useParams({ from: "/shell/v1/projects/detail/$project/pipelines/new" });
  const navigate = useNavigate();
  return (
    <>
      <h1>{t("New workflow")}</h1>
      <WorkflowForm
        project={project}
        text={newWorkflowText(project)}
        onSaved={(workflow) =>
          void navigate({
            to: "/v1/projects/detail/$project/pipelines/custom/$workflow",
            params: { project, workflow },
            ignoreBlocker: true,
          })
        }
      />
    </>
  );
}
