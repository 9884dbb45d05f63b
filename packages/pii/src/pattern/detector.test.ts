import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import type { JudgedDetection, ScanDocument } from '../detector.ts'
import { joinSegments } from '../document.ts'
import { filterSegments } from '../filter.ts'
import type { Span } from '../span.ts'
import { byteOffset, listRecords } from './__fixtures__/records.ts'
import { MAX_PATTERNS, type PatternSettings } from './detector.ts'
import { createPatternDetector } from './late-detector.ts'

const signal = new AbortController().signal

function joinTexts(segments: readonly string[], messages?: readonly Span[]): ScanDocument {
  return joinSegments({ segments: segments.map((text) => ({ text })), messages }).document
}

async function detect(settings: PatternSettings, document: ScanDocument): Promise<readonly JudgedDetection[]> {
  return createPatternDetector({ name: 'patterns', settings }).detect(document, { signal })
}

async function groupsIn(settings: PatternSettings, text: string): Promise<[string, string, string][]> {
  const document = joinTexts([text])
  const detections = await detect(settings, document)
  return detections.map(({ start, end, group, action }) => [text.slice(start, end), group, action])
}

describe('built-ins', () => {
  it.each(listRecords('builtin'))('$builtins in $text', async ({ builtins, text, expected }) => {
    const detections = await detect({ builtins }, joinTexts([text]))
    const found = detections.map(({ start, end, group }) => [byteOffset(text, start), byteOffset(text, end), group])
    expect(found.toSorted((a, b) => Number(a[0]) - Number(b[0]))).toEqual(expected)
    expect(detections.every(({ source, score }) => source === 'pattern' && score === 1)).toBe(true)
  })

  it('by either name, reported under the neutral group', async () => {
    const text = 'my sk-ant-Zq9Zq9Zq9Zq9Zq9Zq9Zq9Zq9 key'
    for (const name of ['anthropic_api_key', 'provider_b_api_key'] as const) {
      expect(await groupsIn({ builtins: [name] }, text)).toEqual([[text.slice(3, 34), 'PROVIDER_B_KEY', 'mask']])
    }
  })

  it('named twice are looked for once', async () => {
    const text = `ghp_${'A1b2'.repeat(9)}`
    expect(await groupsIn({ builtins: ['github_token', 'codehost_token'] }, text)).toHaveLength(1)
  })

  it('structured ones are off unless they are named', async () => {
    const text = 'jane@example.com 4111 1111 1111 1111'
    const five = [
      'provider_a_api_key',
      'provider_b_api_key',
      'codehost_token',
      'cloud_access_key',
      'private_key_block',
    ] as const
    expect(await groupsIn({ builtins: five }, text)).toEqual([])
    expect(await groupsIn({ builtins: [...five, 'email', 'credit_card'] }, text)).toEqual([
      ['4111 1111 1111 1111', 'CREDITCARD', 'mask'],
      ['jane@example.com', 'EMAIL', 'mask'],
    ])
  })
})

describe('actions', () => {
  const key = 'AKIAQ7Q7Q7Q7Q7Q7Q7Q7'
  const patterns = [{ name: 'TICKET', match: 'tick-\\d+' }]

  it('mask unless something else is said', async () => {
    expect(await groupsIn({ builtins: ['cloud_access_key'], patterns }, `${key} tick-12`)).toEqual([
      [key, 'CLOUD_ACCESS_KEY', 'mask'],
      ['tick-12', 'TICKET', 'mask'],
    ])
  })

  it.each([
    [{ CLOUD_ACCESS_KEY: 'block' }, 'block'],
    [{ AWS_ACCESS_KEY: 'block' }, 'block'],
    [{ cloud_access_key: 'block' }, 'block'],
    [{ aws_access_key: 'block' }, 'block'],
    [{ AWS_ACCESS_KEY: 'block', CLOUD_ACCESS_KEY: 'allow' }, 'allow'],
    [{ TICKET: 'block' }, 'allow'],
  ] as const)('entity_actions %o: %s', async (entityActions, action) => {
    const settings: PatternSettings = { builtins: ['cloud_access_key'], defaultAction: 'allow', entityActions }
    expect(await groupsIn(settings, key)).toEqual([[key, 'CLOUD_ACCESS_KEY', action]])
  })

  it.each(['block', 'mask'] as const)('of two built-ins with the same text %s counts before allow', async (action) => {
    const secret = 'sk-ant-Zq9Zq9Zq9Zq9Zq9Zq9Zq9Zq9'
    const entityActions = { PROVIDER_B_KEY: 'allow', PROVIDER_A_KEY: action } as const
    const detector = createPatternDetector({
      name: 'd',
      settings: { builtins: ['provider_a_api_key', 'provider_b_api_key'], entityActions },
    })
    const { blocked, segments } = await filterSegments({ segments: [{ text: secret }] }, { detectors: [detector] })
    expect(blocked).toBe(action === 'block')
    expect(segments[0]?.spans).toMatchObject([{ group: 'PROVIDER_A_KEY', action }])
  })

  it.each([
    [{}, 'block'],
    [{ entityActions: { TICKET: 'mask' } }, 'mask'],
    [{ defaultAction: 'allow' }, 'block'],
  ] as const)("a pattern's own action counts unless entity_actions names it: %o", async (settings, action) => {
    const own = [{ name: 'TICKET', match: 'tick-\\d+', action: 'block' as const }]
    expect(await groupsIn({ ...settings, patterns: own }, 'tick-1')).toEqual([['tick-1', 'TICKET', action]])
  })
})

