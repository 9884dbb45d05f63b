import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, startAccountsWorld } from '../support/accounts-world.ts'
import { type GalleryWorld, hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import type { RawReply } from '../support/test-app.ts'

interface Media {
  readonly schema?: object
}

interface Operation {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
  readonly 'x-svc-access': string
  readonly 'x-svc-socket'?: boolean
}

interface Named {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Named>> }
}

/** Replies whose body is not JSON, or without a body. */
const WITHOUT_SCHEMA: readonly string[] = [
  'GET /healthz',
  'GET /api/cors-proxy',
  'POST /api/cors-proxy',
  'GET /ws/backend-logs/{path}',
  'POST /api/backend-logs/{path}',
  'POST /api/traces/clear',
  'POST /api/backend-traces/clear',
  'POST /stores/set',
  'POST /stores/delete',
  'POST /api/auth/oidc/backchannel-logout',
  'POST /api/copy',
  'DELETE /api/delete',
  'DELETE /v1/mcp/sign-in/{model}/{server}',
  'DELETE /mcp',
  'GET /mcp',
  'POST /mcp',
]

/** A state without a body while nothing is missing. */
const EMPTY_WHEN_WELL = 'GET /readyz'

/** Lists and states that ask for a model. */
const NEEDS_MODEL = ['GET /backend/monitor', 'GET /v1/voices', 'GET /v1/audio/voices']

const toPointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')

/** The operations of a document that are not the pages themselves, each under its own path. */
function listOperations({ paths }: Document): (readonly [name: string, path: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation.operationId.endsWith('_alias') || ['pages', 'documentation'].includes(operation.tags[0] ?? '')
        ? []
        : [[`${method.toUpperCase()} ${path}`, path, operation] as const],
    ),
  )
}

/** Compares a reply with the schema that the document has for it. @returns the differences */
function createCheck(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, 'document')
  return (method: string, path: string, reply: RawReply): unknown => {
    const at = ['paths', path, method.toLowerCase(), 'responses', String(reply.status)].map(toPointer).join('/')
    const validate = ajv.compile({ $ref: `document#/${at}/content/application~1json/schema` })
    return validate(reply.json()) ? undefined : validate.errors
  }
}

