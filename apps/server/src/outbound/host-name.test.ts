import { describe, expect, it } from 'vitest'
import { isHostName, isInternalName } from './host-name.ts'

describe('isInternalName', () => {
  it.each([
    'localhost',
    'a.localhost',
    'localhost.localdomain',
    'localhost6.localdomain6',
    'printer.local',
    'ip6-loopback',
    'broadcasthost',
    'router',
    'metadata',
    'metadata.google.internal',
    'metadata.goog',
    'metadata.azure.com',
    'instance-data.ec2.internal',
    'db.corp',
    'nas.home',
    'nas.home.arpa',
    'nas.lan',
    'api.default.svc',
    'api.default.svc.cluster.local',
    'wiki.intranet',
    'vault.private',
  ])('%s', (name) => {
    expect(isInternalName(name)).toBe(true)
  })

  it.each([
    'example.com',
    'localhost.example.com',
    'notlocal.host',
    'thelocal.se',
    'my-internal.dev',
    'metadatas.example.com',
    'cdn.metadata.io',
    'svc.example.org',
  ])('not %s', (name) => {
    expect(isInternalName(name)).toBe(false)
  })
})

describe('isHostName', () => {
  it.each(['a', 'a.b', 'xn--bcher-kva.example', 'under_score.example', `${'a'.repeat(63)}.b`])('%s', (name) => {
    expect(isHostName(name)).toBe(true)
  })

  it.each(['', '.', 'a..b', '.a', 'a.', `${'a'.repeat(64)}.b`, Array(128).fill('a').join('.')])('not %j', (name) => {
    expect(isHostName(name)).toBe(false)
  })
})
