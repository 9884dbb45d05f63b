import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PiiWorld, startPiiWorld } from '../support/pii-world.ts'
import { sseData } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

/** A masked value that JSON and streams write differently. */
const SECRET = 'secret "größe" \\ 1234'
const MATCH = String.raw`secret "\w+[^\w]+\w+" \\ [0-9]{4}`
const TOKEN = '[REDACTED:SECRET_001]'
const ANSWER = `Say ${TOKEN}, not [REDACTED:SECRET_002] or SECRET_001.`
const RESTORED = ANSWER.replace(TOKEN, SECRET)
const TOOL = { name: 'tell', arguments: JSON.stringify({ to: `<${TOKEN}>`, [TOKEN]: [TOKEN] }) }
const TOLD = { to: `<${SECRET}>`, [SECRET]: [SECRET] }
const PARAMETERS = { type: 'object', properties: { to: { type: 'string' } } }
const reversible = { enabled: true, detectors: ['secrets'], reversible_redactions: true }

let world: PiiWorld

beforeAll(async () => {
  world = await startPiiWorld()
  await world.patterns('secrets', { SECRET: MATCH })
  const cuts = Array.from({ length: ANSWER.length - 1 }, (_, index) => ({
    contains: `cut here: ${index + 1}.`,
    do: { pieces: [ANSWER.slice(0, index + 1), ANSWER.slice(index + 1)] },
  }))
  const rules = [
    ...cuts,
    { contains: 'use a tool', do: { toolCalls: [TOOL], split: 'characters', via: 'deltas' } as const },
    {
      contains: 'think first',
      do: { reasoning: `Hm, ${TOKEN}.`, text: ANSWER, split: 'characters', via: 'deltas' } as const,
    },
    { do: { text: ANSWER, split: 'characters' } as const },
  ]
  await world.server.model('m', { rules }, { known_usecases: ['chat', 'completion', 'edit'], pii: reversible })
})
afterAll(() => world[Symbol.asyncDispose]())

/** Gives the value at a path, counted from the end below 0; undefined when there is none. */
function dig(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, step) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return typeof step === 'number' && Array.isArray(inner) ? inner.at(step) : Reflect.get(inner, step)
  }, value)
}

/** Joins the texts at a path of several values. */
const joined = (values: readonly unknown[], ...path: readonly (string | number)[]): string =>
  values.map((value) => dig(value, ...path) ?? '').join('')

const lines = ({ text }: RawReply): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const data = ({ text }: RawReply): unknown[] =>
  sseData(text.replace(/^event: .*\n/gm, '')).filter((each) => each !== '[DONE]')
const ofType = (events: readonly unknown[], type: string): unknown[] =>
  events.filter((event) => dig(event, 'type') === type)
const chat = (prompt: string) => ({ messages: [{ role: 'user', content: prompt }] })
const functionTool = { type: 'function', function: { name: 'tell', parameters: PARAMETERS } }

/** A request of a format, and the places of the model's text in its replies. */
interface Format {
  readonly path: string
  body(prompt: string): object
  whole(reply: unknown): unknown
  streamed(reply: RawReply): string
}

const CHAT: Format = {
  path: '/v1/chat/completions',
  body: chat,
  whole: (reply) => dig(reply, 'choices', 0, 'message', 'content'),
  streamed: (reply) => joined(data(reply), 'choices', 0, 'delta', 'content'),
}
const MESSAGES: Format = {
  path: '/v1/messages',
  body: (prompt) => ({ ...chat(prompt), max_tokens: 99 }),
  whole: (reply) => dig(reply, 'content', 0, 'text'),
  streamed: (reply) => joined(data(reply), 'delta', 'text'),
}
const RESPONSES: Format = {
  path: '/v1/responses',
  body: (prompt) => ({ input: prompt }),
  whole: (reply) => dig(reply, 'output', -1, 'content', 0, 'text'),
  streamed: (reply) => joined(ofType(data(reply), 'response.output_text.delta'), 'delta'),
}
const LINES: Format = {
  path: '/api/chat',
  body: chat,
  whole: (reply) => dig(reply, 'message', 'content'),
  streamed: (reply) => joined(lines(reply), 'message', 'content'),
}
const FORMATS: readonly Format[] = [
  CHAT,
  MESSAGES,
  RESPONSES,
  LINES,
  {
    path: '/v1/completions',
    body: (prompt) => ({ prompt }),
    whole: (reply) => dig(reply, 'choices', 0, 'text'),
    streamed: (reply) => joined(data(reply), 'choices', 0, 'text'),
  },
  {
    path: '/api/generate',
    body: (prompt) => ({ prompt }),
    whole: (reply) => dig(reply, 'response'),
    streamed: (reply) => joined(lines(reply), 'response'),
  },
]

