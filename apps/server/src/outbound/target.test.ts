import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import type { Trust } from './failures.ts'
import { type AllowList, createTargetFinder, type Resolve, toAllowList } from './target.ts'

const PUBLIC = '93.184.216.34'
const signal = new AbortController().signal

/** A finder that gives all names the same addresses, with the names it looked up. */
function open(addresses: readonly string[] = [PUBLIC], allow: Partial<AllowList> = {}) {
  const lookups: string[] = []
  const resolve: Resolve = async (host) => {
    lookups.push(host)
    return addresses
  }
  const find = createTargetFinder({ allow: { cidrs: [], hosts: [], ...allow }, resolve })
  return { lookups, find: (url: string, trust: Trust = 'public') => find(url, { trust, signal }) }
}

const refusal = (reason: string) =>
  expect.objectContaining({
    kind: 'invalid_request',
    code: 'url_not_allowed',
    message: 'the URL is not allowed: only public http and https addresses are fetched',
    details: { reason },
  })

describe('a URL of a request', () => {
  it('leads to the addresses of its name', async () => {
    const { find, lookups } = open([PUBLIC, '2606:4700::1111'])
    expect(await find('https://CDN.Example.com./a/./b?c=d#e')).toEqual({
      url: new URL('https://cdn.example.com/a/b?c=d'),
      host: 'cdn.example.com',
      addresses: [PUBLIC, '2606:4700::1111'],
    })
    expect(lookups).toEqual(['cdn.example.com'])
  })

  it.each([
    ['http://1.1.1.1/', '1.1.1.1', '1.1.1.1'],
    ['http://0x01010101/', '1.1.1.1', '1.1.1.1'],
    ['https://[2606:4700::1111]/', '2606:4700::1111', '[2606:4700::1111]'],
  ])('with an address needs no look-up: %s', async (url, host, hostname) => {
    const { find, lookups } = open()
    const target = await find(url)
    expect(target).toMatchObject({ host, addresses: [host] })
    expect(target.url.hostname).toBe(hostname)
    expect(lookups).toEqual([])
  })

  it.each([
    // loopback, in all spellings
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://127.0.0.1../',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0x7f.0x0.0x0.0x1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0177.1/',
    'http://127.255.255.254/',
    'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://127｡0｡0｡1/',
    'http://%31%32%37.0.0.1/',
    'http://127%2e0%2e0%2e1/',
    'http:127.0.0.1/',
    'http:/127.0.0.1/',
    'http:\\\\127.0.0.1\\',
    'http://127.0.0.1\t/',
    '  http://127.0.0.1/  ',
    'ht\ntp://127.0.0.1/',
    'HTTP://127.0.0.1/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:FFFF:7F00:0001]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::1]/',
    // this network, unspecified
    'http://0/',
    'http://0.0.0.0/',
    'http://0x0/',
    'http://00/',
    'http://[::]/',
    'http://[::0.0.0.0]/',
    // private and shared
    'http://10.0.0.1/',
    'http://0xa.1/',
    'http://167772161/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://192.168.257/',
    'http://3232235777/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://198.18.0.1/',
    'http://192.0.0.192/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:192.168.0.1]/',
    // link-local and metadata
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://168.63.129.16/',
    // multicast and reserved
    'http://224.0.0.1/',
    'http://239.255.255.250/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://4294967295/',
    'http://[ff02::1]/',
    'http://192.0.2.1/',
    'http://[2001:db8::1]/',
  ])('is refused for its address: %j', async (url) => {
    const { find, lookups } = open()
    await expect(find(url)).rejects.toEqual(refusal('private_network'))
    expect(lookups).toEqual([])
  })

  it.each([
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://LocalHost.:8080/',
    'http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'http://loc\u00adalhost/',
    'http://local%68ost/',
    'http:///localhost/',
    'http://sub.localhost/',
    'http://localhost.localdomain/',
    'http://printer.local/',
    'http://printer.local./',
    'http://router/',
    'http://metadata/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://METADATA.google.internal./',
    'http://ｍｅｔａｄａｔａ.google.internal/',
    'http://metadata.goog/',
    'http://db.internal:8080/',
  ])('is refused for its name, without a look-up: %j', async (url) => {
    const { find, lookups } = open()
    await expect(find(url)).rejects.toEqual(refusal('internal_host'))
    expect(lookups).toEqual([])
  })

  it.each([
    ['scheme', 'file:///etc/passwd'],
    ['scheme', 'ftp://example.com/'],
    ['scheme', 'gopher://example.com/'],
    ['scheme', 'data:text/plain,hello'],
    ['scheme', 'javascript:alert(1)'],
    ['scheme', 'ws://example.com/'],
    ['scheme', 'blob:http://example.com/1'],
    ['scheme', 'unix:/run/docker.sock'],
    ['credentials', 'http://user@example.com/'],
    ['credentials', 'http://user:password@example.com/'],
    ['credentials', 'http://:password@example.com/'],
    ['credentials', 'http://example.com@127.0.0.1/'],
    ['credentials', 'http://example.com%40x@127.0.0.1/'],
    ['invalid_url', ''],
    ['invalid_url', '/relative'],
    ['invalid_url', '//example.com/'],
    ['invalid_url', 'http://'],
    ['invalid_url', 'http://./'],
    ['invalid_url', 'http://../'],
    ['invalid_url', 'http://a..example.com/'],
    ['invalid_url', 'http://localhost../'],
    ['invalid_url', 'http://1.2.3.4.5/'],
    ['invalid_url', 'http://256.1.1.1/'],
    ['invalid_url', 'http://example.0x/'],
    ['invalid_url', 'http://[fe80::1%25eth0]/'],
    ['invalid_url', 'http://[::1].example.com/'],
    ['invalid_url', 'http://127.0.0.1%00.example.com/'],
    ['invalid_url', 'http://example.com:99999/'],
    ['invalid_url', `http://${'a'.repeat(64)}.example.com/`],
    ['invalid_url', `http://example.com/${'a'.repeat(8192)}`],
    ['port', 'http://example.com:22/'],
    ['port', 'http://example.com:25/'],
    ['port', 'https://example.com:6379/'],
    ['port', 'http://1.1.1.1:11211/'],
    ['port', 'http://example.com:0/'],
  ])('is refused for its form (%s): %s', async (reason, url) => {
    await expect(open().find(url)).rejects.toEqual(refusal(reason))
  })

  it.each(['http://a.example:80/', 'http://a.example:443/', 'https://a.example:8443/', 'http://a.example:8080/'])(
    'may name a usual port: %s',
    async (url) => {
      expect((await open().find(url)).addresses).toEqual([PUBLIC])
    },
  )

  it.each([
    [['127.0.0.1']],
    [[PUBLIC, '10.0.0.1']],
    [['10.0.0.1', PUBLIC]],
    [[PUBLIC, '::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::a00:1']],
    [['fe80::1%eth0']],
    [['not an address']],
  ])('is refused when any address of its name is not public: %j', async (addresses) => {
    await expect(open(addresses).find('http://rebind.example/')).rejects.toEqual(refusal('private_network'))
  })

  it('reads the same whether its name is unknown or private', async () => {
    const unknown = await open([])
      .find('http://db1.example/')
      .catch((error: unknown) => error)
    const inside = await open(['10.0.0.1'])
      .find('http://db2.example/')
      .catch((error: unknown) => error)
    expect(unknown).toEqual(refusal('unresolvable'))
    expect(inside).toEqual(refusal('private_network'))
  })
})

