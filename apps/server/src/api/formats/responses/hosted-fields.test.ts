import { type ResponseRequest, responseRequest } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { createOutput } from './output.ts'
import { newResource } from './resource.ts'
import { responseToDomain } from './to-domain.ts'

const read = (body: object): ResponseRequest => responseRequest.parse({ model: 'm', input: 'x', ...body })
const toChat = (body: object, input: ResponseRequest['input'] = []) =>
  responseToDomain(read(body), { input: typeof input === 'string' ? [] : input, history: [] })
const remote = { type: 'mcp', server_label: 'a', server_url: 'https://x.test/mcp' }

describe('servers that a response names', () => {
  it.each([
    ['nothing', {}, 'ask', 'ask'],
    ['always', { require_approval: 'always' }, 'ask', 'ask'],
    ['never', { require_approval: 'never' }, 'auto', 'auto'],
    ['never for one', { require_approval: { never: { tool_names: ['one'] } } }, 'auto', 'ask'],
    [
      'always for one',
      { require_approval: { always: { tool_names: ['one'] }, never: { tool_names: ['two'] } } },
      'ask',
      'auto',
    ],
  ])('need consent as the request says: %s', (_, keys, one, two) => {
    const [hosted] = toChat({ tools: [{ ...remote, ...keys }] }).hostedTools ?? []
    const server = hosted?.kind === 'named-server' ? hosted.server : undefined
    expect([server?.approval?.('one'), server?.approval?.('two')]).toEqual([one, two])
  })

  it('have their tools, token and headers', () => {
    const keys = { authorization: 't', headers: { 'x-a': 'b' }, allowed_tools: { tool_names: ['one'] } }
    expect(toChat({ tools: [{ ...remote, ...keys }] }).hostedTools).toEqual([
      {
        kind: 'named-server',
        server: {
          label: 'a',
          url: 'https://x.test/mcp',
          token: 't',
          headers: { 'x-a': 'b' },
          allowed: ['one'],
          approval: expect.any(Function),
        },
      },
    ])
  })

  it('are shown without their secrets', () => {
    const facts = { id: 'r', model: 'm', created: 0, store: true }
    const shown = newResource(
      read({ tools: [{ ...remote, authorization: 'secret', headers: { a: 'secret' } }] }),
      facts,
    )
    expect(JSON.stringify(shown)).not.toContain('secret')
    expect(shown.tools).toMatchObject([{ type: 'mcp', server_label: 'a', server_url: 'https://x.test/mcp' }])
  })

  it.each([
    ['tools[0].server_url', { tools: [{ type: 'mcp', server_label: 'a', connector_id: 'x' }] }],
    ['tools[1].server_label', { tools: [remote, remote] }],
    ['tools[1]', { tools: [0, 1].map((id) => ({ type: 'file_search', vector_store_ids: [`vs_${id}`] })) }],
  ])('are refused by name: %s', (param, body) => {
    expect(() => toChat(body)).toThrow(expect.objectContaining({ details: expect.objectContaining({ param }) }))
  })

  it('are all those of the model without any tools, and none where calls are switched off', () => {
    expect(toChat({}).hostedTools).toEqual([{ kind: 'model-servers', required: true, ifAny: true }])
    expect(toChat({ tool_choice: 'none', tools: [remote] }).hostedTools).toBeUndefined()
    const tools = [remote, { ...remote, server_label: 'b' }, { type: 'file_search', vector_store_ids: ['vs_1'] }]
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'b' }] }
    expect(toChat({ tools, tool_choice: choice }).hostedTools).toMatchObject([{ server: { label: 'b' } }])
  })
})

describe('the items of servers in a response', () => {
  const tool = { name: 'one', inputSchema: {}, hints: { readOnly: true } }
  const options = { listed: new Set(['a']), answered: new Set<string>(), showsResults: false }

  it('list the tools of servers that the request names, and say which do not work', () => {
    const output = createOutput(options)
    const events = [
      ...output.add({ type: 'server-tools', choice: 0, server: 'a', tools: [tool] }),
      ...output.add({ type: 'server-tools', choice: 0, server: 'a', tools: [], error: 'refused' }),
      ...output.add({ type: 'server-tools', choice: 0, server: 'of the model', tools: [tool] }),
    ]
    expect(events.map(({ type }) => type)).toEqual([
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.failed',
      'response.output_item.done',
    ])
    expect(output.items).toMatchObject([
      { server_label: 'a', tools: [{ name: 'one', annotations: { read_only: true } }], error: null },
      { server_label: 'a', tools: [], error: 'refused' },
    ])
  })

  it('end as incomplete when the reply breaks off in the middle of a call', () => {
    const output = createOutput(options)
    const call = { choice: 0, server: 'a', tool: 'one', name: 'one', hints: {} } as const
    output.add({ type: 'server-tool-call', id: 'c1', source: 'mcp', arguments: '{}', ...call })
    output.add({ type: 'server-tool-call', id: 'c2', source: 'file-search', arguments: '{"queries":["q"]}', ...call })
    output.end('incomplete')
    expect(output.items).toMatchObject([
      { type: 'mcp_call', status: 'incomplete', arguments: '{}' },
      { type: 'file_search_call', status: 'incomplete', queries: ['q'] },
    ])
  })
})

describe('items of servers that are sent back', () => {
  it('are calls with results, in the turns in which they came', () => {
    const call = { type: 'mcp_call', server_label: 'a', name: 'one', arguments: '{}' } as const
    const { messages } = toChat({}, [
      { type: 'message', role: 'user', content: 'x' },
      { type: 'mcp_list_tools', server_label: 'a' },
      { ...call, id: 'm1', output: 'first' },
      { ...call, id: 'm2', output: null, error: 'Error: no' },
      { type: 'message', role: 'assistant', content: 'said' },
      { type: 'file_search_call', id: 'f1', queries: ['q'], results: null },
      { type: 'file_search_call', id: 'f2', queries: ['q'], results: [{ text: 'found' }] },
    ])
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'x'],
      ['assistant', ''],
      ['tool', 'first'],
      ['tool', 'Error: no'],
      ['assistant', 'said'],
      ['tool', '[{"text":"found"}]'],
    ])
    expect(messages[4]?.toolCalls).toEqual([{ id: 'f2', name: 'file_search', arguments: '{"queries":["q"]}' }])
  })
})
