import { Anthropic } from '@anthropic-ai/sdk'
import type { MockRule } from '@svc/backend-mock/script'
import { SvcError } from '@svc/errors'
import { eventually, patienceMs, startUpstream } from '@svc/test-kit'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModel } from '../../src/catalog/__fixtures__/model.ts'
import { systemClock } from '../../src/clock.ts'
import { toStatus } from '../../src/http/error-map.ts'
import type { ModelCalls, ModelTask } from '../../src/inference/core/model-calls.ts'
import { createFakeToolServers } from '../../src/inference/tools/__fixtures__/fake-tools.ts'
import { LOOP_LIMITS } from '../../src/inference/tools/limits.ts'
import type { ToolServers } from '../../src/inference/tools/server-tools.ts'
import { createToolLoop } from '../../src/inference/tools/tool-loop.ts'
import { startMcpServer, type TestMcpServer } from '../../src/mcp/__fixtures__/start-mcp-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const ADDED = { text: 'It is five.', promptTokens: 7, completionTokens: 3 }
const FIGURES = { promptTokens: 5, completionTokens: 2 }
/** The role, the content and the name of the message with the result. */
const hasResult = 'tool\n5\nadd\n'

/** The model adds with a tool of its server, and then says the sum. */
const ADDS: MockRule[] = [
  { rpc: 'Predict*', contains: hasResult, do: ADDED },
  { rpc: 'Predict*', do: { text: 'I add.', toolCalls: [{ name: 'add', arguments: { a: 2, b: 3 } }], ...FIGURES } },
]
const messages = [{ role: 'user' as const, content: 'What is two and three?' }]

let mcp: TestMcpServer
let server: TestServer
let openai: OpenAI
let anthropic: Anthropic

/** The roles of the messages that the model was last asked with. */
function lastRoles(): readonly string[] {
  const { request } = server.records('adds').findLast((record) => record.request !== undefined) ?? {}
  return (request as { readonly Messages: readonly { readonly role: string }[] }).Messages.map(({ role }) => role)
}

/** Runs a loop over a model that calls `wait`, for a moment. @returns the status of its failure, and the failure */
async function failLoop(servers: Partial<ToolServers>): Promise<readonly [number, SvcError]> {
  const toolServers = {
    ...createFakeToolServers({}),
    openModel: servers.openModel ?? (() => expect.unreachable()),
    hasServers: () => true,
  }
  const calls: ModelCalls = {
    perform: () => expect.unreachable(),
    async *predict() {
      yield [{ type: 'tool-call-start', choice: 0, index: 0, id: 'c', name: 'wait' }]
    },
  }
  const limits = { ...LOOP_LIMITS, totalMs: 1 }
  const loop = createToolLoop(calls, {
    toolServers,
    media: { open: () => expect.unreachable() },
    clock: systemClock,
    limits,
  })
  const request = { kind: 'chat', messages: [], generation: {}, choices: 1, stream: false } as const
  const hostedTools = [{ kind: 'model-servers', required: true }] as const
  const turns = { restore: (text: string) => text }
  const context = { signal: new AbortController().signal, principal: { id: 'ada', role: 'user' } }
  const task = { context, turns } as unknown as ModelTask
  try {
    for await (const _ of loop.predict({ ...request, hostedTools }, createModel(), task));
  } catch (error) {
    if (SvcError.is(error)) return [toStatus(error), error]
  }
  return expect.unreachable()
}

beforeAll(async () => {
  mcp = await startMcpServer()
  server = await startTestServer()
  const remote = JSON.stringify({ mcpServers: { sums: { url: mcp.url } } })
  await server.model('adds', { rules: ADDS }, { mcp: { remote } })
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' })
  anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none' })
})
afterAll(async () => {
  await server.close()
  await mcp[Symbol.asyncDispose]()
})