describe('the allow-list', () => {
  it('opens its blocks for any port', async () => {
    const { find } = open(['10.1.2.3', PUBLIC], { cidrs: ['10.1.0.0/16', '::1'] })
    expect((await find('http://10.1.255.255:9000/')).host).toBe('10.1.255.255')
    expect((await find('http://[::1]:9000/')).host).toBe('::1')
    expect((await find('http://minio.example/')).addresses).toEqual(['10.1.2.3', PUBLIC])
    await expect(find('http://10.2.0.0/')).rejects.toEqual(refusal('private_network'))
  })

  it('does not open another port of a name that is only partly inside', async () => {
    const { find } = open(['10.1.2.3', PUBLIC], { cidrs: ['10.1.0.0/16'] })
    await expect(find('http://minio.example:9000/')).rejects.toEqual(refusal('port'))
  })

  it('does not open internal names by their addresses', async () => {
    const { find } = open(['127.0.0.1'], { cidrs: ['127.0.0.0/8'] })
    await expect(find('http://localhost:9000/')).rejects.toEqual(refusal('internal_host'))
  })

  it('opens its hosts in every spelling, for any addresses and ports', async () => {
    const { find } = open(['10.1.2.3'], { hosts: ['Minio.Internal.', '192.168.7.7'] })
    expect((await find('http://MINIO.internal.:9000/')).addresses).toEqual(['10.1.2.3'])
    expect((await find('http://192.168.1799:9000/')).addresses).toEqual(['192.168.7.7'])
    await expect(find('http://other.minio.internal/')).rejects.toEqual(refusal('internal_host'))
    await expect(find('file://minio.internal/etc/passwd')).rejects.toEqual(refusal('scheme'))
  })

  it('must be readable', () => {
    expect(() => open([], { cidrs: ['10.0.0.0/8', '10.0.0.0/99'] })).toThrowError(
      expect.objectContaining({ kind: 'invalid_request', code: 'invalid_cidr' }),
    )
  })
})