let galleries: GalleryWorld
let accounts: AccountsWorld
let document: Document
let check: ReturnType<typeof createCheck>
beforeAll(async () => {
  galleries = await startGalleryWorld({
    files: { [hubPath('one.bin')]: WEIGHTS, [hubPath('two.bin')]: WEIGHTS },
  })
  galleries.setIndex([mockEntry('one'), { ...mockEntry('two'), variants: [{ model: 'one' }] }])
  accounts = await startAccountsWorld({ flags: ['--enable-tracing'] })
  await accounts.model('own', { rules: [{ do: { text: 'Good day' } }] })
  await accounts.call('/v1/chat/completions', {
    method: 'POST',
    headers: { ...accounts.admin.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'own', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  document = (await accounts.call('/swagger/doc.json')).json() as Document
  check = createCheck(document)
})
afterAll(async () => {
  await accounts.close()
  await galleries[Symbol.asyncDispose]()
})

describe('the document', () => {
  it('describes every reply that has a body of JSON', () => {
    const missing = listOperations(document).filter(([, , { responses }]) =>
      Object.entries(responses).some(([status, { content }]) => {
        const media = content?.['application/json'] ?? content?.['text/event-stream']
        const isOther = content !== undefined && media === undefined
        const isEmpty = media?.schema === undefined || Object.keys(media.schema).length === 0
        return status.startsWith('2') && isEmpty && !isOther
      }),
    )
    expect(missing.map(([name]) => name).sort()).toEqual([...WITHOUT_SCHEMA].sort())
  })

  it('describes what lists and states answer', async () => {
    const checked: string[] = []
    for (const [name, path, operation] of listOperations(document)) {
      const needs = operation.parameters?.some(({ required }) => required) === true
      if (
        !name.startsWith('GET ') ||
        needs ||
        NEEDS_MODEL.includes(name) ||
        name === EMPTY_WHEN_WELL ||
        path.includes('{') ||
        operation.responses['200']?.content?.['application/json'] === undefined
      )
        continue
      if (operation['x-svc-socket'] === true || operation.responses['200']?.content?.['text/event-stream']) continue
      if (operation.responses['200'] === undefined) continue
      const reply = await accounts.call(path, { headers: accounts.admin.headers })
      expect(reply.status, name).toBe(200)
      expect(check('get', path, reply), `${name} ${reply.text.slice(0, 500)}`).toBeUndefined()
      checked.push(name)
    }
    expect(checked.length).toBeGreaterThan(45)
  })

  it('describes what galleries answer', async () => {
    await galleries.apply({ id: 'one' })
    const requests: readonly (readonly [method: string, path: string, url?: string | undefined, body?: unknown])[] = [
      ['get', '/api/models'],
      ['get', '/api/backends'],
      ['get', '/models/available'],
      ['get', '/models/jobs'],
      ['get', '/backends/known'],
      ['get', '/api/operations/history'],
      ['get', '/api/models/variants/{id}', '/api/models/variants/test@two'],
      ['get', '/api/models/estimate/{id}', '/api/models/estimate/test@one'],
      ['get', '/api/models/edit/{name}', '/api/models/edit/one'],
      ['get', '/api/models/config-json/{name}', '/api/models/config-json/one'],
      ['get', '/api/models/config-metadata', '/api/models/config-metadata?section=all'],
      ['post', '/api/models/vram-estimate', undefined, { model: 'one' }],
      ['patch', '/api/models/config-json/{name}', '/api/models/config-json/one', { context_size: 512 }],
      ['post', '/models/reload', undefined, {}],
      ['post', '/backend/load', undefined, { model: 'one' }],
      ['get', '/backend/monitor', '/backend/monitor?model=one'],
      ['get', '/system'],
      ['post', '/backend/shutdown', undefined, { model: 'one' }],
      ['post', '/api/models/install/{id}', '/api/models/install/test@two'],
      ['delete', '/api/operations/history'],
      ['post', '/api/settings', undefined, { enable_tracing: true }],
    ]
    for (const [method, path, url = path, body] of requests) {
      const reply = await galleries.server.call(url, {
        method: method.toUpperCase(),
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
      expect(reply.status, `${method} ${url} ${reply.text}`).toBe(200)
      expect(check(method, path, reply), `${method} ${url} ${reply.text.slice(0, 800)}`).toBeUndefined()
    }
  })

  it('describes what accounts answer', async () => {
    const member = await accounts.member('ann')
    const { admin } = accounts
    const user = `/api/auth/admin/users/${member.id}`
    const template = '/api/auth/admin/users/{id}'
    const quota = { model: 'own', max_requests: 5, window: '1h' }
    type Request = readonly [
      caller: typeof admin,
      method: string,
      path: string,
      url?: string | undefined,
      body?: unknown,
    ]
    const requests: readonly Request[] = [
      [member, 'get', '/api/auth/status'],
      [member, 'get', '/api/auth/me'],
      [member, 'get', '/api/features'],
      [member, 'get', '/api/auth/api-keys'],
      [member, 'post', '/api/auth/api-keys', undefined, { name: 'k', expiresIn: '30d', scopes: { models: ['own'] } }],
      [member, 'get', '/api/auth/api-keys'],
      [admin, 'post', '/api/auth/admin/api-keys', undefined, { name: 's', note: 'n', scopes: { addresses: ['::1'] } }],
      [admin, 'get', '/api/auth/admin/api-keys'],
      [member, 'put', '/api/auth/profile', undefined, { name: 'Ann' }],
      [member, 'get', '/api/auth/usage', '/api/auth/usage?period=day'],
      [admin, 'get', '/api/auth/admin/users'],
      [admin, 'get', '/api/auth/admin/features'],
      [admin, 'put', `${template}/status`, `${user}/status`, { status: 'active' }],
      [admin, 'put', `${template}/role`, `${user}/role`, { role: 'user' }],
      [admin, 'get', `${template}/permissions`, `${user}/permissions`],
      [admin, 'put', `${template}/permissions`, `${user}/permissions`, { images: false }],
      [admin, 'put', `${template}/models`, `${user}/models`, { enabled: true, models: ['own'] }],
      [admin, 'put', `${template}/quotas`, `${user}/quotas`, quota],
      [admin, 'get', `${template}/quotas`, `${user}/quotas`],
      [admin, 'post', '/api/limits', undefined, { subject_kind: 'account', subject_id: member.id, max_requests: 5000 }],
      [admin, 'get', '/api/limits'],
      [member, 'get', '/api/limits/own'],
      [admin, 'post', '/api/auth/admin/invites', undefined, { expiresInHours: 24 }],
      [admin, 'get', '/api/auth/admin/invites'],
      [admin, 'get', '/api/auth/admin/usage'],
      [admin, 'get', '/api/auth/admin/usage/sources'],
      [member, 'post', '/api/auth/logout'],
      [admin, 'delete', template, user],
    ]
    for (const [caller, method, path, url = path, body] of requests) {
      const reply = await caller.browser.send(method.toUpperCase(), url, body)
      expect([200, 201], `${method} ${url} ${reply.text}`).toContain(reply.status)
      expect(check(method, path, reply), `${method} ${url} ${reply.text.slice(0, 500)}`).toBeUndefined()
    }
  })

  it('names the types of bodies that are no JSON, and a browser with a cookie may send those alone', async () => {
    const { browser } = accounts.admin
    const path = '/models/import'
    const { content } = document.paths[path]?.post?.requestBody ?? {}
    expect(Object.keys(content ?? {})).toEqual(['application/yaml'])
    const form = document.paths['/api/branding/asset/{kind}']?.post?.requestBody
    expect(Object.keys(form?.content ?? {})).toEqual(['multipart/form-data'])

    const post = (type: string) =>
      browser.call(path, { method: 'POST', headers: { 'content-type': type }, body: 'name: written\nbackend: mock\n' })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const refused = await post(type)
      expect([refused.status, refused.text], type).toEqual([
        415,
        expect.stringContaining('must be application/json or application/yaml'),
      ])
    }
    const written = await post('application/yaml; charset=utf-8')
    expect([written.status, check('post', path, written)]).toEqual([200, undefined])
  })

  it('declares offsets as bytes of UTF-8', () => {
    const { schemas } = document.components
    const about = (name: string, field: string) => schemas[name]?.properties?.[field]?.description
    for (const field of ['start', 'end']) expect(about('PiiEntity', field), field).toContain('bytes of UTF-8')
    for (const field of ['byte_offset', 'length']) expect(about('PiiEvent', field), field).toContain('ytes of UTF-8')
    expect(about('PiiTextRequest', 'offset_encoding')).toContain('bytes of UTF-8 (the default)')
  })

  it('names the form of errors', async () => {
    const { schema } = document.paths['/api/models']?.get?.responses.default?.content?.['application/json'] ?? {}
    expect(schema).toEqual({ $ref: '#/components/schemas/FlatError' })
    const reply = await accounts.call('/api/models?sort=size', { headers: accounts.admin.headers })
    expect([reply.status, reply.json()]).toEqual([400, { error: expect.any(String) }])
  })
})
