import { startUpstream } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type RouterWorld, startRouterWorld } from '../support/router-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { writeForwarded } from '../support/server-pair.ts'
import { verifies } from './verifies.ts'

const MAIL = 'ada.lovelace@host.example'
const KEY = 'sk-proj-Zx81LmQ0pWv7Rt5YbN3cKd9HfGj2Us4TaEo6Vi'
const PROMPT = `fix this for ${MAIL} with ${KEY} please`

let world: RouterWorld
let far: TestServer
beforeEach(async () => {
  world = await startRouterWorld()
  far = await startTestServer()
  const detection = { builtins: ['email'], patterns: [{ name: 'KEY', match: 'sk-proj-[A-Za-z0-9]{20,80}' }] }
  await world.server.writeModelFile(
    'secrets.yaml',
    stringify({ name: 'secrets', backend: 'pattern', pii_detection: detection }),
  )
})
afterEach(async () => {
  await world[Symbol.asyncDispose]()
  await far.close()
})

const FILTERED = { pii: { enabled: true, detectors: ['secrets'] } }
const asked = (model: string): string =>
  JSON.stringify(far.records(model).filter(({ event, rpc }) => event === 'start' && rpc !== 'LoadModel'))

describe('a router whose models live on another instance', () => {
  it.each([
    ['score', 'far-judge', { classifier_model: 'far-judge' }],
    ['colbert', 'far-ranker', { classifier: 'colbert', classifier_model: 'far-ranker' }],
    ['knn', 'far-embedder', { classifier: 'knn', knn: { embedding_model: 'far-embedder' } }],
    ['the embedding cache', 'far-embedder', { embedding_cache: { embedding_model: 'far-embedder' } }],
  ] as const)('%s sends no secret: the policy of the model comes first', async (_, model, keys) => {
    await far.model(model, {}, { known_usecases: ['score', 'rerank', 'embeddings'] })
    await writeForwarded(world.server, { name: model, url: far.url, keys: FILTERED })
    // It is loaded: an embedding cache waits two seconds for a model.
    await world.server.post('/v1/embeddings', { model, input: 'load it' })
    await world.router('auto', keys)
    const reply = await world.server.post(
      '/v1/chat/completions',
      { model: 'auto', messages: [{ role: 'user', content: PROMPT }] },
      { 'x-correlation-id': 'secret-request' },
    )
    expect(reply.status).toBe(200)
    expect(asked(model)).toContain('fix this for [REDACTED:pattern:EMAIL] with [REDACTED:pattern:KEY] please')
    expect(asked(model)).not.toContain(MAIL)
    expect(asked(model)).not.toContain(KEY)
    // The picked model is local: it gets the prompt as it came.
    const { events } = (await world.server.call('/api/pii/events?correlation_id=secret-request')).json() as {
      events: { action: string }[]
    }
    expect(events.map(({ action }) => action)).toEqual(['mask', 'mask'])
  })

  it('a prompt that the policy blocks is not classified there: the fallback serves', async () => {
    await far.model('far-judge', {}, { known_usecases: ['score'] })
    const pii_detection = { builtins: ['email'], default_action: 'block' }
    await world.server.writeModelFile(
      'blocking.yaml',
      stringify({ name: 'blocking', backend: 'pattern', pii_detection }),
    )
    const keys = { pii: { enabled: true, detectors: ['blocking'] } }
    await writeForwarded(world.server, { name: 'far-judge', url: far.url, keys })
    await world.router('auto', { classifier_model: 'far-judge' })
    expect(await world.ask(PROMPT)).toMatchObject({ status: 200, model: 'spare' })
    expect(asked('far-judge')).toBe('[]')
  })

  it('a corpus is embedded there without secrets', async () => {
    await far.model('far-embedder', {}, { known_usecases: ['embeddings'] })
    await writeForwarded(world.server, { name: 'far-embedder', url: far.url, keys: FILTERED })
    await world.router('auto', { classifier: 'knn', knn: { embedding_model: 'far-embedder' } })
    const added = await world.corpus('auto', [{ text: PROMPT, labels: ['code'] }])
    expect([added.status, added.json()]).toMatchObject([200, { added: 1 }])
    expect(asked('far-embedder')).toContain('[REDACTED:pattern:EMAIL]')
    expect(asked('far-embedder')).not.toContain(MAIL)
    expect(await world.ask(PROMPT)).toMatchObject({ model: 'mid' })
  })
})