describe('a chat with the tools of MCP servers', () => {
  verifies(
    'inference:route:mcp-chat',
    'runs them and says what they were asked and gave, at each of its names',
    async () => {
      for (const path of ['/v1/mcp/chat/completions', '/mcp/v1/chat/completions', '/mcp/chat/completions']) {
        const reply = await server.post(path, { model: 'adds', messages })
        expect([reply.status, reply.json()], reply.text).toMatchObject([
          200,
          {
            choices: [
              {
                finish_reason: 'stop',
                message: {
                  content: 'I add.\n\nIt is five.',
                  mcp_tool_calls: [
                    { server: 'sums', tool: 'add', arguments: '{"a":2,"b":3}', result: '5', is_error: false },
                  ],
                },
              },
            ],
            usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
          },
        ])
      }
    },
  )

  it('streams it to the official client, whose helper does not mind the events of tools', async () => {
    const stream = openai.chat.completions.stream({
      model: 'adds',
      messages,
      metadata: { mcp_servers: 'sums' },
      stream_options: { include_usage: true },
    })
    const events: string[] = []
    for await (const chunk of stream) {
      for (const name of ['mcp_tool_call', 'mcp_tool_result']) if (name in chunk) events.push(name)
    }
    const whole = await stream.finalChatCompletion()
    expect(events).toEqual(['mcp_tool_call', 'mcp_tool_result'])
    expect(whole.choices[0]?.message.content).toBe('I add.\n\nIt is five.')
    expect(whole.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 5 })
  })

  it('has none of them unless it names a server', async () => {
    const reply = await server.post('/v1/chat/completions', { model: 'adds', messages })
    expect(reply.json()).not.toHaveProperty('choices[0].message.mcp_tool_calls')
    const unknown = await server.post('/v1/chat/completions', {
      model: 'adds',
      messages,
      metadata: { mcp_servers: 'other' },
    })
    expect(unknown.status, unknown.text).toBe(200)
  })

  it('keeps the keys of its metadata from the backend', async () => {
    await server.post('/v1/chat/completions', { model: 'adds', messages, metadata: { mcp_servers: 'sums', own: 'x' } })
    const metadata = server.records('adds').findLast((record) => record.request !== undefined)?.request as
      | { Metadata: Record<string, string> }
      | undefined
    expect(Object.keys(metadata?.Metadata ?? {})).not.toContain('mcp_servers')
  })

  it.each([
    ['metadata.mcp_prompt', { mcp_prompt: 'greet' }],
    ['metadata.mcp_prompt_args', { mcp_servers: 'sums', mcp_prompt: 'greet', mcp_prompt_args: '[1]' }],
    ['metadata.mcp_approvals', { mcp_servers: 'sums', mcp_approvals: '{"c":"yes"}' }],
    ['metadata.mcp_resources', { mcp_servers: 'sums', mcp_resources: 'note://other' }],
  ])('names what is wrong: %s', async (param, metadata) => {
    const reply = await server.post('/v1/chat/completions', { model: 'adds', messages, metadata })
    expect([reply.status, reply.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining(param), param } },
    ])
  })

  it('takes prompts and resources of its servers', async () => {
    await server.post('/v1/chat/completions', {
      model: 'adds',
      messages,
      metadata: {
        mcp_servers: 'sums',
        mcp_prompt: 'greet',
        mcp_prompt_args: '{"name":"Ada"}',
        mcp_resources: 'note://one',
      },
    })
    const asked = JSON.stringify(
      server
        .records('adds')
        .filter(({ rpc }) => rpc === 'Predict')
        .at(-2),
    )
    expect(asked).toContain('Hello Ada')
    expect(asked).toContain('Resource note://one:\\n')
  })
})

describe('a message with the tools of MCP servers', () => {
  const asked = { model: 'adds', max_tokens: 50, messages, metadata: { mcp_servers: 'sums' } as object }

  it('has blocks of its own for them, whole and streamed, which can be sent back', async () => {
    const whole = await anthropic.messages.create(asked)
    const stream = anthropic.messages.stream(asked)
    const streamed = await stream.finalMessage()
    for (const message of [whole, streamed]) {
      expect(message.content).toMatchObject([
        { type: 'text', text: 'I add.' },
        { type: 'mcp_tool_use', name: 'add', server_name: 'sums', input: { a: 2, b: 3 } },
        { type: 'mcp_tool_result', is_error: false, content: [{ type: 'text', text: '5' }] },
        { type: 'text', text: 'It is five.' },
      ])
      expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 12, output_tokens: 5 } })
    }
    const next = [
      ...messages,
      { role: 'assistant' as const, content: streamed.content },
      { role: 'user' as const, content: 'Sure?' },
    ]
    await anthropic.messages.create({ ...asked, messages: next, metadata: {} })
    expect(lastRoles()).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })
})

