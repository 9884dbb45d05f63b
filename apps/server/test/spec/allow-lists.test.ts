import type { Principal } from '@svc/auth'
import type { QuotaRule } from '@svc/auth/ports'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createPeople } from '../support/people.ts'
import { startRouterWorld } from '../support/router-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const as = (name: string) => ({ authorization: `Bearer ${name}` })
const lists = (...models: string[]): Partial<Principal> => ({ models: new Set(models) })

const rule = (userId: string, model: string, maxRequests: number): QuotaRule => ({
  id: `${userId}-${model}`,
  userId,
  model,
  maxRequests,
  maxTokens: undefined,
  windowMs: 3_600_000,
  createdAt: Date.now(),
})

/** A world of routers whose callers have the rights of their name. */
async function startWorld(rights: Readonly<Record<string, Partial<Principal>>>) {
  const world = await startRouterWorld({ authenticator: createPeople((name) => rights[name] ?? {}) })
  const { server } = world
  await server.writeModelFile('nick.yaml', stringify({ name: 'nick', alias: 'small' }))
  await server.writeModelFile('pick.yaml', stringify({ name: 'pick', alias: 'auto' }))
  const ask = async (name: string, model: string, content: string) => {
    const reply = await server.chat(model, { messages: [{ role: 'user', content }] }, as(name))
    const body = reply.json() as { model?: string; error?: { message: string } }
    return reply.status === 200 ? `200 ${body.model}` : `${reply.status} ${body.error?.message}`
  }
  return { ...world, ask, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

describe('a list of models', () => {
  // `fix` is code, which goes to mid; other texts are chat, which goes to small.
  const cases: readonly (readonly [string, Partial<Principal>, readonly (readonly [string, string, string])[]])[] = [
    [
      'with a router allows its candidates when called through it, and not by their names',
      lists('auto'),
      [
        ['auto', 'fix this', '200 mid'],
        ['auto', 'hello', '200 small'],
        ['pick', 'fix this', '200 mid'],
        ['mid', 'fix this', '403 access denied to model: mid'],
        ['nick', 'hello', '403 access denied to model: small'],
      ],
    ],
    [
      'with a candidate allows a router where it picks that one',
      lists('small'),
      [
        ['auto', 'hello', '200 small'],
        ['auto', 'fix this', '403 access denied to model: mid'],
        ['nick', 'hello', '200 nick'],
      ],
    ],
    [
      'with an alias allows its model when called by the alias',
      lists('nick'),
      [
        ['nick', 'hello', '200 nick'],
        ['small', 'hello', '403 access denied to model: small'],
        ['auto', 'hello', '403 access denied to model: small'],
      ],
    ],
    [
      'with the alias of a router allows candidates through the alias',
      lists('pick'),
      [
        ['pick', 'fix this', '200 mid'],
        ['auto', 'fix this', '403 access denied to model: mid'],
      ],
    ],
    [
      'of a key and one of its account must both allow the call, each by any of its names',
      { ...lists('auto'), scopes: { models: ['mid'] } },
      [
        ['auto', 'fix this', '200 mid'],
        ['auto', 'hello', '403 access denied to model: small'],
        ['mid', 'fix this', '403 access denied to model: mid'],
      ],
    ],
    [
      'of a key alone may name the router',
      { scopes: { models: ['auto'] } },
      [
        ['auto', 'fix this', '200 mid'],
        ['small', 'hello', '403 access denied to model: small'],
      ],
    ],
    [
      'without names allows nothing',
      lists(),
      [
        ['auto', 'fix this', '403 access denied to model: mid'],
        ['small', 'hello', '403 access denied to model: small'],
      ],
    ],
  ]

  verifies('access:models:through-router', 'is judged by the names of a call', async () => {
    await using world = await startWorld(Object.fromEntries(cases.map(([, rights], index) => [`c${index}`, rights])))
    for (const [index, [name, , asked]] of cases.entries()) {
      for (const [model, content, wanted] of asked) {
        expect(await world.ask(`c${index}`, model, content), `${name}: ${model}`).toBe(wanted)
      }
    }
  })

  verifies('access:models:default', 'decides which model serves a request that names none', async () => {
    const rights = {
      all: {},
      mid: lists('mid'),
      key: { scopes: { models: ['small'] } },
      both: { ...lists('mid', 'small'), scopes: { models: ['small'] } },
      router: lists('auto'),
      none: lists(),
      other: lists('nobody'),
    }
    await using world = await startWorld(rights)
    const [messages, input] = [[{ role: 'user', content: 'hello' }], 'hello']
    const ask = async (name: string, path: string, body: object) => {
      const { status, text } = await world.server.post(path, body, as(name))
      return [status, /"model": ?"([^"]*)"/.exec(text)?.[1] ?? text]
    }
    const chat = (name: string) => ask(name, '/v1/chat/completions', { messages })
    expect(await Promise.all(['all', 'mid', 'key', 'both', 'router'].map(chat))).toEqual([
      ...[
        [200, 'small'],
        [200, 'mid'],
        [200, 'small'],
        [200, 'small'],
        [200, 'small'],
      ],
    ])
    for (const name of ['none', 'other', 'mid']) {
      const bodies = {
        '/v1/chat/completions': { messages },
        '/v1/completions': { prompt: input },
        '/v1/embeddings': { input },
      }
      for (const [path, body] of Object.entries(bodies)) {
        const [status, text] = await ask(name, path, body)
        if (name === 'mid' && status === 200) continue
        expect([name, path, status, text]).toEqual([name, path, 400, expect.stringContaining('model is required')])
      }
    }
  })

  it('knows an alias by its tag too, and takes no name for another', async () => {
    await using world = await startWorld({ ada: lists('nick'), bob: lists('odd') })
    const chat = async (name: string, model: string) =>
      (await world.server.post('/api/chat', { model, messages: [{ role: 'user', content: 'hello' }] }, as(name))).status
    expect([await chat('ada', 'nick'), await chat('ada', 'nick:latest'), await chat('ada', 'small:latest')]).toEqual([
      200, 200, 403,
    ])
    await world.server.writeModelFile('odd.yaml', stringify({ name: 'odd', alias: 'mid' }))
    await world.server.writeModelFile('odd-latest.yaml', stringify({ name: 'odd:latest', alias: 'small' }))
    expect([await chat('bob', 'odd'), await chat('bob', 'odd:latest')]).toEqual([200, 403])
  })
})

verifies('models:default:setting', 'an alias as default model answers whoever may use it or its model', async () => {
  await using world = await startWorld({
    alias: lists('nick'),
    model: lists('small'),
    another: lists('mid'),
    both: lists('mid', 'nick'),
    none: lists('gone'),
  })
  await world.server.post('/api/settings', { default_model: 'nick' }, as('root'))
  const ask = async (name: string) => {
    const reply = await world.server.post(
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: 'a' }] },
      as(name),
    )
    return [name, reply.status, (reply.json() as { model?: string }).model]
  }
  expect(await Promise.all(['root', 'alias', 'model', 'both', 'another', 'none'].map(ask))).toEqual([
    ...['root', 'alias', 'model', 'both'].map((name) => [name, 200, 'nick']),
    ['another', 200, 'mid'],
    ['none', 400, undefined],
  ])
})

