import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeForm, type FormField } from './multipart.ts'

/** Parses a form with an independent implementation of the format. */
async function readBack(fields: readonly FormField[]): Promise<[string, string | { name: string; bytes: Buffer }][]> {
  const { contentType, body } = encodeForm(fields)
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData()
  const read: [string, string | { name: string; bytes: Buffer }][] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') read.push([name, value])
    else read.push([name, { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) }])
  }
  return read
}

describe('a form', () => {
  it('has its fields in order, repeated ones included', async () => {
    const fields: FormField[] = [
      ['model', 'm'],
      ['file', { bytes: Buffer.from('RIFF'), name: 'a.wav' }],
      ['word[]', 'a'],
      ['word[]', 'b'],
      ['diarize', false],
      ['temperature', 0.5],
    ]
    expect(await readBack(fields)).toEqual([
      ['model', 'm'],
      ['file', { name: 'a.wav', bytes: Buffer.from('RIFF') }],
      ['word[]', 'a'],
      ['word[]', 'b'],
      ['diarize', 'false'],
      ['temperature', '0.5'],
    ])
  })

  it('without fields is one', () => {
    const { contentType, body } = encodeForm([])
    const boundary = contentType.slice('multipart/form-data; boundary='.length)
    expect(Buffer.from(body).toString()).toBe(`--${boundary}--\r\n`)
  })

  it('cannot be broken by a name', () => {
    const { body } = encodeForm([['a"\r\nx-evil: 1\r\n\r\n', 'v']])
    expect(Buffer.from(body).toString()).toContain('name="a%22%0D%0Ax-evil: 1%0D%0A%0D%0A"\r\n\r\nv\r\n')
  })

  it('arrives as it was sent: any text, any bytes', async () => {
    const name = fc.string({ minLength: 1, unit: fc.constantFrom(...'abc[]_-é世 .') })
    const file = fc.record({ bytes: fc.uint8Array({ maxLength: 200 }), name })
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\r\n', '--', '\r\n--svc-', '\n\n'), file)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 5 }), async (fields) => {
        const expected = fields.map(([field, sent]) =>
          typeof sent === 'string' ? [field, sent] : [field, { name: sent.name, bytes: Buffer.from(sent.bytes) }],
        )
        expect(await readBack(fields)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})
