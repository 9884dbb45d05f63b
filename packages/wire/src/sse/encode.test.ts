import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSse } from './decode.ts'
import { encodeSseComment, encodeSseEvent, encodeSseJson, SSE_DONE, SSE_KEEP_ALIVE } from './encode.ts'

async function decodeText(text: string) {
  const events = []
  for await (const { event, data, id } of decodeSse([new TextEncoder().encode(text)])) events.push({ event, data, id })
  return events
}

describe('encodeSseEvent', () => {
  it('writes data alone as the compatible format has it', () => {
    expect(encodeSseEvent({ data: '{"a":1}' })).toBe('data: {"a":1}\n\n')
  })

  it('writes name and id before the data', () => {
    expect(encodeSseEvent({ event: 'ping', id: '7', data: '{}' })).toBe('event: ping\nid: 7\ndata: {}\n\n')
  })

  it('writes one data line for each line of the data, for every kind of line break', () => {
    expect(encodeSseEvent({ data: 'a\nb\r\nc\rd' })).toBe('data: a\ndata: b\ndata: c\ndata: d\n\n')
  })

  it.each(['a\nb', 'a\rb', 'a\0b'])('refuses a name or id that would break the frame: %j', (text) => {
    expect(() => encodeSseEvent({ event: text, data: '' })).toThrow(expect.objectContaining({ code: 'sse_field' }))
    expect(() => encodeSseEvent({ id: text, data: '' })).toThrow(expect.objectContaining({ code: 'sse_field' }))
  })

  it('arrives as it was sent, for any text', async () => {
    const field = fc.option(
      fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/[\r\n\0]/.test(text)),
      { nil: undefined },
    )
    const awkward = fc.constantFrom('\r', '\n', '\r\n', '\0', '\u2028', '\u0085', ' ', ':', '\uFEFF', 'data: x', '😀')
    const data = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(awkward).map((parts) => parts.join('')),
    )
    const event = fc.record({ event: field, id: field, data })
    await fc.assert(
      fc.asyncProperty(fc.array(event), async (events) => {
        const expected = events.map((sent) => ({ ...sent, data: sent.data.replace(/\r\n?/g, '\n') }))
        expect(await decodeText(events.map(encodeSseEvent).join(''))).toEqual(expected)
      }),
    )
  })
})

describe('encodeSseJson', () => {
  it('keeps a value on one line for clients that break lines at NEL, LINE or PARAGRAPH SEPARATOR', () => {
    const text = '\n\r\u0085\u2028\u2029\0'
    const frame = encodeSseJson({ text })
    expect(frame).toBe('data: {"text":"\\n\\r\\u0085\\u2028\\u2029\\u0000"}\n\n')
    expect(JSON.parse(frame.slice('data: '.length))).toEqual({ text })
  })

  it('names the event when asked to', () => {
    expect(encodeSseJson([], 'ping')).toBe('event: ping\ndata: []\n\n')
  })

  it('refuses a value without JSON text instead of writing the word undefined', () => {
    expect(() => encodeSseJson(undefined)).toThrow(TypeError)
  })
})

describe('frames no client sees', () => {
  it('are no events', async () => {
    expect(await decodeText(encodeSseComment('data: a\r\ndata: b') + SSE_KEEP_ALIVE + SSE_DONE)).toEqual([
      { event: undefined, data: '[DONE]', id: undefined },
    ])
  })
})
