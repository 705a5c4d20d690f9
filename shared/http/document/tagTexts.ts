/** What operations under a heading of the API document are for, and when they are used. */
export const tagTexts: Readonly<Record<string, string>> = {
  Identity: "Sign in and out, by password, second factor or an identity provider, and read what the caller may do.",
  Users: "Accounts of people. Administrators create them; people change their own. Programs get API tokens instead.",
  "API tokens":
    "Tokens for programs and pipelines, which users create for themselves, limited by scope, project and time.",
  "User groups": "Groups of users, to which roles are given as to a user.",
  Settings: "Security settings of the installation: sessions, passwords, second factors.",
  Roles: "What may be done, as a list of verbs, in one project or in the system.",
  "Role bindings": "Who holds which role. Changed when a person joins or leaves a team.",
  Collaborations: "Collaboration modes, which give each person a copy of an environment or a workflow.",
  "Operation log":
    "The signed record of each mutation: who did what, when. Searched after an incident, exported for audits.",
  Clusters: "Kubernetes clusters that environments and jobs run on, by kubeconfig, agent or role of AWS.",
  "Image registries": "Registries that images are pulled from and pushed to, with their credentials.",
  Projects: "Projects group services, environments and workflows and are the border of what their people may do.",
  Environments:
    "A namespace of a cluster with services of a project. Create it, add and update services, watch their live status, roll back, scale, restart, put it to sleep. Paths with `production` are about production environments.",
  Services:
    "What is deployed: manifests or charts, with their variables. Each save is a revision; environments take it when they are updated.",
  "Template library": "Templates of services, Dockerfiles, builds and charts that projects share.",
  "Chart repositories": "Where charts are fetched from and delivery versions put them.",
  Labels: "Labels of services, by which they are found.",
  "Code hosts": "GitHub, GitLab, Gitee and Gerrit: where sources are read and pushes come from.",
  "Base images": "Images that scripts of jobs run in.",
  SonarQube: "Servers of SonarQube that code scans ask.",
  "Jenkins servers": "Jenkins servers whose jobs a workflow builds, with their credentials.",
  Databases: "PostgreSQL, MySQL and MariaDB databases that jobs run statements in.",
  "Configuration servers": "Servers of Nacos and Apollo whose configurations jobs change.",
  "Issue trackers": "Jira servers whose issues jobs move.",
  "Metric servers": "Servers of Prometheus whose figures decide about a canary release.",
  "Notification settings": "Chats, mail servers and webhooks that messages go to.",
  Builds: "How an image is made of sources. Workflows refer to builds.",
  Workflows: "Stages of jobs: build, test, approve, deploy. Saved here, run as tasks.",
  "Workflow tasks": "Runs of workflows: start one, follow it, approve, cancel, retry, hold a rollout.",
  "Legacy tasks": "Tasks by the paths of older clients. New clients use the operations of workflow tasks.",
  "Workflow triggers":
    "What starts a workflow: a push, a pull request, a time, a webhook, Jira, the end of another workflow.",
  "Approvals at chat services": "Applications of Lark, DingTalk and WeCom that people approve in.",
  "Release freezes": "Times in which production environments are not changed. Read before a release, set for holidays.",
  "Release plan hook": "The webhook that hears of each step of release plans, and its answers.",
  "Release plans":
    "What is released, by whom and when: its jobs, approvals and times. Workflows of production run from here.",
  Statistics: "Figures of builds, tests, deployments and releases, and the four of DORA.",
  "Delivery versions":
    "Images and charts of a project that belong together, copied under one name, to be deployed elsewhere.",
  Artifacts: "Images and files that jobs made, and where each of them runs.",
  Tests: "Tests with reports, which run alone or in workflows.",
  "Code scans": "Scans of sources, with the gate of SonarQube.",
  Logs: "What jobs and pods say, whole or as a stream.",
  Events: "What changes, as a stream or by a WebSocket, in place of polling.",
  Meta: "This document, and whether the API is well. Needs no token.",
};
