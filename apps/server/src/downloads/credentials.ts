import { StartRefused } from '../config/start-refused.ts'
import { readJsonFile } from '../files/read-json-file.ts'
import { isLoopbackName, readHostName } from '../outbound/host-name.ts'

/** The name and password of a registry. */
export interface RegistryCredentials {
  /** The value of `Authorization`. */
  readonly authorization: string
  /** Hosts that may get it beside the registry: those at which the operator says its tokens are bought. */
  readonly tokenHosts: ReadonlySet<string>
}

/** Credentials of other services, each for one host. */
export interface Credentials {
  /** The value of `Authorization` for an origin, with the origin as the only place that may get it. */
  find(url: string): { readonly origin: string; readonly authorization: string } | undefined
  /** The name and password that the file has for a registry, by its host and port. */
  findRegistry(host: string): RegistryCredentials | undefined
}

/** Credentials of no host. */
const NO_CREDENTIALS: Credentials = { find: () => undefined, findRegistry: () => undefined }

/** The entry of a host in the file. */
type Entry =
  | { readonly token: string }
  | { readonly username: string; readonly password: string; readonly tokenHosts: ReadonlySet<string> }

/**
 * Reads the file of `--credentials-file`: a JSON object of hosts, such as
 * `{"hub.example": {"token": "…"}, "registry.example:5000": {"username": "…", "password": "…"}}`. A registry whose tokens
 * are bought at other hosts lists them: `"token_hosts": ["auth.example"]`.
 *
 * @throws {StartRefused} exit code 78, without anything of the file in the message
 */
export async function readCredentials(path: string | undefined): Promise<Credentials> {
  if (path === undefined) return NO_CREDENTIALS
  const read = await readJsonFile(path)
  const value: unknown = read.state === 'read' ? read.root.toValue() : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StartRefused('--credentials-file is not a JSON object of hosts', { exitCode: 78 })
  }
  const entries = new Map(Object.entries(value).map(([host, entry]) => [host.toLowerCase(), toEntry(host, entry)]))
  return {
    find(url) {
      const { host, origin, protocol } = new URL(url)
      const entry = entries.get(host.toLowerCase())
      if (entry === undefined || (protocol !== 'https:' && !isLoopbackName(readHostName(host)))) return undefined
      return { origin, authorization: 'token' in entry ? `Bearer ${entry.token}` : toBasic(entry) }
    },
    findRegistry(host) {
      const entry = entries.get(host.toLowerCase())
      if (entry === undefined || 'token' in entry) return undefined
      return { authorization: toBasic(entry), tokenHosts: entry.tokenHosts }
    },
  }
}

function toBasic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function toEntry(host: string, value: unknown): Entry {
  const fields = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}))
  const [token, username, password] = ['token', 'username', 'password'].map((name) => fields.get(name))
  if (typeof token === 'string') return { token }
  if (typeof username !== 'string' || typeof password !== 'string')
    throw new StartRefused(`--credentials-file: ${host} has neither a token nor a username and a password`, {
      exitCode: 78,
    })
  const hosts: unknown = fields.get('token_hosts') ?? []
  if (!Array.isArray(hosts) || !hosts.every((one) => typeof one === 'string'))
    throw new StartRefused(`--credentials-file: token_hosts of ${host} is not a list of hosts`, { exitCode: 78 })
  return { username, password, tokenHosts: new Set(hosts.map((one) => one.toLowerCase())) }
}