describe('the `pii` block of a router', () => {
  const on = (...detectors: string[]) => ({ pii: { enabled: true, detectors } })
  const MAIL_MASK = '[REDACTED:pattern:EMAIL]'
  const KEY_MASK = '[REDACTED:pattern:KEY]'

  beforeEach(async () => {
    const detectors: [string, object][] = [
      ['mails', { builtins: ['email'] }],
      ['keys', { patterns: [{ name: 'KEY', match: 'sk-proj-[A-Za-z0-9]{20,80}' }] }],
      ['no-mails', { builtins: ['email'], default_action: 'block' }],
    ]
    for (const [name, pii_detection] of detectors) {
      await world.server.writeModelFile(`${name}.yaml`, stringify({ name, backend: 'pattern', pii_detection }))
    }
  })

  async function writeFar(name: string, keys: Record<string, unknown>, usecase: string): Promise<void> {
    await far.model(name, {}, { known_usecases: [usecase] })
    await writeForwarded(world.server, { name, url: far.url, keys })
  }

  verifies('router:pii:own', 'filters the text of classifiers elsewhere, beside their own policy', async () => {
    await writeFar('far-judge', {}, 'score')
    const cases: [router: object, model: object, sent: string][] = [
      [{}, {}, `fix this for ${MAIL} with ${KEY} please`],
      [on('mails', 'keys'), {}, `fix this for ${MAIL_MASK} with ${KEY_MASK} please`],
      [on('mails'), on('keys'), `fix this for ${MAIL_MASK} with ${KEY_MASK} please`],
      [on('mails'), { pii: { enabled: false, detectors: ['keys'] } }, `fix this for ${MAIL_MASK} with ${KEY} please`],
      [{ pii: { enabled: false } }, on('keys'), `fix this for ${MAIL} with ${KEY_MASK} please`],
      [{ pii: { detectors: ['mails'] } }, {}, `fix this for ${MAIL} with ${KEY} please`],
      [{ pii: { ...on('mails').pii, reversible_redactions: true } }, {}, 'fix this for [REDACTED:EMAIL_001] with'],
    ]
    for (const [index, [router, model, sent]] of cases.entries()) {
      await writeForwarded(world.server, { name: 'far-judge', url: far.url, keys: { ...model } })
      await world.router('auto', { classifier_model: 'far-judge' }, { ...router })
      const before = asked('far-judge').length
      expect(await world.ask(`${PROMPT} ${index}`)).toMatchObject({ status: 200 })
      expect([index, asked('far-judge').slice(before)]).toEqual([index, expect.stringContaining(sent)])
    }
  })

  it.each([
    ['colbert', 'far-ranker', 'rerank', { classifier: 'colbert', classifier_model: 'far-ranker' }],
    ['knn', 'far-embedder', 'embeddings', { classifier: 'knn', knn: { embedding_model: 'far-embedder' } }],
    ['the embedding cache', 'far-embedder', 'embeddings', { embedding_cache: { embedding_model: 'far-embedder' } }],
  ] as const)('filters the text of %s', async (_, model, usecase, keys) => {
    await writeFar(model, {}, usecase)
    if (usecase === 'embeddings') await world.server.post('/v1/embeddings', { model, input: 'load it' })
    await world.router('auto', keys, on('mails', 'keys'))
    expect(await world.ask(PROMPT)).toMatchObject({ status: 200 })
    expect(asked(model)).toContain(`fix this for ${MAIL_MASK} with ${KEY_MASK} please`)
    for (const secret of [MAIL, KEY]) expect(asked(model)).not.toContain(secret)
  })

  it('has the fallback serve a text that it blocks, and changes nothing for a classifier on this machine', async () => {
    await writeFar('far-judge', {}, 'score')
    await world.router('auto', { classifier_model: 'far-judge' }, on('no-mails'))
    expect(await world.ask(PROMPT)).toMatchObject({ status: 200, model: 'spare' })
    expect(asked('far-judge')).toBe('[]')
    await world.router('auto', {}, on('no-mails'))
    expect(await world.ask(PROMPT)).toMatchObject({ status: 200, model: 'mid' })
    expect(JSON.stringify(world.server.records('judge'))).toContain(MAIL)
  })

  it('filters texts of a corpus from the next one on, for all routers that share it', async () => {
    await writeFar('far-embedder', {}, 'embeddings')
    const knn = { classifier: 'knn', knn: { embedding_model: 'far-embedder', store_name: 'common' } }
    const add = async (router: string, text: string): Promise<string> => {
      const before = asked('far-embedder').length
      const added = await world.corpus(router, [{ text, labels: ['code'] }])
      expect([added.status, added.json()]).toMatchObject([200, { added: 1 }])
      return asked('far-embedder').slice(before)
    }
    await world.router('auto', knn)
    await world.router('other', knn)
    expect(await add('auto', `${PROMPT} 1`)).toContain(MAIL)
    await world.router('auto', knn, on('mails'))
    expect(await add('auto', `${PROMPT} 2`)).toContain(`${MAIL_MASK} with ${KEY} please 2`)
    await world.router('other', knn, on('keys'))
    for (const [index, router] of ['auto', 'other'].entries()) {
      expect(await add(router, `${PROMPT} shared ${index}`)).toContain(
        `${MAIL_MASK} with ${KEY_MASK} please shared ${index}`,
      )
    }
  })
})

it('a provider cannot classify: it is asked nothing, and the fallback serves', async () => {
  await using upstream = await startUpstream()
  await world.server.writeModelFile(
    'cloud.yaml',
    stringify({
      name: 'cloud',
      backend: 'cloud-proxy',
      proxy: { upstream_url: upstream.origin, mode: 'translate', provider: 'provider_a' },
      ...FILTERED,
    }),
  )
  for (const classifier of ['score', 'colbert', 'decisions', 'knn']) {
    await world.router('auto', { classifier, classifier_model: 'cloud', knn: { embedding_model: 'cloud' } })
    expect(await world.ask(`${PROMPT} ${classifier}`)).toMatchObject({ status: 200, model: 'spare' })
  }
  expect(upstream.requests).toEqual([])
})

it('a provider that is picked gets the prompt by its own policy', async () => {
  await using upstream = await startUpstream()
  upstream.replyWith({
    headers: { 'content-type': 'application/json' },
    body: '{"model":"there","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}',
  })
  const proxy = { upstream_url: upstream.origin }
  await world.server.writeModelFile('mid.yaml', stringify({ name: 'mid', backend: 'cloud-proxy', proxy, ...FILTERED }))
  expect(await world.ask(PROMPT)).toMatchObject({ status: 200, model: 'there', text: 'yes' })
  const [request] = upstream.requests
  expect(request?.text()).toContain('[REDACTED:pattern:EMAIL]')
  expect(request?.text()).not.toContain(MAIL)
  expect(request?.text()).not.toContain(KEY)
  expect((await world.decisions())[0]).toMatchObject({ served_model: 'mid' })
})
