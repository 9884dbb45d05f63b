import type { MockScript } from '@svc/backend-mock/script'
import { describe, expect, it } from 'vitest'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const COMPLETIONS = '/v1/completions'
const keys = { known_usecases: ['completion'] }

interface Choice {
  index: number
  text: string
  finish_reason: string | null
  logprobs: {
    tokens: string[]
    token_logprobs: (number | null)[]
    text_offset: number[]
    top_logprobs: (Record<string, number> | null)[]
  } | null
}

interface Body {
  id: string
  created: number
  choices: Choice[]
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}

/** Lists the requests that the mock got. */
function asked(server: TestServer, model: string, rpc = 'Predict'): Record<string, unknown>[] {
  return server
    .records(model)
    .filter((record) => record.rpc === rpc && record.event === 'start')
    .map(({ request }) => request as Record<string, unknown>)
}

describe('POST /v1/completions', () => {
  // verifies inference:route:completions
  it('continues a prompt, as it is, under the name that was asked for', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: ' there was', promptTokens: 3, completionTokens: 2 } }] }, keys)
    const headers = { 'x-correlation-id': 'my-own-id' }
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'Once upon <|im_start|>' }, headers)
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual({
      id: 'my-own-id',
      object: 'text_completion',
      created: expect.any(Number),
      model: 'm',
      choices: [{ index: 0, text: ' there was', finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
    expect(reply.headers['x-correlation-id']).toBe('my-own-id')
    expect(asked(server, 'm')).toEqual([expect.objectContaining({ Prompt: 'Once upon <|im_start|>', Messages: [] })])
  })

  it('answers at every path, with the model in the path when the body has none', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, keys)
    await server.model('other', {}, keys)
    for (const path of [COMPLETIONS, '/completions', '/v1/engines/m/completions', '/engines/m/completions']) {
      expect((await server.post(path, { prompt: 'x' })).json(), path).toMatchObject({ model: 'm' })
      expect((await server.post(path, { model: 'other', prompt: 'x' })).json(), path).toMatchObject({ model: 'other' })
    }
    expect((await server.post('/v1/engines/nobody/completions', { prompt: 'x' })).status).toBe(404)
  })

  it('without a model: the first for completions, or 400 when there is none', async () => {
    await using server = await startTestServer()
    await server.model('e', {}, { known_usecases: ['embeddings'] })
    expect((await server.post(COMPLETIONS, { prompt: 'x' })).status).toBe(400)
    await server.model('z', {}, keys)
    expect((await server.post(COMPLETIONS, { prompt: 'x' })).json()).toMatchObject({ model: 'z' })
  })

  it('writes the prompt with the template of the model, and adds nothing to tokens', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, { ...keys, template: { completion: '<s>{{.Input}}</s>' } })
    await server.post(COMPLETIONS, { model: 'm', prompt: 'Once' })
    const { tokens } = (await server.post('/v1/tokenize', { model: 'm', content: 'Twice upon' })).json() as {
      tokens: number[]
    }
    await server.post(COMPLETIONS, { model: 'm', prompt: tokens })
    expect(asked(server, 'm').map(({ Prompt }) => Prompt)).toEqual(['<s>Once</s>', 'Twice upon'])
  })

  it('several prompts and n: every choice has its place, prompts count once, answers add up', async () => {
    await using server = await startTestServer()
    const rules = [
      { contains: 'first', call: 1, do: { text: 'one', promptTokens: 2, completionTokens: 1 } },
      { contains: 'first', do: { text: 'two', promptTokens: 2, completionTokens: 2 } },
      { contains: 'second', do: { text: 'three', promptTokens: 4, completionTokens: 3 } },
    ]
    await server.model('m', { rules }, keys)
    const body = (await server.post(COMPLETIONS, { model: 'm', prompt: ['first', 'second'], n: 2 })).json() as Body
    expect(body.choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'one'],
      [1, 'two'],
      [2, 'three'],
      [3, 'three'],
    ])
    expect(body.usage).toEqual({ prompt_tokens: 6, completion_tokens: 9, total_tokens: 15 })
  })

  it('echo puts the prompt before each answer, whole and streamed', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: ' b c' } }] }, keys)
    const whole = (await server.post(COMPLETIONS, { model: 'm', prompt: ['a', 'x'], echo: true })).json() as Body
    expect(whole.choices.map(({ text }) => text)).toEqual(['a b c', 'x b c'])
    const stream = await server.post(COMPLETIONS, { model: 'm', prompt: 'a', echo: true, stream: true })
    const chunks = sseData(stream.text).slice(0, -1) as Body[]
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe('a b c')
  })

  it('ends with length when the limit was reached; suffix and best_of have no effect', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'a b c d' } }] }, keys)
    const ignored = { suffix: 'end', best_of: 3, user: 'u' }
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', max_tokens: 2, ...ignored })
    expect((reply.json() as Body).choices).toEqual([{ index: 0, text: 'a b', finish_reason: 'length', logprobs: null }])
    expect(asked(server, 'm')).toHaveLength(1)
  })

  it('sends the backend the options of the request over the settings of the model', async () => {
    await using server = await startTestServer()
    const parameters = { model: 'weights.bin', temperature: 0.3, top_k: 7 }
    await server.model('m', {}, { ...keys, parameters, stopwords: ['<end>'] })
    const said = { temperature: 0, stop: ['STOP'], seed: 5, logit_bias: { '3': -1 }, repeat_penalty: 1.5, logprobs: 2 }
    await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...said })
    expect(asked(server, 'm')).toEqual([
      expect.objectContaining({
        Prompt: 'x',
        Temperature: 0,
        TopK: 7,
        StopPrompts: ['<end>', 'STOP'],
        Seed: 5,
        LogitBias: '{"3":-1}',
        Penalty: 1.5,
        Logprobs: 1,
        TopLogprobs: 2,
        ModelIdentity: 'weights.bin',
      }),
    ])
  })
})

