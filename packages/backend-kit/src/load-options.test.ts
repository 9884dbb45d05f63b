import { describe, expect, it } from 'vitest'
import { parseOptions, readBoolean, readInteger, readNumber, readSwitch, readWord } from './load-options.ts'

describe('options of a model', () => {
  it('are names and values, the last of a name counting', () => {
    expect([...parseOptions(['Gpu', 'a:1', ' b : x:y ', 'a:2'])]).toEqual([
      ['gpu', 'true'],
      ['a', '2'],
      ['b', 'x:y'],
    ])
  })

  it('are read under the first name that is there, or not at all', () => {
    const options = parseOptions(['n:3', 'share:0.5', 'quiet', 'mode:Fast'])
    const range = { min: 0, max: 9, otherwise: 7 }
    expect(readInteger(options, ['count', 'n'], range)).toBe(3)
    expect(readInteger(options, ['other'], range)).toBe(7)
    expect(readNumber(options, ['share'], range)).toBe(0.5)
    expect(readBoolean(options, 'quiet')).toBe(true)
    expect(readBoolean(options, 'loud')).toBe(false)
    expect(readWord(options, ['mode'], ['slow', 'fast'])).toBe('fast')
    expect(readSwitch(' ', 'x')).toBe('auto')
  })

  it.each([
    [
      'n:1.5',
      (options: ReturnType<typeof parseOptions>) => readInteger(options, ['n'], { min: 0, max: 9, otherwise: 0 }),
    ],
    [
      'n:10',
      (options: ReturnType<typeof parseOptions>) => readInteger(options, ['n'], { min: 0, max: 9, otherwise: 0 }),
    ],
    ['n:', (options: ReturnType<typeof parseOptions>) => readNumber(options, ['n'], { min: 0, max: 9, otherwise: 0 })],
    ['n:maybe', (options: ReturnType<typeof parseOptions>) => readBoolean(options, 'n')],
    ['n:other', (options: ReturnType<typeof parseOptions>) => readWord(options, ['n'], ['slow', 'fast'])],
  ])('are refused by name where they cannot be: %s', (option, read) => {
    expect(() => read(parseOptions([option]))).toThrow(/option n must be/)
  })
})