describe('a response with the tools of MCP servers', () => {
  it('has those of its model without a word, streamed to the official client', async () => {
    const stream = openai.responses.stream({ model: 'adds', input: 'What is two and three?' })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    const response = await stream.finalResponse()
    expect(response.output).toMatchObject([
      { type: 'message', content: [{ text: 'I add.' }] },
      {
        type: 'mcp_call',
        server_label: 'sums',
        name: 'add',
        arguments: '{"a":2,"b":3}',
        output: '5',
        status: 'completed',
      },
      { type: 'message', content: [{ text: 'It is five.' }] },
    ])
    expect(types.filter((type) => type.startsWith('response.mcp'))).toEqual([
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
    ])
    const next = await openai.responses.create({
      model: 'adds',
      input: 'Sure?',
      previous_response_id: response.id,
      tool_choice: 'none',
    })
    expect(next.output_text).toBe('It is five.')
    expect(lastRoles()).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  // The catalog serves no model whose block cannot be read, so only the loop itself can meet one.
  verifies(
    'responses:error:mcp-config',
    'fails by the words of the contract when the block cannot be read',
    async () => {
      const unread = new SvcError('internal', 'mcp.remote: is not valid YAML', { code: 'mcp_config' })
      expect(await failLoop({ openModel: () => Promise.reject(unread) })).toMatchObject([
        500,
        { message: 'failed to get MCP config', details: { type: 'server_error' } },
      ])
    },
  )

  verifies('responses:error:tools', 'fails by the words of the contract when its tools take too long', async () => {
    const servers = createFakeToolServers({ wait: { run: () => new Promise(() => undefined) } })
    expect(await failLoop(servers)).toMatchObject([
      500,
      { message: 'failed to execute tools', details: { type: 'model_error' } },
    ])
  })

  verifies('responses:error:mcp-servers', 'fails by the words of the contract when no server works', async () => {
    const remote = JSON.stringify({ mcpServers: { gone: { url: 'http://127.0.0.1:9/mcp' } } })
    await server.model('gone', { rules: ADDS }, { mcp: { remote } })
    for (const body of [{}, { metadata: { mcp_servers: 'gone' }, tools: [{ type: 'function', name: 'f' }] }]) {
      const reply = await server.post('/v1/responses', { model: 'gone', input: 'x', ...body })
      expect([reply.status, reply.json()]).toMatchObject([
        500,
        { error: { message: 'no working MCP servers found', type: 'server_error' } },
      ])
    }
  })
})

describe('a call that needs consent', () => {
  const rules: MockRule[] = [{ rpc: 'Predict*', contains: 'declined', do: { text: 'Not added.' } }, ...ADDS]

  beforeAll(async () => {
    const remote = JSON.stringify({ mcpServers: { sums: { url: mcp.url, approval: 'ask' } } })
    await server.model('asks', { rules }, { mcp: { remote } })
  })

  it.each([
    [true, 'It is five.'],
    [false, 'Not added.'],
  ])('ends a chat, which goes on with the word of its caller: %s', async (agrees, text) => {
    const asked = { model: 'asks', messages, metadata: { mcp_servers: 'sums' } }
    const stream = openai.chat.completions.stream(asked)
    const [choice] = (await stream.finalChatCompletion()).choices
    const call = choice?.message.tool_calls?.[0]
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'add' } }] },
    })
    const next = await openai.chat.completions.create({
      ...asked,
      messages: [...messages, { role: 'assistant', content: '', tool_calls: choice?.message.tool_calls ?? [] }],
      metadata: { ...asked.metadata, mcp_approvals: JSON.stringify({ [call?.id ?? '']: agrees }) },
    })
    expect(next.choices[0]?.message).toMatchObject({ content: text, mcp_tool_calls: [{ is_error: !agrees }] })
  })

  it.each([
    [true, { status: 'completed', output: '5', error: null }, 'It is five.'],
    [false, { status: 'failed', output: null, error: 'Error: the caller declined this call' }, 'Not added.'],
  ])('ends a stored response, which goes on with the word of its caller: %s', async (approve, result, text) => {
    const first = await openai.responses.create({ model: 'asks', input: 'What is two and three?' })
    const request = first.output.find((item) => item.type === 'mcp_approval_request')
    expect(request).toMatchObject({ server_label: 'sums', name: 'add', arguments: '{"a":2,"b":3}' })
    const next = await openai.responses.create({
      model: 'asks',
      previous_response_id: first.id,
      input: [{ type: 'mcp_approval_response', approval_request_id: request?.id ?? '', approve }],
    })
    expect(next.output).toMatchObject([
      { type: 'mcp_call', approval_request_id: request?.id, ...result },
      { type: 'message' },
    ])
    expect(next.output_text).toBe(text)
    const last = await openai.responses.create({
      model: 'asks',
      previous_response_id: next.id,
      input: 'Sure?',
      tool_choice: 'none',
    })
    expect(last.output_text).toBe(text)
    const { request: sent } = server.records('asks').findLast((record) => record.request !== undefined) ?? {}
    const roles = (sent as { Messages: { role: string }[] }).Messages.map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })
})