async function ask({ path, body }: Format, prompt: string, extra: object, headers = {}): Promise<RawReply> {
  const reply = await world.server.post(path, { model: 'm', ...body(prompt), ...extra }, headers)
  expect([path, reply.status, reply.status === 200 ? '' : reply.text]).toEqual([path, 200, ''])
  return reply
}

describe('a token that the model repeats', () => {
  verifies('pii:reversible:restored', 'is restored, in whole replies and in streams of characters', async () => {
    for (const format of FORMATS) {
      const prompt = `I know ${SECRET}.`
      const whole = await ask(format, prompt, { stream: false })
      expect([format.path, format.whole(whole.json())]).toEqual([format.path, RESTORED])
      const streamed = await ask(format, prompt, { stream: true })
      expect([format.path, format.streamed(streamed)]).toEqual([format.path, RESTORED])
    }
    expect(world.asked('m')).toContain(`I know ${TOKEN}.`)
    expect(world.asked('m')).not.toContain('größe')
  })

  it('is restored in the documents of a ranking', async () => {
    const pii = { ...reversible, scan_rerank: true }
    await world.server.model('ranked', {}, { known_usecases: ['rerank'], pii })
    const documents = [`I know ${SECRET}.`, 'Nothing']
    const reply = await world.server.post('/v1/rerank', { model: 'ranked', query: SECRET, documents })
    const { results } = reply.json() as { results: { index: number; document: { text: string } }[] }
    expect(results.toSorted((one, other) => one.index - other.index).map(({ document }) => document.text)).toEqual(
      documents,
    )
    expect(world.asked('ranked')).toContain(`I know ${TOKEN}.`)
    expect(world.asked('ranked')).not.toContain('größe')
  })

  it('is restored in later requests of its conversation, in every format', async () => {
    const rules = [{ do: { text: ANSWER, split: 'characters' } as const }]
    const keys = { known_usecases: ['chat', 'completion'], pii: { ...reversible, conversation_tokens: true } }
    await world.server.model('kept', { rules }, keys)
    const headers = { 'x-conversation-id': 'c1' }
    await ask(CHAT, `I know ${SECRET}.`, { model: 'kept' }, headers)
    for (const format of FORMATS) {
      const whole = await ask(format, 'What was it?', { model: 'kept', stream: false }, headers)
      expect([format.path, format.whole(whole.json())]).toEqual([format.path, RESTORED])
      const streamed = await ask(format, 'What was it?', { model: 'kept', stream: true }, headers)
      expect([format.path, format.streamed(streamed)]).toEqual([format.path, RESTORED])
      const other = await ask(format, 'What was it?', { model: 'kept', stream: false }, { 'x-conversation-id': 'c2' })
      expect([format.path, format.whole(other.json())]).toEqual([format.path, ANSWER])
    }
    expect(world.asked('kept')).not.toContain('größe')
  })

  it('becomes the value again wherever the stream is cut', async () => {
    for (const format of FORMATS) {
      for (let cut = 1; cut < ANSWER.length; cut++) {
        const reply = await ask(format, `${SECRET}; cut here: ${cut}.`, { stream: true })
        expect([format.path, cut, format.streamed(reply)]).toEqual([format.path, cut, RESTORED])
      }
    }
  })

  it('is restored in the last events of a response, in the stored response and in its replay', async () => {
    const events = data(await ask(RESPONSES, `I know ${SECRET}.`, { stream: true }))
    expect(joined(ofType(events, 'response.output_text.done'), 'text')).toBe(RESTORED)
    expect(joined(ofType(events, 'response.content_part.done'), 'part', 'text')).toBe(RESTORED)
    expect(joined(ofType(events, 'response.output_item.done'), 'item', 'content', 0, 'text')).toBe(RESTORED)
    expect(RESPONSES.whole(dig(events, -1, 'response'))).toBe(RESTORED)
    const path = `/v1/responses/${String(dig(events, -1, 'response', 'id'))}`
    expect(RESPONSES.whole((await world.server.call(path)).json())).toBe(RESTORED)
    expect(RESPONSES.streamed(await world.server.call(`${path}/events`))).toBe(RESTORED)
    expect(events.map((event) => dig(event, 'sequence_number'))).toEqual(events.map((_, index) => index))
  })

  it('becomes the value again in arguments of calls, written as JSON writes it, at every cut of their pieces', async () => {
    const prompt = `${SECRET}: use a tool`
    const streaming = { stream: true, tools: [functionTool] }
    const calls = ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments']
    expect(JSON.parse(joined(data(await ask(CHAT, prompt, streaming)), ...calls))).toEqual(TOLD)
    const whole = (await ask(CHAT, prompt, { tools: [functionTool] })).json()
    expect(JSON.parse(String(dig(whole, 'choices', 0, 'message', ...calls.slice(3))))).toEqual(TOLD)

    const tools = [{ name: 'tell', input_schema: PARAMETERS }]
    const message = data(await ask(MESSAGES, prompt, { stream: true, tools }))
    expect(JSON.parse(joined(message, 'delta', 'partial_json'))).toEqual(TOLD)
    expect(dig((await ask(MESSAGES, prompt, { tools })).json(), 'content', -1, 'input')).toEqual(TOLD)

    const flat = [{ type: 'function', name: 'tell', parameters: PARAMETERS }]
    const events = data(await ask(RESPONSES, prompt, { stream: true, tools: flat }))
    expect(JSON.parse(joined(ofType(events, 'response.function_call_arguments.delta'), 'delta'))).toEqual(TOLD)
    expect(JSON.parse(joined(ofType(events, 'response.function_call_arguments.done'), 'arguments'))).toEqual(TOLD)
    expect(JSON.parse(String(dig(events, -1, 'response', 'output', -1, 'arguments')))).toEqual(TOLD)

    for (const stream of [true, false]) {
      const told = lines(await ask(LINES, prompt, { stream, tools: [functionTool] }))
      const values = told.map((line) => dig(line, 'message', 'tool_calls', 0, 'function', 'arguments'))
      expect(values.filter((value) => value !== undefined)).toEqual([TOLD])
    }
  })

  it('becomes the value again in thoughts', async () => {
    const reply = data(await ask(CHAT, `${SECRET}: think first`, { stream: true }))
    const thoughts = reply.map((event) => dig(event, 'choices', 0, 'delta'))
    const texts = thoughts.map((delta) => dig(delta, 'reasoning') ?? dig(delta, 'reasoning_content') ?? '')
    expect(texts.join('')).toBe(`Hm, ${SECRET}.`)
  })
})

