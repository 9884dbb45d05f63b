import { describe, expect, it } from 'vitest'
import { STRUCTURED_KINDS } from './catalogue.ts'
import { modulo97, passesLuhn, passesMod11With10, passesVerhoeff, sumWeighted } from './checksums.ts'
import { StructuredSet } from './set-search.ts'

function found(name: string, text: string): string[] {
  const kinds = STRUCTURED_KINDS.filter((one) => one.name === name)
  if (kinds.length !== 1) throw new Error(name)
  const search = new StructuredSet(kinds).scan(text)
  while (!search.advance()) {
    // Each call does a piece.
  }
  return search.found(0).map(({ start, end }) => text.slice(start, end))
}

const CASES: readonly { name: string; yes: readonly string[]; no: readonly string[]; context?: string }[] = [
  {
    name: 'email',
    yes: ['jane.doe+x@example.co.uk', "o'neil@example.com", 'josé@exämple.de', 'a@b.io', 'x_1@sub-domain.example.org'],
    no: ['jane@localhost', '@example.com', 'a @ b.com', 'user@-', '@@', 'x@y.z'],
  },
  {
    name: 'credit_card',
    yes: [
      '4111111111111111',
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      '4111\u00a01111\u20111111\u20101111',
      '4111\n1111\n1111\n1111',
      '378282246310005',
      '5555 5555 5555 4444',
      '6011000990139424',
      '2223003122003222',
      '30569309025904',
      '3530111333300000',
    ],
    no: [
      '4111111111111112',
      '1234567890123456',
      '0000000000000000',
      'x4111111111111111',
      '41111111111111111',
      '4111 1111 1111',
    ],
  },
  {
    name: 'iban',
    yes: [
      'DE89370400440532013000',
      'DE89 3704 0044 0532 0130 00',
      'GB29NWBK60161331926819',
      'NO9386011117947',
      'fr1420041010050500013m02606',
      'NL91-ABNA-0417-1643-00',
    ],
    no: [
      'DE89370400440532013001',
      'DE8937040044053201300',
      'XX89370400440532013000',
      'ADE89370400440532013000',
      'DE89370400440532013000X',
    ],
  },
  {
    name: 'ip_address',
    yes: [
      '192.168.1.1',
      '8.8.8.8',
      '2001:db8::1',
      'fe80:0:0:0:1:2:3:4',
      '::ffff:10.0.0.1',
      '255.255.255.255',
      '2001:db8:85a3::8a2e:370:7334',
    ],
    no: ['256.1.1.1', '1.2.3', '1.2.3.4.5', '12:34:56', 'std::vector', 'a::b', '1.2.3.4x', '::'],
  },
  {
    name: 'ip_address',
    yes: [
      // Least octets that no version or section has.
      '1.2.3.128',
      '9.1.1.128',
      '11.20.30.32',
      '10.1.2.3',
      '7.7.7.7',
      '0.0.0.0',
      'fe80::1',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:10.0.0.1',
      'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255',
      '1:2:3:4:5:6::7',
      'ABCD:EF01::2',
    ],
    no: [
      '1.2.3.32',
      '1::',
      '::1',
      '1.2.3.4',
      '9.1.1.127',
      '31.31.31.30',
      '1.2.3.256',
      '1.2.3.1000',
      '.1.2.3.200',
      '1..2.3.200',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8:9',
      '1::2::3',
      '12345::1',
      'g::1',
      'abc::def',
      '1:2:3:4:5:6:7:10.0.0.1',
      '10.0.0.1::1',
      '1.2.3.200:80:90',
    ],
  },
  {
    name: 'phone',
    yes: [
      '+49 30 123456-78',
      '+1 (415) 555-2671',
      '(415) 555-2671',
      '415-555-2671',
      '1-415-555-2671',
      '0044 20 7946 0958',
      '+33.1.23.45.67.89',
      '0171/1234567',
    ],
    no: ['12345678', '2024-01-15', '1234567890123456789', '415-555-267', '+12', 'x415-555-2671'],
  },
  { name: 'phone', context: 'Telefon: ', yes: ['030 1234567', '0171 12345'], no: ['123456'] },
  {
    name: 'es_dni',
    yes: ['12345678Z', '12345678-Z', 'X1234567L', 'x-1234567-l'],
    no: ['12345678A', 'X1234567A', '1234567Z', '12345678ZZ'],
  },
  {
    name: 'ch_social_security',
    yes: ['756.9217.0769.85', '7569217076985'],
    no: ['756.9217.0769.84', '757.9217.0769.85'],
  },
  {
    name: 'fr_social_security',
    yes: ['1 85 05 78 006 084 91', '185057800608491'],
    no: ['185057800608492', '385057800608491'],
  },
  {
    name: 'us_ssn',
    context: 'SSN: ',
    yes: ['123-45-6789', '123456789'],
    no: ['000-12-3456', '666-12-3456', '900-12-3456', '123-00-4567', '123-45-0000', '111-11-1111'],
  },
  { name: 'uk_nhs_number', context: 'NHS number ', yes: ['943 476 5919', '9434765919'], no: ['943 476 5918'] },
  {
    name: 'de_tax_id',
    context: 'Steuer-ID: ',
    yes: ['86095742719', '86 095 742 719'],
    no: ['86095742718', '06095742719'],
  },
  { name: 'nl_citizen_service_number', context: 'BSN ', yes: ['111222333'], no: ['111222334', '000000000'] },
  { name: 'pl_pesel', context: 'PESEL ', yes: ['44051401359'], no: ['44051401358'] },
  { name: 'br_cpf', context: 'CPF ', yes: ['529.982.247-25', '52998224725'], no: ['529.982.247-24', '111.111.111-11'] },
  { name: 'in_aadhaar', context: 'Aadhaar ', yes: ['2345 6789 0124'], no: ['2345 6789 0125', '1345 6789 0124'] },
  { name: 'se_personal_number', context: 'personnummer ', yes: ['811228-9874', '8112289874'], no: ['811228-9873'] },
  { name: 'email', yes: ['jane%40example.com'], no: ['pkg@1.2.34', 'icon@2x.png', 'git@code.example:team/app'] },
  {
    name: 'credit_card',
    yes: ['4111.1111.1111.1111', '4111/1111/1111/1111', '4111_1111_1111_1111'],
    no: ['0.4111111111111111', '4111/1111.1111_1111'],
  },
  { name: 'credit_card', context: 'card ', yes: ['6304 0000 0000', '630400000000'], no: ['6304 0000 0001'] },
  {
    name: 'phone',
    yes: ['415-555-2671 x123', '(415) 555-2671 ext. 45', '+1 415 555 2671, ext 9', '+49 (0)30 123456'],
    no: ['+12.345678901', '115-555-2671', '0010 20 30 40 50'],
  },
  { name: 'us_itin', context: 'ITIN: ', yes: ['912-70-1234', '912701234'], no: ['912-93-1234', '812-70-1234'] },
  {
    name: 'uk_nino',
    yes: ['AB123456C', 'AB 12 34 56 C', 'JG 103759A'],
    no: ['QQ123456C', 'AB123456E', 'BG123456A', 'ab123456c', 'XAB123456C'],
  },
  {
    name: 'it_fiscal_code',
    yes: ['RSSMRA85T10A562S', 'rssmra85t10a562s'],
    no: ['RSSMRA85T10A562T', 'RSSMRA85Z10A562S'],
  },
  {
    name: 'mac_address',
    yes: ['00:1B:44:11:3A:B7', 'aa-bb-cc-dd-ee-01', '001b.4411.3ab7', 'AB:CD:EF:12:34:56'],
    no: ['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '00:1B:44:11:3A', '00:1B:44:11:3A:B7:11', '00:1B-44:11-3A:B7'],
  },
  {
    name: 'crypto_wallet',
    yes: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      '0x52908400098527886E0F7030069857D2E4169EE7',
    ],
    no: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp',
      '0x0000000000000000000000000000000000000000',
      '3b5d5c3712955042212316173ccf37be',
    ],
  },
  { name: 'vin', yes: ['1M8GDM9AXKP042788'], no: ['1M8GDM9A1KP042788', '1M8GDM9AXKP04278I'] },
  { name: 'vin', context: 'VIN ', yes: ['WVWZZZ1JZXW000010'], no: ['WVWZZZ1JZXW00O010'] },
  { name: 'imei', yes: ['49-015420-323751-8'], no: ['49-015420-323751-7'] },
  { name: 'imei', context: 'IMEI: ', yes: ['490154203237518'], no: ['490154203237517'] },
  { name: 'bic', context: 'BIC: ', yes: ['DEUTDEFF500', 'DEUTDEFF'], no: ['DEUTXXFF', 'DEUTDEF', 'deutdeff'] },
  {
    name: 'passport',
    context: 'passport no. ',
    yes: [
      ...['C01X00T47', '123456789', 'AB1234567', '123456', 'ABC123456', 'A123456789', '123456789B', '12AB34567'],
      ...['CFGHJKLM9', '1234 56789', '123-456-789'],
    ],
    no: [
      ...['1234', '12345', '2024-01-15', '1999-12-31', 'ABCD123456', '1234567890', '123456AB', 'C01X00T4', 'A01X00T47'],
      ...['12AB3456', '123  456', '123_456'],
    ],
  },
  {
    name: 'driver_licence',
    context: "driver's license ",
    yes: [...['A123-4567-8901', 'D1234567', 'MORGA657054SM9IJ', '12345AB', 'ABCDEFGHIJKLM12345', '12 34 56 78 90 12']],
    no: ['2024-01-15', '1999-12-31', 'A12', '12345A', '1234ABC', 'ABCDEFGHIJKLMN12345'],
  },
  {
    name: 'birth_date',
    context: 'date of birth: ',
    yes: ['1984-03-12', '12.03.1984', '03/12/84', '12 March 1984', 'May 5, 1980', '5. Mai 1980', '3 de marzo de 1975'],
    no: ['1984', '12345'],
  },
  {
    name: 'street_address',
    yes: [
      '221 Baker Street',
      '1600 Pennsylvania Ave NW'.slice(0, 21),
      'Hauptstraße 12a',
      'Große Bergstraße 7',
      '12 bis rue de la Paix',
      'Calle de Alcalá 45',
      'Via Giuseppe Verdi, 10',
      'Keizersgracht 123',
    ],
    no: ['12 Monkeys', '5 road', 'strasse 5', 'Via 12'],
  },
  {
    name: 'postcode',
    yes: ['SW1A 1AA', 'EC1A 1BB', 'M1 1AE', 'K1A 0B6'],
    no: ['QQ1A 1AA', 'SW1A 1CA', 'D1A 0B6'],
  },
  { name: 'postcode', context: 'PLZ: ', yes: ['10115'], no: ['101'] },
]

