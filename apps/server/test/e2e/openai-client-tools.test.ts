import OpenAI from 'openai'
import { zodFunction } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

type Message = OpenAI.ChatCompletionMessageParam
type Tool = OpenAI.ChatCompletionFunctionTool

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
})
afterAll(() => server[Symbol.asyncDispose]())

const messages: Message[] = [{ role: 'user', content: 'What is the weather in Rome?' }]
const weather: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const clock: Tool = { type: 'function', function: { name: 'get_time', parameters: { type: 'object', properties: {} } } }
const CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'
const SECOND = '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
/** A model with its own chat template, so that the backend gets the conversation itself. */
const native = { template: { use_tokenizer_template: true } }

/** Gives the request of a model's n-th prediction, from 0. */
const findRequest = (model: string, prediction = 0): Readonly<Record<string, unknown>> => {
  const requests = server.records(model).filter(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start')
  return Object.fromEntries(Object.entries(requests[prediction]?.request ?? {}))
}

/** Joins the stream of an answer as a client does without helpers. */
async function follow(body: OpenAI.ChatCompletionCreateParamsStreaming) {
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of await client.chat.completions.create(body)) chunks.push(chunk)
  return chunks
}

describe('calls that a model writes as text', () => {
  it.each(['words', 'characters', 'bytes'] as const)('are calls, whole and streamed by %s', async (split) => {
    const model = `writer-${split}`
    await server.model(model, { rules: [{ do: { text: `Let me look.\n${CALL}\n${SECOND}`, split } }] }, native)
    const body = { model, messages, tools: [weather, clock] }
    const calls = [
      { id: expect.any(String), type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      { id: expect.any(String), type: 'function', function: { name: 'get_time', arguments: '{}' } },
    ]
    const whole = await client.chat.completions.create(body)
    expect(whole.choices[0]?.finish_reason).toBe('tool_calls')
    expect(whole.choices[0]?.message.content).toBe('Let me look.')
    expect(whole.choices[0]?.message.tool_calls?.map(compact)).toEqual(calls)

    const stream = client.chat.completions.stream(body)
    const done: string[] = []
    stream.on('tool_calls.function.arguments.done', ({ name }) => done.push(name))
    const final = await stream.finalChatCompletion()
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
    expect(final.choices[0]?.message.tool_calls?.map(compact)).toEqual(calls)
    expect(done).toEqual(['get_weather', 'get_time'])
    const ids = final.choices[0]?.message.tool_calls?.map(({ id }) => id) ?? []
    expect(new Set(ids).size).toBe(2)
  })

  it('have id, index and name in their first delta, and pieces of arguments after it', async () => {
    await server.model('deltas', { rules: [{ do: { text: CALL, split: 'characters' } }] }, native)
    const chunks = await follow({ model: 'deltas', messages, tools: [weather], stream: true })
    const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(deltas[0]).toMatchObject({ index: 0, id: expect.any(String), type: 'function' })
    expect(deltas[0]?.function?.name).toBe('get_weather')
    expect(deltas.every(({ index }) => index === 0)).toBe(true)
    expect(JSON.parse(deltas.map((delta) => delta.function?.arguments ?? '').join(''))).toEqual({ city: 'Rome' })
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
  })

  it('stay text without tools, and when the client allows none', async () => {
    await server.model('talker', { rules: [{ do: { text: CALL } }] }, native)
    for (const fields of [{}, { tools: [weather], tool_choice: 'none' as const }]) {
      const { choices } = await client.chat.completions.create({ model: 'talker', messages, ...fields })
      expect(choices[0]?.finish_reason).toBe('stop')
      expect(choices[0]?.message.tool_calls).toBeUndefined()
      expect(choices[0]?.message.content).toContain('get_weather')
    }
  })

  it('parallel_tool_calls: false leaves the first one', async () => {
    await server.model('eager', { rules: [{ do: { text: `${CALL}\n${SECOND}` } }] }, native)
    const body = { model: 'eager', messages, tools: [weather, clock] }
    for (const parallel of [true, false]) {
      const fields = { ...body, parallel_tool_calls: parallel }
      const whole = await client.chat.completions.create(fields)
      const final = await client.chat.completions.stream(fields).finalChatCompletion()
      for (const { choices } of [whole, final]) {
        const names = (choices[0]?.message.tool_calls ?? []).map((call) => compact(call).function.name)
        expect(names).toEqual(parallel ? ['get_weather', 'get_time'] : ['get_weather'])
      }
    }
  })
})

describe('tools and choices reach the backend', () => {
  const named = { type: 'function', function: { name: 'get_time' } } as const

  it.each([
    ['auto', 'auto', '"auto"'],
    ['required', 'required', '"required"'],
    ['one function', named, JSON.stringify(named)],
  ] as const)('%s', async (name, choice, sent) => {
    const model = `chooser-${name.replace(' ', '-')}`
    await server.model(model, { rules: [{ do: { text: SECOND } }] }, native)
    await client.chat.completions.create({ model, messages, tools: [weather, clock], tool_choice: choice })
    const request = findRequest(model)
    expect(JSON.parse(String(request.Tools))).toEqual([weather, clock])
    expect(request.ToolChoice).toBe(sent)
  })

  it('a choice that cannot be made is refused before generation', async () => {
    await server.model('untouched', {}, native)
    const unknown = { type: 'function', function: { name: 'nobody' } } as const
    for (const fields of [{ tools: [weather], tool_choice: unknown }, { tool_choice: 'required' as const }]) {
      const failed = client.chat.completions.create({ model: 'untouched', messages, ...fields })
      await expect(failed).rejects.toMatchObject({ status: 400, param: 'tool_choice' })
    }
    expect(findRequest('untouched')).toEqual({})
  })

  it('calls and their results come back as messages of the conversation', async () => {
    await server.model('listener', {}, native)
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
    } as const
    const conversation: Message[] = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'rain' }] },
    ]
    await client.chat.completions.create({ model: 'listener', messages: conversation, tools: [weather] })
    const [, assistant, result] = findRequest('listener').Messages as Record<string, string>[]
    expect(JSON.parse(assistant?.toolCalls ?? '')).toMatchObject([call])
    expect(result).toMatchObject({ role: 'tool', toolCallId: 'c1', content: 'rain' })
  })
})

