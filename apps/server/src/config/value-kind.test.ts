import { describe, expect, it } from 'vitest'
import { choice, decimal, headerText, integer, list, text, texts, toggle } from './value-kind.ts'

const context = { cwd: '/opt/svc' }

describe('a toggle', () => {
  it.each(['1', 't', 'true', 'TRUE', 'y', 'Yes', 'on'])('reads %s as true', (word) => {
    expect(toggle.read(word, context)).toBe(true)
  })
  it.each(['0', 'f', 'false', 'N', 'no', 'OFF'])('reads %s as false', (word) => {
    expect(toggle.read(word, context)).toBe(false)
  })
  it.each(['', '2', 'tru', 'enabled', ' true'])('refuses %j', (word) => {
    expect(toggle.read(word, context)).toBeUndefined()
  })
})

describe('numbers', () => {
  const port = integer({ min: -1, max: 10 })
  it.each([
    ['-1', -1],
    ['+3', 3],
    ['010', 10],
  ])('reads %s as %d', (written, value) => {
    expect(port.read(written, context)).toBe(value)
  })
  it.each(['', '-2', '11', '1.0', '1e1', '0x1', '１', '99999999999999999999', 'NaN'])('refuses %j', (written) => {
    expect(port.read(written, context)).toBeUndefined()
  })
  it('reads decimals within their bounds', () => {
    const share = decimal({ min: 0.01, max: 1 })
    expect(share.read('0.95', context)).toBe(0.95)
    expect(share.read('1', context)).toBe(1)
    for (const wrong of ['0', '1.1', '.5', '1.', '0,5', '1e-1']) expect(share.read(wrong, context)).toBeUndefined()
  })
  it('says its bounds', () => {
    expect(port.form).toBe('a whole number from -1 to 10')
  })
})

describe('words and texts', () => {
  it('reads one of a few words in any case', () => {
    expect(choice('auto', 'true').read('AUTO', context)).toBe('auto')
    expect(choice('auto', 'true').read('maybe', context)).toBeUndefined()
  })
  it('refuses control characters', () => {
    expect(text.read('a b é', context)).toBe('a b é')
    expect(text.read('a\nb', context)).toBeUndefined()
    expect(text.read('a\0', context)).toBeUndefined()
  })
  it('keeps header values to what a header can carry', () => {
    expect(headerText.read('gpu-1 (left)', context)).toBe('gpu-1 (left)')
    for (const wrong of ['é', 'a\r\nb', 'a\tb']) expect(headerText.read(wrong, context)).toBeUndefined()
  })
})

describe('lists', () => {
  it('drops spaces and empty items', () => {
    expect(texts.read(' a, b ,,c,', context)).toEqual(['a', 'b', 'c'])
    expect(texts.read('', context)).toEqual([])
  })
  it('refuses the whole list for one wrong item', () => {
    const evens = list({
      placeholder: 'N',
      form: 'even numbers',
      each: (item) => (Number(item) % 2 === 0 ? Number(item) : undefined),
    })
    expect(evens.read('2,4', context)).toEqual([2, 4])
    expect(evens.read('2,3', context)).toBeUndefined()
  })
  it('is frozen', () => {
    expect(Object.isFrozen(texts.read('a', context))).toBe(true)
  })
})
