import type { Principal } from '@svc/auth'
import type { QuotaRule } from '@svc/auth/ports'
import { eventually, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const store = (server: TestServer, call: string, body: object) => server.post(`/stores/${call}`, body)

async function answered(server: TestServer, call: string, body: object): Promise<unknown> {
  const reply = await store(server, call, body)
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  return reply.text === '' ? undefined : reply.json()
}

const RULE: QuotaRule = {
  id: 'rule',
  userId: 'metered',
  model: '',
  maxRequests: undefined,
  maxTokens: undefined,
  windowMs: 3_600_000,
  createdAt: Date.now(),
}

interface Traced {
  readonly id: string
  readonly request: { readonly path: string; readonly body: string | null }
  readonly response: { readonly body: string | null }
}

describe('POST /stores/*', () => {
  // verifies inference:route:stores, inference:stores:semantics
  it('sets, gets, finds and deletes entries', async () => {
    await using server = await startTestServer()
    const at = { store: 'pictures' }
    const keys = [
      [1, 0],
      [0.1, 0.2],
    ]
    expect(await answered(server, 'set', { ...at, keys, values: ['east', 'Grüße'] })).toBeUndefined()
    expect(await answered(server, 'get', { ...at, keys: [[0.1, 0.2], [5, 5], keys[0]] })).toEqual({
      keys: [
        [0.1, 0.2],
        [1, 0],
      ],
      values: ['Grüße', 'east'],
    })
    // an equal key gets the new value
    await answered(server, 'set', { ...at, keys: [[1, 0]], values: ['new'] })
    expect(await answered(server, 'get', { ...at, keys })).toMatchObject({ values: ['new', 'Grüße'] })
    // another name is another store
    expect(await answered(server, 'get', { keys })).toEqual({ keys: [], values: [] })
    expect(await answered(server, 'find', { store: 'other', key: [1, 2, 3], topk: 3 })).toEqual({
      keys: [],
      values: [],
      similarities: [],
    })
    const mixed = await store(server, 'set', { ...at, keys: [[1, 2, 3]], values: ['long'] })
    expect([mixed.status, mixed.json()]).toMatchObject([400, { error: { param: 'keys' } }])
    // missing keys are not an error, and an empty store takes another length
    expect(await answered(server, 'delete', { ...at, keys: [...keys, [9, 9]] })).toBeUndefined()
    expect(await answered(server, 'delete', { ...at, keys })).toBeUndefined()
    await answered(server, 'set', { ...at, keys: [[1, 2, 3]], values: ['long'] })
    expect(await answered(server, 'get', { ...at, keys: [[1, 2, 3]] })).toMatchObject({ values: ['long'] })
  })

  // verifies inference:stores:exact
  it('finds the nearest by cosine, the best first', async () => {
    await using server = await startTestServer()
    const keys = [
      [0, 2],
      [3, 0],
      [-1, 0],
      [1, 1],
      [0, 0],
    ]
    await answered(server, 'set', { keys, values: ['north', 'east', 'west', 'north-east', 'nowhere'] })
    const found = (await answered(server, 'find', { key: [2, 0], topk: 5 })) as { similarities: number[] }
    expect(found).toMatchObject({
      keys: [
        [3, 0],
        [1, 1],
        [0, 2],
        [0, 0],
        [-1, 0],
      ],
      values: ['east', 'north-east', 'north', 'nowhere', 'west'],
    })
    expect(found.similarities.map((each) => each.toFixed(4))).toEqual([
      '1.0000',
      '0.7071',
      '0.0000',
      '0.0000',
      '-1.0000',
    ])
    expect(await answered(server, 'find', { key: [2, 0], topk: 2 })).toMatchObject({ values: ['east', 'north-east'] })
    expect(await answered(server, 'find', { key: [0, 0], topk: 1 })).toMatchObject({ similarities: [0] })
    const short = await store(server, 'find', { key: [1], topk: 1 })
    expect([short.status, short.json()]).toMatchObject([400, { error: { param: 'key' } }])
  })

  // verifies inference:stores:validation
  it('refuses bodies that do not fit, naming the field', async () => {
    await using server = await startTestServer()
    await answered(server, 'set', { keys: [[1, 2]], values: ['kept'] })
    const wrong: readonly (readonly [string, string, string])[] = [
      ['set', '{"values":["a"]}', 'keys'],
      ['set', '{"keys":[],"values":[]}', 'keys'],
      ['set', '{"keys":{},"values":[]}', 'keys'],
      ['set', '{"keys":[[1,2]],"values":["a","b"]}', 'values'],
      ['set', '{"keys":[[1,2],[3,4]],"values":["a"]}', 'values'],
      ['set', '{"keys":[[1,2]]}', 'values'],
      ['set', '{"keys":[[1,2]],"values":[7]}', 'values[0]'],
      ['set', '{"keys":[[]],"values":["a"]}', 'keys[0]'],
      ['set', '{"keys":[[1,2],[1,2,3]],"values":["a","b"]}', 'keys[1]'],
      ['set', '{"keys":[[1,2],"12"],"values":["a","b"]}', 'keys[1]'],
      ['set', '{"keys":[[1,1e39]],"values":["a"]}', 'keys[0][1]'],
      ['set', '{"keys":[[1e999,1]],"values":["a"]}', 'keys[0][0]'],
      ['set', '{"keys":[[1,null]],"values":["a"]}', 'keys[0][1]'],
      ['set', '{"keys":[[1,"2"]],"values":["a"]}', 'keys[0][1]'],
      ['set', `{"keys":[[${'0,'.repeat(16_384)}1]],"values":["a"]}`, 'keys[0]'],
      ['set', `{"keys":[${'[1,2,3,4],'.repeat(240_000)}[1,2,3,4]],"values":["a"]}`, 'keys'],
      ['set', `{"keys":[[1,2]],"values":[${'"a",'.repeat(70_000)}"a"]}`, 'values'],
      ['get', '{"keys":[]}', 'keys'],
      ['get', `{"keys":[${'[1,2],'.repeat(16_384)}[1,2]]}`, 'keys'],
      ['get', '{"keys":[[1,2],[1]]}', 'keys[1]'],
      ['get', '{"keys":[[1]]}', 'keys'],
      ['delete', '{}', 'keys'],
      ['delete', '{"keys":[[1,2,3]]}', 'keys'],
      ['find', '{"topk":1}', 'key'],
      ['find', '{"key":[],"topk":1}', 'key'],
      ['find', '{"key":[1,true],"topk":1}', 'key[1]'],
      ['find', '{"key":[1,2]}', 'topk'],
      ['find', '{"key":[1,2],"topk":0}', 'topk'],
      ['find', '{"key":[1,2],"topk":-1}', 'topk'],
      ['find', '{"key":[1,2],"topk":1.5}', 'topk'],
      ['find', '{"key":[1,2],"topk":1001}', 'topk'],
      ['find', '{"key":[1,2],"topk":"1"}', 'topk'],
      ['get', '{"store":7,"keys":[[1,2]]}', 'store'],
      ['get', `{"store":"${'x'.repeat(257)}","keys":[[1,2]]}`, 'store'],
      ['get', '{"store":"a\\u0000b","keys":[[1,2]]}', 'store'],
      ['get', '{"store":"a\\ud800","keys":[[1,2]]}', 'store'],
      ['get', '{"backend":[],"keys":[[1,2]]}', 'backend'],
    ]
    for (const [call, body, param] of wrong) {
      const reply = await server.call(`/stores/${call}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect([reply.status, reply.json()], body.slice(0, 80)).toMatchObject([400, { error: { param } }])
    }
    expect(await answered(server, 'get', { keys: [[1, 2]] })).toEqual({ keys: [[1, 2]], values: ['kept'] })
  })

  // verifies inference:stores:shared
  it('shares stores between callers, and refuses the names of routers', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=first,second'] })
    const as = (key: string) => ({ authorization: `Bearer ${key}` })
    const set = await server.post('/stores/set', { keys: [[1, 2]], values: ['mine'] }, as('first'))
    expect(set.status).toBe(200)
    const got = await server.post('/stores/get', { keys: [[1, 2]] }, as('second'))
    expect(got.json()).toMatchObject({ values: ['mine'] })
    const router = {
      name: 'auto',
      router: {
        classifier: 'knn',
        candidates: [{ model: 'large', labels: ['code'] }],
        policies: [{ label: 'code', description: 'code' }],
        fallback: 'large',
        embedding_cache: { embedding_model: 'e', store_name: 'my-cache' },
        knn: { embedding_model: 'e', store_name: 'my-corpus' },
      },
    }
    await server.writeModelFile('auto.yaml', JSON.stringify(router))
    const names = ['router-cache-auto', 'router-cache-', 'Router-Cache-x', ' router-cache-x', 'router-corpus-auto']
    for (const name of [...names, 'my-cache', 'my-corpus']) {
      for (const [call, rest] of [
        ['set', { keys: [[1, 2]], values: ['a'] }],
        ['get', { keys: [[1, 2]] }],
        ['delete', { keys: [[1, 2]] }],
        ['find', { key: [1, 2], topk: 1 }],
      ] as const) {
        const reply = await server.post(`/stores/${call}`, { store: name, ...rest }, as('first'))
        expect([reply.status, reply.json()], name).toMatchObject([400, { error: { param: 'store' } }])
      }
    }
  })

  // verifies inference:stores:backend, model-file:backend:in-process
  it('a model file makes a store of a backend, also of the one in this process', async () => {
    await using server = await startTestServer()
    await server.model('mocked', {}, { known_usecases: ['stores'], parameters: {} })
    await server.writeModelFile('own.yaml', 'name: own\nbackend: local-store\n')
    await server.writeModelFile(
      'named.yaml',
      'name: named\nbackend: embedded-store\nparameters: {model: "store://x"}\n',
    )
    await server.writeModelFile('second.yaml', 'name: second\nalias: own\n')
    await server.model('chat')
    for (const name of ['mocked', 'own', 'named']) {
      const at = { store: name }
      await answered(server, 'set', {
        ...at,
        keys: [
          [1, 0],
          [0, 1],
        ],
        values: ['east', `of ${name}`],
      })
      expect(await answered(server, 'find', { ...at, key: [0.1, 0.9], topk: 1 })).toMatchObject({
        keys: [[0, 1]],
        values: [`of ${name}`],
      })
      await answered(server, 'delete', {
        ...at,
        keys: [
          [0, 1],
          [7, 7],
        ],
      })
      expect(
        await answered(server, 'get', {
          ...at,
          keys: [
            [0, 1],
            [1, 0],
          ],
        }),
      ).toEqual({ keys: [[1, 0]], values: ['east'] })
    }
    expect(await answered(server, 'get', { store: 'second', keys: [[1, 0]] })).toMatchObject({ values: ['east'] })
    const load = server.records('mocked').find(({ rpc }) => rpc === 'LoadModel')
    expect(load?.request).toMatchObject({ Model: 'store://mocked' })
    // what a model keeps is not reached by the name of its store, and outlives the model in memory
    expect((await server.post('/backend/shutdown', { model: 'own' })).status).toBe(200)
    expect(await answered(server, 'get', { store: 'own', keys: [[1, 0]] })).toMatchObject({ values: ['east'] })
    const mixed = await store(server, 'set', { store: 'own', keys: [[1, 2, 3]], values: ['a'] })
    expect([mixed.status, mixed.json()]).toMatchObject([400, { error: { param: 'keys' } }])
    // the name of a model that is not a store is a store of its own
    await answered(server, 'set', { store: 'chat', keys: [[1]], values: ['free'] })
    expect(server.records('chat')).toEqual([])
  })

  it('the field backend only refuses: it starts no program', async () => {
    await using server = await startTestServer()
    await server.model('mocked', {}, { known_usecases: ['stores'], parameters: {} })
    const entry = { keys: [[1, 0]], values: ['east'] }
    for (const backend of ['', null, 'local-store', 'embedded-store', 'LOCAL-STORE'])
      await answered(server, 'set', { store: 's', backend, ...entry })
    await answered(server, 'set', { store: 'mocked', backend: 'mock', ...entry })
    for (const [name, backend] of [
      ['s', 'mock'],
      ['s', 'llama'],
      ['s', 'valkey-store'],
      ['s', '../../bin/sh'],
      ['mocked', 'local-store'],
      ['mocked', 'llama'],
    ]) {
      const reply = await store(server, 'set', { store: name, backend, ...entry })
      expect([reply.status, reply.json()], backend).toMatchObject([400, { error: { param: 'backend' } }])
    }
    const loaded = server.records('mocked').filter(({ rpc, event }) => rpc === 'LoadModel' && event === 'start')
    expect(loaded).toHaveLength(1)
  })

  it('failures of the backend of a store are told', async () => {
    await using server = await startTestServer()
    const keys = { known_usecases: ['stores'], parameters: {} }
    await server.model('without', { without: ['StoresFind'] }, keys)
    const rules = [
      { rpc: 'StoresSet', do: { answer: { success: false, message: 'read only' } } },
      { rpc: 'StoresFind', do: { answer: { Keys: [{ Floats: [1] }], Values: [], Similarities: [1] } } },
      { rpc: 'StoresGet', do: { answer: { Keys: [{ Floats: [1] }], Values: [] } } },
    ]
    await server.model('odd', { rules }, keys)
    const missing = await store(server, 'find', { store: 'without', key: [1], topk: 1 })
    expect([missing.status, missing.json()]).toMatchObject([
      501,
      { error: { message: expect.stringContaining('store') } },
    ])
    const refused = await store(server, 'set', { store: 'odd', keys: [[1]], values: ['a'] })
    expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('read only')])
    expect((await store(server, 'find', { store: 'odd', key: [1], topk: 1 })).status).toBe(500)
    expect((await store(server, 'get', { store: 'odd', keys: [[1]] })).status).toBe(500)
  })

  // verifies inference:stores:traces
  it('traces have no vectors and no values', async () => {
    await using server = await startTestServer({ flags: ['--enable-tracing'] })
    await server.model('mocked', {}, { known_usecases: ['stores'], parameters: {} })
    for (const name of ['plain', 'mocked']) {
      await answered(server, 'set', { store: name, keys: [[0.12345, 77.125]], values: ['secret words'] })
      await answered(server, 'find', { store: name, key: [0.12345, 77.125], topk: 1 })
    }
    const traces = (await server.call('/api/traces')).json() as Traced[]
    expect(traces.map(({ request }) => request.path)).toContain('/stores/set')
    const whole = await Promise.all(
      traces.map(async ({ id }) => (await server.call(`/api/traces/${id}`)).json() as Traced),
    )
    const bodies = whole.flatMap(({ request, response }) => [request.body, response.body])
    const decoded = bodies.map((body) => Buffer.from(body ?? '', 'base64').toString())
    expect(decoded).toContain('{"store":"plain","keys":"1 items","values":"1 items"}')
    const backend = (await server.call('/api/backend-traces')).text
    expect(backend).toContain('vector_store')
    for (const text of [...decoded, backend, server.logLines.join()])
      for (const hidden of ['77.125', 'secret words']) expect(text).not.toContain(hidden)
  })

  // verifies access:user:stores
  it('a list of models holds for stores of models, and a quota of requests for all stores', async () => {
    const rights: Readonly<Record<string, Partial<Principal>>> = {
      listed: { models: new Set(['m']) },
      metered: { quotas: [{ ...RULE, maxRequests: 2, maxTokens: 10 }] },
    }
    await using server = await startTestServer({ authenticator: createPeople((name) => rights[name] ?? {}) })
    await server.writeModelFile('own.yaml', 'name: own\nbackend: local-store\n')
    const ask = async (name: string, body: object) => {
      const entry = { keys: [Array.from({ length: 100 }, (_, index) => index)], values: ['a'] }
      const reply = await server.post('/stores/set', { ...entry, ...body }, { authorization: `Bearer ${name}` })
      return reply.status
    }
    expect([await ask('listed', {}), await ask('listed', { store: 'own' })]).toEqual([200, 403])
    expect([await ask('metered', {}), await ask('metered', {}), await ask('metered', {})]).toEqual([200, 200, 429])
  })

  it('takes a place under the global limit', async () => {
    await using server = await startTestServer({ flags: ['--max-concurrent-backend-requests=1'] })
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { hang: true } }] })
    const leaving = new AbortController()
    const busy = fetch(`${server.url}/v1/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', prompt: 'a' }),
      headers: { 'content-type': 'application/json' },
      signal: leaving.signal,
    }).catch(() => undefined)
    await eventually(() => expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(true))
    expect((await store(server, 'get', { keys: [[1]] })).status).toBe(429)
    leaving.abort()
    await busy
    await eventually(async () => expect((await store(server, 'get', { keys: [[1]] })).status).toBe(200))
  })

  // verifies inference:stores:persist, inference:stores:bounds
  it('keeps stores over a restart as the setting says', async () => {
    await using dir = await tempDir()
    const inTurn = async (flags: readonly string[], work: (server: TestServer) => Promise<void>) => {
      await using server = await startTestServer({ folder: dir.path, flags })
      await work(server)
    }
    const entry = { keys: [[0.1, 2]], values: ['Grüße'] }
    await inTurn([], async (server) => {
      await answered(server, 'set', entry)
    })
    await inTurn([], async (server) => {
      expect(await answered(server, 'get', entry)).toEqual({ keys: [], values: [] })
      await answered(server, 'set', entry)
      expect((await server.post('/api/settings', { stores_persist: true })).status).toBe(200)
      await answered(server, 'set', { store: 'second', ...entry })
    })
    await inTurn([], async (server) => {
      expect(await answered(server, 'get', { keys: entry.keys })).toEqual(entry)
      expect(await answered(server, 'get', { store: 'second', keys: entry.keys })).toEqual(entry)
      expect((await server.post('/api/settings', { stores_persist: false })).status).toBe(200)
      expect(await answered(server, 'get', { keys: entry.keys })).toEqual(entry)
    })
    await inTurn(['--stores-persist'], async (server) => {
      expect(await answered(server, 'get', { keys: entry.keys })).toEqual({ keys: [], values: [] })
    })
  })
})
