import { describe, expect, it } from 'vitest'
import { hit } from './__fixtures__/detectors.ts'
import { maskText } from './redact.ts'

describe('maskText', () => {
  it('writes source and group as they are', () => {
    const spans = [hit(0, 3), hit(4, 7, { source: 'pattern', group: 'My Group:1' })]
    expect(maskText('Ada tok.', spans)).toBe('[REDACTED:ner:NAME] [REDACTED:pattern:My Group:1].')
  })

  it('leaves allowed and blocked findings', () => {
    expect(maskText('Ada Bo', [hit(0, 3, { action: 'allow' }), hit(4, 6, { action: 'block' })])).toBe('Ada Bo')
  })

  it('takes the replacement literally', () => {
    expect(maskText('Ada', [hit(0, 3)], { mask: () => '$& $1' })).toBe('$& $1')
  })
})
