import { describe, expect, it } from 'vitest'
import { findField, readMoney, toDraft, toValues, writeMoney } from './limit-form.ts'

describe('an amount of money', () => {
  it('is whole millionths, with a point or a comma', () => {
    expect(['12', '0.1', '2,5', '0.000001', '999999999.999999'].map(readMoney)).toEqual([
      ...[12_000_000, 100_000, 2_500_000, 1, 999_999_999_999_999],
    ])
  })

  it('is refused with a sign, more than six digits or other signs', () => {
    expect(['-1', '0.0000001', '1e3', '1.000,5', '', '$5'].map(readMoney)).toEqual(Array(6).fill(undefined))
  })

  it('is written as it was read', () => {
    for (const text of ['12', '0.1', '2.5', '0.000001', '0']) expect(writeMoney(readMoney(text) ?? -1)).toBe(text)
  })
})

describe('the form of a limit', () => {
  it('leaves measures out that are empty, and the model of a model', () => {
    const values = { ...toValues(undefined), kind: 'model', subject: 'm', model: 'x', requests: '5' } as const
    expect(toDraft(values)).toMatchObject({
      subject_kind: 'model',
      subject_id: 'm',
      model: '',
      max_requests: 5,
      max_total_tokens: null,
      max_cost_micros: null,
      max_parallel: null,
      currency: '',
      window: 'month',
    })
  })

  it('says the window with its length, and each as a star', () => {
    const values = { ...toValues(undefined), isEach: true, window: 'rolling', length: ' 5h ', money: '1' } as const
    expect(toDraft(values)).toMatchObject({ subject_id: '*', window: 'rolling 5h', currency: 'USD' })
  })

  it('finds the field of a refusal', () => {
    expect(findField('currency is required with max_cost_micros')).toBe('currency')
    expect(findField('a limit needs max_requests')).toBeUndefined()
  })
})
