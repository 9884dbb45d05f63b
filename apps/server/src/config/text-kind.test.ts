import { describe, expect, it } from 'vitest'
import { choice, decimal, headerText, integer, list, readWith, TEXT_FORMS, text, texts, toggle } from './text-kind.ts'

describe('a toggle', () => {
  it.each(['1', 't', 'true', 'TRUE', 'y', 'Yes', 'on'])('reads %s as true', (word) => {
    expect(toggle.safeParse(word).data).toBe(true)
  })
  it.each(['0', 'f', 'false', 'N', 'no', 'OFF'])('reads %s as false', (word) => {
    expect(toggle.safeParse(word).data).toBe(false)
  })
  it.each(['', '2', 'tru', 'enabled', ' true'])('refuses %j', (word) => {
    expect(toggle.safeParse(word).data).toBeUndefined()
  })
})

describe('numbers', () => {
  const port = integer({ min: -1, max: 10 })
  it.each([
    ['-1', -1],
    ['+3', 3],
    ['010', 10],
  ])('reads %s as %d', (written, value) => {
    expect(port.safeParse(written).data).toBe(value)
  })
  it.each(['', '-2', '11', '1.0', '1e1', '0x1', '１', '99999999999999999999', 'NaN'])('refuses %j', (written) => {
    expect(port.safeParse(written).data).toBeUndefined()
  })
  it('reads decimals within their bounds', () => {
    const share = decimal({ min: 0.01, max: 1 })
    expect(share.safeParse('0.95').data).toBe(0.95)
    expect(share.safeParse('1').data).toBe(1)
    for (const wrong of ['0', '1.1', '.5', '1.', '0,5', '1e-1']) expect(share.safeParse(wrong).data).toBeUndefined()
  })
  it('says its bounds', () => {
    expect(TEXT_FORMS.get(port)?.form).toBe('a whole number from -1 to 10')
  })
})

describe('words and texts', () => {
  it('reads one of a few words in any case', () => {
    expect(choice('auto', 'true').safeParse('AUTO').data).toBe('auto')
    expect(choice('auto', 'true').safeParse('maybe').data).toBeUndefined()
  })
  it('refuses control characters', () => {
    expect(text.safeParse('a b é').data).toBe('a b é')
    expect(text.safeParse('a\nb').data).toBeUndefined()
    expect(text.safeParse('a\0').data).toBeUndefined()
  })
  it('keeps header values to what a header can carry', () => {
    expect(headerText.safeParse('gpu-1 (left)').data).toBe('gpu-1 (left)')
    for (const wrong of ['é', 'a\r\nb', 'a\tb']) expect(headerText.safeParse(wrong).data).toBeUndefined()
  })
})

describe('lists', () => {
  it('drops spaces and empty items', () => {
    expect(texts.safeParse(' a, b ,,c,').data).toEqual(['a', 'b', 'c'])
    expect(texts.safeParse('').data).toEqual([])
  })
  it('refuses the whole list for one wrong item', () => {
    const even = readWith((item) => (Number(item) % 2 === 0 ? Number(item) : undefined))
    const evens = list(even, { placeholder: 'N', form: 'even numbers' })
    expect(evens.safeParse('2,4').data).toEqual([2, 4])
    expect(evens.safeParse('2,3').data).toBeUndefined()
  })
  it('is frozen', () => {
    expect(Object.isFrozen(texts.safeParse('a').data)).toBe(true)
  })
})
