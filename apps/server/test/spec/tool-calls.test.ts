import type { MockBehaviour } from '@svc/backend-mock/script'
import { describe, expect, it } from 'vitest'
import { sseData, startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

interface Delta {
  readonly content?: string
  readonly reasoning?: string
  readonly tool_calls?: readonly { index: number; id?: string; function: { name?: string; arguments: string } }[]
  readonly function_call?: { readonly name?: string; readonly arguments: string }
}

interface Chunk {
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
}

interface Whole {
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: Delta & { readonly content: string | null }
  }[]
}

const TOOLS = ['weather', 'time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}))
const CALL = '{"name": "weather", "arguments": {"city": "Köln"}}'

async function world(behaviour: MockBehaviour, keys: Record<string, unknown> = {}): Promise<TestServer> {
  const server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { promptTokens: 5, ...behaviour } }] }, keys)
  return server
}

async function whole(server: TestServer, extra: object = {}) {
  const reply = await server.chat('m', { tools: TOOLS, ...extra })
  expect(reply.status).toBe(200)
  const [choice] = (reply.json() as Whole).choices
  if (choice === undefined) throw new Error('no choice')
  return choice
}

async function streamed(server: TestServer, extra: object = {}) {
  const events = sseData((await server.chat('m', { tools: TOOLS, stream: true, ...extra })).text) as Chunk[]
  const choices = events.flatMap((event) => event.choices ?? [])
  return { deltas: choices.map(({ delta }) => delta), finish: choices.at(-1)?.finish_reason }
}

