import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { settingsFile } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { typedPath } from "../localSlipway.ts";
import { print } from "../terminal/print.ts";

interface Options {
  project?: string;
  env: string;
  image: string;
}

export function initCommand(program: Command): void {
  program
    .command("init")
    .description("write a folder to begin with: manifests of a service, a workflow and slipway.yaml")
    .argument("[folder]", "the folder", ".")
    .option("-p, --project <key>", "project; without it the folder's name")
    .option("-e, --env <key>", "environment", "dev")
    .option("--image <image>", "image of the service", "nginx:1.29")
    .action(init);
}

function init(named: string, { project, env, image }: Options): void {
  const folder = resolve(named);
  const key = project ?? basename(folder).toLowerCase();
  if (!/^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(key))
    throw new WrongUsage(`${key} is no key of a project: name one with -p, of small letters, digits and hyphens`);
  const files = filesOf(key, env, image);
  const existing = Object.keys(files).filter((name) => existsSync(join(folder, name)));
  if (existing.length > 0) throw new WrongUsage(`${typedPath(folder)} has ${existing.join(", ")} already`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const into = folder === process.cwd() ? "" : `cd ${typedPath(folder)} && `;
  print(
    [
      `${typedPath(folder)} has ${Object.keys(files).join(", ")}.`,
      "Next:",
      `  ${into}slipway apply -f deploy -p ${key} -e ${env}`,
      "  slipway workflow apply -f workflow.yaml",
      "  slipway run update",
    ].join("\n"),
  );
}

function filesOf(key: string, env: string, image: string): Record<string, string> {
  return {
    [settingsFile]: `# Commands in this folder use these where they name none.\nproject: ${key}\nenvironment: ${env}\n`,
    "deploy/web.yaml": webManifest(image),
    "workflow.yaml": `# slipway workflow apply -f workflow.yaml; slipway run update
name: update
project: ${key}
description: Deploys the service web again
stages:
  - name: deploy
    jobs:
      - name: web
        type: zadig-deploy
        spec:
          env: ${env}
          source: fixed
          deploy_contents: [config]
          services:
            - service_name: web
`,
  };
}

const webManifest = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: ${image}
          ports:
            - containerPort: 80
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports:
    - port: 80
`;
