import { describe, expect, it } from 'vitest'
import { createLaneRestorer, type LaneKind, restoreText } from './lane-restorer.ts'
import { createTokenMap, type TokenMapOptions } from './token-map.ts'

function createMap(values: readonly string[], options: Partial<TokenMapOptions> = {}) {
  const map = createTokenMap({ texts: [], ...options })
  for (const value of values) map.mask({ group: 'EMAIL' }, value)
  return map
}

/** Runs a lane: one output for each piece and one for its end. */
function run(values: readonly string[], pieces: readonly string[], kind: LaneKind = 'text'): string[] {
  const lane = createLaneRestorer(createMap(values), kind)
  return [...pieces.map((piece) => lane.push(piece)), lane.end()]
}

describe('a lane of text', () => {
  it('restores values that the map gets while it runs', () => {
    const map = createMap([])
    const lane = createLaneRestorer(map)
    expect(lane.push('[REDACTED:EMAIL_001] ')).toBe('[REDACTED:EMAIL_001] ')
    map.mask({ group: 'EMAIL' }, 'a@b')
    expect([lane.push('[REDACTED:EMA'), lane.push('IL_001]')]).toEqual(['', 'a@b'])
    map.mask({ group: 'EMAIL' }, 'c@d')
    expect(lane.push('[REDACTED:EMAIL_002]')).toBe('c@d')
  })

  it('holds back only possible beginnings of tokens', () => {
    expect(run(['a@b'], ['to [REDA', 'CTED:EMAIL_001', '], and'])).toEqual(['to ', '', 'a@b, and', ''])
    expect(run(['a@b'], ['to [REDACTED:NAME', '_001]'])).toEqual(['to [REDACTED:NAME', '_001]', ''])
    expect(run(['a@b'], ['x [', '[REDACTED:EMAIL_001]'])).toEqual(['x ', '[a@b', ''])
    expect(run(['a@b'], ['no token here', '!'])).toEqual(['no token here', '!', ''])
  })

  it('releases held text at its end', () => {
    expect(run(['a@b'], ['so [REDACTED:EMAIL_0'])).toEqual(['so ', '[REDACTED:EMAIL_0'])
  })

  it('leaves tokens of other requests', () => {
    expect(run(['a@b'], ['EMAIL_001 [REDACTED:EMAIL_002] [redacted:email_001]'])[0]).toBe(
      'EMAIL_001 [REDACTED:EMAIL_002] [redacted:email_001]',
    )
  })

  it('does not restore inside restored text', () => {
    const map = createTokenMap({ texts: [] })
    map.mask({ group: 'A' }, '[REDACTED:B_001]')
    map.mask({ group: 'B' }, 'secret')
    expect(restoreText(map, '[REDACTED:A_001]')).toBe('[REDACTED:B_001]')
    const lane = createLaneRestorer(map)
    expect(['[REDACTED:A_001', ']'].map((piece) => lane.push(piece))).toEqual(['', '[REDACTED:B_001]'])
  })

  it('takes the longest of tokens that begin at one place', () => {
    const values = Array.from({ length: 1000 }, (_, index) => `<${index + 1}>`)
    const map = createMap(values, { prefix: '#', suffix: '' })
    expect(restoreText(map, '#EMAIL_1000 #EMAIL_100')).toBe('<1000> <100>')
    const lane = createLaneRestorer(map)
    expect(['#EMAIL_100', '0 #EMAIL_100', '!'].map((piece) => lane.push(piece))).toEqual(['', '<1000> ', '<100>!'])
    lane.push('#EMAIL_100')
    expect(lane.end()).toBe('<100>')
  })

  it('tells whether it holds something', () => {
    const lane = createLaneRestorer(createMap(['a@b']))
    lane.push('[RED')
    expect(lane.isHolding).toBe(true)
    lane.push('!')
    expect(lane.isHolding).toBe(false)
  })

  it('passes all through without a value', () => {
    expect(createLaneRestorer(createTokenMap({ texts: [] })).push('[REDACTED:')).toBe('[REDACTED:')
  })
})

describe('a lane of JSON text', () => {
  const value = 'say "hi"\n'

  it('escapes values', () => {
    const text = '{"to":"[REDACTED:EMAIL_001]"}'
    expect(JSON.parse(restoreText(createMap([value]), text, 'json'))).toEqual({ to: value })
  })

  it('finds tokens however they are escaped and leaves the rest as it was written', () => {
    const text = '{"to":"\\u005bREDACTED:EM\\u0041IL_001\\u005D","other":"\\u0041\\n\\/"}'
    expect(restoreText(createMap(['v']), text, 'json')).toBe('{"to":"v","other":"\\u0041\\n\\/"}')
  })

  it('is the same at every cut', () => {
    const text = '{"a":"\\u005bREDACTED:EMAIL_001]","b":"\\\\[REDACTED:EMAIL_001\\u005d \\u00e9 [REDACTED:EMAIL_00"}'
    const whole = restoreText(createMap([value]), text, 'json')
    expect(JSON.parse(whole)).toEqual({ a: value, b: `\\${value} é [REDACTED:EMAIL_00` })
    for (let cut = 0; cut <= text.length; cut++) {
      expect(run([value], [text.slice(0, cut), text.slice(cut)], 'json').join('')).toBe(whole)
    }
  })

  it('a token with characters that JSON escapes is found', () => {
    const map = createMap(['v'], { prefix: '<"', suffix: '">' })
    expect(restoreText(map, '{"a":"<\\"EMAIL_001\\">"}', 'json')).toBe('{"a":"v"}')
  })
})
