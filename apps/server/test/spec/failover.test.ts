import { createDeferred, eventually, type UpstreamReply } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chunk, eventStream, json, said, startFailoverWorld as startWorld } from '../support/failover-world.ts'
import { sseData } from '../support/server.ts'
import { writeForwarded } from '../support/server-pair.ts'

const CHAT = '/v1/chat/completions'
/** Gives the serving model in the reply's headers. */
const served = ({ headers }: { headers: Record<string, unknown> }): unknown[] => [
  headers['served-model'],
  headers.failover,
]

describe('a failover group', () => {
  it('is served by its first target, and says so', async () => {
    await using world = await startWorld()
    const reply = await world.server.chat('m')
    expect([reply.status, ...served(reply)]).toEqual([200, 'one', undefined])
    expect(reply.json()).toMatchObject({ model: 'm', choices: [{ message: { content: 'first' } }] })
    expect(world.second.requests).toEqual([])
  })

  // verifies service-proxy:error:unavailable
  it('goes on to the next target where one fails, and asks that one no more', async () => {
    await using world = await startWorld()
    world.first.replyWith({ status: 500, body: 'broken' })
    for (const stream of [false, true]) {
      if (stream) {
        const body = `${chunk('second')}data: [DONE]\n\n`
        world.second.replyWith({ headers: { 'content-type': 'text/event-stream' }, body })
      }
      const reply = await world.server.chat('m', { stream })
      expect([reply.status, ...served(reply)]).toEqual([200, 'two', 'fallback'])
      expect(reply.text).toContain('second')
    }
    expect(world.first.requests).toHaveLength(1)
    const metrics = await world.server.call('/metrics')
    expect(metrics.text).toContain('svc_failover_target_up{model="m",target="one"} 0')
    expect(metrics.text).toContain('svc_failover_switches_total{model="m",to="two"} 1')
  })

  // verifies service-proxy:error:unimplemented
  it('skips a target that has no such method and does not hold it against it', async () => {
    await using world = await startWorld()
    world.first.replyWith({ status: 501, body: '{"error":{"message":"no"}}' })
    for (const _ of [1, 2]) expect(served(await world.server.chat('m'))).toEqual(['two', 'fallback'])
    expect(world.first.requests).toHaveLength(2)
  })

  // verifies service-proxy:error:exhausted
  it('lets a rate-limited target rest, and says when to come back where all of them rest', async () => {
    await using world = await startWorld()
    const limited = { status: 429, headers: { 'retry-after': '600' }, body: '{"error":{"message":"slow down"}}' }
    world.first.replyWith(limited)
    for (const _ of [1, 2]) expect(served(await world.server.chat('m'))).toEqual(['two', 'fallback'])
    expect(world.first.requests).toHaveLength(1)
    world.second.replyWith(limited)
    await world.server.chat('m')
    const asked = world.second.requests.length
    const reply = await world.server.chat('m')
    expect([reply.status, Number(reply.headers['retry-after']) > 0]).toEqual([429, true])
    expect(world.second.requests).toHaveLength(asked)
  })

  // verifies service-proxy:error:invalid
  it('returns faults of the request itself at once', async () => {
    await using world = await startWorld()
    world.first.replyWith({ status: 422, body: '{"error":{"message":"no such tool"}}' })
    const reply = await world.server.chat('m')
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('no such tool')])
    expect(world.second.requests).toEqual([])
  })

  it('is served by targets of any name', async () => {
    await using world = await startWorld()
    const { server, first } = world
    for (const name of ['модель', 'mañana', 'a b%', 'model:7b']) {
      await writeForwarded(server, { name, url: first.origin })
      await world.writeGroup({ targets: [{ model: name }, { model: 'two' }] })
      const reply = await server.chat('m')
      expect([name, reply.status, ...served(reply)]).toEqual([name, 200, encodeURI(name), undefined])
    }
  })

  it('asks no other target after the first content', async () => {
    await using world = await startWorld()
    world.first.replyWith({ headers: { 'content-type': 'text/event-stream' }, body: chunk('Hel'), end: 'cut' })
    const reply = await world.server.chat('m', { stream: true })
    expect([reply.status, ...served(reply)]).toEqual([200, 'one', undefined])
    expect(reply.text).toContain('Hel')
    expect(reply.text).toContain('"error"')
    expect(world.second.requests).toEqual([])
  })

  it('passes over targets that are disabled, full or gone', async () => {
    await using world = await startWorld()
    const { server, first, second } = world
    await writeForwarded(server, { name: 'one', url: first.origin, keys: { disabled: true } })
    expect(served(await server.chat('m'))).toEqual(['two', 'fallback'])
    await writeForwarded(server, { name: 'one', url: first.origin, keys: { max_concurrent: 1 } })
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    first.replyWith(() => held.then(() => ({ headers: json, body: said('first') })))
    const slow = server.chat('m')
    await eventually(() => expect(first.requests).toHaveLength(1))
    expect(served(await server.chat('m'))).toEqual(['two', 'fallback'])
    expect(first.requests).toHaveLength(1)
    release()
    expect(served(await slow)).toEqual(['one', undefined])
    await world.writeGroup({ targets: [{ model: 'none' }, { model: 'two' }] })
    expect(served(await server.chat('m'))).toEqual(['two', 'fallback'])
    expect(second.requests).toHaveLength(3)
  })

  it.each([false, true])(
    'is full where every target that is not down is, as one model is: stream %s',
    async (stream) => {
      await using world = await startWorld()
      const { server, first, second } = world
      const limits = (seconds: number) => ({ limits: { max_concurrent: 1, retry_after_seconds: seconds } })
      await writeForwarded(server, { name: 'one', url: first.origin, keys: limits(9) })
      await writeForwarded(server, { name: 'two', url: second.origin, keys: limits(7) })
      await writeForwarded(server, { name: 'three', url: first.origin, keys: { disabled: true } })
      const held = createDeferred<void>()
      const slow = (content: string) => () => held.promise.then(() => ({ headers: json, body: said(content) }))
      first.replyWith({ status: 503, body: '' })
      second.replyWith(slow('second'))
      await world.writeGroup({ targets: [{ model: 'one' }, { model: 'two' }, { model: 'three' }] })
      // the first target is down, the second one holds a request
      const running = [server.chat('m')]
      await eventually(() => expect(second.requests).toHaveLength(1))
      const full = await server.chat('m', { stream })
      expect([full.status, full.headers['retry-after'], full.json()]).toEqual([
        429,
        '7',
        {
          error: {
            code: 'admission_rejected',
            message: 'model "m" is at capacity: no target that could serve has room; retry after 7s',
            type: 'rate_limit_error',
            param: null,
          },
        },
      ])
      // the same for embeddings, and for a pinned target
      const vectors = await server.post('/v1/embeddings', { model: 'm', input: 'a' })
      expect([vectors.status, vectors.headers['retry-after']]).toEqual([429, '7'])
      await server.post('/api/failover/chains/m/pin', { target: 'two' })
      expect((await server.chat('m', { stream })).status).toBe(429)
      expect((await server.call('/api/pii/events?kind=admission')).json()).toMatchObject({
        events: Array(3).fill({ kind: 'admission', model: 'm', status_code: 429 }),
      })
      held.resolve()
      for (const reply of await Promise.all(running)) expect(served(reply)).toEqual(['two', 'fallback'])
    },
  )

  it('may have local models as targets, and serves models outside of groups', async () => {
    await using world = await startWorld()
    const { server } = world
    const crash = { rules: [{ rpc: 'Predict*', do: { crash: { how: 'kill' as const } } }] }
    await server.model('dying', crash)
    await server.model('own', {}, { known_usecases: ['chat', 'embeddings'] })
    await world.writeGroup({ targets: [{ model: 'dying' }, { model: 'own' }] })
    expect(served(await server.chat('m'))).toEqual(['own', 'fallback'])
    await world.writeGroup({ targets: [{ model: 'one' }, { model: 'own' }] })
    world.first.replyWith({ status: 503, body: '' })
    const vectors = await server.post('/v1/embeddings', { model: 'm', input: ['a', 'b'] })
    expect([vectors.status, ...served(vectors)]).toEqual([200, 'own', 'fallback'])
    const { data } = vectors.json() as { data: unknown[] }
    expect(data).toHaveLength(2)
  })

  it('may have a model upstream in it that is translated to', async () => {
    await using world = await startWorld()
    const { server, first, second } = world
    const proxy = { upstream_url: `${second.origin}/v1/messages`, mode: 'translate', provider: 'provider_b' }
    const keys = { known_usecases: ['chat'], pii: { enabled: false } }
    await server.writeModelFile('cloud.yaml', stringify({ name: 'cloud', backend: 'cloud-proxy', proxy, ...keys }))
    await world.writeGroup({ targets: [{ model: 'one' }, { model: 'cloud' }] })
    first.replyWith({ status: 503, body: '' })
    const content = [{ type: 'text', text: 'from afar' }]
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { id: 'x', type: 'message', role: 'assistant', model: 'y', content, stop_reason: 'end_turn', usage }
    second.replyWith({ headers: json, body: JSON.stringify(message) })
    const reply = await server.chat('m')
    expect([reply.status, ...served(reply)]).toEqual([200, 'cloud', 'fallback'])
    expect(reply.text).toContain('from afar')
    // upstreams serve only chats and messages
    expect((await server.post('/v1/embeddings', { model: 'm', input: 'a' })).status).not.toBe(200)
    expect(second.requests).toHaveLength(1)
  })

  it('records the figures of a failed target beside those of the serving one', async () => {
    await using world = await startWorld()
    const { server, first, second } = world
    const figures = (prompt_tokens: number, completion_tokens: number): object => ({
      choices: [],
      usage: { prompt_tokens, completion_tokens },
    })
    const stream = (...events: unknown[]) => ({
      headers: eventStream,
      body: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
    })
    second.replyWith({ headers: eventStream, body: `${chunk('second')}${stream(figures(5, 2), '[DONE]').body}` })
    const ask = async (): Promise<unknown> => {
      const reply = await server.chat('m', { stream: true, stream_options: { include_usage: true } })
      expect(served(reply)[0]).toBe('two')
      return sseData(reply.text).find((event) => Object.hasOwn(event as object, 'usage'))
    }
    const counted = async (): Promise<(string | undefined)[]> => {
      const { text } = await server.call('/metrics')
      return ['prompt', 'completion'].map(
        (kind) => new RegExp(`svc_tokens_total{kind="${kind}"} (\\d+)`).exec(text)?.[1],
      )
    }
    // another instance that reports its prompt tokens and then fails
    first.replyWith(stream(figures(100, 0), { error: { message: 'out of memory' } }))
    expect(await ask()).toMatchObject({ usage: { prompt_tokens: 5, completion_tokens: 2 } })
    expect(await counted()).toEqual(['105', '2'])
    // an upstream of the messages format that does the same
    const proxy = { upstream_url: first.origin, mode: 'translate', provider: 'provider_b' }
    await server.writeModelFile('cloud.yaml', stringify({ name: 'cloud', backend: 'cloud-proxy', proxy }))
    await world.writeGroup({ targets: [{ model: 'cloud' }, { model: 'two' }] }, { pii: { enabled: false } })
    const started = { type: 'message_start', message: { id: 'x', usage: { input_tokens: 1000, output_tokens: 1 } } }
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
    first.replyWith(stream(started, overloaded))
    expect(await ask()).toMatchObject({ usage: { prompt_tokens: 5, completion_tokens: 2 } })
    expect(await counted()).toEqual(['1110', '5'])
    // a target that reports only its failure costs nothing
    await world.writeGroup()
    first.replyWith({ status: 500, body: '{"error":{"message":"no"}}' })
    await ask()
    expect(await counted()).toEqual(['1115', '7'])
  })

  it('has a target loaded that is to be warm, though another one serves', async () => {
    await using world = await startWorld()
    const { server } = world
    await server.model('own')
    await server.model('cold')
    await world.writeGroup({ targets: [{ model: 'one' }, { model: 'own', warm: true }, { model: 'cold' }] })
    expect(served(await server.chat('m'))).toEqual(['one', undefined])
    await eventually(async () => {
      const { loaded_models } = (await server.call('/system')).json() as { loaded_models: { id: string }[] }
      expect(loaded_models.map(({ id }) => id)).toContain('own')
    })
    expect(server.records('cold')).toEqual([])
  })

  it('takes a target back once it is there again, and has answered with a token', async () => {
    await using world = await startWorld()
    const { server, first } = world
    await world.writeGroup({ probe: { interval: '10ms' }, recovery: { probes: 2, min_dwell: '20ms' } })
    first.replyWith({ status: 503, body: '' })
    expect(served(await server.chat('m'))).toEqual(['two', 'fallback'])
    const asked = (path: string): string[] =>
      first.requests.filter((request) => request.path === path).map((request) => request.text())
    // an instance without the model does not count as up
    first.replyWith({ headers: json, body: '{"data":[{"id":"other"}]}' })
    await eventually(() => expect(asked('/v1/models').length).toBeGreaterThan(2))
    // neither does one that lists it but does not answer
    const before = asked(CHAT).length
    let answer: UpstreamReply = { status: 500, body: '' }
    first.replyWith(({ path }) => (path === CHAT ? answer : { headers: json, body: '{"data":[{"id":"one"}]}' }))
    await eventually(() => expect(asked(CHAT).length).toBeGreaterThan(before + 1))
    expect(JSON.parse(asked(CHAT).at(-1) ?? '')).toEqual({
      model: 'one',
      messages: [{ role: 'user', content: 'Hello' }],
      temperature: 0,
      max_tokens: 1,
    })
    expect(served(await server.chat('m'))).toEqual(['two', 'fallback'])
    answer = { headers: json, body: said('first') }
    await eventually(async () => {
      const { text } = await server.call('/metrics')
      expect(text).toContain('svc_failover_target_up{model="m",target="one"} 1')
    })
    expect(served(await server.chat('m'))).toEqual(['one', undefined])
  })

  it('tries out a target that makes vectors with a vector', async () => {
    await using world = await startWorld()
    const { server, first } = world
    await writeForwarded(server, { name: 'one', url: first.origin, keys: { known_usecases: ['embeddings'] } })
    await world.writeGroup({ probe: { interval: '10ms' }, recovery: { probes: 1, min_dwell: '1ms' } })
    first.enqueue({ status: 503, body: '' })
    world.second.replyWith({ headers: json, body: '{"data":[{"embedding":[1]}]}' })
    first.replyWith(({ path }) => ({
      headers: json,
      body: path === '/v1/models' ? '{"data":[{"id":"one"}]}' : '{"data":[{"embedding":[1]}]}',
    }))
    const embed = () => server.post('/v1/embeddings', { model: 'm', input: 'a' })
    expect(served(await embed())).toEqual(['two', 'fallback'])
    await eventually(async () => expect(served(await embed())).toEqual(['one', undefined]))
    expect(first.requests.map(({ path }) => path).slice(0, 3)).toEqual([
      '/v1/embeddings',
      '/v1/models',
      '/v1/embeddings',
    ])
  })
})

