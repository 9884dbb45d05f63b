import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createFakeWriter } from '../fakes/fakes.ts'
import { createLaneRestorer, restoreText } from './lane-restorer.ts'
import { createTokenMap } from './token-map.ts'

const EMAIL = { group: 'EMAIL' }

describe('tokens', () => {
  it('are numbered by group and the same for the same value', () => {
    const map = createTokenMap({ texts: [] })
    expect(map.mask(EMAIL, 'a@b.example')).toBe('[REDACTED:EMAIL_001]')
    expect(map.mask(EMAIL, 'c@d.example')).toBe('[REDACTED:EMAIL_002]')
    expect(map.mask({ group: 'PIN' }, '4421')).toBe('[REDACTED:PIN_001]')
    expect(map.mask({ group: 'PIN' }, 'a@b.example')).toBe('[REDACTED:EMAIL_001]')
    expect(map.size).toBe(3)
  })

  it.each([
    ['ner:email', 'EMAIL'],
    ['a:b:Credit card-no', 'CREDIT_CARD_NO'],
    ['straße', 'STRASSE'],
    ['', 'PII'],
    ['ner:', 'PII'],
  ])('the group %s is written %s', (group, written) => {
    expect(createTokenMap({ texts: [] }).mask({ group }, 'x')).toBe(`[REDACTED:${written}_001]`)
  })

  it('grow past three digits', () => {
    const map = createTokenMap({ texts: [] })
    for (let index = 0; index < 1000; index++) map.mask(EMAIL, `value ${index}`)
    expect(map.mask(EMAIL, 'one more')).toBe('[REDACTED:EMAIL_1001]')
  })

  it('have the ends that are configured', () => {
    expect(createTokenMap({ prefix: '<PII:', suffix: '>', texts: [] }).mask(EMAIL, 'x')).toBe('<PII:EMAIL_001>')
  })

  it('are created from any iterable of texts, and refuse other items', () => {
    function* texts(last: unknown): Generator<string> {
      yield 'see [REDACTED:EMAIL_001]'
      yield last as string
    }
    expect(createTokenMap({ texts: texts('b') }).mask(EMAIL, 'x')).toBe('[REDACTED:EMAIL_002]')
    expect(() => createTokenMap({ texts: texts({}) }).mask(EMAIL, 'x')).toThrow(/must be a text, not an object/)
    expect(() => createTokenMap({ texts: 'ab' })).toThrow(/must be an array or another iterable of texts/)
  })

  it('skip tokens that the request already holds', () => {
    const texts = ['see [REDACTED:EMAIL_001]', '[REDACTED:[REDACTED:EMAIL_003]', '[REDACTED:EMAIL_002 ]']
    const map = createTokenMap({ texts })
    expect(map.mask(EMAIL, 'a')).toBe('[REDACTED:EMAIL_002]')
    expect(map.mask(EMAIL, 'b')).toBe('[REDACTED:EMAIL_004]')
  })

  it.each([[[]], [['b']]])('skip tokens of texts that come later, after masking %j', (masked) => {
    const map = createTokenMap({ texts: ['[REDACTED:EMAIL_001]'] })
    for (const value of masked) map.mask(EMAIL, value)
    map.avoid(['so [REDACTED:EMAIL_003]'])
    map.avoid(['and [REDACTED:EMAIL_004]'])
    const tokens = ['x', 'y', 'z'].map((value) => map.mask(EMAIL, value))
    expect(tokens.filter((token) => /00[134]/.test(token))).toEqual([])
  })

  it('skip them also without a suffix', () => {
    const map = createTokenMap({ prefix: '#', suffix: '', texts: ['#EMAIL_0012'] })
    expect(map.mask(EMAIL, 'a')).toBe('#EMAIL_002')
  })

  it('are found among many look-alikes without comparing all with all', () => {
    const texts = [Array.from({ length: 50_000 }, (_, index) => `[REDACTED:EMAIL_${index + 1}]`).join('')]
    const map = createTokenMap({ texts })
    expect(map.mask(EMAIL, 'a')).toBe('[REDACTED:EMAIL_001]')
    for (let index = 0; index < 98; index++) map.mask(EMAIL, `value ${index}`)
    expect(map.mask(EMAIL, 'last')).toBe('[REDACTED:EMAIL_50001]')
  })
})

