import type { MessagesRequest } from '@svc/wire/messages'
import { expect, it } from 'vitest'
import { createSigner, dropForeignThoughts } from './thought-signature.ts'

const sign = (text: string): string => {
  const signer = createSigner()
  for (const char of text) signer.push(char)
  return signer.signature()
}

it.each<[string, unknown[], unknown[]]>([
  [
    'an upstream',
    [{ type: 'thinking', thinking: 'a', signature: 'EqQB' }],
    [{ type: 'thinking', thinking: 'a', signature: 'EqQB' }],
  ],
  ['this server', [{ type: 'thinking', thinking: 'a b', signature: sign('a b') }], []],
  [
    'this server, over another text',
    [{ type: 'thinking', thinking: 'c', signature: sign('a b') }],
    [{ type: 'thinking', thinking: 'c', signature: sign('a b') }],
  ],
  ['nobody', [{ type: 'thinking', thinking: 'a' }], []],
  ['nobody, with an empty signature', [{ type: 'thinking', thinking: 'a', signature: '' }], []],
  ['an upstream, encrypted', [{ type: 'redacted_thinking', data: 'x' }], [{ type: 'redacted_thinking', data: 'x' }]],
])('keeps thoughts that an upstream takes back: signed by %s', (_, thoughts, kept) => {
  const said = { type: 'text', text: 'hi' }
  const request = { max_tokens: 1, messages: [{ role: 'assistant', content: [...thoughts, said] }] } as MessagesRequest
  expect(dropForeignThoughts(request).messages).toEqual([{ role: 'assistant', content: [...kept, said] }])
})

it('leaves out a turn that was such thoughts alone, and no other', () => {
  const own = { type: 'thinking' as const, thinking: 'a', signature: sign('a') }
  const empty = { role: 'assistant' as const, content: [] }
  const user = { role: 'user' as const, content: 'hi' }
  const messages = [user, { role: 'assistant' as const, content: [own] }, empty, user]
  expect(dropForeignThoughts({ max_tokens: 1, messages }).messages).toEqual([user, empty, user])
})
