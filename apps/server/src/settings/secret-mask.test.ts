import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isMask, maskSecret, unmask } from './secret-mask.ts'

describe('a masked secret', () => {
  it('shows the end of a long one and nothing of a short one', () => {
    expect(maskSecret('svc-0123456789abcdef9f3a')).toMatch(/^\*{8}9f3a#[0-9a-f]{8}$/)
    expect(maskSecret('hunter2')).toMatch(/^\*{8}#[0-9a-f]{8}$/)
    expect(maskSecret('')).toBe('')
  })
  it('has a form that is recognised, and stands for its secret alone', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 5 }),
        (secrets) => {
          for (const secret of secrets) {
            expect(isMask(maskSecret(secret))).toBe(true)
            expect(unmask(maskSecret(secret), secrets)).toBe(secret)
          }
        },
      ),
    )
  })
  it('that nothing is known of is refused; other texts stand for themselves', () => {
    expect(unmask(maskSecret('gone'), ['other'])).toBeUndefined()
    expect(unmask('svc-new', ['other'])).toBe('svc-new')
    expect(isMask('********')).toBe(false)
  })
})
