import { createHash } from 'node:crypto'
import { fiscalLetter, ibanCheck, weigh, withLuhn, withMod1110, withVerhoeff, withVinCheck } from './check-digits.ts'
import { type Draw, group } from './draw.ts'

/** A value of a group, with the words that people write before it; no words where the value speaks for itself. */
export interface Value {
  readonly text: string
  readonly labels?: readonly [string, ...string[]]
}

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const two = (number: number): string => String(number).padStart(2, '0')
const FIRST = [
  'jane',
  'omar',
  'li.wei',
  'anna-lena',
  'o.brien',
  'jmartin',
  'k.nowak',
  'tuuli',
  'support',
  'sales',
] as const
const HOSTS = [
  'acme.example',
  'mail.lab.example.org',
  'uni-koeln.example.de',
  'post.example.co.uk',
  'firm.example.io',
] as const

function email(draw: Draw): Value {
  const local = draw.pick(FIRST) + draw.pick(['', '', String(draw.between(1, 99)), '+news', '_x'])
  const at = draw.pick(['@', '@', '@', '@', '%40'])
  return { text: `${local}${at}${draw.pick(HOSTS)}` }
}

function card(draw: Draw): Value {
  const [prefix, length, sizes] = draw.pick<readonly [string, number, readonly number[]]>([
    ['4', 16, [4, 4, 4, 4]],
    ['51', 16, [4, 4, 4, 4]],
    ['55', 16, [4, 4, 4, 4]],
    ['2300', 16, [4, 4, 4, 4]],
    ['37', 15, [4, 6, 5]],
    ['34', 15, [4, 6, 5]],
    ['6011', 16, [4, 4, 4, 4]],
    ['3528', 16, [4, 4, 4, 4]],
    ['36', 14, [4, 6, 4]],
    ['62', 19, [4, 4, 4, 4, 3]],
    ['5018', 12, [4, 4, 4]],
    ['6759', 18, [4, 4, 4, 4, 2]],
  ])
  const number = withLuhn(prefix + draw.digits(length - prefix.length - 1))
  const separator = draw.pick(['', ' ', '-', ' ', '.', '/', '_', '\u00a0'])
  const labels = ['card number', 'Visa', 'Kreditkarte', 'carte bancaire', 'tarjeta', 'pay with credit card'] as const
  return { text: group(number, separator === '' ? [length] : sizes, separator), labels }
}

function iban(draw: Draw): Value {
  const [country, account] = draw.pick<readonly [string, () => string]>([
    ['DE', () => draw.digits(18)],
    ['FR', () => `${draw.digits(10)}${draw.chars(11, `${CAPITALS}0123456789`)}${draw.digits(2)}`],
    ['GB', () => `${draw.chars(4, CAPITALS)}${draw.digits(14)}`],
    ['ES', () => draw.digits(20)],
    ['IT', () => `${draw.chars(1, CAPITALS)}${draw.digits(10)}${draw.chars(12, '0123456789')}`],
    ['NL', () => `${draw.chars(4, CAPITALS)}${draw.digits(10)}`],
    ['PL', () => draw.digits(24)],
    ['CH', () => draw.digits(17)],
  ])
  const number = account()
  const whole = `${country}${ibanCheck(country, number)}${number}`
  const separator = draw.pick(['', ' ', ' ', '-'])
  return { text: group(whole, separator === '' ? [whole.length] : [4, 4, 4, 4, 4, 4, 4, 4], separator) }
}

function ip(draw: Draw): Value {
  const octet = (): number => draw.between(1, 254)
  const hex = (): string => draw.between(1, 0xffff).toString(16)
  const text = draw.pick([
    () => `${draw.between(1, 223)}.${octet()}.${octet()}.${octet()}`,
    () => `192.168.${octet()}.${octet()}`,
    () => `10.${octet()}.${octet()}.${octet()}`,
    () => `2001:db8:${hex()}:${hex()}:${hex()}:${hex()}:${hex()}:${hex()}`,
    () => `2001:db8::${hex()}:${hex()}`,
    () => `fe80::${hex()}:${hex()}:${hex()}:${hex()}`,
  ])()
  return { text, labels: ['client', 'from', 'host', 'logged in at', 'gateway'] }
}

