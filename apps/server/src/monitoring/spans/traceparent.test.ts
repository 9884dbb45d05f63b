import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newTraceId, SpanScope } from './span-scope.ts'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`00-${TRACE}-${SPAN}-fe`, false],
    [`01-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
  ])('reads %s', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled })
  })

  it.each([
    undefined,
    '',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `01-${TRACE}-${SPAN}-01more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `0-${TRACE}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(600)}`,
  ])('reads nothing from %j', (header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })

  it('never throws, and what it reads it writes again', () => {
    const part = fc.stringMatching(/^[0-9a-f-]{0,60}$/)
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          part,
          fc.tuple(part, part).map((two) => two.join('-')),
        ),
        (header) => {
          const read = parseTraceparent(header)
          if (read !== undefined) expect(parseTraceparent(formatTraceparent(read))).toEqual(read)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('a scope', () => {
  it('has ids of its own, and children in its trace', () => {
    const root = new SpanScope(newTraceId(), { isSampled: true, parent: undefined, isParentRemote: false })
    const child = root.child()
    expect(root.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect([child.traceId, child.parent?.spanId, child.isSampled]).toEqual([root.traceId, root.spanId, true])
    expect(parseTraceparent(child.traceparent)).toMatchObject({ traceId: root.traceId, spanId: child.spanId })
  })

  it('never repeats an id', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => newTraceId()))
    expect(ids.size).toBe(10_000)
  })
})
