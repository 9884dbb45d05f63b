import { expect, it } from 'vitest'
import { createDetector } from './detectors.ts'

const detector = createDetector({ name: 'test', settings: { builtins: ['all'] }, slices: { sliceMs: 60_000 } })

async function find(text: string): Promise<string[]> {
  const document = { text, segments: [{ start: 0, end: text.length }], messages: [] }
  const found = await detector.detect(document, { signal: new AbortController().signal })
  return found.map(({ start, end, group }) => `${group} ${text.slice(start, end)}`)
}

it.each([
  ['Der Code für die Haustür ist 7316.', 'ACCESS_CODE 7316'],
  ['o código do cofre é 9042', 'ACCESS_CODE 9042'],
  ['Karte läuft bis 04/31, CVV 482.', 'ACCESS_CODE 482'],
  ['mdp : Falaise*71', 'PASSWORD_ASSIGNMENT Falaise*71'],
  ['CLAVE = "tormenta_58"', 'PASSWORD_ASSIGNMENT tormenta_58'],
  ['Wohnhaft Amselweg 21, 24103 Kiel.', 'POSTCODE 24103'],
  ['收件地址:南山区科苑路29号', 'STREET_ADDRESS 南山区科苑路29号'],
  ['出生日期:1979年3月8日', 'BIRTH_DATE 1979年3月8日'],
])('%j holds %j', async (text, expected) => {
  expect(await find(text)).toContain(expected)
})

it.each([
  'o código do produto é 9042',
  'The market grew in 2019 Berlin reports',
  '2031-04-05T06:07:08.123Z INFO started',
  'Das Passwort für das Konto ist abgelaufen.',
])('%j holds nothing', async (text) => {
  expect(await find(text)).toEqual([])
})