describe('the PII filter of a failover group', () => {
  const detector = { known_usecases: ['token_classify'], pii_detection: {} }
  const body = { model: 'm', messages: [{ role: 'user', content: 'I am ada@host.example' }] }

  it('is at least as strict as for each target: no target gets text that another one must not see', async () => {
    await using world = await startWorld()
    const { server, first, second } = world
    await server.model('ner', {}, detector)
    const keys = { pii: { enabled: true, detectors: ['ner'] } }
    await writeForwarded(server, { name: 'two', url: second.origin, keys })
    await world.writeGroup({}, { pii: { enabled: false } })
    first.replyWith({ status: 503, body: '' })
    expect((await server.post(CHAT, body)).status).toBe(200)
    for (const [{ text }] of [first.requests, second.requests].map(
      (list) => [list[0] ?? { text: () => '' }] as const,
    )) {
      expect(text()).toContain('I am [REDACTED:ner:EMAIL]')
      expect(text()).not.toContain('ada@')
    }
    // without the group the first target gets the client's text unchanged
    first.replyWith({ headers: json, body: said('first') })
    await server.post(CHAT, { ...body, model: 'one' })
    expect(first.requests.at(-1)?.text()).toContain('ada@host.example')
  })

  it('restores values where every target that filters would, and nowhere else', async () => {
    await using world = await startWorld()
    const { server, first, second } = world
    await server.model('ner', {}, detector)
    const pii = { enabled: true, detectors: ['ner'], reversible_redactions: true }
    await writeForwarded(server, { name: 'one', url: first.origin, keys: { pii } })
    first.replyWith({ headers: json, body: said('Mail [REDACTED:EMAIL_001]') })
    expect((await server.post(CHAT, body)).text).toContain('Mail ada@host.example')
    const irreversible = { enabled: true, detectors: ['ner'] }
    await writeForwarded(server, { name: 'two', url: second.origin, keys: { pii: irreversible } })
    expect((await server.post(CHAT, body)).text).toContain('Mail [REDACTED:EMAIL_001]')
    expect(first.requests.map((request) => request.text()).join()).not.toContain('ada@')
  })
})

