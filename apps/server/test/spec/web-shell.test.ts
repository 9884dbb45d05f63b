import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type RawReply, type RawRequest, rawCall } from '../support/test-app.ts'
import { INDEX, packFixture, WEB_FILES } from '../support/web-folder.ts'
import { verifies } from './verifies.ts'

const SCRIPT = '/assets/index-D4fX9aB2.js'
const STYLE = '/assets/index-Ck3_-x9Q.css'
const PAGES = [
  '/',
  '/app',
  '/app/chat/x',
  '/browse',
  '/browse/y/z',
  '/login',
  '/invite/abc',
  '/invite/a/b',
  '/explorer',
]
const FILES = Object.keys(WEB_FILES).filter((name) => name !== 'index.html' && !name.endsWith('.map'))
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let folder: TempDir
let webFolder: string
let server: TestServer
beforeAll(async () => {
  folder = await tempDir('svc-web-')
  webFolder = await packFixture(folder.path)
  server = await startTestServer({ webFolder })
})
afterAll(async () => {
  await server.close()
  await folder.close()
})

const open = (path: string, options: RawRequest = {}): Promise<RawReply> =>
  server.call(path, { ...options, headers: { ...BROWSER, ...options.headers } })

/** A path as it is written: `fetch` and `URL` would take dots away. */
async function readStatus(path: string): Promise<string> {
  const text = await rawCall(server.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  return text.split(' ', 2)[1] ?? ''
}

describe('the page of the interface', () => {
  verifies(
    ['discovery:shell:root', 'discovery:shell:app', 'discovery:shell:sign-in'],
    'stands at every path of its own',
    async () => {
      for (const path of PAGES) {
        const reply = await open(path)
        expect([reply.status, reply.headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8'])
        expect(reply.text, path).toBe(INDEX)
        expect(reply.headers['cache-control'], path).toBe('no-cache')
      }
    },
  )

  it('lets programs read about the server at the root, and browsers the page', async () => {
    const forPrograms = await server.call('/', { headers: { accept: '*/*' } })
    expect(forPrograms.text).toContain('curl ')
    expect(forPrograms.text).toContain('A browser opens the web interface here')
    expect([forPrograms.headers.vary, (await open('/')).headers.vary]).toEqual([
      expect.stringContaining('Accept'),
      expect.stringMatching(/Accept,.*Accept-Encoding|Accept-Encoding,.*Accept$/),
    ])
    // Only the root has two faces.
    expect((await server.call('/app', { headers: { accept: '*/*' } })).text).toBe(INDEX)
  })

  it('answers HEAD without a body, and other methods with 405', async () => {
    const head = await open('/', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(INDEX.length)])
    const post = await open('/login', { method: 'POST' })
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('is sent again only when it has changed', async () => {
    const { etag = '' } = (await open('/app')).headers
    for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const reply = await open('/app', { headers: { 'if-none-match': known } })
      expect([reply.status, reply.text, reply.headers.etag, reply.headers['content-length']], known).toEqual([
        304,
        '',
        etag,
        undefined,
      ])
    }
    expect((await open('/app', { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200)
  })

  it('is compressed as the client likes it', async () => {
    const brotli = await open('/app', { headers: { 'accept-encoding': 'gzip, deflate, br' } })
    expect([brotli.headers['content-encoding'], brotliDecompressSync(brotli.body).toString()]).toEqual(['br', INDEX])
    const zipped = await open('/app', { headers: { 'accept-encoding': 'gzip' } })
    expect([zipped.headers['content-encoding'], gunzipSync(zipped.body).toString()]).toEqual(['gzip', INDEX])
    expect(brotli.headers.vary).toContain('Accept-Encoding')
  })
})

describe('the headers of the page and its files', () => {
  it('allow this server alone, and no script in the page', async () => {
    for (const path of ['/', '/login', '/app/x', SCRIPT, '/static/theme.js', '/favicon.svg']) {
      const { headers } = await open(path)
      expect(headers['content-security-policy'], path).toBe(
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
          "media-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; object-src 'none'; " +
          "base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
      )
      expect(headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('geolocation=()'),
      })
    }
  })
})

describe('the files of the interface', () => {
  verifies('discovery:assets:folders', 'are served with their types, however their names are written', async () => {
    const types = new Map<string, unknown>()
    for (const name of FILES) {
      const reply = await open(`/${name}`)
      expect([reply.status, reply.text], name).toEqual([200, WEB_FILES[name]])
      types.set(name.slice(name.lastIndexOf('.') + 1), reply.headers['content-type'])
    }
    expect(Object.fromEntries(types)).toEqual({
      css: 'text/css; charset=utf-8',
      js: 'text/javascript; charset=utf-8',
      json: 'application/json',
      svg: 'image/svg+xml',
      woff2: 'font/woff2',
    })
  })

  it('are kept for ever when their names have a hash, else asked for again', async () => {
    const kept = async (path: string) => (await open(path)).headers['cache-control']
    for (const path of [SCRIPT, STYLE, '/assets/inter-AbCdEfGh.woff2', '/locales/de/chat-Zz019aXb.json'])
      expect(await kept(path), path).toBe('public, max-age=31536000, immutable')
    for (const path of ['/static/theme.js', '/locales/de/plain.json', '/favicon.svg'])
      expect(await kept(path), path).toBe('no-cache')
    const { etag = '' } = (await open('/static/theme.js')).headers
    expect((await open('/static/theme.js', { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  it.each([
    ['br, gzip', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
    ['BR', 'br'],
  ])('with Accept-Encoding "%s" come as %s', async (accepted, coding) => {
    const reply = await open(SCRIPT, { headers: { 'accept-encoding': accepted } })
    expect(reply.headers['content-encoding']).toBe(coding)
    expect(reply.headers.vary).toContain('Accept-Encoding')
    const plain = { br: brotliDecompressSync, gzip: gunzipSync }
    const text = coding === undefined ? reply.body : plain[coding as keyof typeof plain](reply.body)
    expect(text.toString()).toBe(WEB_FILES[SCRIPT.slice(1)])
    expect(reply.headers['content-length']).toBe(String(reply.body.length))
  })

  it('come as they were compressed at the build', async () => {
    const reply = await open(SCRIPT, { headers: { 'accept-encoding': 'br' } })
    expect(reply.body).toEqual(await readFile(join(webFolder, `${SCRIPT.slice(1)}.br`)))
  })

  it('are not compressed where replies are not', async () => {
    await using plain = await startTestServer({ webFolder, flags: ['--disable-http-compression'] })
    for (const path of [SCRIPT, '/app']) {
      const { headers } = await plain.call(path, { headers: { 'accept-encoding': 'br, gzip' } })
      expect(headers['content-encoding'], path).toBeUndefined()
    }
  })

  it('are those of the list: other names, sources and everything outside are 404', async () => {
    for (const path of [
      '/assets/index-OLDHASH1.js',
      `${SCRIPT}.br`,
      `${SCRIPT}.map`,
      '/assets',
      '/assets/',
      '/static/files.json',
      '/assets/index.html',
      '/locales/de',
      '/assets/__proto__',
      '/assets/constructor',
    ])
      expect((await open(path)).status, path).toBe(404)
    expect((await open('/assets/index-OLDHASH1.js')).headers['content-type']).toBe('application/json')
  })

  it('cannot be left upwards', async () => {
    for (const path of [
      '/assets/../files.json',
      '/assets/../../packed/files.json',
      '/assets/..%2ffiles.json',
      '/assets/%2e%2e/files.json',
      '/assets/..%5cfiles.json',
      '/assets//etc/passwd',
      '/assets/%00',
      '/static/..%252f..%252fetc/passwd',
      '/assets/C:/windows/win.ini',
      '/files.json',
      '/index.html',
    ])
      expect(await readStatus(path), path).toMatch(/^40[04]$/)
  })
})

describe('the prefix of a proxy', () => {
  it('stands in the page, and only if the proxy is trusted and the prefix is plain', async () => {
    await using behind = await startTestServer({ webFolder, flags: ['--trusted-proxies=127.0.0.1'] })
    const readBase = async (prefix: string, path = '/app'): Promise<string | undefined> => {
      const { text } = await behind.call(path, { headers: { ...BROWSER, 'x-forwarded-prefix': prefix } })
      return /<base href="([^"]*)">/.exec(text)?.[1]
    }
    expect(await readBase('/llm')).toBe('/llm/')
    expect(await readBase('/llm/')).toBe('/llm/')
    expect(await readBase('/a/b-c', '/a/b-c/app/chat')).toBe('/a/b-c/')
    for (const hostile of ['//evil.example', '/"><script>', '/a/../b', 'https://evil.example', "/x'y", '/a b', '/%22'])
      expect(await readBase(hostile), hostile).toBe('/')
    const trusting = async (prefix: string) => (await open('/app', { headers: { 'x-forwarded-prefix': prefix } })).text
    expect(await trusting('/llm')).toContain('<base href="/">')
  })

  it('gives each prefix a page of its own tag, however many there are', async () => {
    await using behind = await startTestServer({ webFolder, flags: ['--trusted-proxies=127.0.0.1'] })
    const tags = new Set<string | undefined>()
    for (let index = 0; index < 40; index++) {
      const reply = await behind.call('/app', { headers: { 'x-forwarded-prefix': `/p${index}` } })
      expect(reply.text).toContain(`<base href="/p${index}/">`)
      tags.add(reply.headers.etag)
    }
    expect(tags.size).toBe(40)
  })

  it('is that of the base URL, escaped', async () => {
    await using based = await startTestServer({ webFolder, env: { SVC_BASE_URL: `http://localhost/it's&/llm` } })
    for (const path of ['/app', "/it's&/llm/app"])
      expect((await based.call(path)).text, path).toContain('<base href="/it&#39;s&#38;/llm/">')
    expect((await based.call(`/it's&/llm${SCRIPT}`)).status).toBe(200)
  })
})

describe('who may see the page', () => {
  it('is everybody: with accounts, shared keys or neither, with and without credentials', async () => {
    await using world = await startAccountsWorld({ webFolder })
    await using keyed = await startTestServer({ webFolder, flags: ['--api-keys=shared'] })
    const member = await world.member('ann')
    for (const path of [...PAGES, ...FILES.map((name) => `/${name}`)]) {
      expect((await world.call(path, { headers: BROWSER })).status, path).toBe(200)
      expect((await world.call(path, { headers: { ...BROWSER, ...member.headers } })).status, path).toBe(200)
      expect((await world.call(path, { headers: { ...BROWSER, ...world.admin.headers } })).status, path).toBe(200)
      expect((await keyed.call(path, { headers: BROWSER })).status, path).toBe(200)
    }
    expect((await world.call('/v1/models')).status).toBe(401)
    expect((await world.call('/invite')).status).toBe(404)
  })

  it('is nobody with --disable-webui', async () => {
    // verifies flags:disable-webui:api-only
    await using server = await startTestServer({ webFolder, flags: ['--disable-webui'] })
    for (const path of [...PAGES, ...FILES.map((name) => `/${name}`)])
      expect((await server.call(path, { headers: BROWSER })).status, path).toBe(404)
    expect((await server.call('/v1/models')).status).toBe(200)
  })
})

describe('a build', () => {
  it.each([
    ['a page without its base', { 'index.html': '<html></html>' }, 'index.html must have <base href="/"> once'],
    ['no page', { 'assets/a.js': '' }, 'has no index.html'],
    ['a file without an address', { ...WEB_FILES, 'theme.js': '' }, 'theme.js has no address'],
    ['a file of another type', { ...WEB_FILES, 'static/run.sh': '' }, 'static/run.sh has no media type'],
    ['a name that needs an escape', { ...WEB_FILES, 'assets/a b.js': '' }, 'assets/a b.js has characters'],
  ])('with %s cannot be packed', async (_, files, problem) => {
    await using other = await tempDir('svc-web-')
    await expect(packFixture(other.path, files)).rejects.toThrow(problem)
  })

  it('that cannot be read gives 500 and is tried again', async () => {
    await using other = await tempDir('svc-web-')
    await using broken = await startTestServer({ webFolder: other.join('packed') })
    expect((await broken.call('/app')).status).toBe(500)
    await packFixture(other.path)
    expect((await broken.call('/app')).status).toBe(200)
  })
})