describe("the client's helpers", () => {
  const schema = z.object({ city: z.string() })

  it('parse() gives the arguments of strict tools as values', async () => {
    await server.model('strict', { rules: [{ do: { text: CALL } }] }, native)
    const tools = [zodFunction({ name: 'get_weather', parameters: schema })]
    const { choices } = await client.chat.completions.parse({ model: 'strict', messages, tools })
    expect(choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments).toEqual({ city: 'Rome' })
  })

  it.each([{ stream: false }, { stream: true }])('runTools() calls, answers and goes on %j', async ({ stream }) => {
    const model = `runner-${stream}`
    const rules = [{ contains: 'sunny in Rome', do: { text: 'It is sunny.' } }, { do: { text: CALL } }]
    await server.model(model, { rules }, native)
    const asked: unknown[] = []
    const tool = {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Weather of a city',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
        parse: (text: string) => schema.parse(JSON.parse(text)),
        function: (given: z.infer<typeof schema>) => {
          asked.push(given)
          return `sunny in ${given.city}`
        },
      },
    } as const
    const runner = stream
      ? client.chat.completions.runTools({ model, messages, tools: [tool], stream: true })
      : client.chat.completions.runTools({ model, messages, tools: [tool] })
    expect(await runner.finalContent()).toBe('It is sunny.')
    expect(asked).toEqual([{ city: 'Rome' }])
    expect(runner.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })
})

describe('the older form', () => {
  const functions = [weather.function]

  it('functions are answered by function_call', async () => {
    await server.model('older', { rules: [{ do: { text: CALL } }] }, native)
    const body = { model: 'older', messages, functions: [...functions] }
    const call = { name: 'get_weather', arguments: { city: 'Rome' } }
    const whole = await client.chat.completions.create(body)
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'function_call', message: { content: null } })
    expect(parsed(whole.choices[0]?.message.function_call)).toEqual(call)
    expect(whole.choices[0]?.message.tool_calls).toBeUndefined()
    const final = await client.chat.completions.stream(body).finalChatCompletion()
    expect(final.choices[0]?.finish_reason).toBe('function_call')
    expect(parsed(final.choices[0]?.message.function_call)).toEqual(call)
  })

  it('function_call chooses: none, auto, or one by name', async () => {
    for (const [name, choice, sent] of [
      ['auto', 'auto', '"auto"'],
      ['named', { name: 'get_weather' }, '{"type":"function","function":{"name":"get_weather"}}'],
    ] as const) {
      const model = `older-${name}`
      await server.model(model, { rules: [{ do: { text: CALL } }] }, native)
      await client.chat.completions.create({ model, messages, functions: [...functions], function_call: choice })
      expect(findRequest(model).ToolChoice).toBe(sent)
    }
    await server.model('older-none', { rules: [{ do: { text: CALL } }] }, native)
    const { choices } = await client.chat.completions.create({
      model: 'older-none',
      messages,
      functions: [...functions],
      function_call: 'none',
    })
    expect(choices[0]?.message.function_call).toBeUndefined()
    expect(findRequest('older-none').Tools).toBe('')
  })

  it('its results come back as messages of the role function', async () => {
    await server.model('older-listener', {}, native)
    const conversation: Message[] = [
      ...messages,
      { role: 'assistant', content: null, function_call: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
      { role: 'function', name: 'get_weather', content: 'rain' },
    ]
    await client.chat.completions.create({ model: 'older-listener', messages: conversation })
    const [, assistant, result] = findRequest('older-listener').Messages as Record<string, string>[]
    expect(JSON.parse(assistant?.toolCalls ?? '')).toMatchObject([{ function: { name: 'get_weather' } }])
    expect(result).toMatchObject({ role: 'tool', name: 'get_weather', content: 'rain' })
  })
})

function parsed(call: OpenAI.ChatCompletionMessage.FunctionCall | null | undefined): unknown {
  return { name: call?.name, arguments: JSON.parse(call?.arguments ?? 'null') }
}

/** A call of a function with arguments without white space. */
function compact(call: OpenAI.ChatCompletionMessageToolCall): OpenAI.ChatCompletionMessageFunctionToolCall {
  if (call.type !== 'function') return expect.fail(`no call of a function: ${JSON.stringify(call)}`)
  const { name, arguments: text } = call.function
  return { id: call.id, type: 'function', function: { name, arguments: JSON.stringify(JSON.parse(text)) } }
}
