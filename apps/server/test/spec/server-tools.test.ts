import { Anthropic } from '@anthropic-ai/sdk'
import type { MockRule } from '@svc/backend-mock/script'
import { SvcError } from '@svc/errors'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModel } from '../../src/catalog/__fixtures__/model.ts'
import { systemClock } from '../../src/clock.ts'
import { toStatus } from '../../src/http/error-map.ts'
import { createFakeToolServers } from '../../src/inference/tools/__fixtures__/fake-tools.ts'
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
      const toolServers = {
        ...createFakeToolServers({}),
        hasServers: () => true,
        openModel: () => Promise.reject(unread),
      }
      const calls = { perform: () => expect.unreachable(), predict: () => expect.unreachable() }
      const media = { open: () => expect.unreachable() }
      const loop = createToolLoop(calls, { toolServers, media, clock: systemClock })
      const context = { signal: new AbortController().signal }
      const request = { kind: 'chat', choices: 1, hostedTools: [{ kind: 'model-servers', required: true }] } as const
      const steps = loop.predict(request as never, createModel(), { context } as never)[Symbol.asyncIterator]()
      const error = await steps.next().then(expect.unreachable, (thrown: SvcError) => thrown)
      expect([toStatus(error), error]).toMatchObject([
        500,
        { message: 'failed to get MCP config', details: { type: 'server_error' } },
      ])
    },
  )

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
