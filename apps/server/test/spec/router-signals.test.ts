import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JUDGE, type RouterWorld, startRouterWorld } from '../support/router-world.ts'

const RULES = [
  { name: 'urgent', when: { keyword: ['urgent', 'dringend'] }, use: 'large' },
  { name: 'ticket', when: { expression: '\\bTICKET-\\d{3}\\b' }, use: 'mid' },
  { name: 'pictures', when: { has_images: true }, use: 'large', overrides_sticky: true },
  { name: 'tools', when: { has_tools: true, tag: { team: ['a', 'b'] } }, use: 'mid' },
  { name: 'private', when: { tag: { data: 'private' } }, only: ['small'] },
  { name: 'long', when: { prompt_length: { min: 500 } }, use: 'large' },
  { name: 'french', when: { language: 'fr' }, use: 'mid' },
  { name: 'plain', when: { tag: { route: 'plain' } }, skip_classifier: true },
  { name: 'no code', at: 'after', when: { label: 'code', tag: { code: 'never' } }, use: 'spare' },
]

describe('rules of a router', () => {
  let world: RouterWorld
  const ask = async (body: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const reply = await world.server.post('/v1/chat/completions', { model: 'ruled', ...body }, headers)
    return { status: reply.status, served: reply.headers['served-model'], text: reply.text }
  }
  const says = (content: unknown) => ({ messages: [{ role: 'user', content }] })
  beforeAll(async () => {
    world = await startRouterWorld()
    await world.router('ruled', { rules: RULES })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each([
    ['hello', {}, 'small', undefined],
    ['please fix it', {}, 'mid', undefined],
    ['This is URGENT', {}, 'large', 'urgent'],
    ['Das ist dringend', {}, 'large', 'urgent'],
    ['about TICKET-123', {}, 'mid', 'ticket'],
    ['about TICKET-1234', {}, 'small', undefined],
    ['Pourquoi la mer est-elle salée ?', {}, 'mid', 'french'],
    ['word '.repeat(500), {}, 'large', 'long'],
    ['what is the sum', { 'x-svc-tags': 'data=private' }, 'small', 'private'],
    ['hello', { 'x-svc-tags': 'data=private' }, 'small', 'private'],
    ['what is the sum', { 'x-svc-tags': 'route=plain' }, 'small', 'plain'],
    ['please fix it', { 'x-svc-tags': 'team=z, code=never' }, 'spare', 'no code'],
  ])('%s, with %j: %s by %s', async (content, headers: Record<string, string>, served, rule) => {
    const id = `signals-${content.slice(0, 9).replaceAll(/\W/g, '')}-${JSON.stringify(headers).replaceAll(/\W/g, '')}`
    const reply = await ask(says(content), { ...headers, 'x-correlation-id': id })
    expect([reply.status, reply.served], reply.text).toEqual([200, served])
    const [decision] = await world.decisions(`?correlation_id=${id}`)
    expect(decision?.rules?.map(({ name }) => name)).toEqual(rule === undefined ? undefined : [rule])
    expect(JSON.stringify(decision)).not.toContain('salée')
  })

  it('pictures and tools are seen in the body', async () => {
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${btoa('x')}` } }
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
    await ask(says([{ type: 'text', text: 'look' }, picture]), { 'x-correlation-id': 'signals-picture' })
    await ask({ ...says('hello'), tools }, { 'x-svc-tags': 'team=b', 'x-correlation-id': 'signals-tools' })
    expect((await world.decisions('?correlation_id=signals-picture'))[0]).toMatchObject({
      served_model: 'large',
      reason: 'rule',
      classifier: 'none',
      rules: [{ name: 'pictures', at: 'before', use: 'large', signals: [{ signal: 'has_images', value: 'true' }] }],
    })
    expect((await world.decisions('?correlation_id=signals-tools'))[0]).toMatchObject({
      served_model: 'mid',
      rules: [
        {
          name: 'tools',
          signals: [
            { signal: 'has_tools', value: 'true' },
            { signal: 'tag', value: 'team=b' },
          ],
        },
      ],
    })
  })

  it.each([
    ['/v1/chat/completions', says('hello'), 'error'],
    ['/v1/messages', { max_tokens: 9, ...says('hello') }, 'error'],
    ['/v1/responses', { input: 'hello' }, 'error'],
  ])('%s refuses a wrong tag header in its format', async (path, body, key) => {
    const reply = await world.server.post(path, { model: 'ruled', ...body }, { 'x-svc-tags': 'Team=a' })
    expect(reply.status).toBe(400)
    expect((reply.json() as Record<string, { message: string }>)[key]?.message).toContain('x-svc-tags: tag 1')
  })

  it('a dry run takes facts, and the status names the rules', async () => {
    const reply = await world.server.post('/api/router/decide', {
      router: 'ruled',
      input: 'hello',
      facts: { has_images: true, tags: { team: 'a' } },
    })
    expect(reply.json()).toMatchObject({ candidate: 'large', reason: 'rule', rules: [{ name: 'pictures' }] })
    const status = (await world.server.call('/api/router/status')).json() as {
      models: { name: string; rules?: string[]; problems: string[] }[]
    }
    const ruled = status.models.find(({ name }) => name === 'ruled')
    expect(ruled?.rules).toEqual(RULES.map(({ name }) => name))
    expect(ruled?.problems).toEqual([])
    expect(status.models.find(({ name }) => name === 'auto')).not.toHaveProperty('rules')
  })

  it('a mistake is named with its key, and the fallback serves', async () => {
    await world.router('broken', { rules: [{ when: { keyword: 'x', language: 5 }, use: 'nobody' }] })
    const reply = await world.server.post('/v1/chat/completions', { model: 'broken', ...says('x') })
    expect(reply.headers['served-model']).toBe('spare')
    const status = (await world.server.call('/api/router/status')).json() as {
      models: { name: string; problems: string[] }[]
    }
    const problems = status.models.find(({ name }) => name === 'broken')?.problems.join('\n')
    expect(problems).toContain('router.rules[0].use: "nobody" is not a candidate and not the fallback')
    expect(problems).toContain('router.rules[0].when.language: must be a text that is not empty')
  })

  it('a wrong expression is named', async () => {
    await world.router('wrong', { rules: [{ when: { expression: '(' }, use: 'mid' }] })
    await world.server.post('/v1/chat/completions', { model: 'wrong', ...says('x') })
    const status = (await world.server.call('/api/router/status')).json() as {
      models: { name: string; problems: string[] }[]
    }
    expect(status.models.find(({ name }) => name === 'wrong')?.problems.join()).toContain(
      'router.rules[0].when.expression',
    )
  })

  it('a conversation stays on its model: by its first turns, and by its id', async () => {
    await world.router('stuck', { sticky: { ttl_seconds: 60 }, rules: RULES })
    const turns = [
      { role: 'user', content: 'please fix it' },
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'hello' },
    ]
    const served = async (messages: unknown, headers = {}) => (await ask({ model: 'stuck', messages }, headers)).served
    expect(await served(turns.slice(0, 1))).toBe('mid')
    expect(await served(turns)).toBe('mid')
    expect(await served(turns.slice(2))).toBe('small')
    const id = { 'x-svc-conversation': 'c-1' }
    expect(await served([{ role: 'user', content: 'what is the sum' }], id)).toBe('large')
    expect(await served(turns.slice(2), id)).toBe('large')
    expect((await world.decisions('?limit=1'))[0]).toMatchObject({ reason: 'sticky', classifier: 'none' })
  })

  it('a router without classifier decides by its rules', async () => {
    await world.router('bare', {
      classifier: 'none',
      classifier_model: undefined,
      policies: [],
      candidates: [
        { model: 'small', labels: [] },
        { model: 'large', labels: [] },
      ],
      rules: [{ when: { keyword: 'hard' }, use: 'large' }],
    })
    expect((await ask({ model: 'bare', ...says('a hard one') })).served).toBe('large')
    expect((await ask({ model: 'bare', ...says('hello') })).served).toBe('small')
    expect((await world.decisions('?limit=1'))[0]).toMatchObject({ reason: 'selected', classifier: 'none' })
  })
})

describe('a selection', () => {
  it('leaves a model that fails, and takes the fastest of those that were measured', async () => {
    const world = await startRouterWorld()
    try {
      const { server } = world
      const failure = { status: 'INTERNAL', message: 'broken' } as const
      const usecases = { known_usecases: ['chat', 'completion', 'edit'] }
      await server.model('ill', { rules: [{ rpc: 'Predict*', do: { failure } }] }, usecases)
      await world.judge(JUDGE)
      await world.router('pick', {
        select: { by: 'fitting' },
        candidates: [
          { model: 'ill', labels: ['chat', 'code', 'math'] },
          { model: 'mid', labels: ['chat', 'code', 'math'] },
        ],
      })
      const statuses: number[] = []
      for (let round = 0; round < 5; round++) statuses.push((await world.ask('hello', 'pick')).status)
      expect(statuses).toEqual([500, 500, 500, 200, 200])
      expect((await world.decisions('?limit=1'))[0]).toMatchObject({
        served_model: 'mid',
        reason: 'selected',
        selection: { by: 'fitting', fitting: 1 },
      })
      await world.router('fast', {
        select: { by: 'fastest', explore: 0 },
        candidates: [
          { model: 'small', labels: ['chat', 'code', 'math'] },
          { model: 'mid', labels: ['chat', 'code', 'math'] },
        ],
      })
      // Only one of both was measured.
      expect((await world.ask('hello', 'fast')).model).toBe('mid')
      expect((await world.decisions('?limit=1'))[0]?.selection?.duration_ms).toBeGreaterThan(0)
    } finally {
      await world[Symbol.asyncDispose]()
    }
  })
})
