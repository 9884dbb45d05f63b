import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  address,
  databaseUrl,
  formatAddress,
  hostsAndNetworks,
  loopbackAddress,
  namedUris,
  networks,
  path,
  pathPrefixes,
  webUrl,
} from './places.ts'

const context = { cwd: '/opt/svc' }

describe('an address', () => {
  it.each([
    [':8080', undefined, 8080],
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['[::1]:65535', '::1', 65_535],
    ['localhost:80', 'localhost', 80],
  ])('%s', (written, host, port) => {
    expect(address.read(written, context)).toEqual({ host, port })
  })
  it.each([
    '',
    '8080',
    'localhost',
    ':65536',
    ':-1',
    '::1:80',
    '[::1]',
    '[127.0.0.1]:80',
    '300.0.0.1:80',
    '1.2.3:80',
    'a b:80',
    'http://a:80',
    ':8080/',
  ])('refuses %j', (written) => {
    expect(address.read(written, context)).toBeUndefined()
  })
  it('is read back as it was written', () => {
    const host = fc.oneof(fc.constant(undefined), fc.ipV4(), fc.constantFrom('::1', 'fe80::1', '2001:db8::7'))
    fc.assert(
      fc.property(host, fc.nat(65_535), (name, port) => {
        expect(address.read(formatAddress({ host: name, port }), context)).toEqual({ host: name, port })
      }),
    )
  })
  // verifies limits:profiling:loopback-only
  it('for profiling is numeric and of this machine', () => {
    expect(loopbackAddress.read('127.0.0.1:6060', context)).toEqual({ host: '127.0.0.1', port: 6060 })
    expect(loopbackAddress.read('[::1]:6060', context)).toEqual({ host: '::1', port: 6060 })
    for (const wrong of [':6060', 'localhost:6060', '0.0.0.0:6060', '127.evil.example:6060', '127.0.0.1']) {
      expect(loopbackAddress.read(wrong, context)).toBeUndefined()
    }
  })
})

describe('paths and URLs', () => {
  it('starts relative paths in the working directory', () => {
    expect(path.read('models', context)).toBe('/opt/svc/models')
    expect(path.read('/srv/models', context)).toBe('/srv/models')
    expect(path.read('a\0b', context)).toBeUndefined()
  })
  it('takes web addresses without credentials', () => {
    expect(webUrl.read('https://a.example/base/', context)).toBe('https://a.example/base/')
    for (const wrong of ['a.example', 'ftp://a', 'https://user:password@a', 'https://'])
      expect(webUrl.read(wrong, context)).toBeUndefined()
  })
  // verifies auth-config:database:kinds
  it.each([
    ['postgres://u:p@db:5432/svc', 'postgres://u:p@db:5432/svc'],
    ['postgresql://db/svc?sslmode=require', 'postgresql://db/svc?sslmode=require'],
    ['state.db', '/opt/svc/state.db'],
    ['sqlite:state.db', '/opt/svc/state.db'],
    ['file:/srv/state.db', '/srv/state.db'],
    ['sqlite:///srv/state.db', '/srv/state.db'],
  ])('the database %s is %s', (written, value) => {
    expect(databaseUrl.read(written, context)).toBe(value)
  })
  it.each(['mysql://db/svc', 'postgres://', 'sqlite:', 'a\0b'])('there is no database %j', (written) => {
    expect(databaseUrl.read(written, context)).toBeUndefined()
  })
})

describe('lists of places', () => {
  it('takes addresses and ranges', () => {
    expect(networks.read('10.0.0.0/8,::1,192.168.1.7', context)).toEqual(['10.0.0.0/8', '::1', '192.168.1.7'])
    for (const wrong of ['proxy', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8'])
      expect(networks.read(wrong, context)).toBeUndefined()
  })
  it('takes host names beside networks', () => {
    const items = ['media.example.org', '10.0.0.0/8', 'nas', '::1', 'a_b.local.']
    expect(hostsAndNetworks.read(items.join(', '), context)).toEqual(items)
    for (const wrong of ['http://nas', 'nas:80', '*.example.org', '300.1.1.1', '10.0.0.0/33', 'a..b', '-a', 'a/8'])
      expect(hostsAndNetworks.read(wrong, context)).toBeUndefined()
  })
  it('splits names from places at the first colon', () => {
    expect(namedUris.read('mock:/opt/mock, other:127.0.0.1:50051', context)).toEqual([
      { name: 'mock', uri: '/opt/mock' },
      { name: 'other', uri: '127.0.0.1:50051' },
    ])
    for (const wrong of ['mock', ':50051', 'mock:', 'a:b,c']) expect(namedUris.read(wrong, context)).toBeUndefined()
  })
  it('takes path prefixes from the root', () => {
    expect(pathPrefixes.read('/public,/hooks/', context)).toEqual(['/public', '/hooks/'])
    expect(pathPrefixes.read('public', context)).toBeUndefined()
  })
})
