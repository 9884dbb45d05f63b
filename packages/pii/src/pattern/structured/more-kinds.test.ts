import { describe, expect, it } from 'vitest'
import { analyzeText } from '../../analyze.ts'
import { createDetector } from '../../create-detector.ts'

const detector = createDetector({ name: 'kinds', settings: { builtins: ['structured'] } })

async function find(text: string): Promise<string[]> {
  const { spans, scanned } = await analyzeText(text, { detectors: [detector] })
  return spans.map(({ group, start, end, checked }) => {
    return `${group}${checked === false ? '?' : ''} ${scanned.slice(start, end)}`
  })
}

/** A label, a number with a right check, and the same with a wrong one. */
const CHECKED = [
  ['PT_TAX_NUMBER', 'NIF', '246 813 571', '246 813 572'],
  ['PT_SOCIAL_SECURITY', 'NISS', '11947283656', '11947283657'],
  ['PT_CITIZEN_CARD', 'Cartão de Cidadão', '12873946 2 ZX7', '12873946 2 ZX8'],
  ['BE_NATIONAL_NUMBER', 'rijksregisternummer', '85.07.30-273.79', '85.07.30-273.78'],
  ['CZ_BIRTH_NUMBER', 'rodné číslo', '795412/2836', '795412/2837'],
  ['NO_BIRTH_NUMBER', 'fødselsnummer', '170586 32600', '170586 32601'],
  ['RO_PERSONAL_CODE', 'CNP', '2890307401236', '2890307401237'],
  ['AT_SOCIAL_INSURANCE', 'SVNR', '2408 130684', '2407 130684'],
  ['GR_TAX_NUMBER', 'ΑΦΜ', '094628131', '094628132'],
  ['IL_IDENTITY_NUMBER', 'תעודת זהות', '317648202', '317648203'],
  ['KZ_INDIVIDUAL_NUMBER', 'ИИН', '870411302645', '870411302646'],
  ['BG_PERSONAL_NUMBER', 'ЕГН', '8005123640', '8005123641'],
  ['HR_PERSONAL_NUMBER', 'OIB', '69435128071', '69435128072'],
  ['ES_SOCIAL_SECURITY', 'Seguridad Social', '28 10426715 28', '28 10426715 29'],
  ['MX_SOCIAL_SECURITY', 'NSS', '42876539182', '42876539183'],
  ['BR_SOCIAL_NUMBER', 'PIS/PASEP', '126.48739.15-9', '126.48739.15-8'],
  ['CL_TAX_ID', 'RUT', '17.643.982-3', '17.643.982-4'],
  ['TW_IDENTITY_NUMBER', '身分證字號', 'B284617358', 'B284617359'],
  ['HK_IDENTITY_CARD', 'HKID', 'K482917(4)', 'K482917(5)'],
  ['SG_IDENTITY_NUMBER', 'NRIC', 'S8264173D', 'S8264173E'],
  ['IE_PUBLIC_SERVICE_NUMBER', 'PPS No', '6429718EA', '6429718FA'],
  ['FI_PERSONAL_CODE', 'henkilötunnus', '140283-517R', '140283-517S'],
  ['DE_PENSION_NUMBER', 'Rentenversicherungsnummer', '53 270472 K 818', '53 270472 K 819'],
  ['MX_TAX_ID', 'RFC', 'MOLR840217KX3', 'MOLR841317KX3'],
  ['BANK_ACCOUNT', 'routing number', '026139078', '026139079'],
  ['BANK_ACCOUNT', 'CLABE', '032180001234567895', '032180001234567894'],
  ['BANK_ACCOUNT', 'RIB', '30004 00812 00010274683 28', '30004 00812 00010274683 29'],
  ['BANK_ACCOUNT', 'cuenta', '2100-0813-61-0200428713', '2100-0813-62-0200428713'],
  ['BANK_ACCOUNT', 'NIB', '0035 0128 00034578921 33', '0035 0128 00034578921 34'],
  ['BANK_ACCOUNT', 'CBU', '0170203540008127394655', '0170203540008127394656'],
  ['BANK_ACCOUNT', 'Numer konta', '61 1090 1014 0000 0712 1981 2874', '61 1090 1014 0000 0712 1981 2875'],
] as const

