import { parseJson } from '@svc/json'
import { expect, it } from 'vitest'
import { readConversationId } from './conversation-id.ts'

it.each([
  [{}, undefined, undefined],
  [{}, 'h', 'h'],
  [{ conversation: 'c' }, undefined, 'c'],
  [{ conversation: 'c' }, 'h', 'h'],
  [{ conversation: { id: 'c' }, metadata: { conversation_id: 'm' } }, undefined, 'c'],
  [{ conversation: null, metadata: { conversation_id: 'm' } }, '', 'm'],
  [{ conversation: { id: 7 }, metadata: 'm' }, undefined, undefined],
])('the id of the conversation of %j with the header %j is %j', (body, conversationHeader, id) => {
  const document = parseJson(Buffer.from(JSON.stringify(body)))
  expect(readConversationId({ document, conversationHeader })).toBe(id)
})

it('a long id is refused', () => {
  const document = parseJson(Buffer.from('[]'))
  expect(() => readConversationId({ document, conversationHeader: 'x'.repeat(513) })).toThrow('more than 512')
})
