import { routerDecideReply, routerDecisionList, routerStatus } from '@svc/wire/native'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import { CANDIDATES, POLICIES, type RouterWorld, startRouterWorld } from '../support/router-world.ts'
import { verifies } from './verifies.ts'

describe('the routes of routers', () => {
  let world: RouterWorld
  beforeAll(async () => {
    world = await startRouterWorld({
      authenticator: createPeople((name) => (name === 'ada' ? { role: 'admin' } : {})),
    })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const as = (name: string): Record<string, string> => ({ 'x-api-key': name })
  const chat = (content: string, name: string, id: string, model = 'auto') =>
    world.server.post(
      '/v1/chat/completions',
      { model, messages: [{ role: 'user', content }] },
      { ...as(name), 'x-correlation-id': id },
    )
  const decisions = async (query = '') => {
    const reply = await world.server.call(`/api/router/decisions${query}`, { headers: as('ada') })
    return routerDecisionList.parse(reply.json()).decisions
  }

  verifies('router-api:status:read', 'show classifier, policies and candidates to any caller', async () => {
    const reply = await world.server.call('/api/router/status', { headers: as('bob') })
    expect(routerStatus.parse(reply.json())).toMatchObject({
      configured: true,
      models: [
        {
          name: 'auto',
          classifier: 'score',
          classifier_model: 'judge',
          activation_threshold: 0.5,
          policies: POLICIES,
          candidates: CANDIDATES,
          fallback: 'spare',
          problems: [],
        },
      ],
      available_classifiers: ['score', 'colbert', 'knn', 'decisions'],
    })
    expect((await world.server.call('/api/router/status')).status).toBe(401)
  })

  verifies(
    ['router-api:decisions:read', 'router-api:decisions:filters'],
    'show admins the decisions, the newest first, by request, user, router and number',
    async () => {
      await world.router('second')
      await chat('fix one', 'ada', 'request-1')
      await chat('a sum', 'bob', 'request-2')
      await chat('hello', 'bob', 'request-3', 'second')
      expect((await world.server.call('/api/router/decisions', { headers: as('bob') })).status).toBe(403)
      const ids = async (query: string) => (await decisions(query)).map(({ correlation_id }) => correlation_id)
      expect(await ids('')).toEqual(['request-3', 'request-2', 'request-1'])
      expect(await ids('?correlation_id=request-2')).toEqual(['request-2'])
      expect(await ids('?user_id=bob')).toEqual(['request-3', 'request-2'])
      expect(await ids('?router_model=second')).toEqual(['request-3'])
      expect(await ids('?user_id=bob&router_model=auto')).toEqual(['request-2'])
      expect(await ids('?limit=1')).toEqual(['request-3'])
      expect(await ids('?limit=nonsense')).toHaveLength(3)
      expect(await ids('?correlation_id=nobody')).toEqual([])
      const [newest] = await decisions('?limit=1')
      expect(newest).toMatchObject({ id: expect.stringMatching(/^rd_[0-9a-f]{24}$/), user_id: 'bob', source: 'chat' })
    },
  )

  it('decide for a text without a request: nothing is logged and no model answers', async () => {
    const before = await decisions()
    const answered = world.server.records('large').length
    const reply = await world.server.post('/api/router/decide', { router: 'auto', input: 'another sum' }, as('ada'))
    expect(routerDecideReply.parse(reply.json())).toMatchObject({
      router: 'auto',
      classifier: 'score',
      labels: ['math'],
      candidate: 'large',
      reason: 'covered',
      cached: false,
      label_scores: POLICIES.map(({ label }) => ({ label, score: expect.any(Number) })),
    })
    expect(reply.json()).not.toHaveProperty('fallback')
    expect([await decisions(), world.server.records('large').length]).toEqual([before, answered])
    await world.router('narrow', { candidates: [] })
    const uncovered = await world.server.post('/api/router/decide', { router: 'narrow', input: 'a sum' }, as('ada'))
    expect(uncovered.json()).toMatchObject({
      candidate: 'spare',
      fallback: true,
      reason: 'not-covered',
      labels: ['math'],
    })
  })

  it.each([
    [{}, 400, 'router is required'],
    [{ router: 'auto' }, 400, 'input is required'],
    [{ router: 'auto', input: ' ' }, 400, 'input is required'],
    [{ router: 'auto', input: 5 }, 400, 'input'],
    [{ router: 'small', input: 'x' }, 400, 'is not a router'],
    [{ router: 'nobody', input: 'x' }, 404, 'not found'],
    [{ router: '../x', input: 'x' }, 404, 'not found'],
  ])('refuse to decide for %j', async (body, status, message) => {
    const reply = await world.server.post('/api/router/decide', body, as('ada'))
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)])
    expect((await world.server.post('/api/router/decide', body, as('bob'))).status).toBe(403)
  })

  it('count the decisions that are kept', async () => {
    const { recent_decision_count: count } = routerStatus.parse(
      (await world.server.call('/api/router/status', { headers: as('bob') })).json(),
    )
    expect(count).toBe((await decisions('?limit=99999')).length)
  })
})