describe('tool calls in the text of a model', () => {
  it.each([
    ['JSON', CALL],
    ['hermes', `<tool_call>\n${CALL}\n</tool_call>`],
    ['functionary', '<function=weather>{"city": "Köln"}</function>'],
    ['qwen3-coder', '<tool_call><function=weather><parameter=city>Köln</parameter></function></tool_call>'],
    ['glm-4.5', '<tool_call>weather<arg_key>city</arg_key><arg_value>Köln</arg_value></tool_call>'],
    [
      'minimax-m2',
      '<minimax:tool_call><invoke name="weather"><parameter name="city">Köln</parameter></invoke></minimax:tool_call>',
    ],
    [
      'kimi-k2',
      '<|tool_calls_section_begin|><|tool_call_begin|>weather<|tool_call_argument_begin|>{"city": "Köln"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    ['apriel', `<tool_calls>[${CALL}]</tool_calls>`],
  ])('%s: one call, whole and in a stream cut at every byte', async (_form, text) => {
    await using server = await world({ text, split: 'bytes' })
    const { message, finish_reason } = await whole(server)
    expect([finish_reason, message.content]).toEqual(['tool_calls', null])
    expect(message.tool_calls).toMatchObject([
      { index: 0, id: expect.stringMatching(/^call_[0-9a-f]{24}$/), type: 'function', function: { name: 'weather' } },
    ])
    expect(JSON.parse(message.tool_calls?.[0]?.function.arguments ?? '')).toEqual({ city: 'Köln' })

    const { deltas, finish } = await streamed(server)
    expect(finish).toBe('tool_calls')
    expect(deltas.map(({ content = '' }) => content).join('')).toBe('')
    const pieces = deltas.flatMap((delta) => delta.tool_calls ?? [])
    expect(pieces[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'weather', arguments: '' } })
    expect(JSON.parse(pieces.map((piece) => piece.function.arguments).join(''))).toEqual({ city: 'Köln' })
  })

  it('several calls have indexes and ids of their own; with parallel_tool_calls: false only the first counts', async () => {
    const text = `Let me see. <tool_call>${CALL}</tool_call><tool_call>{"name": "time", "arguments": {}}</tool_call>`
    await using server = await world({ text })
    const { message } = await whole(server)
    expect(message.content?.trim()).toBe('Let me see.')
    expect(message.tool_calls?.map(({ index, function: { name } }) => [index, name])).toEqual([
      [0, 'weather'],
      [1, 'time'],
    ])
    expect(new Set(message.tool_calls?.map(({ id }) => id)).size).toBe(2)
    const first = await whole(server, { parallel_tool_calls: false })
    expect(first.message.tool_calls?.map(({ function: { name } }) => name)).toEqual(['weather'])
  })

  it('text that is not a call stays text, and no call is invented', async () => {
    await using server = await world({ text: '{"name": "unknown", "arguments": {}} and {"a": 1}' })
    const { message, finish_reason } = await whole(server)
    expect([finish_reason, message.content]).toEqual(['stop', '{"name": "unknown", "arguments": {}} and {"a": 1}'])
    expect(message.tool_calls).toBeUndefined()
  })

  verifies('chat:tools:broken-call', 'a broken call beside a good one is text, whole and in a stream', async () => {
    const broken = [
      '<tool_call>{"name": "time", "arguments": "at noon"}</tool_call>',
      '<tool_call>{"name": "time", "arguments": {"at": "noon}}</tool_call>',
      '<tool_call><function=time><parameter=at>noon</function></tool_call>',
    ]
    const texts = broken.flatMap((call) => [
      { call, text: `<tool_call>${CALL}</tool_call>\n${call}` },
      { call, text: `${call}\n<tool_call>${CALL}</tool_call>` },
    ])
    await using server = await startTestServer()
    const rules = texts.map(({ text }, index) => ({ contains: `case ${index}.`, do: { text } }))
    await server.model('m', { rules })
    for (const [index, { call }] of texts.entries()) {
      const messages = [{ role: 'user', content: `case ${index}.` }]
      const { message, finish_reason } = await whole(server, { messages })
      expect([finish_reason, message.content]).toEqual(['tool_calls', call])
      expect(message.tool_calls?.map(({ function: { name } }) => name)).toEqual(['weather'])
      const { deltas } = await streamed(server, { messages })
      const called = deltas.flatMap((delta) => delta.tool_calls ?? [])
      expect(called.flatMap((one) => one.function.name ?? [])).toEqual(['weather'])
    }
  })

  it('without tools, or with tool_choice none, a call is text and the backend gets no tools', async () => {
    await using server = await world({ text: CALL })
    for (const extra of [{ tools: undefined }, { tool_choice: 'none' }]) {
      const { message, finish_reason } = await whole(server, extra)
      expect([finish_reason, message.content]).toEqual(['stop', CALL])
    }
    const asked = server.records('m').filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
    expect(asked.map(({ request }) => (request as { Tools?: string }).Tools ?? '')).toEqual(['', ''])
  })

  it('tool_choice in every form reaches the backend in one', async () => {
    await using server = await world({ text: CALL })
    const named = { type: 'function', function: { name: 'weather' } }
    for (const choice of [
      'auto',
      'required',
      'any',
      named,
      { type: 'function', name: 'weather' },
      JSON.stringify(named),
    ]) {
      await whole(server, { tool_choice: choice })
    }
    const asked = server.records('m').filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
    expect(asked.map(({ request }) => JSON.parse((request as { ToolChoice: string }).ToolChoice))).toEqual([
      'auto',
      'required',
      'required',
      named,
      named,
      named,
    ])
  })

  it.each([
    [{ tools: [], tool_choice: 'required' }],
    [{ tool_choice: { type: 'function', function: { name: 'absent' } } }],
    [{ tool_choice: '{broken' }],
  ])('refuses %j before anything runs', async (extra) => {
    await using server = await world({ text: CALL })
    const reply = await server.chat('m', { tools: TOOLS, ...extra })
    expect(reply.status).toBe(400)
    expect(reply.json()).toMatchObject({ error: { param: 'tool_choice' } })
    expect(server.records('m').some(({ rpc }) => rpc.startsWith('Predict'))).toBe(false)
  })

  it('the older functions are answered with function_call', async () => {
    await using server = await world({ text: CALL })
    const functions = TOOLS.map((tool) => tool.function)
    const { message, finish_reason } = await whole(server, { tools: undefined, functions })
    expect(finish_reason).toBe('function_call')
    expect(message.tool_calls).toBeUndefined()
    expect(message.function_call).toEqual({ name: 'weather', arguments: '{"city": "Köln"}' })
    const { deltas, finish } = await streamed(server, {
      tools: undefined,
      functions,
      function_call: { name: 'weather' },
    })
    expect(finish).toBe('function_call')
    expect(deltas.flatMap((delta) => delta.function_call ?? [])).toEqual([
      { name: 'weather', arguments: '' },
      { arguments: '{"city": "Köln"}' },
    ])
  })
})