describe('a URL of the operator', () => {
  it.each(['http://127.0.0.1:5000/', 'http://localhost./', 'https://gallery.internal:9443/', 'http://[fd00::1]:1/'])(
    'may lead anywhere: %s',
    async (url) => {
      expect((await open(['10.0.0.1']).find(url, 'operator')).addresses).toHaveLength(1)
    },
  )

  it.each([
    ['scheme', 'file:///etc/passwd'],
    ['credentials', 'http://user:password@gallery.internal/'],
    ['invalid_url', 'gallery.internal/index.yaml'],
  ])('is still refused for its form (%s): %s', async (reason, url) => {
    await expect(open().find(url, 'operator')).rejects.toEqual(refusal(reason))
  })

  it('tells that its name does not resolve', async () => {
    const cause = new Error('getaddrinfo ENOTFOUND')
    const resolve: Resolve = async () => {
      throw cause
    }
    const find = createTargetFinder({ allow: { cidrs: [], hosts: [] }, resolve })
    const failure = await find('http://gallery.internal/', { trust: 'operator', signal }).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(SvcError)
    expect(failure).toMatchObject({
      kind: 'upstream_failed',
      code: 'fetch_failed',
      message: 'the URL could not be fetched: the host name could not be resolved',
      cause,
    })
  })
})

describe('a look-up', () => {
  it('is not waited for once the fetch is aborted', async () => {
    const find = createTargetFinder({
      allow: { cidrs: [], hosts: [] },
      resolve: () => new Promise(() => {}),
    })
    const controller = new AbortController()
    const finding = find('http://slow.example/', { trust: 'public', signal: controller.signal })
    const reason = new Error('client gone')
    controller.abort(reason)
    await expect(finding).rejects.toBe(reason)
  })
})

describe('an allow-list', () => {
  it('is made of names, addresses and blocks as they come', () => {
    expect(toAllowList(['nas', '10.0.0.0/8', '::1', 'Media.Example.org', '127.0.0.1'])).toEqual({
      cidrs: ['10.0.0.0/8', '::1', '127.0.0.1'],
      hosts: ['nas', 'Media.Example.org'],
    })
  })
})