verifies(
  'decision-log:entry:correlation-id',
  'the id of a request joins its decision, its log lines, its reply and the calls to its models',
  async () => {
    await using world = await startRouterWorld()
    const id = 'joined-by-this'
    const reply = await world.server.post(
      '/v1/chat/completions',
      { model: 'auto', messages: [{ role: 'user', content: 'fix it' }] },
      { 'x-correlation-id': id },
    )
    expect(reply.headers['x-correlation-id']).toBe(id)
    expect(await world.decisions(`?correlation_id=${id}`)).toHaveLength(1)
    const lines = world.server.logLines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const routed = lines.find(({ msg }) => msg === 'request routed')
    expect(routed).toMatchObject({
      requestId: id,
      router: 'auto',
      servedModel: 'mid',
      classifier: 'score',
      label: 'code',
    })
    const [asked] = world.server.records('mid').filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
    expect((asked?.request as { CorrelationId?: string } | undefined)?.CorrelationId).toBe(id)
  },
)

it('metrics count decisions, lookups in caches and seconds, with names of models alone', async () => {
  await using world = await startRouterWorld()
  await world.embedder('embedder')
  await world.router('auto', { embedding_cache: { embedding_model: 'embedder' } })
  for (const prompt of ['fix it', 'fix it', 'fix it now', 'a sum']) await world.ask(prompt)
  await world.router('narrow', { candidates: [] })
  await world.ask('fix it', 'narrow')
  await world.ask('fix it', 'made-up-by-a-client')
  const { text } = await world.server.call('/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith('svc_router_'))
  const labels = (served: string, cached: boolean) =>
    `router="auto",classifier="score",served_model="${served}",cached="${cached}",fallback="false"`
  expect(lines).toContain(`svc_router_decisions_total{${labels('large', false)}} 1`)
  expect(lines).toContain(`svc_router_decisions_total{${labels('mid', true)}} ${text.includes('result="hit"') ? 2 : 1}`)
  expect(lines).toContain(
    'svc_router_decisions_total{router="narrow",classifier="score",served_model="spare",cached="false",fallback="true"} 1',
  )
  expect(lines).toContain('svc_router_classification_seconds_count{classifier="score"} 5')
  expect(
    lines.filter((line) => line.startsWith('svc_router_cache_lookups_total{router="auto",result="miss"}')),
  ).toHaveLength(1)
  expect(text).not.toContain('made-up-by-a-client')
})

verifies('limits:routing-log:entries', 'the log forgets the oldest of more than 5,000 decisions', async () => {
  await using world = await startRouterWorld()
  // Without a classifier a decision is made at once.
  await world.router('auto', { policies: [] })
  await world.server.model('spare', {}, { disabled: true })
  const total = 5_010
  for (let sent = 0; sent < total; sent += 30) {
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.server.chat('auto', {}, { 'x-correlation-id': `number-${sent + index}` }),
      ),
    )
  }
  const kept = await world.decisions('?limit=9999')
  expect(kept).toHaveLength(5_000)
  expect(await world.decisions('?correlation_id=number-5009')).toHaveLength(1)
})
