import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventGate, MAX_HELD_BYTES } from './event-gate.ts'

const END = /(?:\n\n|\n\r\n|\r\r)$/

describe('EventGate', () => {
  it('passes whole events at once and holds the start of the next', () => {
    const gate = new EventGate()
    expect(gate.push('data: a\n\n')).toBe('data: a\n\n')
    expect(gate.push('data: b\n\ndata: c')).toBe('data: b\n\n')
    expect(gate.push('\n')).toBe('')
    expect(gate.push('\ndata: d')).toBe('data: c\n\n')
    expect(gate.takeRest()).toBe('data: d')
  })

  it.each(['\n\n', '\r\n\r\n', '\r\r', '\n\r\n'])('knows the end %j in any cut', (end) => {
    const stream = `data: a${end}: comment${end}data: b${end}`
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const gate = new EventGate()
      const passed = gate.push(stream.slice(0, cut)) + gate.push(stream.slice(cut))
      expect(passed + gate.takeRest(), `cut at ${cut}`).toBe(stream)
    }
  })

  it('keeps every byte and passes only complete events', () => {
    const token = fc.constantFrom('\r', '\n', 'data: x', 'y', '\n\n', '\r\n\r\n')
    fc.assert(
      fc.property(fc.array(token), fc.array(fc.nat(), { maxLength: 10 }), (tokens, cuts) => {
        const stream = tokens.join('')
        const edges = [0, ...cuts.map((cut) => cut % (stream.length + 1)).toSorted((a, b) => a - b), stream.length]
        const gate = new EventGate()
        let passed = ''
        for (const [index, edge] of edges.slice(1).entries()) {
          const text = gate.push(stream.slice(edges[index], edge))
          if (text !== '') expect(passed + text).toMatch(END)
          passed += text
        }
        expect(passed + gate.takeRest()).toBe(stream)
      }),
    )
  })

  it('passes an event larger than its limit, and reports that it is inside of one', () => {
    const gate = new EventGate()
    const piece = 'x'.repeat(64 * 1024)
    let passed = ''
    let largestHeld = 0
    for (let bytes = 0; bytes < 3 * MAX_HELD_BYTES; bytes += piece.length) {
      passed += gate.push(piece)
      largestHeld = Math.max(largestHeld, bytes + piece.length - passed.length)
    }
    expect(largestHeld).toBeLessThanOrEqual(MAX_HELD_BYTES + piece.length)
    expect(gate.isInside).toBe(true)
    passed += gate.push('\n') + gate.push('\n')
    expect(gate.isInside).toBe(false)
    expect(passed).toBe(`${'x'.repeat(3 * MAX_HELD_BYTES)}\n\n`)
  })

  it('takes linear time for an event that comes byte by byte', () => {
    const gate = new EventGate()
    for (let bytes = 0; bytes < 200_000; bytes += 1) expect(gate.push('x')).toBe('')
    expect(gate.push('\n\n')).toHaveLength(200_002)
  })
})
