import { describe, expect, it } from 'vitest'
import { isHostName, isInternalName, isLoopbackName, readHostName } from './host-name.ts'

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

describe('isLoopbackName', () => {
  it.each([
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    'app.localhost',
    'a.b.localhost.:1',
    '127.0.0.1',
    '127.0.0.1:8080',
    '127.0.0.1.',
    '127.255.255.254',
    '[::1]',
    '[::1]:65535',
  ])('%s', (host) => {
    expect(isLoopbackName(readHostName(host))).toBe(true)
  })

  it.each([
    '127.evil.test',
    '127.0.0.1.evil.test',
    '127.0.0.1.nip.io:8080',
    '127.0.0.evil.test',
    '127.com',
    '127.',
    '127',
    '127.1',
    '127.0.0.256',
    '127.0.0.1.1',
    '127.00.0.1',
    '127.0.0.1..',
    '127.0.0.1:x',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '\u{1d7cf}27.0.0.1',
    'localhost.evil.test',
    'localhost..',
    '.localhost',
    'a..localhost',
    'notlocalhost',
    'localhost-evil.test',
    'l\u043ecalhost',
    'xn--lcalhost-54a',
    '[::2]',
    '[::1',
    '[::1]x',
    '[::1]evil.test',
    '[::ffff:127.0.0.1]',
    '[127.0.0.1].evil.test',
    '0.0.0.0',
    '',
  ])('not %s', (host) => {
    expect(isLoopbackName(readHostName(host))).toBe(false)
  })

  it('sees an address as every URL has it', () => {
    for (const url of ['http://127.1', 'http://2130706433', 'http://0x7f.1', 'http://0177.0.0.1', 'http://127.0.0.1.'])
      expect(isLoopbackName(readHostName(new URL(url).host)), url).toBe(true)
  })
})
