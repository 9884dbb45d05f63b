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
import { TEXT_FORMS, type TextKind } from './text-kind.ts'

/** The value of a text in the folder `/opt/svc`. */
function read(kind: TextKind, text: string): unknown {
  const value = kind.safeParse(text).data
  const resolve = TEXT_FORMS.get(kind)?.resolve
  return resolve === undefined || typeof value !== 'string' ? value : resolve(value, '/opt/svc')
}

describe('an address', () => {
  it.each([
    [':8080', undefined, 8080],
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['0.0.0.0:0', '0.0.0.0', 0],
    ['[::1]:65535', '::1', 65_535],
    ['localhost:80', 'localhost', 80],
  ])('%s', (written, host, port) => {
    expect(read(address, written)).toEqual({ host, port })
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
    expect(read(address, written)).toBeUndefined()
  })
  it('is read back as it was written', () => {
    const host = fc.oneof(fc.constant(undefined), fc.ipV4(), fc.constantFrom('::1', 'fe80::1', '2001:db8::7'))
    fc.assert(
      fc.property(host, fc.nat(65_535), (name, port) => {
        expect(read(address, formatAddress({ host: name, port }))).toEqual({ host: name, port })
      }),
    )
  })
  // verifies limits:profiling:loopback-only
  it('for profiling is numeric and of this machine', () => {
    expect(read(loopbackAddress, '127.0.0.1:6060')).toEqual({ host: '127.0.0.1', port: 6060 })
    expect(read(loopbackAddress, '[::1]:6060')).toEqual({ host: '::1', port: 6060 })
    for (const wrong of [':6060', 'localhost:6060', '0.0.0.0:6060', '127.evil.example:6060', '127.0.0.1']) {
      expect(read(loopbackAddress, wrong)).toBeUndefined()
    }
  })
})

describe('paths and URLs', () => {
  it('starts relative paths in the working directory', () => {
    expect(read(path, 'models')).toBe('/opt/svc/models')
    expect(read(path, '/srv/models')).toBe('/srv/models')
    expect(read(path, 'a\0b')).toBeUndefined()
  })
  it('takes web addresses without credentials', () => {
    expect(read(webUrl, 'https://a.example/base/')).toBe('https://a.example/base/')
    for (const wrong of ['a.example', 'ftp://a', 'https://user:password@a', 'https://'])
      expect(read(webUrl, wrong)).toBeUndefined()
  })
  // verifies auth-config:database:kinds
  it.each([
    ['postgres://u:p@db:5432/svc', 'postgres://u:p@db:5432/svc'],
    ['postgresql://db/svc?sslmode=require', 'postgresql://db/svc?sslmode=require'],
    ['state.db', '/opt/svc/state.db'],
    ['sqlite:state.db', '/opt/svc/state.db'],
    ['file:/srv/state.db', '/srv/state.db'],
    ['sqlite:///srv/state.db', '/srv/state.db'],
    [':memory:', ':memory:'],
    ['sqlite::memory:', ':memory:'],
    ['./:memory:', '/opt/svc/:memory:'],
  ])('the database %s is %s', (written, value) => {
    expect(read(databaseUrl, written)).toBe(value)
  })
  it.each(['mysql://db/svc', 'postgres://', 'sqlite:', 'a\0b'])('there is no database %j', (written) => {
    expect(read(databaseUrl, written)).toBeUndefined()
  })
})

describe('lists of places', () => {
  it('takes addresses and ranges', () => {
    expect(read(networks, '10.0.0.0/8,::1,192.168.1.7')).toEqual(['10.0.0.0/8', '::1', '192.168.1.7'])
    for (const wrong of ['proxy', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8'])
      expect(read(networks, wrong)).toBeUndefined()
  })
  it('takes host names beside networks', () => {
    const items = ['media.example.org', '10.0.0.0/8', 'nas', '::1', 'a_b.local.']
    expect(read(hostsAndNetworks, items.join(', '))).toEqual(items)
    for (const wrong of ['http://nas', 'nas:80', '*.example.org', '300.1.1.1', '10.0.0.0/33', 'a..b', '-a', 'a/8'])
      expect(read(hostsAndNetworks, wrong)).toBeUndefined()
  })
  it('splits names from places at the first colon', () => {
    expect(read(namedUris, 'mock:/opt/mock, other:127.0.0.1:50051')).toEqual([
      { name: 'mock', uri: '/opt/mock' },
      { name: 'other', uri: '127.0.0.1:50051' },
    ])
    for (const wrong of ['mock', ':50051', 'mock:', 'a:b,c']) expect(read(namedUris, wrong)).toBeUndefined()
  })
  it('takes path prefixes from the root', () => {
    expect(read(pathPrefixes, '/public,/hooks/')).toEqual(['/public', '/hooks/'])
    expect(read(pathPrefixes, 'public')).toBeUndefined()
  })
})