describe('a faulty failover group', () => {
  it.each([
    ['failover.targets', { targets: [{ model: 'one' }] }, {}],
    ['failover.targets[1].model', { targets: [{ model: 'one' }, { model: 'm' }] }, {}],
    ['failover.targets[1].model', { targets: [{ model: 'one' }, { model: 'one' }] }, {}],
    ['failover.probe.interval', { probe: { interval: 'often' } }, {}],
    ['backend', {}, { backend: 'mock' }],
  ])('has its file refused for %s', async (key, failover, keys) => {
    await using world = await startWorld()
    await world.writeGroup(failover, keys)
    expect((await world.server.chat('m')).status).toBe(404)
    await eventually(() => expect(world.server.logLines.join('')).toContain(`"key":"${key}"`))
  })

  it('names the faulty target: another group, or a relayed model', async () => {
    await using world = await startWorld()
    const { server, first } = world
    const targets = [{ model: 'one' }, { model: 'm' }]
    await server.writeModelFile('outer.yaml', stringify({ name: 'outer', failover: { targets } }))
    const nested = await server.chat('outer')
    expect([nested.status, nested.text]).toEqual([500, expect.stringContaining('failover groups do not nest')])
    const proxy = { upstream_url: `${first.origin}/v1/chat/completions` }
    await server.writeModelFile('cloud.yaml', stringify({ name: 'cloud', backend: 'cloud-proxy', proxy }))
    await world.writeGroup({ targets: [{ model: 'one' }, { model: 'cloud' }] })
    const relayed = await server.chat('m')
    expect([relayed.status, relayed.text]).toEqual([500, expect.stringContaining('only a proxy that translates')])
    expect(first.requests).toEqual([])
  })

  it('loads its targets when it is loaded', async () => {
    await using world = await startWorld()
    const reply = await world.server.post('/backend/load', { model: 'm' })
    expect([reply.status, reply.json()]).toMatchObject([200, { loaded: ['one', 'two'] }])
  })
})
