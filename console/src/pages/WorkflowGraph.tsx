import { Button, NativeSelect, UnstyledButton } from "@mantine/core";
import type { Problem } from "@slipway/client";
import { useWords } from "../words.tsx";
import { jobTypes, type ShownStage, withJob, without, withStage, withStageEarlier } from "../workflowText.ts";

/** Problems by the stage or the job at which they are. */
function problemsAt(problems: readonly Problem[], place: string): string[] {
  const jobs = `${place}.jobs[`;
  return problems
    .filter(({ path }) => path === place || (path.startsWith(`${place}.`) && !path.startsWith(jobs)))
    .map(({ path, problem }) => `${path.slice(place.length + 1)} ${problem}`.trim());
}

/** The stages of a text in the order in which they run, each with its jobs and what is wrong there. */
export function WorkflowGraph(props: {
  text: string;
  stages: readonly ShownStage[];
  problems: readonly Problem[];
  onChange(text: string): void;
  /** @param path of what was chosen, as the API names it */
  onChoose(path: string): void;
}) {
  const { t } = useWords();
  const { text, stages, problems, onChange, onChoose } = props;
  return (
    <>
      <ol className="graph" aria-label={t("Stages and jobs")}>
        {stages.map((stage, at) => {
          const place = `stages[${at}]`;
          const name = stage.name || t("no name");
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: names are being typed, the place is what a stage has
            <li key={at}>
              <div className="head">
                <UnstyledButton type="button" className="node" onClick={() => onChoose(place)}>
                  <strong>{name}</strong>
                </UnstyledButton>
                {at > 0 && (
                  <Button
                    type="button"
                    aria-label={t("Move {name} to the front by one", { name })}
                    onClick={() => onChange(withStageEarlier(text, at))}
                  >
                    ←
                  </Button>
                )}
                <Button
                  type="button"
                  aria-label={t("Remove {name}", { name })}
                  onClick={() => onChange(without(text, at))}
                >
                  ×
                </Button>
              </div>
              {stage.parallel && <span className="tag">{t("at once")}</span>}
              {stage.waits && <span className="tag">{t("waits for people")}</span>}
              {problemsAt(problems, place).map((problem) => (
                <p key={problem} className="problem">
                  {problem}
                </p>
              ))}
              <ol aria-label={name}>
                {stage.jobs.map((job, position) => {
                  const at_ = `${place}.jobs[${position}]`;
                  const found = problemsAt(problems, at_);
                  const jobName = job.name || t("no name");
                  return (
                    // biome-ignore lint/suspicious/noArrayIndexKey: as of stages
                    <li key={position}>
                      <UnstyledButton
                        type="button"
                        className={found.length > 0 ? "node refused" : "node"}
                        onClick={() => onChoose(at_)}
                      >
                        {jobName} <span className="quiet">{job.type}</span>
                      </UnstyledButton>
                      <Button
                        type="button"
                        aria-label={t("Remove {name}", { name: jobName })}
                        onClick={() => onChange(without(text, at, position))}
                      >
                        ×
                      </Button>
                      {found.map((problem) => (
                        <p key={problem} className="problem">
                          {problem}
                        </p>
                      ))}
                    </li>
                  );
                })}
              </ol>
              <NativeSelect
                aria-label={t("Add a job to {name}", { name })}
                value=""
                onChange={({ target }) => onChange(withJob(text, at, target.value))}
              >
                <option value="">{t("Add a job…")}</option>
                {jobTypes.map((type) => (
                  <option key={type}>{type}</option>
                ))}
              </NativeSelect>
            </li>
          );
        })}
      </ol>
      <Button type="button" onClick={() => onChange(withStage(text))}>
        {t("Add a stage")}
      </Button>
    </>
  );
}
