import { Match } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { readRepositoryFile } from "../../structure/sourceFiles.ts";
import { actionsOf, functionsOfStack, type Statement, statementsOf } from "./roles.ts";
import { readable, resourcesOf, type Synthesized, synthesized, synthesizedWith } from "./synthesized.ts";

const guide = readRepositoryFile("docs/aws.md");
const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d-0000-1111-2222-333344445555";
const name = "slipway.example.com";
const provider = {
  SLIPWAY_OIDC_ISSUER: "https://id.example.com",
  SLIPWAY_OIDC_CLIENT_ID: "slipway",
  SLIPWAY_OIDC_REDIRECT_URI: `https://${name}/api/v1/sso/callback`,
  SLIPWAY_OIDC_CLIENT_SECRET_NAME: "slipway/oidc",
};
const common = {
  SLIPWAY_OUTBOUND_ALLOW: "10.0.0.0/8,git.example.com",
  SLIPWAY_READY_SECONDS: 600,
  SLIPWAY_JOBS_NAMESPACE: "builds",
  SLIPWAY_BUILDKIT_MODE: "rootless",
  SLIPWAY_IMAGE_BUILDKIT: "moby/buildkit:v0.25.2-rootless",
  SLIPWAY_OPERATION_LOG_DAYS: 365,
  SLIPWAY_REFERENCE_SHAPES: true,
  SLIPWAY_TIME_ZONE: "Europe/Berlin",
};
/** Everything that can be chosen, in two deployments. */
const open = synthesizedWith({
  settings: { ...common, ...provider },
  network: { fixedEgress: true },
  domain: { name, certificateArn, hostedZoneId: "Z0123456789ABC" },
  ecrRepositories: ["team/*", "tools/kubectl"],
  // As the command line gives it.
  accountConcurrency: "1000",
});
const closed = synthesizedWith({
  settings: JSON.stringify({ SLIPWAY_CONSOLE_ADDRESS: "https://console.example.com" }),
  network: { subnetIds: ["subnet-0a1b2c3d", "subnet-0a1b2c3e"], securityGroupIds: ["sg-0a1b2c3d"] },
  domain: { name, certificateArn },
  ecrRepositories: [],
  accountConcurrency: 1,
});

interface Deployed {
  settings: Record<string, string>;
  network: unknown;
  statements: Statement[];
}

/** The functions of a stack by the names that the source gives them. */
function functionsOf(stack: Synthesized): Map<string, Deployed> {
  const roles = resourcesOf("AWS::IAM::Role", stack);
  return new Map(
    Object.values(resourcesOf("AWS::Lambda::Function", stack)).map(({ Properties }) => {
      const { FunctionName, Environment, VpcConfig, Role } = Properties as unknown as {
        FunctionName: string;
        Environment?: { Variables: Record<string, string> };
        VpcConfig?: unknown;
        Role: { "Fn::GetAtt": [string, string] };
      };
      const policies = roles[Role["Fn::GetAtt"][0]]?.Properties.Policies as {
        PolicyDocument: { Statement: Statement[] };
      }[];
      return [
        FunctionName.replace("Slipway-", ""),
        {
          settings: Environment?.Variables ?? {},
          network: VpcConfig,
          statements: policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
        },
      ];
    }),
  );
}

const outputsOf = ({ template }: Synthesized) => template.toJSON().Outputs as Record<string, { Value: unknown }>;
const refused = (context: Readonly<Record<string, unknown>>) => () => synthesizedWith(context);

