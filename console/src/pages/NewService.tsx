import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { CheckResult, marksOfWarnings } from "../editor/CheckResult.tsx";
import { Editor } from "../editor/Editor.tsx";
import { marksOfRefusal } from "../editor/marks.ts";
import { useChecked } from "../editor/useChecked.ts";
import { useUnsaved } from "../editor/useUnsaved.ts";
import { Failure, Loaded } from "../parts.tsx";
import { mayOne, queries, type Rights, rightsQuery } from "../queries.ts";
import { createService } from "../serviceQueries.ts";
import { useWords } from "../words.tsx";

/** A service from what is typed. */
export default function NewService() {
  const { t } = useWords();
  const { project } = useParams({ from: "/shell/v1/projects/detail/$project/services/new" });
  return (
    <>
      <h1>{t("New service")}</h1>
      <Loaded from={useQuery(rightsQuery(project))}>{(rights) => <Form project={project} rights={rights} />}</Loaded>
    </>
  );
}

function Form({ project, rights }: { project: string; rights: Rights }) {
  const { t } = useWords();
  const navigate = useNavigate();
  const mayTest = mayOne(rights, [], "create_service");
  const mayProduction = mayOne(rights, [], "create_production_service");
  const [name, setName] = useState("");
  const [production, setProduction] = useState(!mayTest);
  const [text, setText] = useState("");
  useUnsaved(text !== "");
  const of = { project, service: name.trim(), production };
  const isGiven = of.service !== "" && text.trim() !== "";
  const checked = useChecked(["new service", of], text, isGiven ? (sent) => createService(of, sent, true) : undefined);
  const { data, error } = checked;
  const marks = useMemo(() => [...marksOfRefusal(error), ...marksOfWarnings(data?.warnings)], [error, data]);
  const making = useMutation({
    mutationFn: () => createService(of, text, false),
    onSuccess: async () => {
      await queries.invalidateQueries();
      await navigate({
        to: "/v1/projects/detail/$project/services",
        params: { project },
        search: { service: of.service, ...(production && { production }) },
        ignoreBlocker: true,
      });
    },
  });
  if (!mayTest && !mayProduction) return <p className="empty">{t("You may not make services in this project.")}</p>;
  return (
    <form
      className="details"
      onSubmit={(event) => {
        event.preventDefault();
        making.mutate();
      }}
    >
      <TextInput
        label={t("Name")}
        value={name}
        maxLength={63}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      {mayTest && mayProduction && (
        <label className="check">
          <input type="checkbox" checked={production} onChange={({ target }) => setProduction(target.checked)} />{" "}
          {t("For production environments")}
        </label>
      )}
      <p className="quiet">
        {t("Kubernetes objects as YAML, parted by ---. What differs between environments is a variable: {{.tag}}.")}
      </p>
      <Editor label={t("Manifests")} text={text} marks={marks} onChange={setText} />
      {isGiven && <CheckResult checked={checked} />}
      {making.error !== null && <Failure error={making.error} />}
      <Button type="submit" variant="filled" disabled={!checked.isCurrent || data === undefined || making.isPending}>
        {t("Create")}
      </Button>
    </form>
  );
}
