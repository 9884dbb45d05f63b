import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSoundHistory } from './sound-history.ts'

it('keeps the latest samples at their positions', () => {
  const step = fc.oneof(
    fc.record({ add: fc.nat(70_000) }),
    fc.record({ fill: fc.nat(90_000) }),
    fc.record({ forget: fc.nat(90_000) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const max = 60_000
      const history = createSoundHistory(max)
      let end = 0
      const silent: [number, number][] = []
      for (const each of steps) {
        if ('add' in each) {
          const from = end
          history.add(Float32Array.from({ length: each.add }, (_, index) => from + index + 1))
          end += each.add
        } else if ('fill' in each) {
          history.fillTo(end - 45_000 + each.fill)
          if (history.end > end) silent.push([end, history.end])
          end = history.end
        } else history.forgetBefore(end - each.forget)
        expect(history.end).toBe(end)
        expect(end - history.start).toBeLessThanOrEqual(max)
      }
      const isSilent = (position: number) => silent.some(([from, to]) => position >= from && position < to)
      const read = history.read(history.start - 3, end + 3)
      expect(read.length).toBe(end - history.start + 6)
      for (const [index, sample] of read.entries()) {
        const position = history.start - 3 + index
        const isKept = position >= history.start && position < end && !isSilent(position)
        if (sample !== (isKept ? position + 1 : 0)) expect.unreachable(`at ${position}: ${sample}`)
      }
    }),
    { numRuns: 40 },
  )
})
