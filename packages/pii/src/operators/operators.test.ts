import { createHmac } from 'node:crypto'
import { SvcError } from '@svc/errors'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDetector } from '../create-detector.ts'
import { filterSegments } from '../filter.ts'
import { restoreText } from '../reversible/lane-restorer.ts'
import { createTokenMap } from '../reversible/token-map.ts'
import type { DetectionSettings } from '../settings.ts'
import { hmacSha256 } from './hmac.ts'
import type { MaskFunctions, MaskOperator } from './operators.ts'

const KEY = 'a key of the tests only'
const EMAIL = 'jane@lab.example'

async function redact(operators: DetectionSettings['operators'], ...texts: readonly string[]) {
  const settings: DetectionSettings = { builtins: ['email', 'credit_card', 'codehost_token'], operators }
  const detector = createDetector({ name: 'd', settings, readSecret: (name) => (name === 'PII_KEY' ? KEY : undefined) })
  const segments = texts.map((text) => ({ text }))
  const { segments: filtered } = await filterSegments(
    { segments, messages: [{ start: 0, end: segments.length }] },
    { detectors: [detector] },
  )
  return filtered.map(({ rewritten }) => rewritten)
}

describe('a masked value', () => {
  it('becomes a text of one’s own', async () => {
    expect(await redact({ EMAIL: { replace: '<mail>' } }, `to ${EMAIL}.`)).toEqual(['to <mail>.'])
    expect(await redact({ EMAIL: { replace: '' } }, `to ${EMAIL}.`)).toEqual(['to .'])
  })

  it('becomes a hash, the same for equal values', async () => {
    const hash = createHmac('sha256', KEY).update(EMAIL).digest('hex').slice(0, 16)
    for (const operator of [{ hashKey: KEY }, { hashKeyEnv: 'PII_KEY' }]) {
      expect(await redact({ EMAIL: operator }, `${EMAIL} and ${EMAIL}`)).toEqual([
        `[EMAIL:${hash}] and [EMAIL:${hash}]`,
      ])
    }
  })

  it('becomes the text of a function of one’s own', async () => {
    const settings: DetectionSettings = { builtins: ['email'], operators: { EMAIL: { custom: 'domain' } } }
    const create = (maskFunctions: MaskFunctions) => createDetector({ name: 'd', settings, maskFunctions })
    const redactWith = (maskFunctions: MaskFunctions) =>
      filterSegments({ segments: [{ text: `to ${EMAIL}` }] }, { detectors: [create(maskFunctions)] })
    const { segments } = await redactWith({
      domain: (value, { group }) => `${group.toLowerCase()} at ${value.split('@')[1]}`,
    })
    expect(segments[0]?.rewritten).toBe('to email at lab.example')
    expect(() => create({})).toThrow('operators["EMAIL"]: there is no function "domain"')
    for (const domain of [() => Promise.reject(new Error(EMAIL)), JSON.parse]) {
      const failure = await redactWith({ domain: domain as () => string }).catch((error: unknown) => error)
      expect(SvcError.is(failure) && failure.code).toBe('pii_operator_failed')
      expect(String(failure)).not.toContain(EMAIL)
    }
  })

  it('becomes an invented one: equal for equal values, and restored in the reply', async () => {
    const other = 'bo@lab.example'
    const fake = { EMAIL: { fake: 'email' } } as const
    const [text = ''] = await redact(fake, `${EMAIL}, ${other}, ${EMAIL}`)
    const [one, two, again] = (text ?? '').split(', ')
    expect([one === again, one === two, text?.includes('lab')]).toEqual([true, false, false])
    expect(await redact(fake, EMAIL)).toEqual([one])

    const detectors = [createDetector({ name: 'd', settings: { builtins: ['email', 'iban'], operators: fake } })]
    const masks = createTokenMap({ texts: [] })
    const iban = 'DE89370400440532013000'
    const { segments } = await filterSegments({ segments: [{ text: `${EMAIL} has ${iban}` }] }, { detectors, masks })
    expect(segments[0]?.rewritten).toBe(`${one} has [REDACTED:IBAN_001]`)
    expect(restoreText(masks, `To ${one}: [REDACTED:IBAN_001]`)).toBe(`To ${EMAIL}: ${iban}`)
  })

  it('keeps its last characters, and none where they are half of it or more', async () => {
    const card = { CREDITCARD: { keepLast: 4 } }
    expect(await redact(card, 'pay 4111 1111 1111 1111')).toEqual(['pay ****1111'])
    expect(await redact({ EMAIL: { keepLast: 9 } }, EMAIL)).toEqual(['****'])
  })

  it('has the fixed text in groups without an operator', async () => {
    expect(await redact({ CREDITCARD: { keepLast: 4 } }, EMAIL)).toEqual(['[REDACTED:pattern:EMAIL]'])
  })

  it('may be named by another name of its group', async () => {
    expect(await redact({ GITHUB_TOKEN: { replace: '<token>' } }, `ghp_${'A1b2'.repeat(9)}`)).toEqual(['<token>'])
  })

  it('has the fixed text where only a piece of a finding, or more than one, is masked', async () => {
    const token = `ghp_${'A1b2'.repeat(9)}`
    for (const operator of [{ keepLast: 4 }, { fake: 'person' }] as const)
      expect(await redact({ CODEHOST_TOKEN: operator }, token.slice(0, 20), token.slice(20))).toEqual([
        '[REDACTED:pattern:CODEHOST_TOKEN]',
        '[REDACTED:pattern:CODEHOST_TOKEN]',
      ])
    const wide = { name: 'LINE', match: 'mail [^\\n]+' }
    const detector = createDetector({
      name: 'd',
      settings: {
        builtins: ['email'],
        patterns: [wide],
        operators: { LINE: { keepLast: 4 }, EMAIL: { replace: 'x' } },
      },
    })
    const { segments } = await filterSegments({ segments: [{ text: `mail ${EMAIL}` }] }, { detectors: [detector] })
    expect(segments[0]?.rewritten).toBe('[REDACTED:pattern:LINE]')
  })

  it('has its token where redactions are reversible', async () => {
    const settings: DetectionSettings = { builtins: ['email'], operators: { EMAIL: { keepLast: 4 } } }
    const detectors = [createDetector({ name: 'd', settings })]
    const { segments } = await filterSegments(
      { segments: [{ text: EMAIL }] },
      { detectors, masks: createTokenMap({ texts: [EMAIL] }) },
    )
    expect(segments[0]?.rewritten).toBe('[REDACTED:EMAIL_001]')
  })

  it('is refused or passed on as without operators', async () => {
    for (const [action, rewritten] of [
      ['block', undefined],
      ['allow', undefined],
    ] as const) {
      const settings: DetectionSettings = {
        builtins: ['email'],
        defaultAction: action,
        operators: { EMAIL: { replace: 'x' } },
      }
      const detectors = [createDetector({ name: 'd', settings })]
      const outcome = await filterSegments({ segments: [{ text: EMAIL }] }, { detectors })
      expect([outcome.blocked, outcome.segments[0]?.rewritten]).toEqual([action === 'block', rewritten])
    }
  })
})

