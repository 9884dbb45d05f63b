import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer, type TestServer } from '../support/server.ts'

const MAIL = 'ada@host.example'

async function filtered(detection: object = {}, script: object = {}, pii: object = {}): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('ner', {}, { known_usecases: ['token_classify'], pii_detection: detection })
  const usecases = ['chat', 'completion', 'embeddings', 'tokenize']
  await server.model('open', script, { known_usecases: usecases })
  await server.model('m', script, { known_usecases: usecases, pii: { enabled: true, detectors: ['ner'], ...pii } })
  return server
}

/** Gives the requests of a model since its load. */
function asked(server: TestServer, model = 'm'): string {
  const calls = server.records(model).filter(({ rpc, event }) => event === 'start' && rpc !== 'LoadModel')
  return JSON.stringify(calls.map(({ rpc, request }) => [rpc, request]))
}

async function events(server: TestServer): Promise<Record<string, unknown>[]> {
  const reply = await server.call('/api/pii/events')
  return (reply.json() as { events: Record<string, unknown>[] }).events
}

describe('the conversation that a generation carries along', () => {
  async function readContext(server: TestServer, model: string, prompt: string): Promise<number[]> {
    const reply = await server.post('/api/generate', { model, prompt, system: `for ${MAIL}`, stream: false })
    return (reply.json() as { context: number[] }).context
  }

  it('is masked in each of its messages, and goes on', async () => {
    await using server = await filtered({}, { rules: [{ do: { text: `I wrote "${MAIL}" ü😀` } }] })
    const context = await readContext(server, 'open', `Mail to ${MAIL}`)
    const reply = await server.post('/api/generate', { model: 'm', prompt: 'Again', context, stream: false })
    expect(reply.status).toBe(200)
    expect(asked(server)).not.toContain('@host')
    const [, request] = JSON.parse(asked(server))[0] as [string, { Messages: { role: string; content: string }[] }]
    expect(request.Messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'for [REDACTED:ner:EMAIL]'],
      ['user', 'Mail to [REDACTED:ner:EMAIL]'],
      ['assistant', 'I wrote "[REDACTED:ner:EMAIL]" ü😀'],
      ['user', 'Again'],
    ])
    expect((await events(server)).map(({ segment }) => segment)).toEqual(['context[2]', 'context[1]', 'context[0]'])
  })

  it('is refused when it holds blocked text', async () => {
    await using server = await filtered({ default_action: 'block' })
    const context = await readContext(server, 'open', `Mail to ${MAIL}`)
    const reply = await server.post('/api/generate', { model: 'm', prompt: 'Again', context })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('pii_blocked')])
    expect(server.records('m')).toEqual([])
  })

  it('of a filtered model is masked again on its way back, even if the reply restored it', async () => {
    const script = { rules: [{ do: { text: 'Dear [REDACTED:EMAIL_001]' } }] }
    await using server = await filtered({}, script, { reversible_redactions: true })
    const context = await readContext(server, 'm', `Mail to ${MAIL}`)
    expect(String.fromCharCode(...context)).toContain(`Dear ${MAIL}`)
    await server.post('/api/generate', { model: 'm', prompt: 'Again', context, stream: false })
    expect(asked(server)).not.toContain('@host')
    expect(asked(server)).toContain('Dear [REDACTED:EMAIL_')
  })

  it('that this server did not make is refused as without a filter', async () => {
    await using server = await filtered()
    for (const context of [[1, 2, 3], [91, 49, 93], ['a'], 5, [[91]], [-1]]) {
      const reply = await server.post('/api/generate', { model: 'm', prompt: 'Again', context })
      expect([context, reply.status, reply.text]).toEqual([context, 400, expect.stringContaining('context')])
    }
    expect(server.records('m')).toEqual([])
  })

  it('is the last one of duplicate keys', async () => {
    await using server = await filtered()
    const context = await readContext(server, 'open', `Mail to ${MAIL}`)
    const bodies = [
      `{"model":"m","prompt":"Again","stream":false,"context":[],"context":${JSON.stringify(context)}}`,
      `{"model":"m","prompt":"Again","stream":false,"\\u0063ontext":${JSON.stringify(context)}}`,
    ]
    for (const body of bodies) {
      const headers = { 'content-type': 'application/json' }
      expect((await server.call('/api/generate', { method: 'POST', headers, body })).status).toBe(200)
    }
    expect(asked(server)).toContain('Mail to [REDACTED:ner:EMAIL]')
    expect(asked(server)).not.toContain('@host')
  })
})