describe('min_len counts bytes', () => {
  it.each(listRecords('spans').filter(({ min_len }) => min_len !== undefined))(
    '$pattern in $text, at least $min_len',
    async ({ pattern, text, min_len, spans }) => {
      const found = await detect({ patterns: [{ name: 'X', match: pattern, minLen: min_len }] }, joinTexts([text]))
      expect(found.map(({ start, end }) => [byteOffset(text, start), byteOffset(text, end)])).toEqual(spans)
    },
  )

  it('of whole characters', async () => {
    for (const [minLen, count] of [
      [11, 1],
      [12, 0],
    ] as const) {
      expect(
        await detect({ patterns: [{ name: 'X', match: 'id=[^;]+', minLen }] }, joinTexts(['id=🔑🔑;'])),
      ).toHaveLength(count)
    }
  })
})

describe('a document of several segments', () => {
  it('is scanned as one, with ^ and $ at the edges of each segment', async () => {
    const document = joinTexts(['abc', 'x abc', 'abc x'])
    const found = await detect(
      {
        patterns: [
          { name: 'A', match: '^abc' },
          { name: 'Z', match: 'abc$' },
        ],
      },
      document,
    )
    expect(found.map(({ start, group }) => `${group}${start}`).toSorted()).toEqual(['A0', 'A12', 'Z0', 'Z7'])
  })

  it('a match may take in the blank line between two', async () => {
    const found = await detect({ patterns: [{ name: 'X', match: 'abc\\s+x' }] }, joinTexts(['abc\n', 'x']))
    expect(found).toMatchObject([{ start: 0, end: 7 }])
  })
})

describe('adjacent parts of one message', () => {
  const settings: PatternSettings = {
    builtins: ['cloud_access_key'],
    patterns: [{ name: 'TICKET', match: '^tick-\\d+$' }],
  }
  const pieces = ['id AKIAQ7Q7', 'Q7Q7Q7', 'Q7Q7Q7 tick-1', 'x']

  it('a secret split over them is found, with all text between', async () => {
    const document = joinTexts(pieces, [{ start: 0, end: 4 }])
    const found = await detect(settings, document)
    const span = { start: 3, end: document.text.indexOf(' tick') }
    expect(found).toMatchObject([{ ...span, group: 'CLOUD_ACCESS_KEY', action: 'mask', source: 'pattern', score: 1 }])
  })

  it('parts of different messages stay apart', async () => {
    expect(await detect(settings, joinTexts(pieces))).toEqual([])
    expect(
      await detect(
        settings,
        joinTexts(pieces, [
          { start: 0, end: 1 },
          { start: 1, end: 4 },
        ]),
      ),
    ).toEqual([])
  })

  it('at every cut: the detection covers each piece of the secret', async () => {
    const text = 'x sk-ant-Zq9Zq9Zq9Zq9Zq9Zq9Zq9Zq9 y'
    for (let one = 1; one < text.length - 1; one++) {
      for (let other = one + 1; other < text.length; other += 3) {
        const document = joinTexts(
          [text.slice(0, one), text.slice(one, other), text.slice(other)],
          [{ start: 0, end: 3 }],
        )
        const found = await detect({ builtins: ['provider_b_api_key'] }, document)
        const covered = document.segments
          .map((segment) =>
            [...document.text.slice(segment.start, segment.end)]
              .filter((_, index) =>
                found.some(({ start, end }) => segment.start + index >= start && segment.start + index < end),
              )
              .join(''),
          )
          .join('')
        expect(covered).toBe(text.slice(2, -2))
      }
    }
  })

  it.each<[string, PatternSettings, string[], string]>([
    ['a word that is cut', { builtins: ['us_ssn'] }, ['my S', 'SN: 123-45-6789'], '123-45-6789'],
    ['a character', { patterns: [{ name: 'X', match: '\\b-abc' }] }, ['x', '-abc'], '-abc'],
  ])('a secret with its context in the previous part is found: by %s', async (_, settings, parts, value) => {
    const document = joinTexts(parts, [{ start: 0, end: 2 }])
    const [found, ...others] = await detect(settings, document)
    expect(document.text.slice(found?.start, found?.end)).toBe(value)
    expect(others).toEqual([])
  })

  it('a secret without a sign in any single part is found', async () => {
    const document = joinTexts(['token gh', `p_${'a1B2'.repeat(9)}`, 'end'], [{ start: 0, end: 3 }])
    const found = await detect({ builtins: ['codehost_token'] }, document)
    expect(found.map(({ start, end }) => document.text.slice(start, end))).toEqual([
      `gh\n\np_${'a1B2'.repeat(9)}\n\nend`,
    ])
  })

  it('a secret in one part is reported once', async () => {
    const document = joinTexts(['AKIAQ7Q7Q7Q7Q7Q7Q7Q7', ' and more'], [{ start: 0, end: 2 }])
    expect(await detect(settings, document)).toHaveLength(1)
  })
})

