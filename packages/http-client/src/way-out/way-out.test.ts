import { describe, expect, it } from 'vitest'
import { readForwardProxy } from './forward-proxy.ts'
import { isNoProxyList } from './no-proxy.ts'
import { createWayOut, readProxyVariables, toDestination } from './way-out.ts'

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

describe('the URL of a proxy', () => {
  it.each([
    ['http://proxy.example:3128', { isTls: false, host: 'proxy.example', port: 3128, authorization: undefined }],
    ['http://proxy.example:3128/', { isTls: false, host: 'proxy.example', port: 3128, authorization: undefined }],
    ['proxy.example:3128', { isTls: false, host: 'proxy.example', port: 3128, authorization: undefined }],
    ['proxy', { isTls: false, host: 'proxy', port: 80, authorization: undefined }],
    ['https://proxy.example', { isTls: true, host: 'proxy.example', port: 443, authorization: undefined }],
    ['HTTP://[::1]:8080', { isTls: false, host: '::1', port: 8080, authorization: undefined }],
    ['http://me:secret@p:1', { isTls: false, host: 'p', port: 1, authorization: basic('me:secret') }],
    ['me:s%40c%3Aret%2F@p:1', { isTls: false, host: 'p', port: 1, authorization: basic('me:s@c:ret/') }],
    ['http://token@p:1', { isTls: false, host: 'p', port: 1, authorization: basic('token:') }],
  ])('%s is read', (text, proxy) => {
    expect(readForwardProxy(text)).toEqual(proxy)
  })

  it.each([
    '',
    'http://',
    'socks5://p:1080',
    'socks5h://p:1080',
    'ftp://p',
    'http://p:1/path',
    'http://p:1?query',
    'http://p:99999',
    'p:1 p:2',
    'http://p:1\r\nX: y',
    'http://me:%zz@p:1',
  ])('%j is none', (text) => {
    expect(readForwardProxy(text)).toBeUndefined()
  })
})

describe('the variables', () => {
  it.each([
    [
      { HTTPS_PROXY: 'a', HTTP_PROXY: 'b', NO_PROXY: 'c' },
      { https: 'a', http: 'b', no: 'c' },
    ],
    [
      { https_proxy: 'a', HTTPS_PROXY: 'x', no_proxy: 'c', NO_PROXY: 'x' },
      { https: 'a', no: 'c' },
    ],
    [{ https_proxy: '', HTTPS_PROXY: 'a' }, { https: 'a' }],
    [{}, {}],
    [{ ALL_PROXY: 'a', all_proxy: 'a' }, {}],
  ])('%j are read', (environment, settings) => {
    expect(readProxyVariables(environment)).toEqual(settings)
  })
})

