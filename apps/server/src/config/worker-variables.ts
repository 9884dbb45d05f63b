import type { Environment } from './env.ts'

/**
 * Options that workers of LocalAI name by variables with this prefix, by the rest of the name, which is the same here. A
 * unit file or a compose service of such a worker thus starts ours.
 */
const PREFIX = 'LOCALAI_'
const OWN_PREFIX = 'SVC_'
const NAMES = [
  ...['ADDR', 'SERVE_ADDR', 'GRPC_MAX_PORT', 'HTTP_ADDR', 'ADVERTISE_ADDR', 'ADVERTISE_HTTP_ADDR'],
  ...['REGISTER_TO', 'NODE_NAME', 'NODE_LABELS', 'REGISTRATION_TOKEN', 'HEARTBEAT_INTERVAL'],
  ...['MAX_REPLICAS_PER_MODEL', 'VRAM_BUDGET', 'PREFETCH_MODELS', 'MODELS_PATH', 'BACKENDS_PATH'],
  ...['BACKENDS_SYSTEM_PATH', 'BACKEND_GALLERIES', 'GALLERIES', 'REQUIRE_BACKEND_INTEGRITY'],
  ...['FORCE_META_BACKEND_CAPABILITY', 'NATS_URL', 'NATS_JWT', 'NATS_USER_SEED', 'NATS_REQUIRE_AUTH'],
  ...['NATS_TLS_CA', 'NATS_TLS_CERT', 'NATS_TLS_KEY', 'STORAGE_URL', 'STORAGE_BUCKET', 'STORAGE_REGION'],
  ...['STORAGE_ACCESS_KEY', 'STORAGE_SECRET_KEY', 'LOG_LEVEL', 'LOG_FORMAT', 'DEBUG'],
]
const FOREIGN = new Map(NAMES.map((name) => [`${OWN_PREFIX}${name}`, `${PREFIX}${name}`]))

/** The variables of an option for `svc worker`: its own first, then the names that workers of LocalAI have for it. */
export function listWorkerVariables(own: readonly string[], environment: Environment): readonly string[] {
  const foreign = own.flatMap((name) => FOREIGN.get(name) ?? [])
  return [...own, ...foreign.filter((name) => !isDefault(name, environment[name]))]
}

/** Their `0` stands for the last port there is. */
const isDefault = (name: string, value: string | undefined): boolean =>
  name === `${PREFIX}GRPC_MAX_PORT` && value?.trim() === '0'
