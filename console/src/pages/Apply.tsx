import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { clustersQuery, systemRightsQuery } from "../adminQueries.ts";
import { applyGiven } from "../applyGiven.ts";
import { droppedFiles, type Given, givenFiles } from "../givenFiles.ts";
import { Failure, Loaded } from "../parts.tsx";
import { type Place, searchOf } from "../queries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";

/** Makes a project of manifests, or changes it to what they say. */
export default function Apply() {
  const { t } = useWords();
  return (
    <>
      <h1>{t("Project from manifests")}</h1>
      <Loaded from={useQuery(systemRightsQuery)}>
        {({ isAdmin }) =>
          isAdmin ? <Choice /> : <p className="empty">{t("Only administrators see something here.")}</p>
        }
      </Loaded>
    </>
  );
}

function Choice() {
  const { t } = useWords();
  const choosing = useMutation({ mutationFn: (given: Promise<Given>) => given });
  return (
    <>
      <section
        className="empty"
        aria-label={t("Manifests")}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          choosing.mutate(droppedFiles(event.dataTransfer));
        }}
      >
        <p>{t("Drop a folder of manifests here, or its files. Each file is a service, called like it.")}</p>
        <label>
          {t("Choose files")}
          <input
            type="file"
            multiple
            accept=".yaml,.yml"
            onChange={({ target }) => choosing.mutate(givenFiles([...(target.files ?? [])]))}
          />
        </label>
      </section>
      {choosing.error !== null && <Failure error={choosing.error} />}
      {choosing.data !== undefined && <Target key={choosing.submittedAt} given={choosing.data} />}
    </>
  );
}

function Target({ given }: { given: Given }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const clusters = useQuery(clustersQuery);
  const [chosen, setChosen] = useState<{ place: Place; cluster: string }>();
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    setChosen({
      place: { project: text("project"), env: text("environment"), production: false },
      cluster: text("cluster"),
    });
  };
  return (
    <>
      <form className="details" onSubmit={send}>
        <p>{t("Services: {names}", { names: [...given.services.keys()].join(", ") })}</p>
        <TextInput
          label={t("Project key")}
          name="project"
          defaultValue={given.folder}
          required
          maxLength={63}
          autoComplete="off"
        />
        <TextInput
          label={t("Environment key")}
          name="environment"
          defaultValue="dev"
          required
          maxLength={50}
          autoComplete="off"
        />
        <Loaded from={clusters}>
          {(all) => (
            <NativeSelect label={t("Cluster of a new environment")} name="cluster">
              {all.map(({ cluster_id, name }) => (
                <option key={cluster_id} value={cluster_id}>
                  {name}
                </option>
              ))}
            </NativeSelect>
          )}
        </Loaded>
        <Button type="submit" variant="filled" disabled={clusters.data === undefined}>
          {t("Show what that would do")}
        </Button>
      </form>
      {chosen !== undefined && (
        <Confirmed
          name={chosen.place.project}
          title={t("Apply to {project}/{env}", { project: chosen.place.project, env: chosen.place.env })}
          action={t("Apply")}
          run={(isPreview) => applyGiven(given, chosen.place, chosen.cluster, isPreview)}
          onDone={() =>
            void navigate({
              to: "/v1/projects/detail/$project/envs/detail",
              params: { project: chosen.place.project },
              search: searchOf(chosen.place),
            })
          }
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}