describe('a token in the reply of an upstream', () => {
  const sse = (events: readonly object[]): string =>
    events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const calling = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })
  const chunk = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] })
  const chatStream = sse([
    ...Array.from(ANSWER, (content) => chunk({ content })),
    chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'tell', arguments: '' } }] }),
    ...Array.from(TOOL.arguments, (text) => chunk(calling(text))),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ])
  const block = (index: number, content_block: object, deltas: readonly object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
  const messagesStream = sse([
    { type: 'message_start', message: { usage: {} } },
    ...block(
      0,
      { type: 'text', text: '' },
      Array.from(ANSWER, (text) => ({ type: 'text_delta', text })),
    ),
    ...block(
      1,
      { type: 'tool_use', id: 'c', name: 'tell', input: {} },
      Array.from(TOOL.arguments, (partial_json) => ({ type: 'input_json_delta', partial_json })),
    ),
    { type: 'message_stop' },
  ])

  it.each([
    ['provider_a', CHAT, chatStream, ['choices', 0, 'delta', 'tool_calls', 0, 'function', 'arguments']],
    ['provider_b', MESSAGES, messagesStream, ['delta', 'partial_json']],
  ] as const)('becomes the value again wherever its bytes are cut: %s', async (provider, format, stream, path) => {
    await world.far(provider, { pii: reversible }, { provider })
    const bytes = Buffer.from(stream)
    for (let cut = 1; cut < bytes.length; cut += 197) {
      const steps = [bytes.subarray(0, cut), setTimeout(1), bytes.subarray(cut)]
      world.upstream.enqueue({ headers: { 'content-type': 'text/event-stream' }, body: steps })
      const reply = await world.server.post(format.path, { model: provider, ...format.body(SECRET), stream: true })
      expect([cut, format.streamed(reply)]).toEqual([cut, RESTORED])
      expect(JSON.parse(joined(data(reply), ...path))).toEqual(TOLD)
    }
    expect(world.upstream.requests.map(({ text }) => text()).join()).not.toContain('größe')
  })
})

