import { describe, expect, it } from 'vitest'
import { createStreamTap, type StreamTap } from './stream-tap.ts'

function createTap(provider: 'provider_a' | 'provider_b', ...events: string[]): StreamTap {
  const tap = createStreamTap(provider)
  for (const event of events) tap.read(`${event}\n\n`)
  return tap
}

const chunk = (fields: object): string => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...fields })}`

describe('figures of a stream', () => {
  it('are the last that were given', () => {
    const one = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
    const two = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const tap = createTap('provider_a', chunk({ usage: one }), `${chunk({ usage: two })}\n\n${chunk({ usage: null })}`)
    expect(tap.usage).toMatchObject(two)
  })

  it.each(['"usage":', '"usage": ', '"usage" :', '"usage"\t:  '])('are read behind %j', (name) => {
    const tap = createTap('provider_a', `data: {${name}{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)
    expect(tap.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 })
  })

  it('are not taken from texts that end like their name', () => {
    const content = chunk({ choices: [{ delta: { content: 'the page' } }], message: 'usage' })
    expect(createTap('provider_a', content, 'data: "usage"', ': "usage"').usage).toBeUndefined()
  })

  it('are read once a line, however often it names them', () => {
    const figures = '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'
    const line = `data: {${Array.from({ length: 20_000 }, () => figures).join(',')}}`
    // Searching once for each name would take minutes.
    expect(createTap('provider_a', line).usage).toMatchObject({ prompt_tokens: 3 })
  })

  it('of messages come in two events', () => {
    const start = { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } }
    const events = [start, delta].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`)
    const tap = createTap('provider_b', ...events)
    expect(tap.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 9 })
    expect(tap.stopReason).toBe('end_turn')
  })
})
