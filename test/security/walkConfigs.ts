type Call = <T = unknown>(
  name: string,
  more?: { params?: Record<string, string>; query?: Record<string, string>; body?: Record<string, unknown> },
) => Promise<T>;

/** Configuration objects and global variables of one environment, each call at least once. */
export async function walkConfigs(call: Call, prefix: string, envName: string, secret: string): Promise<void> {
  const query = { projectKey: "walk" };
  const params = { envName };
  const ofSecret = { params: { envName, envCfgName: "login" }, query: { ...query, type: "Secret" } };
  const yaml_data = `apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {key: ${secret}}\n`;
  const body = { name: "login", common_env_cfg_type: "Secret", yaml_data };
  await call(`POST ${prefix}/{envName}/envcfgs`, { params, query, body });
  await call(`PUT ${prefix}/envcfgs`, { query, body: { ...body, env_key: envName } });
  await call(`GET ${prefix}/{envName}/envcfgs`, { params, query: { ...query, type: "ConfigMap" } });
  const map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: red}\n";
  const plain = { name: "settings", common_env_cfg_type: "ConfigMap", yaml_data: map };
  await call(`POST ${prefix}/{envName}/envcfgs`, { params, query, body: plain });
  const ofMap = { params: { envName, envCfgName: "settings" }, query: { ...query, type: "ConfigMap" } };
  await call(`GET ${prefix}/{envName}/envcfg/{envCfgName}`, ofMap);
  await call(`GET ${prefix}/{envName}/envcfg/{envCfgName}/history`, ofMap);
  await call(`DELETE ${prefix}/{envName}/envcfg/{envCfgName}`, ofSecret);
  const global_variables = [{ key: "region", value: "us" }];
  await call(`PUT ${prefix}/{envName}/variable`, { params, query, body: { global_variables } });
  await call(`GET ${prefix}/{envName}/variable`, { params, query });
}
