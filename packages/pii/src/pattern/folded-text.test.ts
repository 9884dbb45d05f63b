import { describe, expect, it } from 'vitest'
import { analyzeText } from '../analyze.ts'
import { createDetector } from '../create-detector.ts'
import type { DetectionSettings } from '../settings.ts'
import { foldText, listFoldPlaces } from './folded-text.ts'
import { cutToRegion, listRegions } from './text-regions.ts'

async function find(text: string, settings: DetectionSettings = { builtins: ['all'] }): Promise<string[]> {
  const { spans, scanned } = await analyzeText(text, { detectors: [createDetector({ name: 'd', settings })] })
  return spans.map(({ group, start, end }) => `${group} ${scanned.slice(start, end)}`)
}

describe('built-ins read digits of other scripts, wide digits and look-alike letters', () => {
  it.each([
    ['بطاقة ٤١١١ ١١١١ ١١١١ ١١١١', 'CREDITCARD ٤١١١ ١١١١ ١١١١ ١١١١'],
    ['کارت ۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱', 'CREDITCARD ۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱'],
    ['कार्ड ४१११ ११११ ११११ ११११', 'CREDITCARD ४१११ ११११ ११११ ११११'],
    ['บัตร ๔๑๑๑ ๑๑๑๑ ๑๑๑๑ ๑๑๑๑', 'CREDITCARD ๔๑๑๑ ๑๑๑๑ ๑๑๑๑ ๑๑๑๑'],
    ['４１１１ １１１１ １１１１ １１１１', 'CREDITCARD ４１１１ １１１１ １１１１ １１１１'],
    ['الهاتف ٠٥٠ ١٢٣ ٤٥٦٧', 'PHONE ٠٥٠ ١٢٣ ٤٥٦٧'],
    ['کد ملی ۰۴۹۹۳۷۰۸۹۹', 'IR_NATIONAL_CODE ۰۴۹۹۳۷۰۸۹۹'],
    ['+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧', 'PHONE +٩٦٦ ٥٠ ١٢٣ ٤٥٦٧'],
    ['key АKIAQ3EGRPGXKMJWSU7B of', 'CLOUD_ACCESS_KEY АKIAQ3EGRPGXKMJWSU7B'],
    ['DЕ89370400440532013000', 'IBAN DЕ89370400440532013000'],
  ])('%s', async (text, expected) => {
    expect(await find(text)).toEqual([expected])
    expect(await find(`${'слово Δ '.repeat(5000)}${text}${' слово'.repeat(5000)}`)).toEqual([expected])
  })
})

it('a pattern of an operator reads them only where it says so', async () => {
  const text = 'tick-١٢٣٤ tісk-1234'
  const pattern = { name: 'TICKET', match: String.raw`\btick-\d{4}\b` }
  expect(await find(text, { patterns: [pattern] })).toEqual([])
  expect(await find(text, { patterns: [{ ...pattern, fold: true }] })).toEqual(['TICKET tick-١٢٣٤', 'TICKET tісk-1234'])
  expect(await find('tick-1234', { patterns: [{ ...pattern, fold: true }] })).toEqual(['TICKET tick-1234'])
})

it('words of one script are not folded', () => {
  expect([...listFoldPlaces('кто-то сказал в 2024 году, что Apple и АО; Αθήνα and Berlin; عام ٢٠٢٥')]).toEqual([])
  expect([...listFoldPlaces('от АB')]).toEqual([{ start: 3, end: 5 }])
  expect(foldText('АВС ١٢ x')).toBe('ABC 12 x')
})

it('regions lie around the places, apart, from blank to blank', () => {
  const filler = 'lorem ipsum '.repeat(40)
  const text = `${filler}١ ٢${filler}${filler}٣`
  const places = [...text.matchAll(/[\u0660-\u0669]/g)].map(({ index }) => ({ start: index, end: index + 1 }))
  const regions = [...listRegions(text, places)]
  expect(regions).toHaveLength(2)
  for (const { start, end } of regions) {
    expect(text.slice(0, start)).toMatch(/ $|^$/)
    expect(text.slice(end)).toMatch(/^ |^$/)
  }
  expect(
    cutToRegion(
      [
        { start: 0, end: 5 },
        { start: 8, end: 20 },
      ],
      { start: 4, end: 10 },
    ),
  ).toEqual([
    { start: 0, end: 1 },
    { start: 4, end: 6 },
  ])
})
