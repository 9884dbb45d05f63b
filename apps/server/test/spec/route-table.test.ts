import { describe, expect, it } from 'vitest'
import { startTestServer } from '../support/server.ts'

describe('GET /v1/models', () => {
  it('lists names in byte order, filters by an expression, and shows one', async () => {
    await using server = await startTestServer()
    for (const name of ['b', 'B', 'a-2', 'a']) await server.model(name)
    const list = (await server.call('/v1/models')).json() as { object: string; data: { id: string }[] }
    expect(list.object).toBe('list')
    expect(list.data.map((model) => model.id)).toEqual(['B', 'a', 'a-2', 'b'])
    expect(list.data[0]).toEqual({ id: 'B', object: 'model', created: expect.any(Number), owned_by: 'svc' })
    expect((await server.call('/models?filter=^a')).json()).toMatchObject({ data: [{ id: 'a' }, { id: 'a-2' }] })
    expect((await server.call('/v1/models?filter=(')).status).toBe(400)
    expect((await server.call(`/v1/models?filter=${'a'.repeat(1025)}`)).status).toBe(400)
    expect((await server.call('/v1/models/a-2')).json()).toMatchObject({ id: 'a-2' })
    expect((await server.call('/v1/models/nobody')).json()).toMatchObject({ error: { code: 'model_not_found' } })
  })
})

interface Operation {
  readonly operationId: string
  readonly 'x-svc-access': string
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
}

/** Whether a route streams events until its client leaves; the test only asks for its headers. */
const isEndless = ({ responses }: Operation): boolean => responses['200']?.content?.['text/event-stream'] !== undefined

describe('the route table', () => {
  it('gives every row the verdict its access says, to nobody and to a key', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=k', '--auth-enabled'] })
    const document = (await server.call('/swagger/doc.json')).json() as Document
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const concrete = path.replace(/\{[^}]+\}/g, 'x')
        const anonymous = await server.call(concrete, { method: method.toUpperCase() })
        if (operation['x-svc-access'] === 'none') expect(anonymous.status, `${method} ${path}`).not.toBe(401)
        else expect(anonymous.status, `${method} ${path}`).toBe(401)
        const asked = isEndless(operation) ? 'HEAD' : method.toUpperCase()
        const keyed = await server.call(concrete, { method: asked, headers: { 'x-api-key': 'k' } })
        expect([401, 403], `${method} ${path}`).not.toContain(keyed.status)
      }
    }
  })

  it('equals the OpenAPI document, with a unique id for each operation', async () => {
    await using server = await startTestServer()
    const document = (await server.call('/swagger/doc.json')).json() as Document
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((operation) => operation.operationId),
    )
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(Object.keys(document.paths)).not.toContain('/api/nodes')
    const discovery = (await server.call('/.well-known/service.json')).json() as { endpoints: Record<string, string> }
    for (const path of Object.values(discovery.endpoints))
      expect(document.paths).toHaveProperty([path.replace(/:(\w+)/g, '{$1}')])
  })

  // verifies flags:disable-webui:api-only
  it('has no pages with --disable-webui', async () => {
    await using server = await startTestServer({ flags: ['--disable-webui'] })
    for (const path of ['/', '/app', '/login']) expect((await server.call(path)).status).toBe(404)
    for (const path of ['/v1/models', '/swagger/doc.json']) expect((await server.call(path)).status).toBe(200)
  })
})
