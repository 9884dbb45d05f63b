import { messagesRequest } from '@svc/wire/messages'
import { expect, it } from 'vitest'
import { messagesToDomain } from './to-domain.ts'

const messages = [{ role: 'user', content: 'x' }]
const server = { type: 'url', name: 'a', url: 'https://x.test/mcp' }
const toChat = (body: object) =>
  messagesToDomain(messagesRequest.parse({ model: 'm', max_tokens: 1, messages, ...body }))

it.each([
  ['the older form', { mcp_servers: [server] }, { label: 'a', url: server.url }],
  [
    'the older form with a list of tools',
    { mcp_servers: [{ ...server, tool_configuration: { allowed_tools: ['one'] } }] },
    { label: 'a', url: server.url, allowed: ['one'] },
  ],
  [
    'a toolset with a token',
    {
      mcp_servers: [{ ...server, authorization_token: 't' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'a', configs: { one: { enabled: false } } }],
    },
    { label: 'a', url: server.url, token: 't', denied: ['one'] },
  ],
  [
    'a toolset that names what it wants',
    {
      mcp_servers: [server],
      tools: [
        {
          type: 'mcp_toolset',
          mcp_server_name: 'a',
          default_config: { enabled: false },
          configs: { one: { enabled: true } },
        },
      ],
    },
    { label: 'a', url: server.url, allowed: ['one'] },
  ],
])('servers of tools are read: %s', (_, body, expected) => {
  expect(toChat(body).hostedTools).toEqual([{ kind: 'named-server', server: expected }])
})

it('a server that is switched off is not asked', () => {
  expect(toChat({ mcp_servers: [{ ...server, tool_configuration: { enabled: false } }] }).hostedTools).toBeUndefined()
})

it.each([
  ['mcp_servers[1].name', { mcp_servers: [server, server] }],
  ['tools[0].mcp_server_name', { mcp_servers: [server], tools: [{ type: 'mcp_toolset', mcp_server_name: 'b' }] }],
  [
    'mcp_servers[1].name',
    { mcp_servers: [server, { ...server, name: 'b' }], tools: [{ type: 'mcp_toolset', mcp_server_name: 'a' }] },
  ],
])('what does not fit together is refused by name: %s', (param, body) => {
  expect(() => toChat(body)).toThrow(expect.objectContaining({ details: { param } }))
})