describe.each(CASES)('$name $context', ({ name, yes, no, context = '' }) => {
  it.each(yes)('%s', (text) => {
    expect(found(name, `${context}${text}`)).toEqual([text])
    expect(found(name, `see ${context}${text}, please`)).toEqual([text])
  })

  it.each(no)('not %s', (text) => {
    expect(found(name, `${context}${text}`)).toEqual([])
  })
})

it('numbers with a weak check need a word that announces them', () => {
  for (const { name, context, yes } of CASES) {
    if (context === undefined) continue
    for (const text of yes) expect(found(name, `number ${text}`)).toEqual([])
  }
})

it('a word with only the same beginning announces nothing', () => {
  expect(found('nl_citizen_service_number', 'bsnx 111222333')).toEqual([])
  expect(found('nl_citizen_service_number', `bsn ${'x'.repeat(60)} 111222333`)).toEqual([])
})

it('every built-in finds matches across pieces of a long text, and the same ones every time', () => {
  for (const { name, context = '', yes } of CASES) {
    const text = `${`lorem ${context}${yes[0]} ipsum. `.repeat(2000)}`
    expect(found(name, text)).toEqual(Array.from({ length: 2000 }, () => yes[0]))
  }
})

describe('checks', () => {
  it('find every change of one digit and every swap of two neighbours, where they promise to', () => {
    const checks: [string, (digits: string) => boolean, boolean][] = [
      ['79927398713', passesLuhn, false],
      ['86095742719', passesMod11With10, false],
      ['236', passesVerhoeff, true],
      ['234567890124', passesVerhoeff, true],
    ]
    for (const [digits, passes, findsSwaps] of checks) {
      expect(passes(digits)).toBe(true)
      for (let at = 0; at < digits.length; at++) {
        for (const other of '0123456789') {
          if (other !== digits[at]) expect(passes(`${digits.slice(0, at)}${other}${digits.slice(at + 1)}`)).toBe(false)
        }
        const swapped = `${digits.slice(0, at)}${digits[at + 1] ?? ''}${digits[at]}${digits.slice(at + 2)}`
        if (findsSwaps && swapped !== digits && at + 1 < digits.length) expect(passes(swapped)).toBe(false)
      }
    }
  })

  it('reckon as they are defined', () => {
    expect(modulo97('3214282912345698765432161182')).toBe(1)
    expect(modulo97('A')).toBe(10)
    expect(sumWeighted('123', [1, 2, 3])).toBe(14)
  })
})

it.each(['', 'a', 'ab', 'abc'])(
  'an address with more before or behind it than it may have is cut between characters: %j',
  (letters) => {
    for (const text of [
      `${'🔑'.repeat(50)}${letters}@example.com`,
      `a@${letters}${'🔑'.repeat(140)}.example.com x`,
      `a@b.${letters}${'🔑'.repeat(140)}`,
    ]) {
      for (const address of found('email', text)) expect(address).toBe(address.replaceAll(/\p{Surrogate}/gu, ''))
      expect(found('email', `${text} b@example.com`)).toContain('b@example.com')
    }
  },
)
