import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    flags: ['--api-keys=shared-key'],
    configFiles: { 'runtime_settings.json': JSON.stringify({ instance_name: 'Lab', logo_file: 'logo.png' }) },
  })
  await mkdir(join(server.configDir, 'branding'))
  await writeFile(join(server.configDir, 'branding', 'logo.png'), Buffer.alloc(4000, 1))
})
afterAll(() => server.close())

async function expectPage(path: string, method = 'GET'): Promise<string> {
  const reply = await server.call(path, { method })
  expect([reply.status, reply.headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8'])
  return reply.text
}

describe('without credentials', () => {
  verifies('discovery:document:anonymous', 'the discovery document names the served routes', async () => {
    const reply = await server.call('/.well-known/service.json')
    expect(reply.status).toBe(200)
    expect(reply.json()).toMatchObject({ endpoints: { chat_completions: '/v1/chat/completions' } })
  })

  verifies(
    ['discovery:instructions:list', 'discovery:instructions:page'],
    'instructions and each of them',
    async () => {
      const list = (await server.call('/api/instructions')).json() as { instructions: { url: string }[] }
      expect(list.instructions.length).toBeGreaterThan(0)
      for (const { url } of list.instructions) {
        const page = await server.call(url)
        expect([page.status, page.headers['content-type']], url).toEqual([200, 'text/markdown; charset=utf-8'])
      }
    },
  )

  verifies(['discovery:swagger:anonymous', 'discovery:swagger:own-assets'], 'the API documentation', async () => {
    const moved = await server.call('/swagger')
    expect([moved.status, moved.headers.location]).toEqual([302, '/swagger/index.html'])
    const page = await expectPage('/swagger/index.html')
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      expect(file).toMatch(/^[\w.-]+$/)
      expect((await server.call(`/swagger/${file}`)).status, file).toBe(200)
    }
  })

  verifies(
    ['discovery:swagger:openapi', 'versioning:prefix:v1'],
    'the document is OpenAPI 3.1 and has the routes',
    async () => {
      const document = (await server.call('/swagger/doc.json')).json() as { openapi: string; paths: object }
      expect(document.openapi).toBe('3.1.0')
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(['/v1/chat/completions', '/v1/models', '/models', '/system', '/version', '/metrics']),
      )
    },
  )

  verifies('errors:status:no-resource', 'a missing page or asset is 404', async () => {
    for (const path of ['/api/instructions/nothing', '/branding/asset/favicon', '/swagger/nothing.js']) {
      expect((await server.call(path)).status, path).toBe(404)
    }
  })

  verifies(['discovery:health:healthz', 'discovery:health:readyz'], 'both health checks', async () => {
    for (const path of ['/healthz', '/readyz']) expect((await server.call(path)).status, path).toBe(200)
  })

  verifies('discovery:shell:root', 'the page at the root, GET and HEAD', async () => {
    expect(await expectPage('/')).toContain('<html')
    expect(await expectPage('/', 'HEAD')).toBe('')
  })

  verifies('discovery:shell:app', 'the paths of the application', async () => {
    for (const path of ['/app', '/app/x/y', '/browse', '/browse/x']) await expectPage(path)
  })

  verifies('discovery:shell:sign-in', 'the paths around signing in', async () => {
    for (const path of ['/login', '/invite/abc', '/explorer']) await expectPage(path)
    await using closed = await startTestServer({ flags: ['--api-keys=k'] })
    expect([(await closed.call('/invite')).status, (await closed.call('/invite/abc')).status]).toEqual([404, 200])
  })

  verifies('discovery:assets:favicon', 'the icon', async () => {
    const reply = await server.call('/favicon.svg')
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'image/svg+xml'])
  })

  verifies(['discovery:branding:read', 'discovery:branding:assets'], 'the branding and its images', async () => {
    const branding = (await server.call('/api/branding')).json() as { instance_name: string; logo_url: string }
    expect(branding).toMatchObject({ instance_name: 'Lab', logo_url: '/branding/asset/logo' })
    const logo = await server.call(branding.logo_url)
    expect([logo.status, logo.headers['content-type'], logo.body.length]).toEqual([200, 'image/png', 4000])
  })
})

describe('formats that are compressed already', () => {
  verifies('limits:compression:compressed-formats', 'are sent as they are', async () => {
    const reply = await server.call('/branding/asset/logo', { headers: { 'accept-encoding': 'gzip' } })
    expect(reply.headers['content-encoding']).toBeUndefined()
    expect(reply.body.length).toBe(4000)
  })
})
