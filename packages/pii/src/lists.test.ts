import { describe, expect, it } from 'vitest'
import { createDetector, type DetectorOptions } from './create-detector.ts'
import { filterSegments } from './filter.ts'
import type { DetectionSettings } from './settings.ts'

async function redact(settings: DetectionSettings, texts: readonly string[], options: Partial<DetectorOptions> = {}) {
  const detectors = [createDetector({ name: 'd', settings, ...options })]
  const segments = texts.map((text) => ({ text }))
  const messages = [{ start: 0, end: segments.length }]
  const outcome = await filterSegments({ segments, messages }, { detectors })
  return outcome.blocked ? 'blocked' : outcome.segments.map(({ scanned, rewritten }) => rewritten ?? scanned)
}

const PROJECT = '[REDACTED:pattern:PROJECT]'
const DENIED: DetectionSettings = { denyList: { PROJECT: ['Blue Heron', 'Kranich'] } }

describe('a deny list', () => {
  it.each([
    ['the Blue Heron, BLUE\n heron and kranich.', `the ${PROJECT}, ${PROJECT} and ${PROJECT}.`],
    ['Kraniche and blue herons fly', 'Kraniche and blue herons fly'],
    ['Kra\u200bnich', PROJECT],
    ['K\u0433anich', 'K\u0433anich'],
    ['Ｋranich', PROJECT],
  ])('is found as whole words in any case: %j', async (text, expected) => {
    expect(await redact(DENIED, [text])).toEqual([expected])
  })

  it('is found over the parts of a message, and not from one message to the next', async () => {
    expect(await redact(DENIED, ['the Blue He', 'ron flies'])).toEqual([`the ${PROJECT}`, `${PROJECT} flies`])
    const detectors = [createDetector({ name: 'd', settings: DENIED })]
    const { masked } = await filterSegments({ segments: [{ text: 'so blue' }, { text: 'heron' }] }, { detectors })
    expect(masked).toBe(false)
  })

  it('is found in encodings, and has actions and operators', async () => {
    const encoded = Buffer.from('the name is Blue Heron, they say').toString('base64')
    expect(await redact({ ...DENIED, encodings: ['base64'] }, [encoded])).toEqual([PROJECT])
    expect(await redact({ ...DENIED, entityActions: { PROJECT: 'block' } }, ['kranich'])).toBe('blocked')
    expect(await redact({ ...DENIED, operators: { PROJECT: { replace: 'P' } } }, ['kranich'])).toEqual(['P'])
  })

  it('stands beside a recogniser', async () => {
    const classifier = { classify: async () => [{ start: 0, end: 3, group: 'PER', score: 1 }] }
    expect(await redact(DENIED, ['Ada and Kranich'], { classifier })).toEqual([`[REDACTED:ner:PER] and ${PROJECT}`])
  })

  it.each<[DetectionSettings['denyList'], string]>([
    [{ A: ['ab'] }, 'deny_list["A"][0]: a term needs 3 characters or more'],
    [{ ' ': ['abc'] }, 'a group has no name'],
    [{ A: Array.from({ length: 10_001 }, (_, index) => `term ${index}`) }, 'more than 10000 terms'],
  ])('is refused where it cannot be', (denyList, message) => {
    expect(() => createDetector({ name: 'd', settings: { denyList } })).toThrow(message)
  })
})

describe('an allow list', () => {
  const allowList = ['info@lab.example', 'Ada  Byron']
  const builtins = ['email'] as const

  it('holds whole findings, in any case', async () => {
    const text = 'ask INFO@lab.example or an.info@lab.example'
    expect(await redact({ builtins, allowList }, [text])).toEqual(['ask INFO@lab.example or [REDACTED:pattern:EMAIL]'])
  })

  it('holds findings of a recogniser and denied terms, but no piece of a longer finding', async () => {
    const classify = async (text: string) => [{ start: 0, end: text.length, group: 'PER', score: 1 }]
    expect(await redact({ allowList }, ['ada\nbyron'], { classifier: { classify } })).toEqual(['ada\nbyron'])
    expect(await redact({ allowList }, ['Ada Byron King'], { classifier: { classify } })).toEqual([
      '[REDACTED:ner:PER]',
    ])
    expect(await redact({ ...DENIED, allowList: ['kranich'] }, ['Kranich'])).toEqual(['Kranich'])
  })

  it('leaves the findings of other detectors', async () => {
    const detectors = [
      createDetector({ name: 'one', settings: { builtins, allowList } }),
      createDetector({ name: 'other', settings: { builtins } }),
    ]
    const { masked } = await filterSegments({ segments: [{ text: 'info@lab.example' }] }, { detectors })
    expect(masked).toBe(true)
  })

  it.each([[['']], [[' ']], [Array.from({ length: 10_001 }, (_, index) => `value ${index}`)]])(
    'is refused where it cannot be',
    (values) => {
      expect(() => createDetector({ name: 'd', settings: { builtins, allowList: values } })).toThrow(
        'allow_list holds ',
      )
    },
  )
})