describe('the form of a completion', () => {
  const json = '{"a": 1}'
  const text = async (server: TestServer, extra: object): Promise<string | undefined> => {
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...extra })
    expect(reply.status, reply.text).toBe(200)
    return (reply.json() as Body).choices[0]?.text
  }

  it('is held by a grammar: one for any JSON object, or that of the client as it is', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: json } }] }, keys)
    expect(await text(server, { response_format: { type: 'json_object' } })).toBe(json)
    expect(await text(server, { response_format: 'json_object' })).toBe(json)
    expect(await text(server, { grammar: 'root ::= "yes"' })).toBe(json)
    expect(await text(server, { response_format: { type: 'text' } })).toBe(json)
    const [object, word, own, free] = asked(server, 'm').map(({ Grammar }) => Grammar)
    expect(object).toMatch(/^root ::= /m)
    expect(word).toBe(object)
    expect(own).toBe('root ::= "yes"')
    expect(free).toBe('')
  })

  it('is that of the answer: the prompt that is echoed does not count', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: json } }] }, keys)
    const format = { response_format: { type: 'json_object' } }
    expect(await text(server, { ...format, echo: true })).toBe(`x${json}`)
  })

  it('may be cut by a stop text of the client, but a complete answer must match', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: '{"a": 1} and more' } }] }, keys)
    const format = { response_format: { type: 'json_object' } }
    expect(await text(server, { ...format, stop: ' and' })).toBe(json)
    expect(await text(server, { ...format, stop: ' 1' })).toBe('{"a":')
    const uncut = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...format })
    expect([uncut.status, 'x-svc-warning' in uncut.headers]).toEqual([200, true])
    await server.model('list', { rules: [{ do: { text: '[1] more' } }] }, keys)
    const list = await server.post(COMPLETIONS, { model: 'list', prompt: 'x', ...format, stop: ' more' })
    expect([list.status, 'x-svc-warning' in list.headers]).toEqual([200, true])
    const cut = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...format, stop: ' and' })
    expect(cut.headers).not.toHaveProperty('x-svc-warning')
  })

  it('is refused before generation when there are two forms, or an impossible one', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, keys)
    const wrong = [
      { response_format: 'json_object', grammar: 'root ::= "yes"' },
      { response_format: { type: 'json_schema' } },
      { response_format: { type: 'yaml' } },
      { response_format: [] },
    ]
    for (const fields of wrong) {
      const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...fields })
      expect(reply.status, JSON.stringify(fields)).toBe(400)
    }
    expect(asked(server, 'm')).toEqual([])
  })
})