describe('a request whose client leaves', () => {
  it('cancels the running tool within moments', async () => {
    const rules: MockRule[] = [
      { rpc: 'Predict*', do: { text: 'I wait.', toolCalls: [{ name: 'wait', arguments: {} }] } },
    ]
    await server.model('waits', { rules }, { mcp: { remote: JSON.stringify({ mcpServers: { s: { url: mcp.url } } }) } })
    const before = mcp.cancelled
    const leave = new AbortController()
    const asked = { model: 'waits', messages, metadata: { mcp_servers: 's' }, stream: true as const }
    const stream = await openai.chat.completions.create(asked, { signal: leave.signal })
    for await (const chunk of stream) if ('mcp_tool_call' in chunk) break
    leave.abort()
    const left = performance.now()
    await eventually(() => expect(mcp.cancelled).toBe(before + 1))
    expect(performance.now() - left).toBeLessThan(patienceMs(10_000))
  })
})

describe('calls of the caller beside those of a server', () => {
  const both: MockRule[] = [
    { rpc: 'Predict*', contains: 'sunny', do: { text: 'Five, and sunny.' } },
    {
      rpc: 'Predict*',
      do: {
        toolCalls: [
          { name: 'add', arguments: { a: 2, b: 3 } },
          { name: 'weather', arguments: {} },
        ],
      },
    },
  ]

  beforeAll(async () => {
    const remote = JSON.stringify({ mcpServers: { sums: { url: mcp.url } } })
    await server.model('both', { rules: both }, { mcp: { remote } })
  })

  it('are answered by the official clients, which go on with the conversation', async () => {
    const chat = {
      model: 'both',
      metadata: { mcp_servers: 'sums' },
      tools: [
        { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
      ],
    }
    const [choice] = (await openai.chat.completions.create({ ...chat, messages })).choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [{ index: 0, function: { name: 'weather' } }],
        mcp_tool_calls: [{ name: 'add', result: '5' }],
      },
    })
    const said = choice?.message ?? expect.unreachable()
    const answer = { role: 'tool' as const, tool_call_id: said.tool_calls?.[0]?.id ?? '', content: 'sunny' }
    const end = await openai.chat.completions.create({ ...chat, messages: [...messages, said, answer] })
    expect(end.choices[0]?.message.content).toBe('Five, and sunny.')

    const response = {
      model: 'both',
      metadata: { mcp_servers: 'sums' },
      tools: [{ type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: false }],
    }
    const first = await openai.responses.create({ ...response, input: 'Both?' })
    expect(first.output.map(({ type }) => type).toSorted()).toEqual(['function_call', 'mcp_call'])
    const call = first.output.find((item) => item.type === 'function_call')
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'sunny' }
    const next = await openai.responses.create({ ...response, previous_response_id: first.id, input: [output] })
    expect(next.output_text).toBe('Five, and sunny.')

    const message = {
      model: 'both',
      max_tokens: 50,
      metadata: { mcp_servers: 'sums' } as object,
      tools: [{ name: 'weather', input_schema: { type: 'object' as const } }],
    }
    const asked = await anthropic.messages.stream({ ...message, messages }).finalMessage()
    expect([asked.stop_reason, asked.content.map(({ type }) => type as string).toSorted()]).toEqual([
      'tool_use',
      ['mcp_tool_result', 'mcp_tool_use', 'tool_use'],
    ])
    const use = asked.content.find((block) => block.type === 'tool_use')
    const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: 'sunny' }
    const last = await anthropic.messages.create({
      ...message,
      messages: [...messages, { role: 'assistant', content: asked.content }, { role: 'user', content: [result] }],
    })
    expect(last.content).toMatchObject([{ type: 'text', text: 'Five, and sunny.' }])
  })
})

