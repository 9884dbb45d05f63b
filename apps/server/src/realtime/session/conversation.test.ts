import { describe, expect, it } from 'vitest'
import { createConversation, createItem } from './conversation.ts'

const LIMITS = { maxItems: 3, maxBytes: 10_000 }
const item = (id: string) => createItem({ type: 'message' }, id)

describe('items of a conversation', () => {
  it('go where another one of their id is added, so that each can be removed', () => {
    const conversation = createConversation(LIMITS)
    conversation.insert(item('next'), 'root')
    conversation.append(item('a'))
    conversation.append(item('next'))
    expect(conversation.items.map(({ id }) => id)).toEqual(['a', 'next'])
    for (const id of ['b', 'c', 'd', 'e']) conversation.append(item(id))
    expect(conversation.items.map(({ id }) => id)).toEqual(['c', 'd', 'e'])
  })
})
