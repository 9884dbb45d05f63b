import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { writeErrorEvent } from './error-event.ts'

const write = (provider: 'provider_a' | 'provider_b', message: string) =>
  writeErrorEvent(provider, new SvcError('upstream_failed', message))

describe('an error inside a stream', () => {
  it('has the form of chat completions, and ends the stream', () => {
    expect(write('provider_a', 'no "luck"')).toBe(
      'data: {"error":{"message":"no \\"luck\\"","type":"server_error","code":"server_error","param":null}}\n\ndata: [DONE]\n\n',
    )
  })

  it('has the form of messages', () => {
    expect(write('provider_b', 'no luck')).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"no luck"}}\n\n',
    )
  })

  it.each([
    ['ä', '\\u00e4'],
    ['~\u007f\u0080', '~\\u007f\\u0080'],
    ['€', '\\u20ac'],
    ['😀', '\\ud83d\\ude00'],
    ['a\nb\u2028', 'a\\nb\\u2028'],
  ])('writes %j as %s', (message, written) => {
    for (const provider of ['provider_a', 'provider_b'] as const) {
      const event = write(provider, message)
      expect(event).toContain(`"message":"${written}"`)
      expect(event).toMatch(/^[\n\x20-\x7e]+$/)
    }
  })
})