describe('token ids in the place of text', () => {
  async function readTokens(server: TestServer, content: string): Promise<number[]> {
    const reply = await server.post('/v1/tokenize', { model: 'm', content })
    return (reply.json() as { tokens: number[] }).tokens
  }

  it('are read by the backend of the model; masked ones go on as text, the others unchanged', async () => {
    await using server = await filtered()
    const secret = await readTokens(server, `Mail to ${MAIL}`)
    const plain = await readTokens(server, 'Nothing here')
    const reply = await server.post('/v1/embeddings', { model: 'm', input: [plain, secret, 'and text'] })
    expect([reply.status, (reply.json() as { data: unknown[] }).data]).toEqual([
      200,
      expect.objectContaining({ length: 3 }),
    ])
    const calls = (JSON.parse(asked(server)) as [string, Record<string, unknown>][]).filter(
      ([rpc]) => rpc === 'Embedding',
    )
    expect(calls.map(([, { Embeddings, EmbeddingTokens }]) => [Embeddings, EmbeddingTokens])).toEqual(
      expect.arrayContaining([
        ['', plain],
        ['Mail to [REDACTED:ner:EMAIL]', []],
        ['and text', []],
      ]),
    )
    expect(await events(server)).toMatchObject([{ pattern_id: 'ner:EMAIL', segment: 'input[1]', action: 'mask' }])
    const completion = await server.post('/v1/completions', { model: 'm', prompt: secret })
    expect(completion.status).toBe(200)
    const prompts = (JSON.parse(asked(server)) as [string, { Prompt?: string }][]).filter(([rpc]) =>
      rpc.startsWith('Predict'),
    )
    expect(prompts.map(([, { Prompt }]) => Prompt)).toEqual(['Mail to [REDACTED:ner:EMAIL]'])
  })

  it('are refused when they stand for blocked text', async () => {
    await using server = await filtered({ default_action: 'block' })
    const reply = await server.post('/v1/completions', {
      model: 'm',
      prompt: await readTokens(server, `Mail to ${MAIL}`),
    })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('pii_blocked')])
    expect(asked(server)).not.toContain('"Predict')
  })

  it('go on with an event where the backend cannot read them', async () => {
    await using server = await filtered({}, { without: ['Detokenize'] })
    const tokens = await readTokens(server, 'Nothing here')
    expect((await server.post('/v1/embeddings', { model: 'm', input: [tokens, tokens] })).status).toBe(200)
    expect(await events(server)).toMatchObject(
      ['input[1]', 'input[0]'].map((segment) => ({ pattern_id: '__unscanned_tokens__', action: 'allow', segment })),
    )
  })

  describe('of a failover group', () => {
    /** A failover group of `first` and `open`; the mock can only read ids that it was given to tokenize. */
    async function startGroup(detection: object, first: object): Promise<TestServer> {
      const server = await filtered(detection)
      const usecases = ['chat', 'embeddings', 'tokenize']
      await server.model('first', first, { known_usecases: usecases })
      const failover = { targets: [{ model: 'first' }, { model: 'open' }] }
      const pii = { enabled: true, detectors: ['ner'] }
      await server.writeModelFile('chain.yaml', stringify({ name: 'chain', known_usecases: usecases, failover, pii }))
      return server
    }

    async function idsIn(server: TestServer, model: string, content: string): Promise<number[]> {
      const reply = await server.post('/v1/tokenize', { model, content })
      return (reply.json() as { tokens: number[] }).tokens
    }

    it.each(['first', 'open'])('are read as each of its models reads them, such as %s', async (reader) => {
      await using server = await startGroup({}, {})
      const secret = await idsIn(server, reader, `Mail to ${MAIL}`)
      const plain = await idsIn(server, reader, 'Nothing here')
      expect((await server.post('/v1/embeddings', { model: 'chain', input: [plain, secret] })).status).toBe(200)
      const calls = JSON.parse(asked(server, 'first')) as [string, Record<string, unknown>][]
      const embedded = calls.filter(([rpc]) => rpc === 'Embedding')
      expect(embedded.map(([, { Embeddings, EmbeddingTokens }]) => [Embeddings, EmbeddingTokens])).toEqual(
        expect.arrayContaining([
          ['', plain],
          ['Mail to [REDACTED:ner:EMAIL]', []],
        ]),
      )
      expect(await events(server)).toMatchObject([{ pattern_id: 'ner:EMAIL', segment: 'input[1]', action: 'mask' }])
    })

    it('are refused when one of the targets reads blocked text', async () => {
      await using server = await startGroup({ default_action: 'block' }, {})
      const input = await idsIn(server, 'open', `Mail to ${MAIL}`)
      const reply = await server.post('/v1/embeddings', { model: 'chain', input })
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('pii_blocked')])
    })

    it('leave an event where one of its models cannot tell and they go on as tokens', async () => {
      await using server = await startGroup({}, { without: ['Detokenize'] })
      const secret = await idsIn(server, 'open', `Mail to ${MAIL}`)
      const plain = await idsIn(server, 'open', 'Nothing here')
      expect((await server.post('/v1/embeddings', { model: 'chain', input: [plain, secret] })).status).toBe(200)
      expect(asked(server, 'first')).toContain('Mail to [REDACTED:ner:EMAIL]')
      expect(await events(server)).toMatchObject([
        { pattern_id: 'ner:EMAIL', segment: 'input[1]', action: 'mask' },
        { pattern_id: '__unscanned_tokens__', segment: 'input[0]', action: 'allow' },
      ])
    })

    it('are not read by disabled targets', async () => {
      await using server = await startGroup({}, {})
      const input = await idsIn(server, 'open', `Mail to ${MAIL}`)
      await server.model('first', {}, { known_usecases: ['chat', 'embeddings', 'tokenize'], disabled: true })
      expect((await server.post('/v1/embeddings', { model: 'chain', input })).status).toBe(200)
      expect(asked(server, 'open')).toContain('Mail to [REDACTED:ner:EMAIL]')
      expect(await events(server)).toMatchObject([{ pattern_id: 'ner:EMAIL' }])
    })

    it('stop the request where one of its models fails to read them', async () => {
      const failure = { status: 'INTERNAL', message: 'no vocabulary' }
      await using server = await startGroup({}, { rules: [{ rpc: 'Detokenize', do: { failure } }] })
      const input = await idsIn(server, 'open', 'Nothing here')
      expect((await server.post('/v1/embeddings', { model: 'chain', input })).status).toBe(500)
      expect(asked(server, 'first') + asked(server, 'open')).not.toContain('"Embedding"')
    })
  })

  it('that a backend fails to read stop the request', async () => {
    const failure = { status: 'INTERNAL', message: 'no vocabulary' }
    await using server = await filtered({}, { rules: [{ rpc: 'Detokenize', do: { failure } }] })
    const reply = await server.post('/v1/embeddings', { model: 'm', input: [1, 2] })
    expect(reply.status).toBe(500)
    expect(asked(server)).not.toContain('"Embedding"')
  })

  it('that are invalid are refused', async () => {
    await using server = await filtered()
    for (const input of [[1.5], [-1], [2 ** 31], [1, 'a'], Array.from({ length: 262_145 }, () => 1)]) {
      const reply = await server.post('/v1/embeddings', { model: 'm', input })
      expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('failed parsing request body: input')])
    }
  })
})