describe('log-probabilities of completions', () => {
  it('come as the lists of the older format; offsets count characters', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'é 👍 c' } }] }, keys)
    const readChoice = async (extra: object): Promise<Choice | undefined> => {
      const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'ab', ...extra })
      return (reply.json() as Body).choices[0]
    }
    const choice = await readChoice({ logprobs: 2 })
    expect(choice?.logprobs?.tokens).toEqual(['é', ' 👍', ' c'])
    expect(choice?.logprobs?.text_offset).toEqual([0, 1, 3])
    expect(choice?.logprobs?.token_logprobs.every((value) => value !== null && value <= 0)).toBe(true)
    for (const [index, token] of (choice?.logprobs?.tokens ?? []).entries()) {
      const alternatives = choice?.logprobs?.top_logprobs[index] ?? {}
      expect(Object.keys(alternatives)).toHaveLength(2)
      expect(alternatives[token]).toBe(choice?.logprobs?.token_logprobs[index])
    }
    expect((await readChoice({ logprobs: 2, echo: true }))?.logprobs?.text_offset).toEqual([0, 2, 3, 5])
    const alone = await readChoice({ logprobs: 0 })
    expect(alone?.logprobs?.top_logprobs.map((each) => Object.keys(each ?? {}))).toEqual([['é'], [' 👍'], [' c']])
    for (const none of [{}, { logprobs: null }, { logprobs: false }]) {
      expect((await readChoice(none))?.logprobs).toBeNull()
    }
  })

  it('streamed are the same, piece by piece', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'a bb c' } }] }, keys)
    const body = { model: 'm', prompt: 'x', logprobs: 1 }
    const whole = ((await server.post(COMPLETIONS, body)).json() as Body).choices[0]?.logprobs
    const chunks = sseData((await server.post(COMPLETIONS, { ...body, stream: true })).text).slice(0, -1) as Body[]
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.logprobs ?? [])
    expect(pieces.flatMap(({ tokens }) => tokens)).toEqual(whole?.tokens)
    expect(pieces.flatMap(({ text_offset }) => text_offset)).toEqual(whole?.text_offset)
    expect(pieces.flatMap(({ top_logprobs }) => top_logprobs)).toEqual(whole?.top_logprobs)
  })
})

