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

/** The origin of a registry. Registries speak TLS, except for those of this machine. */
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
