import { describe, expect, it } from 'vitest'
import { analyzeText } from '../../analyze.ts'
import { createDetector } from '../../create-detector.ts'
import { STRUCTURED_KINDS } from './catalogue.ts'
import { WORLD_ID_KINDS } from './world-ids.ts'

const detector = createDetector({ name: 'ids', settings: { builtins: ['structured'] } })

async function find(text: string): Promise<string[]> {
  const { spans, scanned } = await analyzeText(text, { detectors: [detector] })
  return spans.map(({ group, start, end, checked }) => {
    return `${group}${checked === false ? '?' : ''} ${scanned.slice(start, end)}`
  })
}

/** A valid number with its label, and the same with a wrong last digit. `-` stands for no label. */
const NUMBERS = [
  ['CN_RESIDENT_ID', '-', '11010519491231002X', '110105194912310021'],
  ['KR_RESIDENT_NUMBER', '-', '900101-1234567', '901301-1234567'],
  ['PK_IDENTITY_CARD', '-', '35202-1234567-1', '05202-1234567-1'],
  ['RU_SNILS', '-', '112-233-445 95', '112-233-445 96'],
  ['RU_TAX_NUMBER', 'ИНН', '7707083893', '7707083894'],
  ['TH_CITIZEN_ID', '-', '1-1037-02071-81-1', '1-1037-02071-81-2'],
  ['AR_TAX_ID', '-', '20-12345678-6', '20-12345678-5'],
  ['ID_CITIZEN_NUMBER', 'NIK', '3171011708450001', '3171017708450001'],
  ['JP_INDIVIDUAL_NUMBER', 'マイナンバー', '123456789018', '123456789019'],
  ['EG_IDENTITY_NUMBER', 'الرقم القومي', '29001010112345', '29013010112345'],
  ['IR_NATIONAL_CODE', 'کد ملی', '0499370899', '0499370898'],
  ['TR_IDENTITY_NUMBER', 'TC Kimlik No', '10000000146', '10000000147'],
  ['TZ_IDENTITY_NUMBER', 'NIDA', '19900101123450000123', '19901301123450000123'],
  ['ZA_IDENTITY_NUMBER', 'SA ID', '8001015009087', '8001015009088'],
  ['UA_TAX_NUMBER', 'РНОКПП', '1759013776', '1759013777'],
  ['CA_SOCIAL_INSURANCE', 'social insurance number', '130 692 544', '130 692 545'],
  ['AU_TAX_FILE_NUMBER', 'TFN', '123 456 782', '123 456 783'],
  ['SA_IDENTITY_NUMBER', 'iqama', '2000000006', '2000000007'],
] as const

describe.each(NUMBERS)('%s', (group, label, right, wrong) => {
  const word = label === '-' ? '' : `${label} `

  it('is found with the right check or range', async () => {
    expect(await find(`note, ${word}${right}.`)).toEqual([`${group} ${right}`])
  })

  it('is not checked, or not found, with a wrong one', async () => {
    const expected = label === '-' ? [] : [`${group}? ${wrong}`]
    expect(await find(`note, ${word}${wrong}.`)).toEqual(expected)
  })
})

it.each([
  ['CURP: HEGG560427MVZRRL04', 'MX_CURP HEGG560427MVZRRL04'],
  ['card 12/OUKAMA(N)123456', 'MM_REGISTRATION_CARD 12/OUKAMA(N)123456'],
  ['my NIN is 12345678901', 'NG_IDENTITY_NUMBER 12345678901'],
  ['NID: 1234567890', 'BD_IDENTITY_NUMBER 1234567890'],
  ['PhilSys PSN 1234-5678-9012', 'PH_IDENTITY_NUMBER 1234-5678-9012'],
  ['CCCD: 001099012345', 'VN_CITIZEN_ID 001099012345'],
  ['Huduma 12345678', 'KE_IDENTITY_NUMBER 12345678'],
  ['cédula 1.020.304.050', 'CO_CITIZEN_CARD 1.020.304.050'],
])('numbers without a check need a label beside them: %s', async (text, expected) => {
  expect(await find(text)).toEqual([expected])
})

it.each(['order 7707083893 of today', 'nid of the node and 1234567890', 'id 35202-1234567-12', 'x 12/OUKAMA(N)12345'])(
  'finds nothing in %s',
  async (text) => {
    expect(await find(text)).toEqual([])
  },
)

it('the kinds come before the cards, which have the same digits', () => {
  expect(STRUCTURED_KINDS.slice(1, 1 + WORLD_ID_KINDS.length)).toEqual(WORLD_ID_KINDS)
})

it.each([
  ['2200 1234 5678 9019', 'CREDITCARD'],
  ['213112345678904', 'CREDITCARD'],
  ['HN88CABF00000000000250005469', 'IBAN'],
  ['FK88SC123456789012', 'IBAN'],
])('cards and accounts: %s', async (value, group) => {
  expect(await find(`note ${value}`)).toEqual([`${group} ${value}`])
})