describe('calls without arguments', () => {
  const call = { name: 'time', arguments: '' }

  verifies('chat:tool-calls:arguments-never-empty', 'have an empty object in every format', async () => {
    const toolCalls = [call, { name: 'weather', arguments: '{"city":1}' }, call]
    await using server = await world({ toolCalls, via: 'deltas' })
    const expected = ['{}', '{"city":1}', '{}']
    const { message } = await whole(server)
    expect(message.tool_calls?.map((one) => one.function.arguments)).toEqual(expected)
    const { deltas } = await streamed(server)
    const pieces = deltas.flatMap((delta) => delta.tool_calls ?? [])
    const joined = [0, 1, 2].map((index) =>
      pieces.flatMap((one) => (one.index === index ? one.function.arguments : [])).join(''),
    )
    expect(joined).toEqual(expected)

    const tools = TOOLS.map((tool) => ({ type: 'function', ...tool.function }))
    const response = await server.post('/v1/responses', { model: 'm', input: 'Hi', tools })
    const { output } = response.json() as { output: { type: string; arguments: string }[] }
    expect(output.flatMap((item) => (item.type === 'function_call' ? item.arguments : []))).toEqual(expected)

    const messages = [{ role: 'user', content: 'Hi' }]
    const named = TOOLS.map((tool) => ({ name: tool.function.name, input_schema: tool.function.parameters }))
    const reply = await server.post('/v1/messages', { model: 'm', max_tokens: 9, messages, tools: named })
    const { content } = reply.json() as { content: { type: string; input: unknown }[] }
    expect(content.map(({ input }) => input)).toEqual([{}, { city: 1 }, {}])

    const chat = await server.post('/api/chat', { model: 'm', messages, tools: TOOLS, stream: false })
    const { message: answer } = chat.json() as { message: { tool_calls: { function: { arguments: unknown } }[] } }
    expect(answer.tool_calls.map((one) => one.function.arguments)).toEqual([{}, { city: 1 }, {}])
  })

  it('have an empty object where the model writes none', async () => {
    await using server = await startTestServer()
    const texts = {
      text: '<tool_call>{"name": "time", "arguments": ""}</tool_call>',
      blanks: '<tool_call>{"name": "time", "arguments": " "}</tool_call>',
      values: '<tool_call>time</tool_call>',
      element: '<function=time></function>',
    }
    for (const [name, text] of Object.entries(texts)) {
      await server.model(name, { rules: [{ rpc: 'Predict*', do: { text } }] })
      const { choices } = (await server.chat(name, { tools: TOOLS })).json() as Whole
      const written = choices[0]?.message.tool_calls?.map((one) => one.function.arguments)
      expect([name, written]).toEqual([name, ['{}']])
    }
  })

  it('have one in the prompts of templates and in messages for backends', async () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'time', arguments: '' } }]
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c', content: 'noon' },
    ]
    const template = { chat_message: '{{if .FunctionCall}}{{toJson .FunctionCall}}{{end}}', chat: '{{.Input}}' }
    for (const keys of [{ template }, { template: { use_tokenizer_template: true } }]) {
      await using server = await world({ text: 'Fine' }, keys)
      expect((await server.post('/v1/chat/completions', { model: 'm', messages })).status).toBe(200)
      const [asked] = server.records('m').filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
      const request = asked?.request as { Prompt?: string; Messages?: { toolCalls?: string }[] } | undefined
      expect(`${request?.Prompt}${request?.Messages?.map(({ toolCalls }) => toolCalls).join('')}`).toContain(
        '"arguments":"{}"',
      )
    }
  })
})

describe('templates that show no tools', () => {
  const warning = 'tools_not_shown: the chat template of the model shows no tools'

  it('give the reply a warning', async () => {
    await using server = await startTestServer()
    const templates: Record<string, [template: object, warning: string | undefined]> = {
      chat: [{ chat: '{{.Input}}' }, warning],
      messages: [{ chat_message: '{{.Content}}' }, warning],
      shown: [{ chat: '{{.Input}}{{range .Functions}}{{.Name}}{{end}}' }, undefined],
      function: [{ chat: '{{.Input}}', function: '{{toJson .Functions}}{{.Input}}' }, undefined],
      none: [{}, undefined],
    }
    for (const [name, [template, expected]] of Object.entries(templates)) {
      await server.model(name, { rules: [{ rpc: 'Predict*', do: { text: 'Fine' } }] }, { template })
      for (const stream of [false, true]) {
        const replies = [await server.chat(name, { tools: TOOLS, stream }), await server.chat(name, { stream })]
        const warnings = replies.map(({ headers }) => headers['x-svc-warning'])
        expect([name, ...warnings]).toEqual([name, expected, undefined])
      }
    }
  })
})