describe.each(CHECKED)('%s behind %s', (group, label, right, wrong) => {
  it('is found with its check, and as not checked with a wrong one', async () => {
    expect(await find(`note, ${label}: ${right}, thanks`)).toEqual([`${group} ${right}`])
    expect(await find(`note, ${label}: ${wrong}, thanks`)).toEqual([`${group}? ${wrong}`])
    expect(await find(`note, item: ${wrong}, thanks`)).toEqual([])
  })
})

it.each([
  ['sort code 40-17-62', 'BANK_ACCOUNT? 40-17-62'],
  ['agência 2817-4', 'BANK_ACCOUNT? 2817-4'],
  ['账号：6230 5821 0047 3619 284', 'BANK_ACCOUNT? 6230 5821 0047 3619 284'],
  ['Steuernummer 93/815/08152', 'TAX_NUMBER? 93/815/08152'],
  ['Versichertennummer: M384729161', 'HEALTH_INSURANCE_NUMBER? M384729161'],
  ['Dowód osobisty CRK482917', 'IDENTITY_CARD? CRK482917'],
  ["Carta d'identità n. CA48291RK", 'IDENTITY_CARD? CA48291RK'],
  ['RG: 28.461.735-9', 'BR_IDENTITY_CARD 28.461.735-9'],
  ['la cédula V-18.472.936', 'VE_IDENTITY_CARD V-18.472.936'],
])('a label alone speaks for %s', async (text, expected) => {
  expect(await find(text)).toEqual([expected])
})

it.each([
  ['京A·12345 is parked', '京A·12345'],
  ['昨晚粤A48K27停在', '粤A48K27'],
  ['авто К482РХ197', 'К482РХ197'],
  ['12가 3456', '12가 3456'],
  ['品川300あ12-34', '品川300あ12-34'],
  ['MH-12-AB-1234', 'MH-12-AB-1234'],
  ['my car M-AB 1234 is', 'M-AB 1234'],
  ['licence plate KV17 ZRT', 'KV17 ZRT'],
  ['Kennzeichen: WÜ EL 904', 'WÜ EL 904'],
  ['immatriculé GK-482-TN', 'GK-482-TN'],
  ['matrícula 4827 KRB', '4827 KRB'],
  ['de placa RKB4H82', 'RKB4H82'],
  ['Targa: GX 482 RK', 'GX 482 RK'],
  ['kenteken RK-482-X', 'RK-482-X'],
])('a plate: %s', async (text, plate) => {
  expect(await find(text)).toEqual([`PLATE ${plate}`])
})

it.each([
  'TARGA CineWave YUV16',
  'placa RTX 4090',
  'on HP-UX 11.11',
  'Dynamic Client Registration according to RFC 7591',
  'UTF-8 and ISO-IR 100',
  'the account of 2024-01-02 and the balance',
  'la cuenta de 1.250.000 euros',
  'CI still runs on 1673  9.0.0302',
  'GK-482-TN',
  'a license plate frame of 12 parts',
])('finds nothing in %s', async (text) => {
  expect(await find(text)).toEqual([])
})

it.each([
  'jonas punkt reuter ät werkhof punkt example',
  'camille.roche arobase atelier point example',
  'lucia.ferrer arroba tallernorte punto example',
  'rita.moura arroba oficinasul ponto example',
  'marta.gallo chiocciola officina punto example',
  'joris.smit apenstaartje werkplaats punt example',
  'olga.sokolova собака masterskaya точка example',
  'liwen.zhao 艾特 nanshan 点 example',
  'nadia dot karimi at brookfield dot example',
  'anna unterstrich berg (at) firma punkt de',
])('an address in words: %s', async (address) => {
  for (const lead of ['', 'x ', 'é: ']) expect(await find(`${lead}${address}, ok`)).toContain(`EMAIL ${address}`)
})

it.each(['arrive at that point in time', 'un arroba en el punto de', 'le début et le point de vue'])(
  'no address in %s',
  async (text) => {
    expect(await find(text)).toEqual([])
  },
)

it.each([
  '612 34 56 78',
  '91 482 77 36',
  '11 94827-7360',
  '0172/4418 203',
  '(0 43 21) 88 15-0',
  '06-48277361',
  '0300-1234567',
  '0712 345678',
  '(0532) 482 77 36',
  '01632 960 417',
  '138 0013 8000',
  '手机13948277360',
  '55 1234 5678',
  '9 8412 7736',
])('a national telephone number without a label: %s', async (text) => {
  expect(await find(`see ${text}, ok`)).toEqual([`PHONE ${text.replace('手机', '')}`])
})