it.each<[MaskOperator, string]>([
  [{}, 'needs exactly one of'],
  [{ replace: 'x', keepLast: 1 }, 'needs exactly one of'],
  [{ keepLast: 0 }, 'keep_last must be a whole number from 1 to 64'],
  [{ keepLast: 1.5 }, 'keep_last must be'],
  [{ hashKey: 'short' }, 'needs 16 characters'],
  [{ hashKeyEnv: 'NOT_SET' }, 'NOT_SET holds no key'],
  [{ replace: 'x'.repeat(257) }, 'at most 256'],
  [{ custom: '' }, 'custom must name a function'],
  [{ fake: 'iban' as 'email' }, 'fake must be one of person, '],
])('an operator that cannot be is refused: %o', (operator, message) => {
  try {
    createDetector({ name: 'd', settings: { builtins: ['email'], operators: { EMAIL: operator } } })
    expect.unreachable()
  } catch (error) {
    expect(SvcError.is(error) && error.code).toBe('pii_config')
    expect(String(error)).toContain(`operators["EMAIL"]: `)
    expect(String(error)).toContain(message)
  }
})

it('the hash is HMAC with SHA-256, for texts and keys of any length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.string({ maxLength: 200 }), (text, key) => {
      // Lone halves of surrogate pairs do not occur in scanned texts.
      expect(hmacSha256(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'))
    }),
  )
})