describe('a search in files as a tool', () => {
  it('is an item of the response, with its results when they are asked for, and reads only stores of its caller', async () => {
    await server.model('e', { embeddingDimension: 64 }, { known_usecases: ['embeddings'], embeddings: true })
    await server.model('reads', {
      rules: [
        { rpc: 'Predict*', contains: 'longest river', do: { text: 'The Nile.' } },
        { rpc: 'Predict*', do: { toolCalls: [{ name: 'file_search', arguments: { queries: ['rivers'] } }] } },
      ],
    })
    const store = await openai.vectorStores.create({ name: 'notes' }, { body: { name: 'notes', embedding_model: 'e' } })
    const file = new File(['The Nile is the longest river of Africa.'], 'rivers.txt')
    await openai.vectorStores.files.uploadAndPoll(store.id, file, { pollIntervalMs: 20 })
    const tools = [{ type: 'file_search' as const, vector_store_ids: [store.id], max_num_results: 3 }]
    const stream = openai.responses.stream({
      model: 'reads',
      input: 'Which?',
      tools,
      include: ['file_search_call.results'],
    })
    const types: string[] = []
    for await (const event of stream) if (event.type.includes('file_search')) types.push(event.type)
    const { output } = await stream.finalResponse()
    expect(output).toMatchObject([
      {
        type: 'file_search_call',
        status: 'completed',
        queries: ['rivers'],
        results: [{ filename: 'rivers.txt', text: 'The Nile is the longest river of Africa.' }],
      },
      { type: 'message', content: [{ text: 'The Nile.' }] },
    ])
    expect(types).toEqual(
      ['in_progress', 'searching', 'completed'].map((state) => `response.file_search_call.${state}`),
    )
    const unnamed = await openai.responses.create({ model: 'reads', input: 'Which?', tools })
    expect(unnamed.output[0]).toMatchObject({ type: 'file_search_call', results: null })
    const gone = await server.post('/v1/responses', {
      model: 'reads',
      input: 'x',
      tools: [{ ...tools[0], vector_store_ids: ['vs_nobodys'] }],
    })
    expect(gone.status).toBe(404)
  })
})

describe('a model upstream', () => {
  it('is offered the tools and asked again with their results, in its own format', async () => {
    await using upstream = await startUpstream()
    const reply = (content: unknown, stop_reason: string) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'big',
        content,
        stop_reason,
        stop_sequence: null,
        usage: { input_tokens: 5, output_tokens: 2 },
      }),
    })
    await server.writeModelFile(
      'far.yaml',
      JSON.stringify({
        name: 'far',
        backend: 'cloud-proxy',
        known_usecases: ['chat'],
        pii: { enabled: false },
        proxy: {
          upstream_url: `${upstream.origin}/v1/x`,
          mode: 'translate',
          provider: 'provider_b',
          translate: 'full',
        },
        mcp: { remote: JSON.stringify({ mcpServers: { sums: { url: mcp.url } } }) },
      }),
    )
    const use = { type: 'tool_use', id: 'tu_1', name: 'add', input: { a: 2, b: 3 } }
    const said = [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, { type: 'text', text: 'I add.' }, use]
    for (const path of ['/v1/messages', '/v1/chat/completions', '/v1/mcp/chat/completions']) {
      upstream.enqueue(reply(said, 'tool_use'), reply([{ type: 'text', text: 'It is five.' }], 'end_turn'))
      const answer = await server.post(path, {
        model: 'far',
        max_tokens: 50,
        messages,
        metadata: { mcp_servers: 'sums' },
      })
      expect([path, answer.status, answer.text]).toEqual([path, 200, expect.stringContaining('It is five.')])
      const [first, second] = upstream.requests.slice(-2).map((request) => JSON.parse(request.text()))
      expect(first.tools.map(({ name }: { name: string }) => name)).toContain('add')
      expect(first.metadata?.mcp_servers).toBeUndefined()
      expect(second.messages.slice(1)).toMatchObject([
        { role: 'assistant', content: path === '/v1/messages' ? said : [{ type: 'text', text: 'I add.' }, use] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu_1' }] },
      ])
      expect(JSON.stringify(second.messages.at(-1))).toContain('5')
    }
  })
})