function phone(draw: Draw): Value {
  const area = (): string => `${draw.between(2, 9)}${draw.digits(2)}`
  const extension = draw.pick([
    '',
    '',
    '',
    ` x${draw.digits(3)}`,
    ` ext. ${draw.digits(4)}`,
    `, extension ${draw.digits(2)}`,
  ])
  const american = [area(), area(), draw.digits(4)]
  const [a = '', b = '', c = ''] = american
  const free = [
    () => `(${a}) ${b}-${c}${extension}`,
    () => `${a}-${b}-${c}${extension}`,
    () => `${a}.${b}.${c}`,
    () => `+1 ${a} ${b} ${c}${extension}`,
    () => `+1-${a}-${b}-${c}`,
    () => `+49 ${draw.pick(['30', '89', '221', '40'])} ${draw.digits(7)}`,
    () => `+44 20 ${draw.digits(4)} ${draw.digits(4)}`,
    () => `+33 ${draw.between(1, 9)} ${draw.digits(2)} ${draw.digits(2)} ${draw.digits(2)} ${draw.digits(2)}`,
    () => `+34 ${draw.between(6, 9)}${draw.digits(2)} ${draw.digits(3)} ${draw.digits(3)}`,
    () => `+41 ${draw.digits(2)} ${draw.digits(3)} ${draw.digits(2)} ${draw.digits(2)}`,
    () => `+358 ${draw.digits(2)} ${draw.digits(7)}`,
    () => `+91 ${draw.between(7, 9)}${draw.digits(4)} ${draw.digits(5)}`,
    () => `+39${draw.digits(10)}`,
    () => `0044 20 ${draw.digits(4)} ${draw.digits(4)}`,
    () => `+49 (0)${draw.pick(['30', '89'])} ${draw.digits(6)}-${draw.digits(2)}`,
  ] as const
  const national = [
    () => `0${draw.pick(['30', '171', '221'])} ${draw.digits(7)}`,
    () => `0${draw.pick(['30', '171', '221'])}/${draw.digits(7)}`,
    () => `0${draw.between(1, 9)} ${draw.digits(2)} ${draw.digits(2)} ${draw.digits(2)} ${draw.digits(2)}`,
    () => `020 ${draw.digits(4)} ${draw.digits(4)}`,
    () => `${a}${b}${c}`,
    () => `${draw.between(6, 9)}${draw.digits(2)} ${draw.digits(3)} ${draw.digits(3)}`,
  ] as const
  if (draw.between(0, 2) > 0) return { text: draw.pick([...free] as unknown as readonly [() => string])() }
  const labels = ['phone', 'Tel.', 'mobile', 'Telefon', 'téléphone', 'móvil', 'fax', 'phone_number'] as const
  return { text: draw.pick([...national] as unknown as readonly [() => string])(), labels }
}

function ssn(draw: Draw): Value {
  const area = draw.pick([draw.between(1, 665), draw.between(667, 899)])
  const parts = [
    String(area).padStart(3, '0'),
    two(draw.between(1, 99)),
    String(draw.between(1, 9999)).padStart(4, '0'),
  ]
  return {
    text: parts.join(draw.pick(['-', '-', ' ', ''])),
    labels: ['SSN', 'social security number', 'ssn no.', 'Social Security No.'],
  }
}

function itin(draw: Draw): Value {
  const middle = draw.pick([draw.between(50, 65), draw.between(70, 88), draw.between(90, 92), draw.between(94, 99)])
  const text = [`9${draw.digits(2)}`, String(middle), draw.digits(4)].join(draw.pick(['-', '-', ' ', '']))
  return { text, labels: ['ITIN', 'my ITIN is', 'individual taxpayer identification number'] }
}