describe('files of lists', () => {
  const files = new Map<string, string>()
  const warned: string[] = []
  const options: Partial<DetectorOptions> = {
    termFiles: {
      read: async (path) => {
        const text = files.get(path)
        return text === undefined ? undefined : { text, stamp: text }
      },
    },
    logger: { warn: ({ reason }) => warned.push(String(reason)) },
  }
  const settings: DetectionSettings = {
    builtins: ['email'],
    denyList: { PROJECT: ['Kranich'] },
    denyListFiles: { PROJECT: ['projects'], SITE: ['sites'] },
    allowListFiles: ['public'],
    operators: { SITE: { replace: 'a site' } },
  }

  it('join those of the settings, and are read again when they change', async () => {
    files
      .set('projects', '# of this year\r\nBlue Heron\r\n')
      .set('sites', 'Hall 9')
      .set('public', '\uFEFFinfo@lab.example')
    const detectors = [createDetector({ name: 'd', settings, ...options })]
    const redacted = async (text: string) => {
      const outcome = await filterSegments({ segments: [{ text }] }, { detectors })
      return outcome.blocked ? undefined : outcome.segments.map(({ scanned, rewritten }) => rewritten ?? scanned)[0]
    }
    const text = 'blue heron, kranich in hall 9: info@lab.example, this year'
    expect(await redacted(text)).toBe(`${PROJECT}, ${PROJECT} in a site: info@lab.example, this year`)
    files.set('projects', 'this year').set('public', '')
    expect(await redacted(text)).toBe(`blue heron, ${PROJECT} in a site: [REDACTED:pattern:EMAIL], ${PROJECT}`)
  })

  it.each([
    ['projects', undefined, 'deny_list_files["PROJECT"]: projects is missing'],
    ['sites', '# nothing\n', 'deny_list_files["SITE"]: sites holds no term'],
    ['sites', 'Hall 9\n\nab', 'deny_list_files["SITE"]: sites:3: a term needs 3 characters or more'],
    ['public', undefined, 'allow_list_files: public is missing'],
    ['public', 'x\n'.repeat(10_001), 'allow_list_files: public holds more than 10000 entries'],
  ])('fail scans where a file cannot be used: %s %j', async (path, content, fault) => {
    files.set('projects', 'Blue Heron').set('sites', 'Hall 9').set('public', 'x')
    if (content === undefined) files.delete(path)
    else files.set(path, content)
    warned.length = 0
    const detectors = [createDetector({ name: 'd', settings, ...options })]
    for (let scan = 0; scan < 2; scan++) {
      const failed = filterSegments({ segments: [{ text: 'harmless' }] }, { detectors })
      await expect(failed).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
    }
    expect(warned).toEqual([expect.stringContaining(fault)])
    files.set(path, 'good')
    expect(await filterSegments({ segments: [{ text: 'a good one' }] }, { detectors })).toMatchObject({
      blocked: false,
    })
  })

  it('fail scans where nothing reads them', async () => {
    const detectors = [createDetector({ name: 'd', settings: { denyListFiles: { P: ['projects'] } } })]
    const failed = filterSegments({ segments: [{ text: 'harmless' }] }, { detectors })
    await expect(failed).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
  })

  it('are of groups that the detector reports', () => {
    const other = { ...settings, operators: { SIGHT: { replace: 'x' } } }
    expect(() => createDetector({ name: 'd', settings: other, ...options })).toThrow('operators["SIGHT"]')
  })
})
