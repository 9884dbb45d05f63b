import { describe, expect, it } from 'vitest'
import { judge, type Pair, toGuardTable } from './guard-verdict.ts'

const BASE = { chatUs: 500, eventUs: 4, startMs: 400 }

/** Pairs in which the head costs `more` times as much, give or take `noise`. */
function toPairs(more: { readonly chatUs?: number; readonly startMs?: number }, noise: number): readonly Pair[] {
  return Array.from({ length: 15 }, (_, index) => {
    const factor = 1 + noise * ((index % 5) - 2)
    const { chatUs = 1, startMs = 1 } = more
    const head = {
      chatUs: BASE.chatUs * chatUs * factor,
      eventUs: BASE.eventUs * factor,
      startMs: BASE.startMs * startMs * factor,
    }
    return { base: BASE, head }
  })
}

const listFailed = (pairs: readonly Pair[]): readonly string[] =>
  judge(pairs)
    .filter(({ fails }) => fails)
    .map(({ figure }) => figure)

describe('judge', () => {
  it('lets equal builds and small rises pass', () => {
    expect(listFailed(toPairs({}, 0.02))).toEqual([])
    expect(listFailed(toPairs({ chatUs: 1.03, startMs: 1.08 }, 0.01))).toEqual([])
  })

  it('fails each figure that rose by more than the limit', () => {
    expect(listFailed(toPairs({ chatUs: 1.2 }, 0.02))).toEqual(['chatUs'])
    expect(listFailed(toPairs({ chatUs: 1.12, startMs: 1.5 }, 0.01))).toEqual(['chatUs', 'startMs'])
  })

  it('lets a rise pass that noise explains, and calls it open', () => {
    const [chat] = judge(toPairs({ chatUs: 1.12 }, 0.3))
    expect(chat).toMatchObject({ fails: false, isOpen: true })
    expect(chat?.ratio.median).toBeGreaterThan(1.1)
  })

  it('compares the builds pair by pair: a machine that slows down changes nothing', () => {
    const pairs = toPairs({ chatUs: 1.2 }, 0).map(({ base, head }, index) => ({
      base: { ...base, chatUs: base.chatUs * (index + 1) },
      head: { ...head, chatUs: head.chatUs * (index + 1) },
    }))
    expect(judge(pairs)[0]?.ratio).toMatchObject({ median: expect.closeTo(1.2), low: expect.closeTo(1.2) })
  })
})

it('prints the figures of both builds beside the committed ones', () => {
  const verdicts = judge(toPairs({ chatUs: 1.2 }, 0))
  const committed = { chatUs: 480, eventUs: 3.9, startMs: 390 }
  expect(toGuardTable(verdicts, committed).split('\n').slice(2)).toEqual([
    '| chat, µs | 500 | 600 | 1.200 (1.200 to 1.200) | 1.10 | FAILS | 480 |',
    '| event of a stream, µs | 4.00 | 4.00 | 1.000 (1.000 to 1.000) | 1.10 | passes | 3.90 |',
    '| start, ms | 400 | 400 | 1.000 (1.000 to 1.000) | 1.10 | passes | 390 |',
  ])
  expect(toGuardTable(verdicts, undefined)).toContain(
    '| chat, µs | 500 | 600 | 1.200 (1.200 to 1.200) | 1.10 | FAILS |  |',
  )
})