describe("settings of a deployment", () => {
  test("reach every function as texts, those of the identity provider the one that asks it alone", () => {
    const functions = functionsOf(open);
    expect(functions.size).toBe(functionsOfStack().length);
    for (const [function_, { settings }] of functions) {
      const given = Object.fromEntries(Object.entries(common).map(([key, value]) => [key, String(value)]));
      expect(settings, function_).toMatchObject(given);
      const ofProvider = Object.entries(settings).filter(([key]) => key.startsWith("SLIPWAY_OIDC_"));
      expect(Object.fromEntries(ofProvider), function_).toEqual(function_ === "sso" ? provider : {});
    }
  });

  test("fit the 4 KB that a function has for all of its variables, with ARNs of a long account", () => {
    for (const [function_, { settings }] of functionsOf(open)) {
      const bytes = Object.entries(settings).reduce(
        (sum, [key, value]) => sum + key.length + Math.max(readable(value).length, 60) + 40,
        0,
      );
      expect(bytes, function_).toBeLessThan(4096);
    }
  });

  test("name the secret of the client, which the function that asks the provider may read, and nobody else", () => {
    const readers = (stack: Synthesized, secret: string) =>
      [...functionsOf(stack)].flatMap(([function_, { statements }]) =>
        statements.some(
          (one) => actionsOf(one).includes("secretsmanager:GetSecretValue") && readable(one.Resource).includes(secret),
        )
          ? [function_]
          : [],
      );
    expect(readers(open, ":secret:slipway/oidc-??????")).toEqual(["sso"]);
    expect(readers(closed, ":secret:")).toEqual([]);
  });

  test("leave links to the console at the address of the API unless they say where it is", () => {
    const addresses = (stack: Synthesized) => [
      ...new Set([...functionsOf(stack).values()].map(({ settings }) => readable(settings.SLIPWAY_CONSOLE_ADDRESS))),
    ];
    expect(addresses(synthesized())).toEqual([
      "https://<ApiGateway>.execute-api.<AWS::Region>.<AWS::URLSuffix>/slipway/console",
    ]);
    expect(addresses(open)).toEqual([`https://${name}/console`]);
    expect(addresses(closed)).toEqual(["https://console.example.com"]);
  });

  test("are told by every synthesis, with the defaults of the rest", () => {
    const [info] = open.app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === "aws:cdk:info"));
    expect(info?.data).toContain("\n  SLIPWAY_READY_SECONDS = 600\n");
    expect(info?.data).toContain("\n  SLIPWAY_IMAGE_GIT = alpine/git:v2.47.2  (default)\n");
    expect(info?.data).toContain("\n  SLIPWAY_OIDC_CLIENT_SECRET_NAME = slipway/oidc\n");
  });

  test.each<[string, unknown, string]>([
    ["a wrong value", { SLIPWAY_READY_SECONDS: "soon" }, "SLIPWAY_READY_SECONDS must be a whole number of seconds"],
    [
      "a wrong list",
      { SLIPWAY_OUTBOUND_ALLOW: "10.0.0.0/33" },
      'SLIPWAY_OUTBOUND_ALLOW must be a comma list of CIDR ranges such as 10.0.0.0/8, IP addresses and host names: "10.0.0.0/33"',
    ],
    [
      "a value that is no text",
      { SLIPWAY_OUTBOUND_ALLOW: ["10.0.0.0/8"] },
      "SLIPWAY_OUTBOUND_ALLOW must be a text, a number, true or false",
    ],
    ["half a provider", { SLIPWAY_OIDC_ISSUER: "https://id.example.com" }, "SLIPWAY_OIDC_CLIENT_ID is required"],
    ["a secret", { SLIPWAY_OIDC_CLIENT_SECRET: "s3cret" }, "set SLIPWAY_OIDC_CLIENT_SECRET_NAME"],
    ["an unknown name", { SLIPWAY_READY_SECOND: 1 }, "SLIPWAY_READY_SECOND is not a setting of a deployment"],
    ["what the stack itself sets", { SLIPWAY_TABLE: "other" }, "SLIPWAY_TABLE is not a setting of a deployment"],
    [
      "more than a function holds",
      { SLIPWAY_OUTBOUND_ALLOW: "10.0.0.0/8,".repeat(200) },
      "a function holds 2000 of them",
    ],
    ["a text that is no JSON", "SLIPWAY_READY_SECONDS=1", 'context "settings" must be JSON'],
  ])("with %s fail the synthesis, which says which and what would be right", (_, settings, message) => {
    expect(refused({ settings })).toThrow(message);
  });

  test("have taken the place of an option of their own", () => {
    expect(refused({ operationLogDays: 30 })).toThrow("SLIPWAY_OPERATION_LOG_DAYS");
  });
});

