import { applySplices, parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { messagesFormat } from './messages/format.ts'
import { chatFormat, mcpChatFormat } from './openai/chat/format.ts'

it.each([chatFormat, mcpChatFormat, messagesFormat])('traces do not keep tokens of servers', ({ secrets }) => {
  const tools = [
    { type: 'mcp', server_url: 'https://x.example', authorization: 'canary', headers: { 'x-key': 'canary' } },
  ]
  const document = parseJson(Buffer.from(JSON.stringify({ tools, mcp_servers: [{ authorization_token: 'canary' }] })))
  const shown = Buffer.from(applySplices(document.bytes, secrets?.(document) ?? [])).toString()
  expect(shown).not.toContain('canary')
  expect(shown).toContain('x.example')
})