describe('a quota', () => {
  verifies('access:quotas:alias-and-router', 'of an alias or a router counts what is called by it', async () => {
    await using world = await startWorld({
      router: { quotas: [rule('router', 'auto', 2)] },
      alias: { quotas: [rule('alias', 'nick', 1)] },
      candidate: { quotas: [rule('candidate', 'small', 1)] },
      both: { quotas: [rule('both', 'auto', 5), rule('both', 'small', 1)] },
    })
    const ask = async (name: string, model: string, content = 'hello') =>
      (await world.ask(name, model, content)).slice(0, 3)
    expect([await ask('router', 'auto'), await ask('router', 'pick', 'fix this'), await ask('router', 'auto')]).toEqual(
      ['200', '200', '429'],
    )
    expect([await ask('router', 'small'), await ask('router', 'mid')]).toEqual(['200', '200'])
    expect([await ask('alias', 'nick'), await ask('alias', 'nick'), await ask('alias', 'small')]).toEqual([
      ...['200', '429', '200'],
    ])
    expect([await ask('candidate', 'auto'), await ask('candidate', 'small'), await ask('candidate', 'mid')]).toEqual([
      ...['200', '429', '200'],
    ])
    expect([await ask('both', 'auto'), await ask('both', 'auto'), await ask('both', 'auto', 'fix')]).toEqual([
      ...['200', '429', '200'],
    ])
  })
})

