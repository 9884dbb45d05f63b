import { describe, expect, it } from 'vitest'
import { checkEvent, readRawEvent } from './read-event.ts'

const read = (event: object) => checkEvent(readRawEvent(Buffer.from(JSON.stringify(event))))

describe('a large event', () => {
  it('is refused where it has very many values', () => {
    const metadata = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key ${index}`, 'x']))
    const event = { type: 'response.create', response: { metadata } }
    expect(() => read(event)).toThrow(expect.objectContaining({ code: 'invalid_event' }))
  })

  it('may have a long text', () => {
    const text = '\\"{[,'.repeat(100_000)
    const content = [{ type: 'input_text', text }]
    const event = { type: 'conversation.item.create', item: { type: 'message', role: 'user', content } }
    expect(read(event)).toMatchObject({ item: { content: [{ text }] } })
  })
})