describe('reversible redaction', () => {
  verifies('pii:reversible:token', 'gives each value one token for the whole request, numbered by group', async () => {
    await world.server.model('n', {}, { pii: reversible })
    const other = SECRET.replace('1234', '5678')
    const messages = [`${SECRET} and ${other}`, `again ${SECRET}`].map((content) => ({ role: 'user', content }))
    await world.server.post('/v1/chat/completions', { model: 'n', messages })
    expect(world.asked('n')).toContain('[REDACTED:SECRET_001] and [REDACTED:SECRET_002]')
    expect(world.asked('n')).toContain('again [REDACTED:SECRET_001]')
    await world.server.post('/v1/chat/completions', {
      model: 'n',
      messages: [{ role: 'user', content: `${SECRET}, written [REDACTED:SECRET_001]` }],
    })
    expect(world.asked('n')).toContain('[REDACTED:SECRET_002], written [REDACTED:SECRET_001]')
  })

  verifies(
    ['pii:policy:prefix-default', 'pii:policy:suffix-default', 'pii:policy:reversible-off'],
    'is off unless it is asked for, and writes its tokens as it is told',
    async () => {
      const rules = [{ do: { text: 'A [REDACTED:SECRET_001] <PII:SECRET_001>', split: 'characters' } as const }]
      for (const [name, keys] of [
        ['off', { reversible_redactions: undefined }],
        ['usual', {}],
        ['own', { reversible_token_prefix: '<PII:', reversible_token_suffix: '>' }],
      ] as const) {
        await world.server.model(name, { rules }, { pii: { ...reversible, ...keys } })
      }
      const answers: Record<string, [string, string]> = {}
      for (const name of ['off', 'usual', 'own']) {
        const reply = await world.server.post('/v1/chat/completions', { model: name, ...chat(SECRET), stream: true })
        const [{ Messages }] = JSON.parse(world.asked(name)) as [{ Messages: { content: string }[] }]
        answers[name] = [Messages[0]?.content ?? '', CHAT.streamed(reply)]
      }
      expect(answers).toEqual({
        off: ['[REDACTED:pattern:SECRET]', 'A [REDACTED:SECRET_001] <PII:SECRET_001>'],
        usual: ['[REDACTED:SECRET_001]', `A ${SECRET} <PII:SECRET_001>`],
        own: ['<PII:SECRET_001>', `A [REDACTED:SECRET_001] ${SECRET}`],
      })
    },
  )

  verifies('pii:reversible:short-lived', 'forgets its tokens with the request, and writes them nowhere', async () => {
    await world.server.model('f', { rules: [{ do: { text: `It was ${TOKEN}` } }] }, { pii: reversible })
    const first = await world.server.post('/v1/chat/completions', { model: 'f', ...chat(SECRET) })
    expect(first.text).toContain('1234')
    const next = await world.server.post('/v1/chat/completions', { model: 'f', ...chat('What was it?') })
    expect(CHAT.whole(next.json())).toBe(`It was ${TOKEN}`)
    expect(JSON.stringify(await world.events('?limit=1000'))).not.toMatch(/ 1234|größe|_001/)
    expect(world.server.logLines.join('')).not.toMatch(/größe|SECRET_001/)
    expect((await world.server.call('/metrics')).text).not.toMatch(/größe|SECRET_001/)
  })

  it('drops the text that a failing stream held back', async () => {
    const failure = { status: 'INTERNAL', message: 'broke', afterPieces: 12 } as const
    await world.server.model(
      'broken',
      { rules: [{ do: { text: `Say ${TOKEN}`, split: 'characters', failure } }] },
      { pii: reversible },
    )
    const reply = await world.server.post('/v1/chat/completions', { model: 'broken', ...chat(SECRET), stream: true })
    expect(CHAT.streamed({ ...reply, text: reply.text.replace(/data: \{"error.*\n\n/, '') })).toBe('Say ')
    expect(reply.text).toContain('"error"')
  })
})
