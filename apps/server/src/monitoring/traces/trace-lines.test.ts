import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTraceBodies, decodeTraceHead, encodeTraceLine } from './trace-lines.ts'

const bodies = fc.array(fc.option(fc.uint8Array({ minLength: 1, maxLength: 64 }), { nil: undefined }), { maxLength: 2 })

describe('a line of a trace', () => {
  it('gives back its head and its bodies', () => {
    fc.assert(
      fc.property(fc.jsonValue(), bodies, (value, kept) => {
        const head = JSON.stringify(value)
        const line = Buffer.from(encodeTraceLine({ head, bodies: kept }))
        expect(line.indexOf('\n')).toBe(line.length - 1)
        const content = line.subarray(0, -1)
        expect(decodeTraceHead(content)).toBe(head)
        expect(decodeTraceBodies(content)).toEqual(kept.map((body) => body && Buffer.from(body).toString('base64')))
      }),
    )
  })
  it('is refused after any change of one byte', () => {
    const line = Buffer.from(encodeTraceLine({ head: '{"id":"1"}', bodies: [Buffer.from('hello')] })).subarray(0, -1)
    for (let index = 0; index < line.length; index += 1) {
      const damaged = Buffer.from(line)
      damaged[index] = (damaged[index] ?? 0) ^ 1
      expect(decodeTraceHead(damaged), String(index)).toBeUndefined()
      expect(decodeTraceBodies(damaged), String(index)).toBeUndefined()
    }
    for (let end = 0; end < line.length; end += 1) expect(decodeTraceHead(line.subarray(0, end))).toBeUndefined()
  })
})
