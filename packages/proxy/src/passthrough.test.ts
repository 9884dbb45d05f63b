import { createHttpUpstream } from '@svc/http-client'
import { encodeJsonString, parseJson } from '@svc/json'
import { startUpstream } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPassthroughBody } from './passthrough.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
const edited = (text: string, upstreamModel?: string): string =>
  decode(createPassthroughBody(parseJson(encode(text)), { upstreamModel }).bytes)

/** Runs of the property over bodies: ten thousand with SVC_LONG. */
const RUNS = process.env.SVC_LONG === '1' ? 10_000 : 1000

const blank = fc.stringMatching(/^[ \t\n\r]{0,3}$/)
const number = fc.constantFrom(
  '0',
  '-0',
  '1.50',
  '1e400',
  '12345678901234567890123',
  '1E+2',
  '-0.0e-7',
  '9007199254740993',
)
const text = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.boolean())
  .map(([value, isEscaped]) =>
    isEscaped ? JSON.stringify(value).replace(/[^\x20-\x7e]/g, escaped) : JSON.stringify(value),
  )
const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON text in unusual spellings. */
const { value: json } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, number, text, fc.constantFrom('true', 'false', 'null'), tie('object'), tie('array')),
  object: fc
    .array(fc.tuple(blank, fc.oneof(text, fc.constant('"model"')), blank, tie('value'), blank), { maxLength: 4 })
    .map((members) => `{${members.map(([a, key, b, value, c]) => `${a}${key}${b}:${value}${c}`).join(',')}}`),
  array: fc
    .array(fc.tuple(blank, tie('value'), blank), { maxLength: 4 })
    .map((items) => `[${items.map(([a, value, b]) => `${a}${value}${b}`).join(',')}]`),
}))

const key = fc.oneof(text, fc.constantFrom('"model"', '"m\\u006fdel"', '"Model"', '"stream"', '"messages"'))
const member = fc.tuple(blank, key, blank, blank, json, blank)
const members = fc.array(member, { maxLength: 8 })

describe('passthroughBody', () => {
  it('changes only the values of top-level models, for any body', async () => {
    await using server = await startUpstream()
    await using upstream = createHttpUpstream()
    const arrived = async (body: Uint8Array): Promise<string | undefined> => {
      const request = { method: 'POST', url: new URL(server.origin), headers: [], body } as const
      for await (const _ of (await upstream.send(request, { signal: new AbortController().signal })).body);
      return server.requests.at(-1)?.text()
    }
    await fc.assert(
      fc.asyncProperty(members, fc.string({ unit: 'binary', minLength: 1 }), blank, async (parts, model, around) => {
        const write = (toValue: (name: string, value: string) => string): string =>
          `${around}{${parts.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${toValue(name, value)}${d}`).join(',')}}`
        const replacement = decode(encodeJsonString(model))
        const original = write((_, value) => value)
        expect(edited(original)).toBe(decode(encode(original)))
        const expected = write((name, value) => (JSON.parse(name) === 'model' ? replacement : value))
        const { bytes } = createPassthroughBody(parseJson(encode(original)), { upstreamModel: model })
        expect(await arrived(bytes)).toBe(decode(encode(expected)))
      }),
      { numRuns: RUNS },
    )
  })

  it('keeps a body byte for byte when the upstream has no name of its own', () => {
    const bytes = encode('{ "model":"demo", "model":1.0 }')
    expect(createPassthroughBody(parseJson(bytes), {}).bytes).toBe(bytes)
  })

  it('applies other edits beside the name, and drops edits inside it', () => {
    const bytes = encode('{"model":"secret","a":"secret"}')
    const replacement = encode('"[MASK]"')
    const splices = [
      { start: 9, end: 17, replacement },
      { start: 22, end: 30, replacement },
    ]
    const { bytes: result } = createPassthroughBody(parseJson(bytes), { upstreamModel: 'big', splices })
    expect(decode(result)).toBe('{"model":"big","a":"[MASK]"}')
  })

  it.each([
    ['{"stream":true}', true],
    ['{"stream":false}', false],
    ['{"stream":null}', false],
    ['{"stream":"true"}', false],
    ['{}', false],
    ['{"a":{"stream":true}}', false],
    ['{"stream":false,"stream":true}', true],
  ])('%s asks for a stream: %s', (body, isStream) => {
    expect(createPassthroughBody(parseJson(encode(body)), {}).isStream).toBe(isStream)
  })

  it.each([
    ['{"stream":true}', '{"stream_options":{"include_usage":true},"stream":true}'],
    ['{"stream":true,"stream_options":{}}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    [
      '{"stream_options":{ "x":1.50 },"stream":true}',
      '{"stream_options":{"include_usage":true, "x":1.50 },"stream":true}',
    ],
    [
      '{"stream":true,"stream_options":{"include_usage":false}}',
      '{"stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      '{"stream":true,"stream_options":{"include_\\u0075sage":null,"include_usage": 0 }}',
      '{"stream":true,"stream_options":{"include_\\u0075sage":true,"include_usage": true }}',
    ],
    [
      '{"stream_options":{"include_usage":true},"stream_options":[],"stream":true}',
      '{"stream_options":{"include_usage":true},"stream_options":{"include_usage":true},"stream":true}',
    ],
    ['{"stream":true,"stream_options":{"include_usage":true}}', undefined],
    ['{"stream_options":1,"stream":true,"stream_options":{"include_usage":true}}', undefined],
    ['{"stream":false}', undefined],
    ['{}', undefined],
  ])('%s asks for its figures as %s', (body, expected) => {
    const { bytes, addsUsage } = createPassthroughBody(parseJson(encode(body)), { asksUsage: true })
    expect([decode(bytes), addsUsage]).toEqual([expected ?? body, expected !== undefined])
  })

  it('asks for figures beside other edits', () => {
    const bytes = encode('{"model":"a","stream":true,"stream_options":{"include_usage":"secret"},"b":"secret"}')
    const mask = encode('"[MASK]"')
    const found = [...decode(bytes).matchAll(/"secret"/g)]
    const splices = found.map(({ index: start }) => ({ start, end: start + 8, replacement: mask }))
    const { bytes: result } = createPassthroughBody(parseJson(bytes), {
      upstreamModel: 'big',
      asksUsage: true,
      splices,
    })
    expect(decode(result)).toBe('{"model":"big","stream":true,"stream_options":{"include_usage":true},"b":"[MASK]"}')
  })
})