it('nothing shows the values by accident', () => {
  const map = createTokenMap({ texts: ['the text of a request'] })
  map.mask(EMAIL, 'secret@b.example')
  expect(map.matcher.isEmpty).toBe(false)
  const shown = [
    JSON.stringify(map),
    JSON.stringify({ ...map }),
    inspect(map, { depth: 9, showHidden: true }),
    String(map),
  ]
  for (const text of shown) expect(text).not.toMatch(/secret|request/)
})

describe('an invented value', () => {
  const list = ['Alwin Marlow', 'Benno Carvel', 'Celia Harnow']
  const writeFake = (_: string, attempt: number) => list[attempt % list.length] ?? ''
  const kind = { group: 'PER', writeFake }

  it('is never in a text of the request or a later one, and never two values’', () => {
    const map = createTokenMap({ texts: ['met Alwin Marlow yesterday'].values() })
    expect(map.mask(kind, 'Ada')).toBe('Benno Carvel')
    map.avoid(['Celia Harnow replies'])
    expect(map.mask(kind, 'Bo')).toBe('[REDACTED:PER_001]')
    expect(map.mask(kind, 'Ada')).toBe('Benno Carvel')
    expect(map.mask({ group: 'PER' }, 'Ada')).toBe('Benno Carvel')
  })

  it('is looked for in a bounded length of texts', () => {
    const map = createTokenMap({ texts: ['x'.repeat(2 ** 25)] })
    const masks = ['a', 'b', 'c'].map((name) => map.mask({ group: 'PER', writeFake: (value) => `Fake ${value}` }, name))
    expect(masks).toEqual(['Fake a', 'Fake b', '[REDACTED:PER_001]'])
  })

  it('of any length and script is restored wherever the text is cut', () => {
    const known = [
      { token: 'é', value: 'one' },
      { token: 'Ålwin', value: 'two' },
      { token: '日本', value: 'three' },
    ]
    for (const entries of [known, known.slice(1), known.slice(1, 2)]) {
      const map = createTokenMap({ texts: [], known: entries })
      const text = 'é, iÅlwin Ålwi 日本 日 Alwin [REDACTED:Å'
      const whole = entries.reduce((read, { token, value }) => read.replaceAll(token, value), text)
      for (let cut = 0; cut <= text.length; cut++) {
        const lane = createLaneRestorer(map)
        expect(lane.push(text.slice(0, cut)) + lane.push(text.slice(cut)) + lane.end()).toBe(whole)
      }
    }
  })

  it('is found in a long text without comparing each with each position', () => {
    const map = createTokenMap({ texts: [] })
    const names = Array.from({ length: 1000 }, (_, index) => `user${index}`)
    const fakes = names.map((name) =>
      map.mask({ group: 'PER', writeFake: createFakeWriter('email', 'key') }, `${name}@lab.example`),
    )
    const filler = 'the quick brown fox jumps over a lazy dog '.repeat(100_000)
    const start = process.cpuUsage()
    expect(restoreText(map, `${filler}${fakes[0]}`)).toBe(`${filler}user0@lab.example`)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000)
  })

  it('stands for at most a thousand values', () => {
    const map = createTokenMap({ texts: [] })
    const masks = Array.from({ length: 1001 }, (_, index) =>
      map.mask({ group: 'PER', writeFake: (value) => `Fake ${value}` }, `value ${index}.`),
    )
    expect(masks.slice(-2)).toEqual(['Fake value 999.', '[REDACTED:PER_001]'])
  })
})

describe('the values of earlier requests', () => {
  it('keep their tokens, are restored, and their tokens are no other value’s', () => {
    const first = createTokenMap({ texts: [] })
    first.mask(EMAIL, 'a@b.example')
    first.mask({ group: 'PER', writeFake: () => 'Alwin Marlow' }, 'Ada')
    const known = JSON.parse(JSON.stringify(first.entries()))
    const second = createTokenMap({ texts: [], known })
    expect(second.size).toBe(2)
    expect(second.mask(EMAIL, 'c@d.example')).toBe('[REDACTED:EMAIL_002]')
    expect(second.mask(EMAIL, 'a@b.example')).toBe('[REDACTED:EMAIL_001]')
    const reply = 'Alwin Marlow: [REDACTED:EMAIL_001], [REDACTED:EMAIL_002]'
    for (let cut = 0; cut <= reply.length; cut++) {
      const lane = createLaneRestorer(second)
      expect(lane.push(reply.slice(0, cut)) + lane.push(reply.slice(cut)) + lane.end()).toBe(
        'Ada: a@b.example, c@d.example',
      )
    }
    expect(() => createTokenMap({ texts: [], known: [{ token: '', value: 'x' }] })).toThrow('known[]')
  })
})
