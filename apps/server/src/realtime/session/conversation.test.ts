import { describe, expect, it } from 'vitest'
import { ByteBudget } from '../../http/byte-meter.ts'
import { createConversation, createItem } from './conversation.ts'

const LIMITS = { maxItems: 3, maxBytes: 10_000 }
const item = (id: string) => createItem({ type: 'message' }, id)

describe('items of a conversation', () => {
  it('go where another one of their id is added, so that each can be removed', () => {
    const conversation = createConversation(LIMITS, new ByteBudget(10_000).open())
    conversation.insert(item('next'), 'root')
    conversation.append(item('a'))
    conversation.append(item('next'))
    expect(conversation.items.map(({ id }) => id)).toEqual(['a', 'next'])
    for (const id of ['b', 'c', 'd', 'e']) conversation.append(item(id))
    expect(conversation.items.map(({ id }) => id)).toEqual(['c', 'd', 'e'])
  })

  it('share their memory with other conversations, and give it back', () => {
    const budget = new ByteBudget(400)
    const [one, other] = [createConversation(LIMITS, budget.open()), createConversation(LIMITS, budget.open())]
    one.insert(item('a'), undefined)
    one.insert(item('b'), undefined)
    expect(budget.heldBytes).toBeGreaterThan(200)
    other.insert(item('c'), undefined)
    expect(() => other.insert(item('d'), undefined)).toThrow(expect.objectContaining({ code: 'conversation_full' }))
    expect(other.items.map(({ id }) => id)).toEqual(['c'])
    expect(other.append(item('e'))).toBe(null)
    expect(other.items.map(({ id }) => id)).toEqual(['e'])
    for (const id of ['a', 'b']) one.remove(id)
    other.remove('e')
    expect(budget.heldBytes).toBe(0)
  })
})
