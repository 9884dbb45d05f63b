import { describe, expect, it } from 'vitest'
import { analyzeText } from '../../analyze.ts'
import { createDetector } from '../../create-detector.ts'
import { PHONE_PLANS } from '../phone-regions.ts'
import { PHONE_REGIONS } from '../structured-names.ts'

async function find(text: string, phoneRegions?: readonly string[]): Promise<string[]> {
  const settings = { builtins: ['phone' as const], phoneRegions }
  const { spans, scanned } = await analyzeText(text, { detectors: [createDetector({ name: 'phone', settings })] })
  return spans.map(({ start, end }) => scanned.slice(start, end))
}

describe('national numbers of a region need no label', () => {
  it.each([
    ...[
      ['IN', '98765 43210'],
      ['CN', '13800138000'],
      ['US', '2125550123'],
      ['ID', '0812-3456-7890'],
    ],
    ...[
      ['PK', '0301 2345678'],
      ['NG', '0803 123 4567'],
      ['BR', '11 91234-5678'],
      ['BD', '01712-345678'],
    ],
    ...[
      ['RU', '8 912 345 67 89'],
      ['MX', '55 1234 5678'],
      ['JP', '090-1234-5678'],
      ['ET', '091 123 4567'],
    ],
    ...[
      ['PH', '0917 123 4567'],
      ['EG', '0100 123 4567'],
      ['CD', '081 234 5678'],
      ['VN', '091 234 56 78'],
    ],
    ...[
      ['IR', '0912 345 6789'],
      ['TR', '0501 234 56 78'],
      ['DE', '030 1234567'],
      ['DE', '0171/1234567'],
    ],
    ...[
      ['TH', '081 234 5678'],
      ['GB', '07400 123456'],
      ['TZ', '0621 234 567'],
      ['FR', '06 12 34 56 78'],
    ],
    ...[
      ['ZA', '071 123 4567'],
      ['IT', '312 345 6789'],
      ['KE', '0712 123456'],
      ['MM', '09 212 3456'],
    ],
    ...[
      ['CO', '321 1234567'],
      ['KR', '010-2000-0000'],
      ['ES', '612 34 56 78'],
      ['UA', '050 123 4567'],
    ],
  ])('%s: %s', async (region, number) => {
    expect(await find(`we met at ${number} again`, [region])).toEqual([number])
    expect(await find(`we met at ${number}`, ['US', region])).toEqual([number])
  })

  it.each([
    ['DE', 'on 2024-01-15 at 12'],
    ['US', '1 234 567 890 people'],
    ['US', '$2125550123'],
    ['ES', 'version 612.345.678-1'],
    ['GB', 'x07400123456'],
    ['FR', '01 12 34 56 78 90 12'],
    ['IN', '0.9876543210'],
  ])('%s: not in %s', async (region, text) => {
    expect(await find(text, [region])).toEqual([])
  })

  it('of other regions, and without one, stay', async () => {
    expect(await find('we met at 030 1234567')).toEqual([])
    expect(await find('we met at 612 345 678', ['CN'])).toEqual([])
  })
})

it.each([
  '06 12 34 56 78',
  '(030) 1234567',
  '020 7946 0958',
  '07700 900123',
  '0412 345 678',
  '090-1234-5678',
  '8 (916) 123-45-67',
  '(11) 91234-5678',
  '011 44 20 7946 0958',
])('a number in the form of a country needs none: %s', async (number) => {
  expect(await find(`write or come, ${number}.`)).toEqual([number])
})

it.each(['00 12 34 56 78', '06 12 34 56 78 90', '01-02-2023', '(11) 11234-5678', '8 123 45'])(
  'a number of another form is no telephone: %s',
  async (text) => {
    expect(await find(text)).toEqual([])
  },
)

it('refuses an unknown region by name', () => {
  const settings = { builtins: ['phone' as const], phoneRegions: ['XX'] }
  expect(() => createDetector({ name: 'phone', settings })).toThrow('phone_regions: "XX" is not one of')
  expect([...PHONE_PLANS.keys()]).toEqual(PHONE_REGIONS)
})
