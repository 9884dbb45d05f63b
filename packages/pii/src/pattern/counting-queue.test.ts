import { describe, expect, it } from 'vitest'
import { Dice } from './__fixtures__/random-patterns.ts'
import { CountingQueue } from './counting-queue.ts'
import type { Counter } from './program.ts'

const never = (): boolean => false
const yes = Uint8Array.of(0, 1)
const any = Uint8Array.of(1, 1)

/** The same by looking at every entry again at every step. */
class Plain {
  private readonly counter: Counter
  private entries: { step: number; start: number }[] = []

  constructor(counter: Counter) {
    this.counter = counter
  }

  enter(step: number, start: number): void {
    this.entries.push({ step, start })
  }

  take(step: number, characterClass: number): void {
    const { row } = this.counter
    this.entries = this.entries.filter((entry) => row[(step - entry.step) % row.length]?.[characterClass] === 1)
  }

  leaving(step: number): number {
    const { row, min, max } = this.counter
    const starts = this.entries.flatMap((entry) => {
      const rounds = (step - entry.step) / row.length
      return Number.isInteger(rounds) && rounds >= Math.max(min, 1) && rounds <= max ? [entry.start] : []
    })
    return starts.length === 0 ? -1 : Math.min(...starts)
  }
}

describe('counts many entries at once', () => {
  it.each<[string, Counter]>([
    ['one character', { row: [yes], min: 3, max: 7 }],
    ['one character, none needed', { row: [yes], min: 0, max: 5 }],
    ['without an upper bound', { row: [yes], min: 4, max: Number.POSITIVE_INFINITY }],
    ['an exact count', { row: [yes], min: 6, max: 6 }],
    ['a row', { row: [yes, any, yes], min: 2, max: 4 }],
    ['a row without an upper bound', { row: [any, yes], min: 2, max: Number.POSITIVE_INFINITY }],
  ])('%s', (_, counter) => {
    const dice = new Dice(81)
    for (let round = 0; round < 60; round++) {
      const queue = new CountingQueue(counter)
      const plain = new Plain(counter)
      for (let step = 0; step < 80; step++) {
        expect(queue.leaving(step, never)).toBe(plain.leaving(step))
        if (dice.roll(3) > 0) {
          const start = dice.roll(step + 1)
          queue.enter(step, start, never)
          plain.enter(step, start)
        }
        const characterClass = dice.roll(12) === 0 ? 0 : 1
        queue.take(step, characterClass)
        plain.take(step, characterClass)
      }
    }
  })

  it('what is dead does not leave, and does not hold back what lives', () => {
    const queue = new CountingQueue({ row: [yes], min: 1, max: 9 })
    queue.enter(0, 3, never)
    queue.take(0, 1)
    expect(queue.leaving(1, never)).toBe(3)
    queue.enter(1, 8, never)
    queue.take(1, 1)
    expect(queue.leaving(2, (start) => start === 3)).toBe(8)
    expect(queue.leaving(2, never)).toBe(8)
  })

  it('is empty once no row goes on', () => {
    const queue = new CountingQueue({ row: [yes, yes], min: 5, max: 6 })
    queue.enter(0, 0, never)
    expect(queue.isEmpty).toBe(false)
    queue.take(0, 0)
    expect(queue.isEmpty).toBe(true)
  })

  it('without an upper bound it holds no more entries than can matter', () => {
    const queue = new CountingQueue({ row: [yes], min: 4096, max: Number.POSITIVE_INFINITY })
    for (let step = 0; step < 5000; step++) {
      queue.enter(step, step, never)
      queue.take(step, 1)
    }
    expect(queue.leaving(5000, never)).toBe(0)
  })
})
