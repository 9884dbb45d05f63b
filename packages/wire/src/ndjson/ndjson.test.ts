import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNdjsonDecoder, decodeNdjson, type NdjsonDecoderOptions } from './decode.ts'
import { encodeNdjson } from './encode.ts'

const encode = (text: string) => new TextEncoder().encode(text)

async function readValues(chunks: readonly Uint8Array[], options?: NdjsonDecoderOptions): Promise<unknown[]> {
  const values = []
  for await (const value of decodeNdjson(chunks, options)) values.push(value)
  return values
}

describe('encodeNdjson', () => {
  it('writes one line that no client breaks', () => {
    expect(encodeNdjson({ response: 'a\nb\u2028' })).toBe('{"response":"a\\nb\\u2028"}\n')
  })
})

describe('decodeNdjson', () => {
  it('gives back any values for any cuts', async () => {
    const values = fc.array(fc.jsonValue({ stringUnit: 'binary' }))
    await fc.assert(
      fc.asyncProperty(values, fc.array(fc.nat(), { maxLength: 8 }), async (sent, cuts) => {
        const bytes = encode(sent.map(encodeNdjson).join(''))
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, index) => bytes.slice(edges[index], edge))
        expect(await readValues(chunks)).toEqual(sent.map((value) => JSON.parse(JSON.stringify(value))))
      }),
    )
  })

  it('skips blank lines and takes CRLF and a last line without a break', async () => {
    expect(await readValues([encode('{"a":1}\r\n\n  \n[2]\n3')])).toEqual([{ a: 1 }, [2], 3])
  })

  it('names the line that is not JSON', async () => {
    await expect(readValues([encode('{}\n\n{oops\n')])).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'ndjson_syntax',
      details: { line: 3 },
    })
  })

  it('refuses a line over the limit, complete or not', async () => {
    const tooLarge = { kind: 'too_large', code: 'ndjson_line_too_large' }
    expect(await readValues([encode('12345\n1')], { maxLineBytes: 6 })).toEqual([12345, 1])
    await expect(readValues([encode('12345\n')], { maxLineBytes: 5 })).rejects.toMatchObject(tooLarge)
    await expect(readValues([encode('1234'), encode('56')], { maxLineBytes: 5 })).rejects.toMatchObject(tooLarge)
  })
})

describe('createNdjsonDecoder', () => {
  it('returns lines with their bytes, which together are the stream', () => {
    const decoder = createNdjsonDecoder()
    const lines = [...decoder.push(encode('{"a"')), ...decoder.push(encode(':1}\r\n\n2')), ...decoder.end()]
    expect(lines.map((line) => [line.text, new TextDecoder().decode(line.raw)])).toEqual([
      ['{"a":1}', '{"a":1}\r\n'],
      ['', '\n'],
      ['2', '2'],
    ])
  })
})
