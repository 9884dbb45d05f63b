import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { KEY_GROUPS } from '../../src/catalog/keys/model-keys.ts'
import { type GalleryWorld, hubPath, mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import { ROUTE_BODIES } from '../support/route-bodies.ts'
import { JUDGE, POLICIES } from '../support/router-world.ts'
import type { TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

let world: GalleryWorld
let server: TestServer

beforeAll(async () => {
  world = await startGalleryWorld({ files: { [hubPath('one.bin')]: WEIGHTS } })
  server = world.server
  const { files: _, ...unsized } = mockEntry('unsized')
  world.setIndex([
    mockEntry('one'),
    { ...unsized, variants: [{ model: 'one' }] },
    { ...mockEntry('far'), license: 'x' },
  ])
  await server.model('m', {}, { known_usecases: ['chat', 'completion'] })
  await server.model('judge', JUDGE, { known_usecases: ['score'] })
  const keys = { classifier_model: 'judge', activation_threshold: 0.5, policies: POLICIES, fallback: 'm' }
  await server.writeModelFile('auto.yaml', stringify({ name: 'auto', router: { ...keys, candidates: [] } }))
})
afterAll(() => world[Symbol.asyncDispose]())

const read = async <T>(path: string): Promise<T> => (await server.call(path)).json() as T
const send = (method: string, path: string, body?: string) =>
  server.call(path, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': 'application/json' },
  })

describe('failures of changes of model files', () => {
  const refused = (error: string, filename?: string) => ({
    success: false,
    error: expect.stringContaining(error),
    message: expect.stringContaining(error),
    pending_cleanup: 0,
    ...(filename === undefined ? {} : { filename }),
  })

  // verifies shapes:admin:replies
  it.each([
    ['POST', '/models/edit/m', '', 400, refused('the request body is empty', 'm.yaml')],
    ['POST', '/models/edit/m', 'name: [', 400, refused('m.yaml:1', 'm.yaml')],
    ['POST', '/models/edit/m', 'name: m\ncontext_size: many', 400, refused('m.yaml:2: context_size', 'm.yaml')],
    ['POST', '/models/edit/m', 'name: auto\nbackend: mock', 409, refused('exists already', 'm.yaml')],
    ['POST', '/models/edit/gone', 'name: x\nbackend: mock', 404, refused('model configuration not found')],
    ['POST', '/models/edit/..%2fm', 'name: x', 400, refused('invalid model name')],
    ['POST', '/models/import', '', 400, refused('the request body is empty')],
    ['POST', '/models/import', 'name: [', 400, refused('the text:1: ')],
    ['POST', '/models/import', 'backend: mock', 400, refused('the text:1: name: is missing')],
    ['POST', '/models/import', 'name: new\nf16: maybe', 400, refused('new.yaml:2: f16', 'new.yaml')],
    ['POST', '/models/import', '{"name": "a/b", "threads": []}', 400, refused('a__b.yaml:1: threads', 'a__b.yaml')],
    ['POST', '/models/import', 'name: m\nbackend: mock', 409, refused('"m" exists already', 'm.yaml')],
    ['POST', '/models/import', '- name: a\n- name: b', 400, refused('several models')],
    ['PUT', '/models/toggle-state/m/explode', undefined, 400, refused('not enable or disable', 'm.yaml')],
    ['PUT', '/models/toggle-pinned/m/enable', undefined, 400, refused('not pin or unpin', 'm.yaml')],
    ['PUT', '/models/toggle-state/gone/enable', undefined, 404, refused('model configuration not found')],
    ['PUT', '/models/toggle-pinned/%2e%2e%2fm/pin', undefined, 400, refused('invalid model name')],
    ['PATCH', '/api/models/config-json/m', '{', 400, refused('invalid JSON', 'm.yaml')],
    ['PATCH', '/api/models/config-json/m', '{"name": "x"}', 400, refused('cannot be changed here', 'm.yaml')],
    ['PATCH', '/api/models/config-json/m', '{"threads": "x"}', 400, refused('m.yaml:', 'm.yaml')],
  ] as const)('%s %s with %j is %d in the shape of other replies', async (method, path, body, status, shape) => {
    const reply = await send(method, path, body)
    expect([reply.status, reply.json()]).toEqual([status, shape])
  })
})

describe('the configuration of a model', () => {
  verifies('shapes:admin:replies', 'is a list of keys for each section, and for all', async () => {
    const { sections } = await read<{ sections: { id: string; url: string }[] }>('/api/models/config-metadata')
    const sizes = sections.map(async ({ id }) => {
      const fields = await read<{ section: string }[]>(`/api/models/config-metadata?section=${id}`)
      for (const { section } of fields) expect(section).toBe(id)
      return fields.length
    })
    const all = await read<unknown[]>('/api/models/config-metadata?section=all')
    expect(all).toHaveLength((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0))
    expect((await server.call('/api/models/config-metadata?section=nothing')).status).toBe(404)
  })

  verifies('shapes:admin:replies', 'has every key as JSON, with what the file says or the default', async () => {
    const text = stringify({
      name: 'full',
      backend: 'mock',
      parameters: { top_k: 7 },
      template: { chat: 'x' },
      own_key: [1],
    })
    await server.writeModelFile('full.yaml', text)
    await send('POST', '/models/reload')
    const config = await read<Record<string, Record<string, unknown>>>('/api/models/config-json/full')
    const known = KEY_GROUPS.flatMap(({ keys }) => Object.keys(keys))
    expect(Object.keys(config).sort()).toEqual([...known, 'own_key'].sort())
    expect(config).toMatchObject({
      name: 'full',
      backend: 'mock',
      own_key: [1],
      disabled: false,
      pinned: false,
      known_usecases: [],
      roles: {},
      description: null,
      alias: null,
      router: null,
      proxy: null,
      pipeline: null,
      mmap: true,
      max_concurrent: 0,
      parameters: {
        top_k: 7,
        top_p: 0.95,
        temperature: 0.9,
        max_tokens: 0,
        seed: -1,
        repeat_penalty: null,
        echo: false,
      },
      template: { chat: 'x', completion: null, use_tokenizer_template: false },
      limits: { max_concurrent: 0, retry_after_seconds: 1 },
      pii: { enabled: false, detectors: [] },
    })
    const { router } = await read<{ router: unknown }>('/api/models/config-json/auto')
    expect(router).toMatchObject({ classifier: 'score', classifier_model: 'judge', fallback: 'm', knn: null })
  })

  verifies('shapes:admin:replies', 'can be sent back as it came: the model stays as it was', async () => {
    await server.model('round', {}, { roles: { user: 'U' }, options: ['a:b'], description: 'x' })
    await send('POST', '/models/reload')
    for (const name of ['round', 'auto']) {
      const before = await read<object>(`/api/models/config-json/${name}`)
      const patched = await send('PATCH', `/api/models/config-json/${name}`, JSON.stringify(before))
      expect([name, patched.status, patched.text]).toEqual([name, 200, expect.anything()])
      expect(await read(`/api/models/config-json/${name}`)).toEqual(before)
      expect((await server.chat(name)).status).toBe(200)
    }
  })

  verifies('shapes:admin:replies', 'is written in block style when it is imported or edited as JSON', async () => {
    const model = {
      ...{
        name: 'flow',
        backend: 'mock',
        known_usecases: ['chat'],
        description: 'a: b # c',
        usage: 'on\n  two lines\n',
      },
      parameters: { model: 'x.bin', temperature: 0.5, seed: 42 },
      roles: { yes: 'no', '1': '007', null: '~' },
      options: ['{"a": [1]}', '- x', ''],
      template: {},
    }
    const json = JSON.stringify(model)
    expect((await send('POST', '/models/import', json)).json()).toMatchObject({ success: true, filename: 'flow.yaml' })
    const written = await readFile(join(server.modelsPath, 'flow.yaml'), 'utf8')
    expect(parse(written)).toEqual(JSON.parse(json))
    expect(written).toMatch(/^name: flow\nbackend: mock\nknown_usecases:\n {2}- chat\n/)
    expect((await send('POST', '/models/edit/flow', json)).status).toBe(200)
    expect(await readFile(join(server.modelsPath, 'flow.yaml'), 'utf8')).toBe(written)
  })
})

describe('the lists of galleries', () => {
  interface Page {
    readonly models: readonly { readonly name: string; readonly fits?: boolean; readonly size_bytes?: number }[]
  }

  verifies('shapes:admin:replies', 'have empty pages behind the last, and count what the filter leaves', async () => {
    for (const [query, names, rest] of [
      ['', ['one', 'unsized', 'far'], { availableModels: 3, totalPages: 1, currentPage: 1 }],
      ['page=99', [], { availableModels: 3, totalPages: 1, currentPage: 99, prevPage: 1, nextPage: 1 }],
      ['page=2&items=2', ['far'], { availableModels: 3, totalPages: 2, currentPage: 2, prevPage: 1, nextPage: 2 }],
      ['page=3&items=2', [], { availableModels: 3, totalPages: 2, currentPage: 3 }],
      ['term=unsized', ['unsized'], { availableModels: 1, totalPages: 1 }],
      ['term=nothing', [], { availableModels: 0, currentPage: 1 }],
      ['tag=nothing&page=2', [], { availableModels: 0, currentPage: 2 }],
    ] as const) {
      const page = await read<Page>(`/api/models?${query}`)
      expect([query, page.models.map(({ name }) => name), page]).toMatchObject([query, names, rest])
    }
    expect(await read('/api/backends?page=99')).toMatchObject({ backends: [], availableBackends: 0, currentPage: 99 })
  })

  verifies('shapes:admin:replies', 'say whether a model fits only where its size is known', async () => {
    const { models } = await read<Page>('/api/models')
    const unsized = models.find(({ name }) => name === 'unsized')
    expect(unsized).toBeDefined()
    expect(unsized).not.toHaveProperty('fits')
    const { variants } = await read<{ variants: { model: string; memory_bytes?: number }[] }>(
      '/api/models/variants/test@unsized',
    )
    for (const variant of variants)
      expect([variant.model, 'fits' in variant]).toEqual([variant.model, variant.memory_bytes !== undefined])
    expect(variants.map((variant) => 'fits' in variant).sort()).toEqual([false, true])
  })

  verifies(
    'shapes:admin:replies',
    'and jobs name the entry that was asked for, and running work in words for pages',
    async () => {
      await server.model('held', { rules: [{ rpc: 'LoadModel', do: { hang: true } }] })
      const job = await world.apply({ id: 'test@one', name: 'renamed' })
      expect(job).toMatchObject({ gallery_element_name: 'test@one', message: 'completed' })
      const { uuid } = (await server.post('/models/apply', { id: 'test@far', name: 'own' })).json() as { uuid: string }
      expect(await read(`/api/models/job/${uuid}`)).toMatchObject({ galleryElementName: 'test@far' })
      const { taskTypes } = await read<{ taskTypes: Record<string, string> }>('/api/models')
      for (const task of Object.values(taskTypes)) expect(['Installation', 'Waiting']).toContain(task)
      await world.finished(uuid)
    },
  )
})

describe('other replies', () => {
  verifies('shapes:admin:replies', 'a load status that is not there has its own type of error', async () => {
    for (const name of ['m', 'nobody', 'a/b']) {
      const reply = await server.call(`/api/models/${name}/load-status`)
      expect([name, reply.status, reply.json()]).toMatchObject([name, 404, { error: { type: 'not_found_error' } }])
    }
  })

  verifies(
    'shapes:admin:replies',
    'a dry run names the model that would serve, and says where it is the fallback',
    async () => {
      const candidates = [{ model: 'm', labels: ['math'] }]
      const router = {
        classifier_model: 'judge',
        activation_threshold: 0.5,
        policies: POLICIES,
        candidates,
        fallback: 'm',
      }
      await server.writeModelFile('math.yaml', stringify({ name: 'math', router }))
      const decide = (name: string) => server.post('/api/router/decide', { router: name, input: 'a sum' })
      expect((await decide('auto')).json()).toMatchObject({ candidate: 'm', fallback: true })
      const covered = (await decide('math')).json()
      expect(covered).toMatchObject({ candidate: 'm', labels: ['math'] })
      expect(covered).not.toHaveProperty('fallback')
    },
  )

  verifies('shapes:admin:replies', 'the state of interception always has its addresses', async () => {
    const { mitm } = await read<{ mitm: object }>('/api/middleware/status')
    expect(mitm).toMatchObject({
      running: false,
      listen_addr: '',
      configured_addr: '',
      ca_cert_url: '',
      ca_available: false,
    })
  })

  verifies('shapes:admin:replies', 'a limit that is not a number counts as absent on every list', async () => {
    const paths = server.server.routes.flatMap(({ method, path, query }) =>
      method === 'GET' && query !== undefined && !path.includes(':') ? [{ path, query }] : [],
    )
    const limited: string[] = []
    for (const { path, query } of paths) {
      const names = Object.keys((await query()).shape).filter((name) =>
        ['limit', 'offset', 'page', 'items', 'hours'].includes(name),
      )
      if (names.length > 0) limited.push(path)
      for (const name of names) {
        for (const bad of ['x', '-1', '1.5', '', '1e9', '99999999999999999999']) {
          const { status } = await server.call(`${path}?${name}=${bad}`)
          expect([path, name, bad, status]).toEqual([path, name, bad, path.startsWith('/api/auth/') ? status : 200])
        }
      }
    }
    expect(limited).toEqual(
      expect.arrayContaining(['/api/traces', '/api/pii/events', '/api/router/decisions', '/api/models']),
    )
  })

  verifies('shapes:admin:replies', 'refusals of bodies are our own text on every route', async () => {
    const wrong = [
      [],
      5,
      'x',
      null,
      { messages: 5 },
      { input: {} },
      { model: 5 },
      { files: [5] },
      { entries: [{}] },
      { stop: [5] },
    ]
    const paths = server.server.routes.flatMap(({ method, path, body }) =>
      method === 'POST' && body !== undefined && !path.includes(':') ? [path] : [],
    )
    for (const path of [...new Set([...paths, ...Object.keys(ROUTE_BODIES)])]) {
      for (const body of wrong) {
        const { text } = await server.post(path, body)
        expect([path, text]).toEqual([
          path,
          expect.not.stringMatching(/Invalid (?:input|option|key|string)|Too (?:small|big)|received|Unrecognized/),
        ])
      }
    }
  })

  verifies(
    'shapes:admin:replies',
    'a refusal of a method names what the path has, and a path without routes is 404',
    async () => {
      for (const [method, path, status, allow] of [
        ['DELETE', '/models/available', 405, 'GET, HEAD, OPTIONS'],
        // A model may be called so.
        ['DELETE', '/models/apply', 405, 'POST, GET, HEAD, OPTIONS'],
        ['PATCH', '/models/toggle-state/m/enable', 405, 'PUT, OPTIONS'],
        ['GET', '/backends/apply', 405, 'POST, OPTIONS'],
        ['PUT', '/api/agents', 405, 'GET, HEAD, POST, OPTIONS'],
        ['PATCH', '/api/nodes', 404, undefined],
        ['DELETE', '/v1/mcp/chat/completions', 405, 'POST, OPTIONS'],
      ] as const) {
        const reply = await server.call(path, { method })
        expect([method, path, reply.status, reply.headers.allow]).toEqual([method, path, status, allow])
      }
    },
  )

  verifies(
    'shapes:admin:replies',
    'a model without a limit of tokens shows -1 to clients that read 0 as none',
    async () => {
      const show = async (model: string) =>
        (await server.post('/api/show', { model })).json() as { parameters: string; modelfile: string }
      for (const [limit, shown] of [
        [undefined, '-1'],
        [0, '-1'],
        [-1, '-1'],
        [64, '64'],
      ] as const) {
        await server.model(
          'limited',
          {},
          { parameters: { model: 'x.bin', ...(limit === undefined ? {} : { max_tokens: limit }) } },
        )
        await send('POST', '/models/reload')
        const { parameters, modelfile } = await show('limited')
        expect([limit, parameters]).toEqual([limit, expect.stringMatching(new RegExp(`^num_predict +${shown}$`, 'm'))])
        expect(modelfile).toContain(`PARAMETER num_predict ${shown}\n`)
      }
    },
  )

  it('the page of a model file is where browsers are led', async () => {
    const reply = await server.call('/models/edit/m', { headers: { accept: 'text/html,*/*' } })
    expect([reply.status, reply.headers.location]).toEqual([302, expect.stringMatching(/\/app\/models\/m$/)])
    expect((await server.call('/api/models/edit/m', { headers: { accept: 'text/html' } })).status).toBe(200)
  })
})