describe('an echoed prompt with log-probabilities', () => {
  const prompt = 'red blue red'
  const expected = {
    tokens: ['red', ' blue', ' red'],
    token_logprobs: [null, -4, -0.125],
    text_offset: [0, 3, 8],
    top_logprobs: [null, { 'other-0': -1, 'other-1': -2, ' blue': -4 }, { ' red': -0.125, 'other-0': -1 }],
  }

  async function world(script: MockScript = {}): Promise<TestServer> {
    const server = await startTestServer()
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: ' green' } }], ...script }, keys)
    return server
  }

  async function ask(server: TestServer, extra: object): Promise<Body> {
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt, echo: true, logprobs: 2, ...extra })
    expect(reply.status, reply.text).toBe(200)
    return reply.json() as Body
  }

  verifies('completions:echo:logprobs', 'lists its tokens before those of the answer, whole and streamed', async () => {
    await using server = await world()
    const { choices, usage } = await ask(server, { max_tokens: 1, n: 2 })
    for (const choice of choices) {
      expect(choice.text).toBe('red blue red green')
      expect(choice.logprobs).toMatchObject({
        tokens: [...expected.tokens, ' green'],
        text_offset: [...expected.text_offset, 12],
        token_logprobs: [...expected.token_logprobs, expect.any(Number)],
      })
      expect(choice.logprobs?.top_logprobs.slice(0, 3)).toEqual(expected.top_logprobs)
    }
    expect(usage.completion_tokens).toBe(2)
    expect(asked(server, 'm', 'PromptLogprobs'), 'one reading for both answers').toHaveLength(1)
    const body = { model: 'm', prompt, echo: true, logprobs: 2, max_tokens: 1, stream: true }
    const chunks = sseData((await server.post(COMPLETIONS, body)).text).slice(0, -1) as Body[]
    const pieces = chunks.flatMap((chunk) => chunk.choices)
    expect(pieces.map(({ text }) => text).join('')).toBe('red blue red green')
    expect(pieces.flatMap(({ logprobs }) => logprobs?.tokens ?? [])).toEqual([...expected.tokens, ' green'])
    expect(pieces.flatMap(({ logprobs }) => logprobs?.text_offset ?? [])).toEqual([0, 3, 8, 12])
  })

  verifies('completions:limit:none', 'and no answer with max_tokens: 0, of one prompt or of several', async () => {
    await using server = await world()
    const { tokens } = (await server.post('/v1/tokenize', { model: 'm', content: 'up down' })).json() as {
      tokens: number[]
    }
    const { choices, usage } = await ask(server, { max_tokens: 0, prompt: [prompt, 'up up', tokens, ''] })
    expect(choices.map(({ text, finish_reason }) => [text, finish_reason])).toEqual([
      [prompt, 'length'],
      ['up up', 'length'],
      ['up down', 'length'],
      ['', 'length'],
    ])
    expect(choices.map(({ logprobs }) => logprobs?.token_logprobs)).toEqual([
      [null, -4, -0.125],
      [null, -0.125],
      [null, -4],
      [],
    ])
    expect(choices[0]?.logprobs).toEqual(expected)
    expect(usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 0 })
    const plain = { model: 'm', prompt, max_tokens: 0 }
    const quiet = (await server.post(COMPLETIONS, plain)).json()
    expect(quiet).toMatchObject({
      choices: [{ text: '', finish_reason: 'length', logprobs: null }],
      usage: { prompt_tokens: 3, completion_tokens: 0 },
    })
    expect((await server.post(COMPLETIONS, { ...plain, echo: true })).json()).toMatchObject({
      choices: [{ text: prompt }],
    })
    const stream = sseData((await server.post(COMPLETIONS, { ...plain, stream: true })).text)
    expect(stream).toMatchObject([{ choices: [{ text: '', finish_reason: 'length' }] }, '[DONE]'])
    expect(asked(server, 'm'), 'nothing was generated').toEqual([])
    expect(asked(server, 'm', 'PromptLogprobs').at(2)).toMatchObject({ tokens, prompt: '', topLogprobs: 2 })
  })

  it('has a token behind the prompt where the answer ends before it begins', async () => {
    await using server = await world({ rules: [{ rpc: 'Predict*', do: { text: '' } }] })
    const { choices } = await ask(server, { max_tokens: 1 })
    expect(choices[0]).toMatchObject({ text: prompt, finish_reason: 'stop' })
    expect(choices[0]?.logprobs?.tokens).toEqual([...expected.tokens, '</s>'])
    expect(choices[0]?.logprobs?.text_offset).toEqual([0, 3, 8, 12])
    expect(choices[0]?.logprobs?.top_logprobs.at(-1)).toEqual({ 'other-0': -1, 'other-1': -2, '</s>': -2 })
  })

  it('is read with its masked values, and shown with the own ones', async () => {
    await using server = await world()
    await server.writeModelFile(
      'd.yaml',
      JSON.stringify({ name: 'd', backend: 'pattern', pii_detection: { builtins: ['email'] } }),
    )
    const pii = { enabled: true, detectors: ['d'], reversible_redactions: true }
    await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: ' green' } }] }, { ...keys, pii })
    const mail = 'ada@host.example is ada@host.example'
    const { choices } = await ask(server, { prompt: mail, max_tokens: 1 })
    expect(choices[0]?.text).toBe(`${mail} green`)
    expect(choices[0]?.logprobs?.text_offset.at(-1)).toBe(mail.length)
    expect(choices[0]?.logprobs?.tokens.join('')).not.toContain('ada@')
    expect(JSON.stringify(server.records('m'))).not.toContain('ada@')
  })

  verifies('completions:echo:logprobs-unable', 'is 400 by name where the backend cannot', async () => {
    await using server = await world({ without: ['PromptLogprobs'] })
    for (const extra of [{ max_tokens: 0 }, { max_tokens: 1 }, { stream: true }]) {
      const reply = await server.post(COMPLETIONS, { model: 'm', prompt, echo: true, logprobs: 0, ...extra })
      expect([reply.status, reply.json()]).toMatchObject([
        400,
        { error: { param: 'logprobs', message: expect.stringMatching(/backend of model "m" gives no log prob/) } },
      ])
    }
    expect(asked(server, 'm'), 'nothing was generated').toEqual([])
    expect((await server.post(COMPLETIONS, { model: 'm', prompt, echo: true })).status).toBe(200)
    expect((await server.post(COMPLETIONS, { model: 'm', prompt, logprobs: 1 })).status).toBe(200)
  })
})

