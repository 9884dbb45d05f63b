import { readFileSync } from 'node:fs'
import { listStorageProblems, type StorageConfig } from '../cluster/object-storage/storage-settings.ts'
import type { ServerConfig } from './schema.ts'
import { StartRefused } from './start-refused.ts'

/** The options of {@link checkCluster}. */
export type ClusterConfig = Pick<
  ServerConfig,
  | 'distributed'
  | 'authDatabaseUrl'
  | 'registrationToken'
  | 'registrationRequireAuth'
  | 'distributedRequireAuth'
  | 'natsUrl'
  | 'natsServiceJwt'
  | 'natsServiceSeed'
  | 'natsRequireAuth'
  | 'natsTlsCa'
  | 'natsTlsCert'
  | 'natsTlsKey'
> &
  StorageConfig

/** Facts that {@link checkCluster} cannot read from the configuration. */
export interface ClusterFacts {
  /** Whether accounts are in use. */
  readonly hasAccounts: boolean
}

const isGiven = (value: string | undefined): value is string => value !== undefined && value !== ''

/** Options in which one without the other is a mistake. */
const PAIRS = [
  ['natsServiceJwt', 'SVC_NATS_SERVICE_JWT', 'natsServiceSeed', 'SVC_NATS_SERVICE_SEED'],
  ['natsTlsCert', 'SVC_NATS_TLS_CERT', 'natsTlsKey', 'SVC_NATS_TLS_KEY'],
] as const

/**
 * Checks what `--distributed` needs.
 *
 * @throws {StartRefused} exit code 78, one sentence with everything that is missing, each by its name
 */
export function checkCluster(config: ClusterConfig, facts: ClusterFacts): void {
  if (!config.distributed) return
  const problems = [
    ...listEngineProblems(config, facts),
    ...listTokenProblems(config),
    ...listBusProblems(config),
    ...listStorageProblems(config),
  ]
  if (problems.length > 0) throw new StartRefused(`--distributed ${problems.join('; ')}`, { exitCode: 78 })
}

function listEngineProblems({ authDatabaseUrl, natsUrl }: ClusterConfig, { hasAccounts }: ClusterFacts): string[] {
  const problems: string[] = []
  if (!/^postgres(ql)?:\/\//i.test(authDatabaseUrl ?? '')) {
    problems.push('needs a PostgreSQL database: set --auth-database-url to a postgres:// address')
  }
  if (!hasAccounts) problems.push('needs accounts: set --auth-enabled')
  if (!isGiven(natsUrl)) problems.push('needs a message bus: set SVC_NATS_URL')
  return problems
}

function listTokenProblems(config: ClusterConfig): string[] {
  const problems: string[] = []
  if (!isGiven(config.registrationToken)) {
    problems.push('needs a token with which workers register: set SVC_REGISTRATION_TOKEN')
  }
  if (!config.registrationRequireAuth) problems.push('refuses SVC_REGISTRATION_REQUIRE_AUTH=false')
  if (!config.distributedRequireAuth) problems.push('refuses SVC_DISTRIBUTED_REQUIRE_AUTH=false')
  return problems
}

function listBusProblems(config: ClusterConfig): string[] {
  const problems: string[] = []
  for (const [one, oneName, two, twoName] of PAIRS) {
    if (isGiven(config[one]) !== isGiven(config[two])) problems.push(`needs both ${oneName} and ${twoName}, or neither`)
  }
  for (const [file, name] of [
    [config.natsTlsCa, 'SVC_NATS_TLS_CA'],
    [config.natsTlsCert, 'SVC_NATS_TLS_CERT'],
    [config.natsTlsKey, 'SVC_NATS_TLS_KEY'],
  ] as const) {
    if (isGiven(file) && !canRead(file)) problems.push(`cannot read the file of ${name} (${file})`)
  }
  if (!isGiven(config.natsUrl)) return problems
  const wrong = findWrongServer(config.natsUrl)
  if (wrong !== undefined) problems.push(`needs SVC_NATS_URL as nats://host:port or tls://host:port, not ${wrong}`)
  else if (config.natsRequireAuth && !hasCredentials(config)) {
    problems.push(
      'needs credentials for the bus: set SVC_NATS_SERVICE_JWT and SVC_NATS_SERVICE_SEED, put a user into SVC_NATS_URL, or allow an open bus with SVC_NATS_REQUIRE_AUTH=false',
    )
  }
  return problems
}

function canRead(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}

/** The servers of a bus, each with its scheme. */
export function listNatsServers(natsUrl: string): string[] {
  return natsUrl
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '')
    .map((server) => (server.includes('://') ? server : `nats://${server}`))
}

/** The first server of another form, without its password. */
function findWrongServer(natsUrl: string): string | undefined {
  const servers = listNatsServers(natsUrl)
  if (servers.length === 0) return 'an empty list'
  return servers.map(findFault).find((fault) => fault !== undefined)
}

function findFault(server: string): string | undefined {
  if (!URL.canParse(server)) return 'a text that is not an address'
  const { protocol, host } = new URL(server)
  return ['nats:', 'tls:'].includes(protocol) && host !== '' ? undefined : `${protocol}//${host}`
}

function hasCredentials({ natsServiceJwt, natsUrl = '' }: ClusterConfig): boolean {
  return isGiven(natsServiceJwt) || listNatsServers(natsUrl).every((server) => new URL(server).username !== '')
}
