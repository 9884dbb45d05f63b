import { describe, expect, it } from 'vitest'
import { analyzeText } from '../../analyze.ts'
import { createDetector } from '../../create-detector.ts'

const every = createDetector({ name: 'every', settings: { builtins: ['structured'] } })
const strict = createDetector({ name: 'strict', settings: { builtins: ['structured'], checkedOnly: true } })

async function find(text: string, detector = every): Promise<string[]> {
  const { spans, scanned } = await analyzeText(text, { detectors: [detector] })
  return spans.map(({ group, start, end, checked }) => {
    return `${group}${checked === false ? '?' : ''} ${scanned.slice(start, end)}`
  })
}

describe('a label speaks for a value of the right form', () => {
  it.each([
    ['My SSN is 000-12-3456.', 'US_SSN? 000-12-3456'],
    ['{"ssn": "666-12-3456"}', 'US_SSN? 666-12-3456'],
    ['<td>SSN</td><td>000-12-3456</td>', 'US_SSN? 000-12-3456'],
    ['**SSN:** 000-12-3456', 'US_SSN? 000-12-3456'],
    ['Visa card 4111 1111 1111 1112', 'CREDITCARD? 4111 1111 1111 1112'],
    ['tarjeta de crédito 9999-8888-7777-6666', 'CREDITCARD? 9999-8888-7777-6666'],
    ['银行卡号：6222020200112230123', 'CREDITCARD? 6222020200112230123'],
    ['カード番号は4111 1111 1111 1112です', 'CREDITCARD? 4111 1111 1111 1112'],
    ['карта 1234 5678 9012 3450', 'CREDITCARD? 1234 5678 9012 3450'],
    ['IBAN DE00 3704 0044 0532 0130 00', 'IBAN? DE00 3704 0044 0532 0130 00'],
    ['licence: d1234567', 'DRIVER_LICENCE? d1234567'],
    ['postcode sw1a 1aa', 'POSTCODE? sw1a 1aa'],
    ['NINO: QQ 12 34 56 C', 'UK_NINO? QQ 12 34 56 C'],
    ['National Insurance number: ab123456c', 'UK_NINO? ab123456c'],
    ['NHS number 943 476 5910', 'UK_NHS_NUMBER? 943 476 5910'],
    ['numer PESEL 44051401350', 'PL_PESEL? 44051401350'],
    ['CPF é 123.456.789-00', 'BR_CPF? 123.456.789-00'],
    ['DNI 12.345.678', 'ES_DNI? 12.345.678'],
    ['codice fiscale: rssmra85t10a562x', 'IT_FISCAL_CODE? rssmra85t10a562x'],
    ['sécurité sociale : 1 85 05 78 006 084 92', 'FR_SOCIAL_SECURITY? 1 85 05 78 006 084 92'],
    ['AHV-Nummer 756.9217.0769.84', 'CH_SOCIAL_SECURITY? 756.9217.0769.84'],
    ['BSN: 123456789', 'NL_CITIZEN_SERVICE_NUMBER? 123456789'],
    ['Steuer-ID 12345678901', 'DE_TAX_ID? 12345678901'],
    ['personnummer är 811228-9873', 'SE_PERSONAL_NUMBER? 811228-9873'],
    ['VIN: 1m8gdm9axkp04278i', 'VIN? 1m8gdm9axkp04278i'],
    ['IMEI 490154203237517', 'IMEI? 490154203237517'],
    ['SWIFT code: ABCDXX22', 'BIC? ABCDXX22'],
    ['IP: 300.1.2.3', 'IP_ADDRESS? 300.1.2.3'],
    ['passport no c01x00t47', 'PASSPORT? c01x00t47'],
    ['bitcoin wallet 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', 'CRYPTO_WALLET? 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
    ['Tel: 12345', 'PHONE? 12345'],
  ])('%s', async (text, expected) => {
    expect(await find(text)).toEqual([expected])
    expect(await find(text, strict)).not.toContain(expected)
  })

  it.each([
    ['416 60 039 office', 'PHONE 416 60 039'],
    ['my number 03 98 76 54 3 (bureau), merci', 'PHONE 03 98 76 54 3'],
    ['078-05-1120 (SSN)', 'US_SSN 078-05-1120'],
    ['4111 1111 1111 1112 is my card', 'CREDITCARD? 4111 1111 1111 1112'],
    ['000-12-3456 is my SSN', 'US_SSN? 000-12-3456'],
  ])('also behind it: %s', async (text, expected) => {
    expect(await find(text)).toEqual([expected])
  })
})

it.each([
  'order 123456789 office supplies',
  '1 200 000 home',
  'The office has 1234567 work items',
  'License: Apache-2.0 (c) 2023',
  'Passport.js 0.4.1',
  'card-4.0.12',
  'swift: standard library',
  'tax id of the order 123-45-67890',
  'SSN and the order 000-12-3456',
])('finds nothing in %s', async (text) => {
  expect(await find(text)).toEqual([])
})

it('tells of a value that is not checked with a lower score', async () => {
  const { entities } = await analyzeText('SSN 000-12-3456, card 4111 1111 1111 1111', { detectors: [every] })
  expect(entities).toMatchObject([{ entityType: 'US_SSN', score: 0.6, checked: false }, { score: 1 }])
  expect(entities[1]).not.toHaveProperty('checked')
})
