import { describe, expect, it } from 'vitest'
import type { Credentials } from '../downloads/credentials.ts'
import { findRegistryCredentials, mayGetCredentials, readChallenge, toRegistryOrigin } from './registry-access.ts'

const listing = (...hosts: string[]) => ({ authorization: 'Basic x', tokenHosts: new Set(hosts) })

describe('a token service gets the credentials of a registry', () => {
  it.each([
    ['hub.example', 'https://hub.example/token', []],
    ['HUB.example', 'https://hub.example/v2/token', []],
    ['hub.example:443', 'https://hub.example/token', []],
    ['hub.example:5000', 'https://hub.example:5000/token?account=me', []],
    ['localhost:5000', 'http://localhost:5000/token', []],
    ['127.0.0.1:5000', 'http://127.0.0.1:5000/token', []],
    ['[::1]:5000', 'http://[::1]:5000/token', []],
    ['registry-1.docker.io', 'https://auth.docker.io/token', []],
    ['docker.io', 'https://auth.docker.io/token', []],
    ['Index.Docker.io', 'https://auth.docker.io/token', []],
    ['registry.gitlab.com', 'https://gitlab.com/jwt/auth', []],
    ['docker.elastic.co', 'https://docker-auth.elastic.co/auth', []],
    ['hub.example', 'https://auth.example/token', ['auth.example']],
    ['hub.example', 'https://auth.example:8443/token', ['auth.example:8443']],
    ['hub.example', 'http://127.0.0.1:6000/token', ['127.0.0.1:6000']],
  ] as const)('%s at %s', (registry, service, hosts) => {
    expect(mayGetCredentials(new URL(service), registry, listing(...hosts))).toBe(true)
  })

  it.each([
    ['another host', 'hub.example', 'https://evil.test/token', []],
    ['a host below the registry', 'hub.example', 'https://a.hub.example/token', []],
    ['a host above the registry', 'a.hub.example', 'https://hub.example/token', []],
    ['a host that begins alike', 'hub.example', 'https://hub.example.evil.test/token', []],
    ['another port', 'hub.example', 'https://hub.example:8443/token', []],
    ['plain HTTP', 'hub.example', 'http://hub.example/token', []],
    ['plain HTTP to a name like an address of this machine', 'hub.example', 'http://127.evil.test', ['127.evil.test']],
    ['plain HTTP to a listed host', 'hub.example', 'http://auth.example/token', ['auth.example']],
    ['another port of this machine', 'localhost:5000', 'http://localhost:5001/token', []],
    ['another name of this machine', 'localhost:5000', 'http://127.0.0.1:5000/token', []],
    ['a name in the address', 'hub.example', 'https://hub.example@evil.test/token', []],
    ['a name before the registry', 'hub.example', 'https://evil@hub.example/token', []],
    ['the service of another public registry', 'hub.example', 'https://auth.docker.io/token', []],
    ['a public registry that names another', 'registry.gitlab.com', 'https://auth.docker.io/token', []],
    ['a public registry over plain HTTP', 'registry-1.docker.io', 'http://auth.docker.io/token', []],
    ['another port of a listed host', 'hub.example', 'https://auth.example:8443/token', ['auth.example']],
    ['a file', 'hub.example', 'file:///etc/passwd', []],
    ['FTP to this machine', 'localhost', 'ftp://localhost/token', ['localhost']],
  ] as const)('but not over %s', (_what, registry, service, hosts) => {
    expect(mayGetCredentials(new URL(service), registry, listing(...hosts))).toBe(false)
  })
})

describe('the credentials of a registry', () => {
  const credentials = (...names: string[]): Credentials => ({
    find: () => undefined,
    findRegistry: (host) => (names.includes(host) ? { ...listing(), authorization: host } : undefined),
  })

  it('are those of its own name, and for Docker Hub of any of its names', () => {
    expect(findRegistryCredentials(credentials('hub.example'), 'Hub.example')?.authorization).toBe('hub.example')
    for (const name of ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'auth.docker.io'])
      expect(findRegistryCredentials(credentials(name), 'registry-1.docker.io')?.authorization).toBe(name)
    const both = credentials('docker.io', 'registry-1.docker.io')
    expect(findRegistryCredentials(both, 'registry-1.docker.io')?.authorization).toBe('registry-1.docker.io')
  })

  it('are never those of its token service, or of another registry', () => {
    for (const registry of [
      'registry.gitlab.com',
      'evil.test',
      'a.docker.io',
      'docker.io.evil.test',
      'hub.example:5000',
    ])
      expect(findRegistryCredentials(credentials('gitlab.com', 'docker.io', 'hub.example'), registry)).toBeUndefined()
  })
})

describe('toRegistryOrigin', () => {
  it('is plain HTTP on this machine only', () => {
    for (const registry of ['localhost:5000', '127.0.0.1', '127.1.2.3:80', '[::1]:5000', 'hub.localhost'])
      expect(toRegistryOrigin(registry), registry).toBe(`http://${registry}`)
    for (const registry of ['hub.example', '127.evil.test', '127.0.0.1.nip.io:5000', 'localhost.evil.test', '10.0.0.1'])
      expect(toRegistryOrigin(registry), registry).toBe(`https://${registry}`)
  })
})

describe('a challenge', () => {
  const token = ['bearer', { realm: 'https://hub.example/token', service: 's' }]
  it.each<[string, unknown]>([
    ['Bearer realm="https://hub.example/token",service="s"', token],
    ['bearer Service=s , REALM="https://hub.example/token"', token],
    ['Bearer realm="https://hub.example/token",service="s", Basic realm="x"', token],
    ['Basic realm="x", Bearer realm="https://hub.example/token", service="s"', token],
    ['Negotiate, Basic realm="x", Bearer realm="https://hub.example/token", service="s"', token],
    ['Bearer realm="https://hub.example/token",service="s",realm="https://evil.test"', token],
    ['Bearer realm="https://hub.example/token",service="s", Bearer realm="https://evil.test"', token],
    ['Bearer realm="a, Basic realm=\\"b\\""', ['bearer', { realm: 'a, Basic realm="b"' }]],
    ['Basic realm="x"', ['basic', { realm: 'x' }]],
    ['Basic', ['basic', {}]],
    ['realm="https://evil.test"', undefined],
    ['Digest realm="x"', undefined],
    ['', undefined],
    ['"', undefined],
  ])('is read: %s', (header, wanted) => {
    const found = readChallenge(header)
    expect(found && [found.scheme, Object.fromEntries(found.parameters)]).toEqual(wanted)
  })
})