describe('a streamed completion', () => {
  it('has a text in every choice, one end, usage only when asked for, and [DONE]', async () => {
    await using server = await startTestServer()
    const rules = [{ rpc: 'PredictStream', do: { pieces: ['Hel', 'lo'], promptTokens: 5, completionTokens: 2 } }]
    await server.model('m', { rules }, keys)
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt: ['x'], stream: true })
    expect(reply.headers['content-type']).toBe('text/event-stream')
    const events = sseData(reply.text)
    expect(events.at(-1)).toBe('[DONE]')
    const chunks = events.slice(0, -1) as (Body & { object: string; usage?: object })[]
    expect(chunks.map(({ choices }) => choices)).toEqual([
      [{ index: 0, text: 'Hel', finish_reason: null, logprobs: null }],
      [{ index: 0, text: 'lo', finish_reason: null, logprobs: null }],
      [{ index: 0, text: '', finish_reason: 'stop', logprobs: null }],
    ])
    const envelopes = new Set(chunks.map(({ id, object, created }) => `${id} ${object} ${created}`))
    expect([...envelopes]).toEqual([`${reply.headers['x-correlation-id']} text_completion ${chunks[0]?.created}`])
    expect(chunks.some(({ usage }) => usage !== undefined)).toBe(false)
    const options = { stream: true, stream_options: { include_usage: true } }
    const counted = sseData((await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...options })).text)
    expect(counted.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    })
  })

  it('gives n choices their own index', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'hi' } }] }, keys)
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', stream: true, n: 2 })
    const chunks = sseData(reply.text).slice(0, -1) as Body[]
    expect(chunks.map(({ choices }) => [choices[0]?.index, choices[0]?.finish_reason])).toEqual([
      [0, null],
      [0, 'stop'],
      [1, null],
      [1, 'stop'],
    ])
  })

  it('needs exactly one prompt; one list of tokens is one', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, keys)
    for (const prompt of [
      ['a', 'b'],
      [[1], [2]],
    ]) {
      const reply = await server.post(COMPLETIONS, { model: 'm', prompt, stream: true })
      expect(reply.status).toBe(400)
      expect(reply.json()).toMatchObject({
        error: { code: 400, message: 'streaming completions require exactly one prompt string', param: 'prompt' },
      })
    }
    expect((await server.post(COMPLETIONS, { model: 'm', prompt: [1, 2], stream: true })).status).toBe(200)
  })

  it('that fails before its first byte has a real status, later an error in the stream and [DONE]', async () => {
    await using server = await startTestServer()
    const failure = { status: 'INTERNAL', message: 'out of order' } as const
    await server.model('at-once', { rules: [{ do: { failure } }] }, keys)
    expect((await server.post(COMPLETIONS, { model: 'at-once', prompt: 'x', stream: true })).status).toBe(500)
    const later = { text: 'a b c', failure: { ...failure, afterPieces: 2 } }
    await server.model('later', { rules: [{ do: later }] }, keys)
    const reply = await server.post(COMPLETIONS, { model: 'later', prompt: 'x', stream: true })
    expect(reply.status).toBe(200)
    const events = sseData(reply.text)
    expect(events.slice(-2)).toEqual([
      {
        error: { message: 'prediction failed: out of order', type: 'server_error', code: 'server_error', param: null },
      },
      '[DONE]',
    ])
  })
})

describe('completions refuse', () => {
  it('invalid prompts and settings, naming the field, before any backend is asked', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, keys)
    const wrong: [object, string][] = [
      [{ prompt: undefined }, 'prompt'],
      [{ prompt: null }, 'prompt'],
      [{ prompt: [] }, 'prompt'],
      [{ prompt: { text: 'a' } }, 'prompt'],
      [{ prompt: ['a', 5] }, 'prompt[1]'],
      [{ prompt: Array.from({ length: 1025 }, () => 'a'), n: 2 }, 'prompt'],
      [{ prompt: Array.from({ length: 262_145 }, () => 1) }, 'prompt'],
      [{ logprobs: 21 }, 'logprobs'],
      [{ n: 0 }, 'n'],
      [{ max_tokens: -2 }, 'max_tokens'],
      [{ stop: 5 }, 'stop'],
      [{ stream: 'yes' }, 'stream'],
    ]
    for (const [fields, param] of wrong) {
      const reply = await server.post(COMPLETIONS, { model: 'm', prompt: 'x', ...fields })
      expect(reply.status, param).toBe(400)
      expect(reply.json(), param).toMatchObject({ error: { type: 'invalid_request_error', param } })
    }
    expect(server.records('m')).toEqual([])
  })

  it('tokens where the backend cannot turn them into text', async () => {
    await using server = await startTestServer()
    await server.model('m', { without: ['Detokenize'] }, keys)
    const reply = await server.post(COMPLETIONS, { model: 'm', prompt: [1, 2] })
    expect(reply.status).toBe(501)
    expect(reply.json()).toMatchObject({ error: { message: 'the backend of this model cannot turn tokens into text' } })
    expect((await server.post(COMPLETIONS, { model: 'm', prompt: 'a' })).status).toBe(200)
  })
})
