import { isIP } from 'node:net'
import type { NatsCredentials, NatsTlsFiles } from '../cluster/nats/open-connection.ts'
import { listStorageProblems } from '../cluster/object-storage/storage-settings.ts'
import { listNatsServers } from '../config/cluster.ts'
import { formatAddress, type ListenAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { isLoopbackAddress } from '../outbound/host-name.ts'

const DEFAULT_PORT = 50_051
const EVERYWHERE = '0.0.0.0'
const MIN_HEARTBEAT_MS = 100

/** What a worker needs to know. */
export interface WorkerConfig {
  /** URL of the front end. */
  readonly registerTo: string
  readonly name: string
  /** The registration token; empty only with `--insecure-no-token`. */
  readonly token: string
  /** `host:port` of the first backend, as front ends are told. */
  readonly address: string
  /** `host:port` of the file server, as front ends are told. */
  readonly httpAddress: string
  /** Where backends listen. */
  readonly serve: { readonly host: string; readonly firstPort: number; readonly lastPort: number }
  /** Where the file server listens. */
  readonly http: { readonly host: string; readonly port: number }
  readonly heartbeatMs: number
  readonly labels: Readonly<Record<string, string>>
  readonly maxReplicas: number
  /** Cap of the memory that models may take, such as `80%`; empty: none. */
  readonly vramBudget: string
  readonly bus: {
    readonly url: string
    readonly tls: NatsTlsFiles
    /** Credentials of the operator. */
    readonly credentials: NatsCredentials | undefined
    /** Whether front ends must give credentials. */
    readonly needsCredentials: boolean
  }
}

/**
 * Reads the options of a worker.
 *
 * @throws {StartRefused} exit code 78, one sentence with everything that is missing or wrong, each by its name
 */
export function readWorkerConfig(config: ServerConfig, { hostName }: { readonly hostName: string }): WorkerConfig {
  const { natsJwt: jwt = '', natsUserSeed: seed = '', natsUrl: url = '', registrationToken: token = '' } = config
  const problems = listProblems(config)
  if (problems.length > 0) throw new StartRefused(`worker ${problems.join('; ')}`, { exitCode: 78 })
  const places = findPlaces(config, hostName)
  return {
    ...places,
    registerTo: config.registerTo ?? '',
    name: config.nodeName || hostName,
    token,
    heartbeatMs: Math.max(MIN_HEARTBEAT_MS, config.heartbeatIntervalMs),
    labels: config.nodeLabels,
    maxReplicas: config.maxReplicasPerModel,
    vramBudget: String(config.vramBudget),
    bus: {
      url,
      tls: { ca: config.natsTlsCa, cert: config.natsTlsCert, key: config.natsTlsKey },
      credentials: jwt === '' ? undefined : { jwt, seed },
      needsCredentials: config.natsRequireAuth && jwt === '' && !hasUser(url),
    },
  }
}

function listProblems(config: ServerConfig): string[] {
  const { registerTo, natsUrl = '', registrationToken = '', natsJwt = '', natsUserSeed = '' } = config
  const problems: string[] = []
  if (registerTo === undefined) problems.push('needs a front end: set --register-to to its URL')
  if (registrationToken === '' && !config.insecureNoToken) {
    problems.push(
      'needs the token with which it registers: set SVC_REGISTRATION_TOKEN (--insecure-no-token starts it open to everybody)',
    )
  }
  const servers = listNatsServers(natsUrl)
  if (servers.length === 0) problems.push('needs a message bus: set SVC_NATS_URL')
  else if (servers.some((server) => !/^(?:nats|tls):\/\/./.test(server) || !URL.canParse(server))) {
    problems.push('needs SVC_NATS_URL as nats://host:port or tls://host:port')
  }
  if ((natsJwt === '') !== (natsUserSeed === '')) {
    problems.push('needs both SVC_NATS_JWT and SVC_NATS_USER_SEED, or neither')
  }
  return [...problems, ...listStorageProblems(config), ...listAddressProblems(config)]
}

function listAddressProblems(config: ServerConfig): string[] {
  const problems: string[] = []
  for (const [value, flag] of [
    [config.workerAddr, '--addr'],
    [config.advertiseAddr, '--advertise-addr'],
    [config.advertiseHttpAddr, '--advertise-http-addr'],
  ] as const) {
    if (value !== undefined && (value.host === undefined || value.port === 0)) {
      problems.push(`needs ${flag} as host:port`)
    }
  }
  const base = findBasePort(config)
  if (base < 2) problems.push('needs a port above 1 for its first backend')
  if (config.grpcMaxPort < base) problems.push(`needs --grpc-max-port at or above the first port, which is ${base}`)
  return problems
}

const findBasePort = ({ workerAddr, serveAddr }: ServerConfig): number =>
  workerAddr?.port ?? serveAddr?.port ?? DEFAULT_PORT

/** Where the worker listens, and where front ends find it. */
function findPlaces(
  config: ServerConfig,
  hostName: string,
): Pick<WorkerConfig, 'address' | 'httpAddress' | 'serve' | 'http'> {
  const { workerAddr, serveAddr, workerHttpAddr, advertiseAddr, advertiseHttpAddr } = config
  const firstPort = findBasePort(config)
  const host = serveAddr === undefined ? defaultHost(workerAddr) : (serveAddr.host ?? EVERYWHERE)
  const http = { host: workerHttpAddr?.host ?? host, port: workerHttpAddr?.port ?? firstPort - 1 }
  const told: ListenAddress = advertiseAddr ??
    workerAddr ?? { host: isEverywhere(host) ? hostName : host, port: firstPort }
  return {
    serve: { host, firstPort, lastPort: config.grpcMaxPort },
    http,
    address: formatAddress(told),
    httpAddress: formatAddress(advertiseHttpAddr ?? { host: told.host, port: http.port }),
  }
}

/** Where front ends find a file server whose port the system has chosen. */
export function toHttpAddress({ http, httpAddress }: WorkerConfig, port: number): string {
  return http.port === 0 ? httpAddress.replace(/:0$/, `:${port}`) : httpAddress
}

/** An address that only this machine reaches is not opened to others. */
function defaultHost(addr: ListenAddress | undefined): string {
  const { host = '' } = addr ?? {}
  return isIP(host) !== 0 && isLoopbackAddress(host) ? host : EVERYWHERE
}

/** Whether a host stands for every address of a machine. */
export const isEverywhere = (host: string): boolean => host === EVERYWHERE || host === '::'

const hasUser = (url: string): boolean => listNatsServers(url).every((server) => new URL(server).username !== '')
