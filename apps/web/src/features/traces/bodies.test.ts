import { describe, expect, it } from 'vitest'
import { MAX_SHOWN_BYTES, readBody, toCurl } from './bodies.ts'

const encode = (text: string) => Buffer.from(text).toString('base64')

describe('readBody', () => {
  it('reads JSON, text and nothing', () => {
    expect(readBody(encode('{"a":"é"}'))).toEqual({ kind: 'json', value: { a: 'é' }, text: '{"a":"é"}', bytes: 10 })
    expect(readBody(encode('data: {}\n\n'))).toMatchObject({ kind: 'text', text: 'data: {}\n\n' })
    expect(readBody(null)).toEqual({ kind: 'none' })
    expect(readBody('')).toEqual({ kind: 'none' })
  })

  it('reads a cut body as text', () => {
    expect(readBody(encode('{"messages":[{"ro'))).toMatchObject({ kind: 'text' })
  })

  it('offers long bodies, and those that are no text, as a file', () => {
    expect(readBody(encode('x'.repeat(MAX_SHOWN_BYTES)))).toMatchObject({ kind: 'text' })
    expect(readBody(encode('x'.repeat(MAX_SHOWN_BYTES + 1)))).toMatchObject({
      kind: 'file',
      bytes: MAX_SHOWN_BYTES + 1,
    })
    expect(readBody(Buffer.from([0x52, 0x49, 0, 1]).toString('base64'))).toMatchObject({ kind: 'file', bytes: 4 })
  })
})

describe('toCurl', () => {
  it('quotes the body for a shell and leaves the key a variable', () => {
    const request = { method: 'POST', path: '/v1/chat/completions' }
    expect(toCurl(request, { body: `{"a":"it's $HOME"}`, origin: 'http://host/llm/' })).toBe(
      [
        `curl -X POST 'http://host/llm/v1/chat/completions' \\`,
        `  -H "Authorization: Bearer $KEY" \\`,
        `  -H 'Content-Type: application/json' \\`,
        `  --data-raw '{"a":"it'\\''s $HOME"}'`,
      ].join('\n'),
    )
  })

  it('sends no body that was not recorded', () => {
    expect(toCurl({ method: 'GET', path: '/v1/models' }, { body: undefined, origin: 'http://host' })).not.toContain(
      'data',
    )
  })
})