function nhs(draw: Draw): Value {
  for (;;) {
    const nine = draw.digits(9)
    const check = (11 - (weigh(nine, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11
    if (check === 10) continue
    const number = `${nine}${check}`
    return {
      text: draw.pick([number, group(number, [3, 3, 4], ' '), group(number, [3, 3, 4], '-')]),
      labels: ['NHS number', 'NHS no.', 'patient'],
    }
  }
}

function germanTax(draw: Draw): Value {
  const number = withMod1110(`${draw.between(1, 9)}${draw.digits(9)}`)
  return {
    text: draw.pick([number, group(number, [2, 3, 3, 3], ' ')]),
    labels: ['Steuer-ID', 'Steueridentifikationsnummer', 'IdNr.'],
  }
}

function frenchSecurity(draw: Draw): Value {
  const body = `${draw.between(1, 2)}${draw.digits(2)}${two(draw.between(1, 12))}${two(draw.between(1, 95))}${draw.digits(3)}${draw.digits(3)}`
  const key = two(97 - Number(BigInt(body) % 97n))
  return {
    text: draw.pick([body + key, group(body + key, [1, 2, 2, 2, 3, 3, 2], ' ')]),
    labels: ['numéro de sécurité sociale', 'NIR'],
  }
}

function bsn(draw: Draw): Value {
  for (;;) {
    const eight = `${draw.between(1, 9)}${draw.digits(7)}`
    const check = weigh(eight, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
    if (check < 10) return { text: eight + check, labels: ['BSN', 'burgerservicenummer'] }
  }
}

function pesel(draw: Draw): Value {
  const ten = `${draw.digits(2)}${two(draw.between(1, 12))}${two(draw.between(1, 28))}${draw.digits(4)}`
  const check = (10 - (weigh(ten, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10
  return { text: ten + check, labels: ['PESEL', 'numer PESEL'] }
}

function ahv(draw: Draw): Value {
  const twelve = `756${draw.digits(9)}`
  const check = (10 - (weigh(twelve, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10
  return {
    text: draw.pick([`${twelve}${check}`, group(`${twelve}${check}`, [3, 4, 4, 2], '.')]),
    labels: ['AHV-Nummer', 'numéro AVS'],
  }
}

function cpf(draw: Draw): Value {
  const nine = draw.digits(9)
  const digit = (text: string): number => {
    const rest =
      weigh(
        text,
        Array.from({ length: text.length }, (_, at) => text.length + 1 - at),
      ) % 11
    return rest < 2 ? 0 : 11 - rest
  }
  const ten = `${nine}${digit(nine)}`
  const number = `${ten}${digit(ten)}`
  return {
    text: draw.pick([number, `${group(number.slice(0, 9), [3, 3, 3], '.')}-${number.slice(9)}`]),
    labels: ['CPF', 'meu CPF é'],
  }
}

function aadhaar(draw: Draw): Value {
  const number = withVerhoeff(`${draw.between(2, 9)}${draw.digits(10)}`)
  return {
    text: draw.pick([number, group(number, [4, 4, 4], ' '), group(number, [4, 4, 4], '-')]),
    labels: ['Aadhaar', 'aadhaar number', 'UIDAI'],
  }
}

function personnummer(draw: Draw): Value {
  const number = withLuhn(`${draw.digits(2)}${two(draw.between(1, 12))}${two(draw.between(1, 28))}${draw.digits(3)}`)
  return {
    text: draw.pick([number, `${number.slice(0, 6)}-${number.slice(6)}`]),
    labels: ['personnummer', 'Personnummer'],
  }
}

function dni(draw: Draw): Value {
  const letters = 'TRWAGMYFPDXBNJZSQVHLCKE'
  const foreign = draw.between(0, 2) === 0
  const first = foreign ? draw.between(0, 2) : 0
  const digits = draw.digits(foreign ? 7 : 8)
  const letter = letters.charAt(Number(foreign ? `${first}${digits}` : digits) % 23)
  const text = `${foreign ? 'XYZ'.charAt(first) : ''}${digits}${draw.pick(['', '', '-'])}${letter}`
  return { text, labels: ['DNI', 'NIE', 'documento de identidad'] }
}

function nino(draw: Draw): Value {
  const prefix = draw.pick(['AB', 'CE', 'HJ', 'JG', 'LR', 'NX', 'PW', 'SB', 'YZ', 'WM'])
  const whole = `${prefix}${draw.digits(6)}${draw.pick(['A', 'B', 'C', 'D'])}`
  return {
    text: draw.pick([whole, whole, group(whole, [2, 2, 2, 2, 1], ' ')]),
    labels: ['National Insurance number', 'NI no.', 'NINO'],
  }
}

function fiscalCode(draw: Draw): Value {
  const consonants = 'BCDFGLMNPRSTVZ'
  const fifteen = `${draw.chars(6, consonants)}${draw.digits(2)}${draw.chars(1, 'ABCDEHLMPRST')}${two(draw.pick([draw.between(1, 28), draw.between(41, 68)]))}${draw.chars(1, 'ABCDEFGHIL')}${draw.digits(3)}`
  const code = fifteen + fiscalLetter(fifteen)
  return { text: draw.pick([code, code, code.toLowerCase()]), labels: ['codice fiscale', 'C.F.'] }
}

function mac(draw: Draw): Value {
  const pairs = Array.from({ length: 6 }, () => draw.chars(2, '0123456789abcdef'))
  const plain = pairs.join('')
  const text = draw.pick([
    pairs.join(':'),
    pairs.join(':').toUpperCase(),
    pairs.join('-').toUpperCase(),
    group(plain, [4, 4, 4], '.'),
  ])
  return { text, labels: ['MAC', 'ether', 'hwaddr', 'device'] }
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function base58Check(version: number, payload: Buffer): string {
  const body = Buffer.concat([Buffer.of(version), payload])
  const twice = createHash('sha256').update(createHash('sha256').update(body).digest()).digest()
  let number = BigInt(`0x${Buffer.concat([body, twice.subarray(0, 4)]).toString('hex')}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = BASE58.charAt(Number(number % 58n)) + text
  const zeros = body.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros) + text
}

function bech32(draw: Draw, prefix: string): string {
  const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
  const values = [0, ...Array.from({ length: 32 }, () => draw.between(0, 31))]
  const spread = [
    ...[...prefix].map((char) => char.charCodeAt(0) >> 5),
    0,
    ...[...prefix].map((char) => char.charCodeAt(0) & 31),
  ]
  let check = 1n
  for (const value of [...spread, ...values, 0, 0, 0, 0, 0, 0]) {
    const top = check >> 25n
    check = ((check & 0x1ffffffn) << 5n) ^ BigInt(value)
    for (const [bit, factor] of [0x3b6a57b2n, 0x26508e6dn, 0x1ea119fan, 0x3d4233ddn, 0x2a1462b3n].entries()) {
      if ((top >> BigInt(bit)) & 1n) check ^= factor
    }
  }
  check ^= 1n
  const sum = Array.from({ length: 6 }, (_, at) => Number((check >> BigInt(5 * (5 - at))) & 31n))
  return `${prefix}1${[...values, ...sum].map((value) => alphabet.charAt(value)).join('')}`
}

function wallet(draw: Draw): Value {
  const payload = Buffer.from(draw.chars(40, '0123456789abcdef'), 'hex')
  const version = draw.pick([0, 5, 0x30, 0x1e, 0x41])
  const text = draw.pick([
    () => base58Check(version, payload),
    () => bech32(draw, draw.pick(['bc', 'ltc'])),
    () => `0x${draw.chars(40, '0123456789abcdefABCDEF')}`,
  ])()
  return { text, labels: ['wallet', 'send BTC to', 'address'] }
}

function vin(draw: Draw): Value {
  const alphabet = 'ABCDEFGHJKLMNPRSTUVWXYZ0123456789'
  const american = draw.between(0, 1) === 0
  const raw = `${draw.chars(american ? 11 : 13, alphabet)}`
  const whole = `${raw}${draw.digits(17 - raw.length)}`
  if (american) return { text: withVinCheck(whole) }
  return { text: `WVWZZZ${whole.slice(6)}`, labels: ['VIN', 'chassis number', 'Fahrgestellnummer'] }
}

function imei(draw: Draw): Value {
  const number = withLuhn(`35${draw.digits(12)}`)
  return {
    text: draw.pick([number, group(number, [2, 6, 6, 1], '-'), group(number, [2, 6, 6, 1], ' ')]),
    labels: ['IMEI', 'imei no.'],
  }
}

function bic(draw: Draw): Value {
  const bank = `${draw.chars(4, CAPITALS)}${draw.pick(['DE', 'FR', 'GB', 'US', 'CH', 'NL', 'JP', 'BR'])}${draw.chars(1, CAPITALS)}${draw.chars(1, `${CAPITALS}23456789`)}`
  return {
    text: draw.pick([bank, `${bank}XXX`, `${bank}${draw.digits(3)}`]),
    labels: ['BIC', 'SWIFT', 'SWIFT code', 'BIC/SWIFT'],
  }
}

function passport(draw: Draw): Value {
  const text = draw.pick([
    () => draw.digits(9),
    () => `${draw.chars(1, CAPITALS)}${draw.digits(8)}`,
    () => `${draw.chars(2, CAPITALS)}${draw.digits(7)}`,
    () =>
      `C${draw.chars(1, 'FGHJKLMNPRTVWXYZ0123456789')}${draw.digits(1)}${draw.chars(5, 'CFGHJKLMNPRTVWXYZ0123456789')}${draw.digits(1)}`,
    () => `${draw.digits(2)}${draw.chars(2, CAPITALS)}${draw.digits(5)}`,
    () => `${draw.chars(3, CAPITALS)}${draw.digits(6)}`,
  ])()
  return { text, labels: ['passport', 'passport no.', 'Reisepass Nr.', 'passeport', 'pasaporte', 'passport_number'] }
}

function licence(draw: Draw): Value {
  const text = draw.pick([
    () => `${draw.chars(1, CAPITALS)}${draw.digits(7)}`,
    () => `${draw.chars(1, CAPITALS)}${draw.digits(3)}-${draw.digits(4)}-${draw.digits(4)}`,
    () => draw.digits(9),
    () => group(draw.digits(9), [3, 3, 3], ' '),
    () => `${draw.chars(5, CAPITALS)}${draw.digits(6)}${draw.chars(2, CAPITALS)}9${draw.chars(2, CAPITALS)}`,
    () => `B${draw.digits(3)}${draw.chars(2, CAPITALS)}${draw.digits(5)}`,
  ])()
  return {
    text,
    labels: [
      "driver's license",
      'driving licence',
      'Driver License No.',
      'Führerschein',
      'permis de conduire',
      'driver_license',
    ],
  }
}

function birthDate(draw: Draw): Value {
  const [day, month, year] = [draw.between(1, 28), draw.between(1, 12), draw.between(1930, 2015)]
  const english = [
    'January',
    'February',
    'March',
    'April',
    'May',
    'June',
    'July',
    'August',
    'September',
    'October',
    'November',
    'December',
  ]
  const german = [
    'Januar',
    'Februar',
    'März',
    'April',
    'Mai',
    'Juni',
    'Juli',
    'August',
    'September',
    'Oktober',
    'November',
    'Dezember',
  ]
  const spanish = [
    'enero',
    'febrero',
    'marzo',
    'abril',
    'mayo',
    'junio',
    'julio',
    'agosto',
    'septiembre',
    'octubre',
    'noviembre',
    'diciembre',
  ]
  const french = [
    'janvier',
    'février',
    'mars',
    'avril',
    'mai',
    'juin',
    'juillet',
    'août',
    'septembre',
    'octobre',
    'novembre',
    'décembre',
  ]
  const text = draw.pick([
    () => `${year}-${two(month)}-${two(day)}`,
    () => `${two(day)}.${two(month)}.${year}`,
    () => `${two(month)}/${two(day)}/${year}`,
    () => `${two(day)}/${two(month)}/${String(year).slice(2)}`,
    () => `${day} ${english[month - 1]} ${year}`,
    () => `${english[month - 1]} ${day}, ${year}`,
    () => `${english[month - 1]?.slice(0, 3)} ${day} ${year}`,
    () => `${day}. ${german[month - 1]} ${year}`,
    () => `${day} de ${spanish[month - 1]} de ${year}`,
    () => `${day} ${french[month - 1]} ${year}`,
  ])()
  return {
    text,
    labels: [
      'born on',
      'date of birth',
      'DOB',
      'geboren am',
      'Geburtsdatum',
      'née le',
      'fecha de nacimiento',
      'date_of_birth',
    ],
  }
}

const SURNAMES = ['Maple', 'Church', 'Washington', 'Lincoln', 'Highland', 'Queen Anne', 'Saint James', 'Elm'] as const

function street(draw: Draw): Value {
  const number = draw.between(1, 2400)
  const short = draw.between(1, 180)
  const text = draw.pick([
    () =>
      `${number} ${draw.pick(SURNAMES)} ${draw.pick(['Street', 'St', 'Avenue', 'Ave', 'Road', 'Rd', 'Lane', 'Drive', 'Blvd', 'Court'])}`,
    () => `${number} ${draw.pick(['N', 'S', 'West'])} ${draw.pick(SURNAMES)} St`,
    () => `${number} ${draw.pick(SURNAMES)} Avenue, Apt ${draw.between(1, 40)}`,
    () =>
      `${draw.pick(['Goethe', 'Linden', 'Bahnhof', 'Kaiser'])}${draw.pick(['straße', 'strasse', 'str.', 'weg', 'platz', 'allee'])} ${short}${draw.pick(['', '', 'a', 'b'])}`,
    () =>
      `${short}${draw.pick(['', ' bis', ','])} ${draw.pick(['rue', 'avenue', 'boulevard', 'place'])} ${draw.pick(['de la République', 'Victor Hugo', 'du Moulin', 'des Lilas'])}`,
    () =>
      `${draw.pick(['Calle', 'Avenida', 'Plaza'])} ${draw.pick(['Mayor', 'de Alcalá', 'del Prado', 'San Juan'])}${draw.pick([' ', ', '])}${short}`,
    () =>
      `${draw.pick(['Via', 'Corso', 'Piazza'])} ${draw.pick(['Roma', 'Garibaldi', 'Giuseppe Mazzini', 'della Libertà'])}${draw.pick([' ', ', '])}${short}`,
    () => `${draw.pick(['Prinsen', 'Heren', 'Kerk'])}${draw.pick(['gracht', 'straat', 'laan'])} ${short}`,
  ])()
  return { text, labels: ['lives at', 'ship to', 'wohnhaft in', 'adresse', 'address'] }
}

function postcode(draw: Draw): Value {
  const inward = `${draw.digits(1)}${draw.chars(2, 'ABDEFGHJLNPQRSTUWXYZ')}`
  const free = draw.pick([
    () => `${draw.pick(['SW1A', 'EC2V', 'M1', 'B33', 'CR2', 'DN55', 'W1T', 'LS6', 'EH12'])} ${inward}`,
    () =>
      `${draw.chars(1, 'ABCEGHJKLMNPRSTVXY')}${draw.digits(1)}${draw.chars(1, 'ABCEGHJKLMNPRSTVWXYZ')} ${draw.digits(1)}${draw.chars(1, 'ABCEGHJKLMNPRSTVWXYZ')}${draw.digits(1)}`,
  ])
  if (draw.between(0, 1) === 0) return { text: free() }
  const text = draw.pick([
    () => draw.digits(5),
    () => `${draw.digits(5)}-${draw.digits(4)}`,
    () => `${draw.between(1, 9)}${draw.digits(3)} ${draw.chars(2, 'ABCDEFGHJKLMNPRTUVWXYZ')}`,
  ])()
  return { text, labels: ['zip', 'ZIP code', 'postcode', 'PLZ', 'code postal', 'postal code'] }
}

/** The generators of values, by the group that a find is reported under. */
export const VALUES: Readonly<Record<string, (draw: Draw) => Value>> = {
  EMAIL: email,
  CREDITCARD: card,
  IBAN: iban,
  IP_ADDRESS: ip,
  PHONE: phone,
  US_SSN: ssn,
  US_ITIN: itin,
  UK_NHS_NUMBER: nhs,
  DE_TAX_ID: germanTax,
  FR_SOCIAL_SECURITY: frenchSecurity,
  NL_CITIZEN_SERVICE_NUMBER: bsn,
  PL_PESEL: pesel,
  CH_SOCIAL_SECURITY: ahv,
  BR_CPF: cpf,
  IN_AADHAAR: aadhaar,
  SE_PERSONAL_NUMBER: personnummer,
  ES_DNI: dni,
  UK_NINO: nino,
  IT_FISCAL_CODE: fiscalCode,
  MAC_ADDRESS: mac,
  CRYPTO_WALLET: wallet,
  VIN: vin,
  IMEI: imei,
  BIC: bic,
  PASSPORT: passport,
  DRIVER_LICENCE: licence,
  BIRTH_DATE: birthDate,
  STREET_ADDRESS: street,
  POSTCODE: postcode,
}
