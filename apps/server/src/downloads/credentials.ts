import { StartRefused } from '../config/start-refused.ts'
import { readJsonFile } from '../files/read-json-file.ts'

/** Credentials of other services, each for one host. */
export interface Credentials {
  /** The value of `Authorization` for an origin, with the origin as the only place that may get it. */
  find(url: string): { readonly origin: string; readonly authorization: string } | undefined
  /** The name and password of a host, as a token service asks for them. */
  basic(host: string): string | undefined
}

/** Nobody is known. */
const NO_CREDENTIALS: Credentials = { find: () => undefined, basic: () => undefined }

/** What the file says of a host. */
type Entry = { readonly token: string } | { readonly username: string; readonly password: string }

/**
 * Reads the file of `--credentials-file`: a JSON object of hosts, such as
 * `{"hub.example": {"token": "…"}, "registry.example:5000": {"username": "…", "password": "…"}}`.
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
      if (entry === undefined || (protocol !== 'https:' && !isLoopback(host))) return undefined
      return { origin, authorization: 'token' in entry ? `Bearer ${entry.token}` : toBasic(entry) }
    },
    basic(host) {
      const entry = entries.get(host.toLowerCase())
      return entry === undefined || 'token' in entry ? undefined : toBasic(entry)
    },
  }
}

/** Secrets go over plain HTTP to this machine alone. */
function isLoopback(host: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
}

function toBasic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function toEntry(host: string, value: unknown): Entry {
  const fields = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}))
  const [token, username, password] = ['token', 'username', 'password'].map((name) => fields.get(name))
  if (typeof token === 'string') return { token }
  if (typeof username === 'string' && typeof password === 'string') return { username, password }
  throw new StartRefused(`--credentials-file: ${host} has neither a token nor a username and a password`, {
    exitCode: 78,
  })
}