describe('the way out', () => {
  const find = (url: string, settings: Parameters<typeof createWayOut>[0] extends () => infer Read ? Read : never) =>
    createWayOut(() => settings).find(toDestination(new URL(url)))?.host

  it('is one proxy for each scheme, and none takes the place of the other', () => {
    expect(find('https://a.example', { https: 'http://s' })).toBe('s')
    expect(find('wss://a.example', { https: 'http://s', http: 'http://p' })).toBe('s')
    expect(find('http://a.example', { https: 'http://s' })).toBeUndefined()
    expect(find('http://a.example', { http: 'http://p' })).toBe('p')
    expect(find('https://a.example', { http: 'http://p' })).toBeUndefined()
    expect(find('https://a.example', { https: '' })).toBeUndefined()
  })

  it.each([
    'http://localhost:1/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://127.0.0.1/',
    'http://127.9.9.9/',
    'http://2130706433/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
  ])('never leads through a proxy to this machine: %s', (url) => {
    expect(find(url, { http: 'http://p' })).toBeUndefined()
  })

  it.each<readonly [string, string, boolean]>([
    ['*', 'http://a.example', true],
    ['a.example', 'http://a.example', true],
    ['A.Example', 'http://a.eXample:8080', true],
    ['a.example', 'http://b.a.example', true],
    ['.a.example', 'http://b.a.example', true],
    ['.a.example', 'http://a.example', true],
    ['*.a.example', 'http://b.a.example', true],
    ['a.example.', 'http://a.example', true],
    ['a.example', 'http://a.example.', true],
    ['a.example', 'http://ba.example', false],
    ['a.example', 'http://a.example.evil', false],
    ['a.example:8080', 'http://a.example:8080', true],
    ['a.example:8080', 'http://a.example', false],
    ['a.example:443', 'https://a.example', true],
    ['x, a.example ,y', 'http://a.example', true],
    ['x a.example', 'http://a.example', true],
    ['10.1.2.3', 'http://10.1.2.3', true],
    ['10.1.2.3:80', 'http://10.1.2.3', true],
    ['10.0.0.0/8', 'http://10.9.9.9:8000', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.0/99', 'http://10.0.0.1', false],
    ['10.0.0.0/8', 'http://10.a.example', false],
    ['10.0.0.0/-1', 'http://10.0.0.1', false],
    ['10.0.0.0/-1', 'http://a.example', false],
    ['10.0.0.0/', 'http://10.0.0.0', false],
    ['10.0.0.0/', 'http://8.8.8.8', false],
    ['10.0.0.0/1e0', 'http://99.1.1.1', false],
    ['10.0.0.0/0x8', 'http://10.0.0.1', false],
    ['10.0.0.0/+8', 'http://10.0.0.1', false],
    ['10.0.0.0/8.0', 'http://10.0.0.1', false],
    ['10.0.0.0/0008', 'http://10.0.0.1', false],
    ['10.0.0.0/8/8', 'http://10.0.0.1', false],
    ['10.0.0.0/33', 'http://10.0.0.1', false],
    ['10.0.0.0/32', 'http://10.0.0.0', true],
    ['10.0.0.0/0', 'http://8.8.8.8', true],
    ['10.0.0.0/8:8000', 'http://10.9.9.9:8000', true],
    ['10.0.0.0/8:8000', 'http://10.9.9.9', false],
    ['::1/', 'http://[2001:db8::1]', false],
    ['fd00::/129', 'http://[fd00::]', false],
    ['fd00::/-8', 'http://[fd00::]', false],
    ['[10.0.0.1]', 'http://10.0.0.1', false],
    ['[a.example]', 'http://a.example', false],
    ['[fd00::]/8', 'http://[fd12::1]', true],
    ['[fd00::]/8:443', 'https://[fd12::1]', true],
    ['[fd00::]/8:443', 'http://[fd12::1]', false],
    ['[fd00::]/', 'http://[fd00::]', false],
    ['10.0.0.0/-1,a.example', 'http://a.example', true],
    ['http://a.example/', 'http://a.example', false],
    ['*:8080', 'http://a.example:8080', true],
    ['*:8080', 'http://a.example', false],
    ['b\u00fccher.example', 'http://b\u00fccher.example', true],
    ['B\u00dcCHER.example', 'http://b\u00fccher.example', true],
    ['.bu\u0308cher.example', 'http://a.b\u00fccher.example', true],
    ['b\u00fccher.example', 'http://xn--bcher-kva.example', true],
    ['xn--bcher-kva.example', 'http://b\u00fccher.example', true],
    ['*.b\u00fccher\u3002example:80', 'http://a.b\u00fccher.example', true],
    ['b\u00fccher.example', 'http://bucher.example', false],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['[fd12::1]', 'http://[fd12::1]:8080', true],
    ['[fd12::1]:8080', 'http://[fd12::1]', false],
    ['fd12::1', 'http://[fd12:0::1]', true],
    ['', 'http://a.example', false],
    [',.,', 'http://a.example', false],
    ['ample', 'http://a.example', false],
  ])('the list %j lets %s past: %j', (no, url, isPast) => {
    expect(find(url, { http: 'http://p', https: 'http://p', no })).toBe(isPast ? undefined : 'p')
  })

  it('lets a name past in its own script', () => {
    const wayOut = createWayOut(() => ({ http: 'http://p', no: 'xn--bcher-kva.example' }))
    expect(wayOut.find({ isTls: false, host: 'B\u00fccher.example', port: 80 })).toBeUndefined()
  })

  it.each([
    ['10.0.0.0/-1', false],
    ['10.0.0.0/', false],
    ['a.example, 10.0.0.0/1e0', false],
    ['fd00::/129', false],
    ['[fd00::]/x', false],
    ['[a.example]', false],
    ['a.example/8', false],
    ['https://a.example', false],
    ['', true],
    ['*', true],
    ['localhost,.a.example,*.b.example,host:8443,b\u00fccher.example', true],
    ['10.0.0.0/8 10.1.2.3:80,fd00::/8,[fd00::]/8,[::1]:80,::1', true],
  ])('the list %j can be read: %s', (no, isReadable) => {
    expect(isNoProxyList(no)).toBe(isReadable)
  })

  it('follows settings that change', () => {
    let http = 'http://one'
    const way = createWayOut(() => ({ http }))
    const destination = toDestination(new URL('http://a.example'))
    expect(way.find(destination)?.host).toBe('one')
    http = 'http://two'
    expect(way.find(destination)?.host).toBe('two')
    http = ''
    expect(way.find(destination)).toBeUndefined()
  })
})
