import type { Credentials, RegistryCredentials } from '../downloads/credentials.ts'
import { isLoopbackName, readHostName } from '../outbound/host-name.ts'

/** Names of one registry. Its own tools take each of them for the others. */
const DOCKER_HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'auth.docker.io'] as const

/** Token services of public registries that have another host than the registry. */
const TOKEN_HOSTS: ReadonlyMap<string, string> = new Map([
  ...DOCKER_HUB.map((name) => [name, 'auth.docker.io'] as const),
  ['registry.gitlab.com', 'gitlab.com'],
  ['docker.elastic.co', 'docker-auth.elastic.co'],
])

/** The origin of a registry. Registries speak TLS, except for registries of this machine. */
export function toRegistryOrigin(registry: string): string {
  return `${isLoopbackName(readHostName(registry)) ? 'http' : 'https'}://${registry}`
}

/** The credentials that the operator gave for a registry, under one of its names. */
export function findRegistryCredentials(credentials: Credentials, registry: string): RegistryCredentials | undefined {
  const name = registry.toLowerCase()
  const names = DOCKER_HUB.some((one) => one === name) ? [name, ...DOCKER_HUB] : [name]
  for (const one of names) {
    const found = credentials.findRegistry(one)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Whether a token service may get the credentials of a registry. The registry names the service, and could name any: it
 * must be the registry itself, the known service of a public registry, or one that the operator lists. Never over plain
 * HTTP, except on this machine.
 */
export function mayGetCredentials(service: URL, registry: string, { tokenHosts }: RegistryCredentials): boolean {
  const { protocol, host } = service
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackName(readHostName(host)))
  if (!isSafe || service.username !== '' || service.password !== '') return false
  const own = toRegistryOrigin(registry)
  if (URL.canParse(own) && service.origin === new URL(own).origin) return true
  return host === TOKEN_HOSTS.get(registry.toLowerCase()) || tokenHosts.has(host)
}

/** The credentials that a registry asks for before it answers. */
export interface Challenge {
  readonly scheme: 'bearer' | 'basic'
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

const MAX_CHALLENGE_LENGTH = 4096
/** A parameter, or the name of a scheme. */
const CHALLENGE_PART = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([A-Za-z][\w-]*)/g

/**
 * Reads `WWW-Authenticate`, which may hold several challenges: a token is wanted rather than a name and a password, as it
 * can be had without them. Of a parameter that comes twice the first one counts.
 */
export function readChallenge(header: string): Challenge | undefined {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = []
  for (const [, name, quoted, plain = '', scheme] of header.slice(0, MAX_CHALLENGE_LENGTH).matchAll(CHALLENGE_PART)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() })
    const parameters = challenges.at(-1)?.parameters
    const key = name?.toLowerCase()
    if (key === undefined || parameters?.has(key) !== false) continue
    parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain)
  }
  for (const scheme of ['bearer', 'basic'] as const) {
    const found = challenges.find((one) => one.scheme === scheme)
    if (found !== undefined) return { scheme, parameters: found.parameters }
  }
  return undefined
}