describe("a network", () => {
  test("is not there unless it is chosen", () => {
    for (const { network } of functionsOf(synthesized()).values()) expect(network).toBeUndefined();
    expect(Object.keys(resourcesOf("AWS::EC2::VPC"))).toEqual([]);
  });

  test("of its own has one NAT gateway with an address that stays and is told, and free ways to table and bucket", () => {
    const count = (kind: string) => Object.keys(resourcesOf(`AWS::EC2::${kind}`, open)).length;
    expect(["NatGateway", "EIP", "Subnet", "VPCEndpoint", "SecurityGroup"].map(count)).toEqual([1, 1, 4, 2, 1]);
    open.template.allResourcesProperties("AWS::EC2::VPCEndpoint", Match.objectLike({ VpcEndpointType: "Gateway" }));
    expect(readable(outputsOf(open).EgressAddress?.Value)).toMatch(/^<FixedEgressAddress.*\.PublicIp>$/);
    for (const { network } of functionsOf(open).values())
      expect(readable((network as { SubnetIds: unknown }).SubnetIds)).toMatch(
        /^<FixedEgressNetworkfunctionsSubnet1Subnet>, <FixedEgressNetworkfunctionsSubnet2Subnet>$/,
      );
    // US dollars an hour of the gateway and of its address, 730 hours a month.
    expect(guide).toContain(`${((0.045 + 0.005) * 730).toFixed(2)} USD a month`);
  });

  test("that is there already is taken as it is, with nothing made in it", () => {
    for (const { network } of functionsOf(closed).values())
      expect(network).toEqual({ SubnetIds: ["subnet-0a1b2c3d", "subnet-0a1b2c3e"], SecurityGroupIds: ["sg-0a1b2c3d"] });
    expect(Object.values(resourcesOf(undefined, closed)).filter(({ Type }) => Type.startsWith("AWS::EC2::"))).toEqual(
      [],
    );
  });

  test("is joined by Lambda with the function's role, and not by the function's own code", () => {
    for (const [function_, { statements }] of functionsOf(closed)) {
      const [join, deny] = statements.filter((one) => actionsOf(one).every((action) => action.startsWith("ec2:")));
      expect([join?.Effect, deny?.Effect], function_).toEqual(["Allow", "Deny"]);
      expect(actionsOf(deny as Statement)).toEqual(actionsOf(join as Statement));
      const source = readable(deny?.Condition?.ArnEquals?.["lambda:SourceFunctionArn"]);
      expect(source).toMatch(new RegExp(`:function:Slipway-${function_}$`));
    }
  });

  test("without a way to the internet needs the endpoints that the guide lists, of all services that functions ask", () => {
    const asked = functionsOfStack()
      .flatMap(({ roleId }) => statementsOf(roleId).flatMap(actionsOf))
      .map((action) => action.split(":")[0] ?? "")
      // Lambda itself writes the logs and keeps failed events; a role is passed within a call to the scheduler. Clusters are asked with other roles.
      // Connections of a WebSocket API have no endpoint: the guide says so.
      .filter((service) => !["logs", "sqs", "iam", "execute-api"].includes(service))
      .map((service) => (service === "ecr" ? "ecr.api" : service));
    const [, table = ""] = /\n\| Endpoints \|.*\n([\s\S]*?)\n\n/.exec(guide) ?? [];
    const listed = [...table.matchAll(/`([a-z0-9.-]+)`/g)].map(([, service]) => service);
    expect(listed.sort()).toEqual([...new Set([...asked, "eks"])].sort());
    expect(guide).toContain('such a network needs `"changeSockets": false`');
  });

  const either = 'network must be {"fixedEgress": true} or {"subnetIds"';
  test.each<[unknown, string]>([
    [{}, either],
    [true, either],
    [{ fixedEgress: "yes" }, either],
    [{ subnetIds: ["subnet-0a1b2c3d"] }, either],
    [
      { subnetIds: ["vpc-0a1b2c3d"], securityGroupIds: ["sg-0a1b2c3d"] },
      "network.subnetIds.0 must be a list of ids that begin with subnet-",
    ],
    [
      { subnetIds: ["subnet-0a1b2c3d"], securityGroupIds: [] },
      "network.securityGroupIds must be a list of ids that begin with sg-",
    ],
  ])("%j is refused", (network, message) => {
    expect(refused({ network })).toThrow(message);
  });
});

