import { describe, expect, test } from 'vitest'
import { Answer } from './answer.ts'
import { buildChatBody } from './build-request.ts'
import { readChatChunk } from './read-chat-chunk.ts'
import { readServerFaults } from './read-warnings.ts'
import { createTestMessage } from './test-message.ts'
import { decide, listAsked, listDecided, listParts } from './tool-calls.ts'
import { type ChatSettings, DEFAULT_SETTINGS, type Message } from './types.ts'

const empty = createTestMessage({ role: 'assistant', model: 'm', state: 'streaming' })
const settings = { ...DEFAULT_SETTINGS, toolServers: ['files', 'sums'] }

function gather(frames: readonly unknown[], message: Message = empty, state: Message['state'] = 'done'): Message {
  const answer = new Answer(message, 1000)
  for (const frame of frames) for (const event of readChatChunk(frame)) answer.apply(event, 1100)
  return answer.finish({ state }, 2000)
}

const text = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const called = (id: string, tool: string, args = '{}') => ({
  id,
  server: 'files',
  tool,
  name: `f_${tool}`,
  arguments: args,
})
const call = (id: string, tool: string) => ({ choices: [], mcp_tool_call: called(id, tool) })
const result = (id: string, value: string, isError = false) => ({
  choices: [],
  mcp_tool_result: { id, name: 'f_read', result: value, is_error: isError },
})
const ask = (id: string, tool: string) => [
  { choices: [], mcp_approval_request: called(id, tool, '{"path":"a"}') },
  {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id, function: { name: `f_${tool}`, arguments: '' } }] } }],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"path":"a"}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
]

const turn = [text('I look.'), call('1', 'read'), call('2', 'read'), result('2', 'two'), result('1', 'no', true)]

describe('an answer with tools of servers', () => {
  test('has text and calls in their order, each with the result of its own id', () => {
    const message = gather([...turn, text('\n\nDone.')])
    expect(listParts(message)).toMatchObject([
      { kind: 'text', text: 'I look.' },
      {
        kind: 'calls',
        calls: [
          { id: '1', server: 'files', tool: 'read', result: 'no', isFailed: true },
          { id: '2', result: 'two', isFailed: false },
        ],
      },
      { kind: 'text', text: '\n\nDone.' },
    ])
  })

  test('has a call that waits for consent once, though it also comes as a call of the reader', () => {
    const message = gather([text('I write.'), ...ask('9', 'write')])
    expect(message.toolCalls).toHaveLength(1)
    expect(listAsked(message)).toMatchObject([{ id: '9', tool: 'write', arguments: '{"path":"a"}', isStarted: false }])
  })

  test('goes on after consent in a paragraph of its own', () => {
    const asked = gather([text('I write.'), ...ask('9', 'write')])
    const allowed = decide(asked, new Set(['9']), true)
    expect(listDecided(allowed)).toHaveLength(1)
    const message = gather([call('9', 'write'), result('9', 'ok'), text('Written.')], allowed)
    expect(message.text).toBe('I write.\n\nWritten.')
    expect(message.toolCalls).toMatchObject([{ id: '9', consent: 'allowed', result: 'ok' }])
  })

  test('asks again about a call that was cut off while it ran, and not about one that had not begun', () => {
    const allowed = decide(gather([...ask('9', 'write')]), new Set(['9']), true)
    expect(listAsked(gather([call('9', 'write')], allowed, 'interrupted'))).toMatchObject([{ isStarted: true }])
    expect(listAsked(gather([], allowed, 'failed'))).toEqual([])
  })

  test('decides nothing that has a result', () => {
    const done = gather(turn)
    expect(decide(done, new Set(['1', '2']), true)).toEqual(done)
  })
})

describe('a request with tools of servers', () => {
  const question = createTestMessage({ text: 'go' })
  const build = (path: readonly Message[], of: ChatSettings = settings) =>
    buildChatBody({ model: 'm', settings: of, path })

  test('names the servers and has earlier calls with their results', () => {
    const body = build([question, gather([...turn, text('\n\nDone.')]), question])
    expect(body.metadata).toEqual({ mcp_servers: 'files,sums' })
    const wire = (id: string) => ({ id, type: 'function', function: { name: 'f_read', arguments: '{}' } })
    expect(body.messages).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I look.', tool_calls: [wire('1'), wire('2')] },
      { role: 'tool', tool_call_id: '1', content: 'no' },
      { role: 'tool', tool_call_id: '2', content: 'two' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'go' },
    ])
  })

  test('ends with the calls that were decided about and says how', () => {
    const asked = gather([...turn, ...ask('8', 'write'), ...ask('9', 'write')])
    const decided = decide(decide(asked, new Set(['8']), true), new Set(['9']), false)
    const body = build([question, decided])
    expect(body.metadata).toEqual({ mcp_servers: 'files,sums', mcp_approvals: '{"8":true,"9":false}' })
    const messages = body.messages as { role: string; tool_calls?: { id: string }[] }[]
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(messages[1]?.tool_calls?.map(({ id }) => id)).toEqual(['1', '2', '8', '9'])
  })

  test('leaves out calls that nobody decided about, and all of them without tools', () => {
    const asked = gather([text('I write.'), ...ask('9', 'write')])
    const plain = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I write.' },
      { role: 'user', content: 'go' },
    ]
    expect(build([question, asked, question]).messages).toEqual(plain)
    const off = build(
      [question, gather([text('I write.'), call('1', 'read'), result('1', 'x')]), question],
      DEFAULT_SETTINGS,
    )
    expect(off.messages).toEqual(plain)
    expect(off).not.toHaveProperty('metadata')
  })

  test('of the assistant says so', () => {
    expect(build([question], { ...DEFAULT_SETTINGS, isAssistant: true }).metadata).toEqual({
      localai_assistant: 'true',
    })
  })
})

test('warnings name the servers that failed', () => {
  const header = 'tools_left_out: a; b; tool_server_failed: the tools of x are left out: no; other_code: z'
  expect(readServerFaults(header)).toEqual(['the tools of x are left out: no'])
  expect(readServerFaults(null)).toEqual([])
})