describe('configuration that cannot be', () => {
  it.each<[string, PatternSettings, string]>([
    ['nothing to look for', {}, 'neither builtins nor patterns are named'],
    [
      'an unknown built-in',
      { builtins: ['nope' as 'email'] },
      'builtins: "nope" is not a built-in; there are secrets, structured, all',
    ],
    ['a pattern without a name', { patterns: [{ name: ' ', match: 'abc' }] }, 'patterns[0] has no name'],
    [
      'a pattern that the grammar refuses',
      {
        patterns: [
          { name: 'OK', match: 'abc' },
          { name: 'BAD', match: 'abc.' },
        ],
      },
      'patterns[1] ("BAD"): invalid pattern at position 3: "." (any character) is not allowed',
    ],
    [
      'a length below none',
      { patterns: [{ name: 'X', match: 'abc', minLen: -1 }] },
      'patterns[0]: min_len is not a length',
    ],
    [
      'too many patterns',
      {
        patterns: Array.from({ length: MAX_PATTERNS + 1 }, (_, index) => ({ name: `P${index}`, match: `abc${index}` })),
      },
      'more than 128 patterns',
    ],
  ])('%s', (_, settings, message) => {
    try {
      createPatternDetector({ name: 'patterns', settings })
      expect.unreachable()
    } catch (error) {
      expect(SvcError.is(error)).toBe(true)
      expect(error).toMatchObject({ kind: 'invalid_request', code: 'pii_config' })
      expect(String(error)).toContain(message)
    }
  })

  it('as many patterns as are allowed', async () => {
    const patterns = Array.from({ length: MAX_PATTERNS }, (_, index) => ({ name: `P${index}`, match: `abc${index}x` }))
    expect(await groupsIn({ patterns }, 'abc127x')).toEqual([['abc127x', 'P127', 'mask']])
  })
})

describe('long texts', () => {
  const text = `${'word tick-12 '.repeat(100_000)}`
  const settings: PatternSettings = { patterns: [{ name: 'TICKET', match: 'tick-\\d+' }], builtins: ['email', 'phone'] }

  it('let other work have its turn', async () => {
    let turns = 0
    const detector = createPatternDetector({
      name: 'patterns',
      settings,
      slices: {
        sliceMs: 0,
        yieldControl: async () => {
          turns++
        },
      },
    })
    expect(await detector.detect(joinTexts([text]), { signal })).toHaveLength(100_000)
    expect(turns).toBeGreaterThan(100)
  })

  it('stop when they are no longer wanted', async () => {
    const controller = new AbortController()
    const detector = createPatternDetector({
      name: 'patterns',
      settings,
      slices: { sliceMs: 0, yieldControl: async () => controller.abort(new Error('gone')) },
    })
    await expect(detector.detect(joinTexts([text]), { signal: controller.signal })).rejects.toThrow('gone')
    await expect(
      detector.detect(joinTexts([text]), { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before')
  })

  it('are searched at once, without a look at the signal, where one slice is enough', async () => {
    const detector = createPatternDetector({ name: 'patterns', settings, slices: { sliceMs: 60_000 } })
    // the first search loads the built-ins
    await detector.detect(joinTexts([text]), { signal: new AbortController().signal })
    const found = detector.detect(joinTexts([text]), {
      get signal(): AbortSignal {
        throw new Error('must not be read')
      },
    })
    expect(found).toEqual(expect.any(Array))
  })
})
