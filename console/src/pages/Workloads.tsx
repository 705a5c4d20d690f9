import { Button, Input } from "@mantine/core";
import type { components } from "@slipway/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { changeImage, hasImages, instanceQuery, isScaled, scale } from "../environmentQueries.ts";
import { Loaded } from "../parts.tsx";
import { type Place, useMay } from "../queries.ts";
import { useWords } from "../words.tsx";
import { Confirmed } from "./Confirmed.tsx";

type Answer = components["schemas"]["PreviewReport"] | { message: string };

interface Change {
  title: string;
  action: string;
  run(isPreview: boolean): Promise<Answer>;
}

const scaleVerbs = (production: boolean): string[] =>
  production
    ? ["edit_production_environment", "scale_production_environment"]
    : ["manage_environment", "scale_environment"];
const imageVerbs = (production: boolean): string[] =>
  production
    ? ["config_production_environment", "edit_production_environment"]
    : ["config_environment", "manage_environment"];

/** The workloads of a service: how many pods each has, and the images of its containers. */
export function Workloads({ place, service }: { place: Place; service: string }) {
  const { t } = useWords();
  const [change, setChange] = useState<Change>();
  const mayScale = useMay(place, scaleVerbs(place.production));
  const maySetImages = useMay(place, imageVerbs(place.production));
  return (
    <>
      <h3>{t("Workloads")}</h3>
      <Loaded from={useQuery(instanceQuery(place, service))}>
        {({ scales, cron_jobs }) => {
          const all = [
            ...scales.map(({ type, name, images, replicas }) => ({ type, name, images, replicas })),
            ...cron_jobs.map(({ name, images }) => ({ type: "CronJob", name, images, replicas: undefined })),
          ];
          if (all.length === 0) return <p className="quiet">{t("It has no workloads.")}</p>;
          return (
            <ul className="rows" aria-label={t("Workloads")}>
              {all.map(({ type, name, images, replicas }) => (
                <li key={`${type}/${name}`}>
                  <span className="name">{name}</span>
                  <span className="quiet">
                    {type}
                    {replicas !== undefined && `, ${t("{count} pods", { count: replicas })}`}
                  </span>
                  {mayScale && replicas !== undefined && isScaled(type) && (
                    <OneField
                      key={replicas}
                      label={t("Pods of {name}", { name })}
                      button={t("Scale")}
                      value={String(replicas)}
                      type="number"
                      send={(text) =>
                        setChange({
                          title: t("Scale {name} to {count} pods", { name, count: text }),
                          action: t("Scale"),
                          run: (isPreview) => scale(place, service, { name, type, replicas: Number(text) }, isPreview),
                        })
                      }
                    />
                  )}
                  {images.map(({ name: container, image }) => (
                    <div key={container} className="decision">
                      <p>
                        {container}{" "}
                        <Link to="/v1/artifacts/trace" search={{ image }}>
                          {t("Trace of {name}", { name: container })}
                        </Link>
                      </p>
                      {maySetImages && hasImages(type) ? (
                        <OneField
                          key={image}
                          label={t("Image of {name}", { name: container })}
                          button={t("Change")}
                          value={image}
                          type="text"
                          send={(text) =>
                            setChange({
                              title: t("Run {container} of {name} as {image}", { container, name, image: text }),
                              action: t("Change"),
                              run: (isPreview) =>
                                changeImage(place, service, { type, name, container, image: text }, isPreview),
                            })
                          }
                        />
                      ) : (
                        <code>{image}</code>
                      )}
                    </div>
                  ))}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      {change !== undefined && (
        <Confirmed name={place.production ? service : undefined} {...change} onClose={() => setChange(undefined)} />
      )}
    </>
  );
}

/** A field with its button, which is there for what is different from now. */
function OneField({
  label,
  button,
  value,
  type,
  send,
}: {
  label: string;
  button: string;
  value: string;
  type: "number" | "text";
  send(text: string): void;
}) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send(text.trim());
  };
  return (
    <form className="one-field" onSubmit={submit}>
      <Input
        aria-label={label}
        type={type}
        {...(type === "number" ? { min: 0 } : { maxLength: 512 })}
        required
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={text.trim() === value} aria-label={`${button}: ${label}`}>
        {button}
      </Button>
    </form>
  );
}