describe("a domain of one's own", () => {
  test("leads to the stage without a base path, speaks the TLS of the API, and is the address that is told", () => {
    for (const stack of [open, closed]) {
      const { template } = stack;
      template.hasResourceProperties("AWS::ApiGateway::DomainName", {
        DomainName: name,
        RegionalCertificateArn: certificateArn,
        EndpointConfiguration: { Types: ["REGIONAL"] },
        SecurityPolicy: Match.stringLikeRegexp("^SecurityPolicy_TLS13_1_2"),
      });
      template.hasResourceProperties("AWS::ApiGateway::BasePathMapping", { BasePath: Match.absent() });
      expect(readable(outputsOf(stack).Address?.Value)).toBe(`https://${name}`);
    }
  });

  test("gets its records in a hosted zone that is named, and tells where to point otherwise", () => {
    const records = Object.values(resourcesOf("AWS::Route53::RecordSet", open)).map(({ Properties }) => Properties);
    expect(records.map(({ Type, Name, HostedZoneId }) => [Type, Name, HostedZoneId])).toEqual([
      ["A", name, "Z0123456789ABC"],
      ["AAAA", name, "Z0123456789ABC"],
    ]);
    expect(outputsOf(open).DomainTarget).toBeUndefined();
    expect(readable(outputsOf(closed).DomainTarget?.Value)).toMatch(/\.RegionalDomainName>$/);
    expect(Object.keys(resourcesOf("AWS::Route53::RecordSet", closed))).toEqual([]);
  });

  test.each([
    [{ name: "https://slipway.example.com", certificateArn }, "domain.name must be a host name"],
    [{ name }, "domain.certificateArn must be the ARN of a certificate in ACM"],
    [{ name, certificateArn, hostedZoneId: "example.com" }, "domain.hostedZoneId must be the id of a hosted zone"],
  ])("%j is refused", (domain, message) => {
    expect(refused({ domain })).toThrow(message);
  });
});

describe("repositories in ECR", () => {
  const pushing = ["ecr:CompleteLayerUpload", "ecr:InitiateLayerUpload", "ecr:PutImage", "ecr:UploadLayerPart"];
  const allowedTo = (action: string, stack?: Synthesized) =>
    Object.fromEntries(
      [...functionsOf(stack ?? synthesized())].flatMap(([function_, { statements }]) => {
        const found = statements.filter((one) => actionsOf(one).includes(action));
        return found.length === 0
          ? []
          : [[function_, found.flatMap(({ Resource }) => [Resource].flat().map(readable))]];
      }),
    );
  const under = (name: string) => `arn:<AWS::Partition>:ecr:*:<AWS::AccountId>:repository/${name}`;

  test("are pulled from by whoever writes pull secrets, describes artifacts lists images or fetches charts, and pushed to by jobs and versions alone", () => {
    const prefix = [under("slipway/*")];
    expect(allowedTo("ecr:BatchGetImage")).toEqual(
      Object.fromEntries(
        [
          "collaborations",
          "delivery",
          "delivery-version",
          "environments",
          "job",
          "plan-follower",
          "projects",
          "reconciler",
          "registries",
          "registry-refresh",
          "releaseplans",
          "services",
          "templates",
        ].map((name_) => [name_, prefix]),
      ),
    );
    for (const action of pushing) expect(allowedTo(action)).toEqual({ "delivery-version": prefix, job: prefix });
  });

  test("are those that the deployment names", () => {
    expect(allowedTo("ecr:PutImage", open)).toEqual({
      "delivery-version": [under("team/*"), under("tools/kubectl")],
      job: [under("team/*"), under("tools/kubectl")],
    });
    expect(allowedTo("ecr:PutImage", closed)).toEqual({});
    expect(Object.keys(allowedTo("ecr:GetAuthorizationToken", closed))).toHaveLength(13);
  });

  test.each([["slipway/*"], [["*"]], [["slip*way"]], [["Slipway/*"]], [[7]]].map(([wrong]) => [wrong]))(
    "%j is refused",
    (ecrRepositories) => {
      expect(refused({ ecrRepositories: JSON.stringify(ecrRepositories) })).toThrow(
        'must be a list of names of ECR repositories, such as ["slipway/*"]',
      );
    },
  );
});

describe("the concurrency of the account", () => {
  const places = (stack?: Synthesized) =>
    [...functionsOf(stack ?? synthesized())].flatMap(([function_, { settings }]) =>
      settings.SLIPWAY_OPEN_STREAMS === undefined ? [] : [[function_, settings.SLIPWAY_OPEN_STREAMS]],
    );

  test("leaves half of it to open streams, of ten unless told otherwise", () => {
    expect(places()).toEqual([
      ["logs", "5"],
      ["events", "5"],
    ]);
    expect(places(open)).toEqual([
      ["logs", "500"],
      ["events", "500"],
    ]);
    expect(places(closed)).toEqual([
      ["logs", "1"],
      ["events", "1"],
    ]);
  });

  test.each([0, 1.5, "many"])("of %j is refused", (accountConcurrency) => {
    expect(refused({ accountConcurrency })).toThrow("context accountConcurrency must be a whole number of 1 or more");
  });
});

test("cdk-nag finds nothing in stacks with every option that was not accepted", () => {
  for (const { app } of [open, closed]) expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
});
