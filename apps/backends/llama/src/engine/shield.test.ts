import { describe, expect, it } from 'vitest'
import { createShield } from './shield.ts'
import { createSpecialText } from './special-text.ts'

const special = createSpecialText([{ text: '<end>', id: 1, stripsLeft: false, stripsRight: false }])

describe('a shield', () => {
  it('leaves data without special texts as it is', () => {
    const shield = createShield(special)
    const data = { a: ['x', 1, null, true], b: { c: 'y' } }
    expect(shield.hide(data)).toEqual(data)
    expect(shield.used).toBe(false)
  })

  it('hides special texts however deep, in names too, and gives them back', () => {
    const shield = createShield(special)
    const hidden = JSON.stringify(shield.hide({ 'k<end>': ['a<end>b', { c: '<end><end>' }] }))
    expect(shield.used).toBe(true)
    expect(hidden).not.toContain('<end>')
    expect(JSON.parse(shield.reveal(hidden))).toEqual({ 'k<end>': ['a<end>b', { c: '<end><end>' }] })
  })

  it('survives trimming, change of case and cutting', () => {
    const shield = createShield(special)
    const hidden = shield.hide('  x<end>Y  ')
    expect(shield.reveal(hidden.trim().toUpperCase())).toBe('X<end>Y')
    expect(shield.reveal(hidden.slice(0, 4))).not.toContain('<end>')
  })

  it('does not mistake data for a placeholder', () => {
    const shield = createShield(special)
    const foreign = '\ue0a0123:0\ue0a1'
    const hidden = shield.hide(`${foreign}<end>`)
    expect(shield.reveal(hidden)).toBe(`${foreign}<end>`)
  })
})
