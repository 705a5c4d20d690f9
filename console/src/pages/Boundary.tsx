import { Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { boundaryQuery, type PodSecurity, type ProjectBoundary, saveBoundary } from "../boundaryQueries.ts";
import { Warnings } from "../editor/CheckResult.tsx";
import { Loaded } from "../parts.tsx";
import { mayOne, rightsQuery } from "../queries.ts";
import { useWords } from "../words.tsx";
import { OneOf, SettingsForm } from "./SettingsForm.tsx";

/** What a project may use and deploy on clusters: its administrators read it, those of the system set it. */
export default function Boundary() {
  const { t } = useWords();
  const { project } = useParams({ from: "/shell/v1/projects/detail/$project/boundary" });
  return (
    <>
      <h1>{t("Boundary of {name}", { name: project })}</h1>
      <p className="quiet">{t("What the project may use and deploy on clusters.")}</p>
      <Loaded from={useQuery(rightsQuery(project))}>
        {(rights) =>
          mayOne(rights) ? (
            <Stored key={project} project={project} mayChange={rights.is_system_admin} />
          ) : (
            <p className="empty">{t("Only administrators of the project can see this page.")}</p>
          )
        }
      </Loaded>
    </>
  );
}

function Stored({ project, mayChange }: { project: string; mayChange: boolean }) {
  return (
    <Loaded from={useQuery(boundaryQuery(project))}>
      {(boundary) => (mayChange ? <Form project={project} boundary={boundary} /> : <Facts boundary={boundary} />)}
    </Loaded>
  );
}

/** What each level means, the widest first. */
function useLevels(): readonly (readonly [PodSecurity, string])[] {
  const { t } = useWords();
  return [
    ["privileged", t("Pods may do anything, including taking over their node.")],
    [
      "baseline",
      t(
        "What most workloads need: no privileged containers, and nothing of the node's own, such as its network or files.",
      ),
    ],
    [
      "restricted",
      t(
        "Like baseline, and hardened: not as root, all capabilities dropped, no way to more rights, a seccomp profile.",
      ),
    ],
  ];
}

const everything = "*";

function Facts({ boundary }: { boundary: ProjectBoundary }) {
  const { t } = useWords();
  const listed = (entries: readonly string[], all: string) =>
    entries.length === 0 ? (
      <dd>{t("none")}</dd>
    ) : (
      entries.map((entry) => <dd key={entry}>{entry === everything ? all : <code>{entry}</code>}</dd>)
    );
  const meaning = useLevels().find(([level]) => level === boundary.pod_security)?.[1];
  return (
    <section className="details">
      <dl className="facts">
        <dt>{t("Namespaces that Slipway did not make")}</dt>
        {listed(boundary.namespaces, t("every one that belongs to no other project"))}
        <dt>{t("Cluster-scoped kinds")}</dt>
        {listed(boundary.cluster_scoped_kinds, t("all that the installation allows"))}
        <dt>{t("Pod security")}</dt>
        <dd>
          <code>{boundary.pod_security}</code> {meaning}
        </dd>
        <dt>{t("Privileged jobs")}</dt>
        <dd>{boundary.privileged_jobs ? t("allowed") : t("not allowed")}</dd>
      </dl>
      <p className="quiet">{t("Only system administrators can change it.")}</p>
    </section>
  );
}

interface Typed {
  namespaces: string;
  kinds: string;
  podSecurity: PodSecurity;
  privilegedJobs: boolean;
}

/** What is one entry a line, or has commas between. */
const entriesIn = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** A field that the user has not touched shows what is stored, also when that changes. */
function Form({ project, boundary }: { project: string; boundary: ProjectBoundary }) {
  const { t } = useWords();
  const levels = useLevels();
  const [typed, setTyped] = useState<Partial<Typed>>({});
  const shown: Typed = {
    namespaces: boundary.namespaces.join("\n"),
    kinds: boundary.cluster_scoped_kinds.join("\n"),
    podSecurity: boundary.pod_security,
    privilegedJobs: boundary.privileged_jobs,
    ...typed,
  };
  const type = (part: Partial<Typed>): void => setTyped({ ...typed, ...part });
  const save = () =>
    saveBoundary(project, {
      namespaces: entriesIn(shown.namespaces),
      cluster_scoped_kinds: entriesIn(shown.kinds),
      pod_security: shown.podSecurity,
      privileged_jobs: shown.privilegedJobs,
    });
  return (
    <SettingsForm action={t("Save")} save={save} said={({ warnings }) => <Warnings warnings={warnings} />}>
      <Textarea
        label={
          <>
            {t("Namespaces that Slipway did not make")}
            <span className="quiet">
              {t(
                "One a line, or separated by commas: a name, team-* for all that begin so, * for every one that belongs to no other project. Empty for none.",
              )}
            </span>
          </>
        }
        rows={3}
        value={shown.namespaces}
        onChange={({ target }) => type({ namespaces: target.value })}
      />
      <Textarea
        label={
          <>
            {t("Cluster-scoped kinds")}
            <span className="quiet">
              {t(
                "One a line, or separated by commas, such as ClusterRole; * for all that the installation allows. Empty for none.",
              )}
            </span>
          </>
        }
        rows={3}
        value={shown.kinds}
        onChange={({ target }) => type({ kinds: target.value })}
      />
      <OneOf
        name="pod_security"
        legend={t("Pod security")}
        value={shown.podSecurity}
        options={levels.map(([level, meaning]) => [
          level,
          <>
            <code>{level}</code> {meaning}
          </>,
        ])}
        onChange={(podSecurity) => type({ podSecurity })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={shown.privilegedJobs}
          onChange={({ target }) => type({ privilegedJobs: target.checked })}
        />
        <span>{t("Jobs may run privileged, or with the container engine of their node")}</span>
      </label>
      <p className="quiet">{t("A change applies from the next deployment. What runs now keeps running.")}</p>
    </SettingsForm>
  );
}