describe('reasoning in the text of a model', () => {
  it('is separated from the answer, whole and in a stream cut at every byte', async () => {
    const text = '<think>\nParis, I guess.\n</think>\n\nIt is Paris.'
    await using server = await world({ text, split: 'bytes' })
    const { message } = await whole(server, { tools: undefined })
    expect(message).toMatchObject({ reasoning: 'Paris, I guess.', reasoning_content: 'Paris, I guess.' })
    expect(message.content?.trim()).toBe('It is Paris.')
    const { deltas } = await streamed(server, { tools: undefined })
    expect(deltas.map(({ reasoning = '' }) => reasoning).join('')).toBe('Paris, I guess.')
    expect(
      deltas
        .map(({ content = '' }) => content ?? '')
        .join('')
        .trim(),
    ).toBe('It is Paris.')
    expect(deltas.some(({ content, reasoning }) => Boolean(content) && Boolean(reasoning))).toBe(false)
  })

  it('a call after it counts, one inside of it does not', async () => {
    await using server = await world({
      text: `<think>${CALL}</think><tool_call>{"name": "time", "arguments": {}}</tool_call>`,
    })
    const { message } = await whole(server)
    expect(message.reasoning).toBe(CALL)
    expect(message.tool_calls?.map(({ function: { name } }) => name)).toEqual(['time'])
  })

  it('begins in the prompt where the template of the model file says so', async () => {
    const template = { chat: '{{.Input}}\n<think>\n', use_tokenizer_template: false }
    await using server = await world({ text: 'Paris, I guess.</think>It is Paris.' }, { template })
    const { message } = await whole(server, { tools: undefined })
    expect([message.reasoning, message.content]).toEqual(['Paris, I guess.', 'It is Paris.'])
    const [asked] = server.records('m').filter(({ rpc, event }) => rpc === 'Predict' && event === 'start')
    expect(asked?.request).toMatchObject({ Prompt: 'Hello there\n<think>\n' })
  })

  it('is left out with strip_reasoning_only, and is text where the model does not reason', async () => {
    const text = '<think>Hm.</think>It is Paris.'
    await using silent = await world({ text }, { reasoning: { strip_reasoning_only: true } })
    const { message } = await whole(silent, { tools: undefined })
    expect([message.reasoning, message.content]).toEqual([undefined, 'It is Paris.'])
    await using plain = await world({ text }, { reasoning: { disable: true } })
    expect((await whole(plain, { tools: undefined })).message.content).toBe(text)
  })
})

describe('replies that their backend has taken apart', () => {
  const deltas = { reasoning: 'Hm.', text: 'It is Paris.', via: 'both' } as const

  it('are believed over the raw text', async () => {
    await using server = await world(deltas)
    const { message } = await whole(server, { tools: undefined })
    expect([message.reasoning, message.content]).toEqual(['Hm.', 'It is Paris.'])
  })

  it('follow the settings of the model: no reasoning where it is stripped', async () => {
    await using server = await world(deltas, { reasoning: { strip_reasoning_only: true } })
    const { message } = await whole(server, { tools: undefined })
    expect([message.reasoning, message.content]).toEqual([undefined, 'It is Paris.'])
  })

  it('are read again where the model file says how', async () => {
    const text = '[why]Hm.[/why]It is Paris.'
    await using server = await world(
      { text, via: 'both' },
      { reasoning: { tag_pairs: [{ start: '[why]', end: '[/why]' }] } },
    )
    const { message } = await whole(server, { tools: undefined })
    expect([message.reasoning, message.content]).toEqual(['Hm.', 'It is Paris.'])
  })
})

describe('calls that a backend has parsed', () => {
  const two: MockBehaviour = {
    via: 'deltas',
    toolCalls: TOOLS.map(({ function: { name } }) => ({ name, arguments: { city: 'Rom' } })),
  }

  it('are one where the client forbids several, or speaks the older form', async () => {
    await using server = await world(two)
    expect((await whole(server)).message.tool_calls).toHaveLength(2)
    expect((await whole(server, { parallel_tool_calls: false })).message.tool_calls).toHaveLength(1)
    const functions = TOOLS.map((tool) => tool.function)
    const { deltas, finish } = await streamed(server, { tools: undefined, functions })
    expect(deltas.flatMap((delta) => delta.function_call?.name ?? [])).toEqual(['weather'])
    expect(JSON.parse(deltas.map((delta) => delta.function_call?.arguments ?? '').join(''))).toEqual({ city: 'Rom' })
    expect(finish).toBe('function_call')
  })

  it('and that the limit cut off end as length, strict ones too', async () => {
    await using server = await world({
      via: 'deltas',
      completionTokens: 5,
      toolCalls: [{ name: 'weather', arguments: '{"city": "R' }],
    })
    const strict = TOOLS.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }))
    for (const tools of [TOOLS, strict]) {
      expect(await whole(server, { tools, max_tokens: 5 })).toMatchObject({ finish_reason: 'length' })
    }
  })
})