/** A server with models that `ada` may not use; all of their names begin with `hidden`. */
async function startHidingServer(): Promise<TestServer> {
  const server = await startTestServer({
    authenticator: createPeople((name) => (name === 'ada' ? lists('m', 'shown-auto', 'shown-talk', 'shown-ner') : {})),
  })
  await server.model('m')
  await server.model('hidden-m')
  await server.writeModelFile('hidden-nick.yaml', stringify({ name: 'hidden-nick', alias: 'hidden-m' }))
  const router = {
    classifier_model: 'm',
    policies: [{ label: 'a', description: 'All' }],
    candidates: [{ model: 'm', labels: ['a'] }],
    fallback: 'm',
  }
  for (const kind of ['hidden', 'shown']) {
    await server.writeModelFile(`${kind}-auto.yaml`, stringify({ name: `${kind}-auto`, router }))
    await server.model(`${kind}-talk`, {}, { pipeline: { vad: 'v', transcription: 'w', llm: 'l', tts: 't' } })
    const detector = { backend: 'pattern', pii_detection: { builtins: ['email'] } }
    await server.writeModelFile(`${kind}-ner.yaml`, stringify({ name: `${kind}-ner`, ...detector }))
  }
  await server.model('hidden-filtered', {}, { pii: { enabled: true, detectors: ['shown-ner'] } })
  await server.model('hidden-slow', { rules: [{ rpc: 'LoadModel', do: { hang: true } }] })
  return server
}

verifies(
  'access:user:features-and-models',
  'no route shows a model that was not granted, or does anything with it',
  async () => {
    await using server = await startHidingServer()
    await server.chat('hidden-m', {}, as('root'))
    await server.chat('m', {}, as('root'))
    const loading = server.chat('hidden-slow', {}, as('root'))
    const loadStatus = (name: string) => server.call('/api/models/hidden-slow/load-status', { headers: as(name) })
    await eventually(async () => expect((await loadStatus('root')).status).toBe(200))
    expect([(await loadStatus('ada')).status, (await loadStatus('ada')).text]).toEqual([
      404,
      (await server.call('/api/models/nobody/load-status', { headers: as('ada') })).text.replace(
        'nobody',
        'hidden-slow',
      ),
    ])

    /** The routes that show the models to somebody who may use them all. */
    const shown = new Set<string>()
    const routes = server.server.routes.filter(({ method, access }) => method === 'GET' && access !== 'admin')
    for (const { path } of routes) {
      if (/[:*]/.test(path)) continue
      const [root, ada] = await Promise.all(['root', 'ada'].map((name) => server.call(path, { headers: as(name) })))
      expect([path, root?.status]).not.toEqual([path, 500])
      if (root?.text.includes('hidden')) shown.add(path)
      expect(ada?.text, path).not.toContain('hidden')
      if (shown.has(path)) expect(ada?.text, path).toMatch(/"m"|"m:latest"|shown|totals/)
    }
    expect([...shown].sort()).toEqual([
      '/api/auth/usage',
      '/api/models/capabilities',
      '/api/pipeline-models',
      '/api/ps',
      '/api/router/status',
      '/api/tags',
      '/api/usage',
      '/v1/models',
      '/v1/models/capabilities',
    ])

    for (const path of ['/api/pii/analyze', '/api/pii/redact']) {
      const scan = async (name: string, fields: object) =>
        (await server.post(path, { text: 'ada@host.example', ...fields }, as(name))).status
      for (const fields of [{ detectors: ['shown-ner', 'hidden-ner'] }, { model: 'hidden-filtered' }])
        expect([await scan('root', fields), await scan('ada', fields)], path).toEqual([200, 403])
      expect(await scan('ada', { detectors: ['shown-ner'] }), path).toBe(200)
    }
    await server.post('/backend/shutdown', { model: 'hidden-slow', force: true }, as('root'))
    await loading
  },
)
