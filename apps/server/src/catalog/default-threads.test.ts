import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { countDefaultThreads, countPhysicalCores } from './default-threads.ts'

const cpu = (processor: number, socket: number, core: number): string =>
  `processor\t: ${processor}\nmodel name\t: some\nphysical id\t: ${socket}\ncore id\t\t: ${core}\n`

describe('countPhysicalCores', () => {
  it('counts a core with two threads once, and cores of two sockets apart', () => {
    expect(countPhysicalCores([cpu(0, 0, 0), cpu(1, 0, 0), cpu(2, 0, 1), cpu(3, 0, 1)].join('\n'))).toBe(2)
    expect(countPhysicalCores([cpu(0, 0, 0), cpu(1, 1, 0)].join('\n'))).toBe(2)
  })

  it('does not know where the text does not tell', () => {
    expect(countPhysicalCores('')).toBeUndefined()
    expect(countPhysicalCores('processor\t: 0\nBogoMIPS\t: 50\n')).toBeUndefined()
  })
})

describe('countDefaultThreads', () => {
  it('leaves a core to everything else, and is never 0', () => {
    expect(countDefaultThreads()).toBeGreaterThanOrEqual(1)
    expect(countDefaultThreads()).toBeLessThanOrEqual(Math.max(1, availableParallelism() - 1))
  })
})
