import { isAlphanumeric, isBeyondAscii } from './characters.ts'

/** Words that announce a kind of number, in lower case; a phrase has blanks between its words. */
const PHRASES = {
  phone: [
    ...['phone', 'phones', 'telephone', 'tel', 'mobile', 'fax', 'whatsapp', 'sms', 'telefon', 'rufnummer', 'mobil'],
    ...['mobilnummer', 'telefonnummer', 'téléphone', 'telephone', 'tél', 'teléfono', 'móvil', 'telefono', 'cellulare'],
    ...['telefoon', 'telefoonnummer', 'numéro de portable', 'celular', 'telefone', 'phonenumber', 'hotline', 'dial'],
  ],
  /** Words of the telephone that also mean something else. */
  call: ['call', 'cell', 'handy', 'portable', 'reach me', 'text me', 'ring'],
  us_ssn: ['ssn', 'ssns', 'social security', 'soc sec', 'ss #', 'ss no', 'tax id', 'taxpayer'],
  us_itin: ['itin', 'individual taxpayer', 'taxpayer id', 'taxpayer identification', 'tax id'],
  uk_nhs_number: ['nhs', 'national health', 'patient'],
  de_tax_id: [
    ...[
      'steuer id',
      'steuer identifikationsnummer',
      'steueridentifikationsnummer',
      'idnr',
      'id nr',
      'steuernummer',
      'tax id',
    ],
    ...['steuerid', 'tin'],
  ],
  nl_citizen_service_number: ['bsn', 'burgerservicenummer', 'sofinummer'],
  pl_pesel: ['pesel'],
  br_cpf: ['cpf', 'cadastro de pessoas físicas'],
  in_aadhaar: ['aadhaar', 'aadhar', 'uidai', 'uid'],
  se_personal_number: ['personnummer', 'personal number', 'samordningsnummer'],
  passport: [
    ...['passport', 'passports', 'passeport', 'reisepass', 'passnummer', 'reisepassnummer', 'pasaporte', 'passaporto'],
    ...['paspoort', 'paspoortnummer', 'passaporte', 'paszport'],
  ],
  driver_licence: [
    ...['driver license', 'driver licence', 'driver s license', 'driver s licence', 'drivers license', 'dlno'],
    ...['drivers licence', 'driving licence', 'driving license', 'driver lic', 'dl no', 'dl number', 'dl #'],
    ...['führerschein', 'führerscheinnummer', 'fuehrerschein', 'permis de conduire', 'licencia de conducir'],
    ...['carnet de conducir', 'permiso de conducir', 'patente di guida', 'rijbewijs', 'rijbewijsnummer'],
  ],
  bic: ['bic', 'swift', 'bankleitcode'],
  vin: ['vin', 'chassis', 'vehicle identification', 'fahrgestellnummer', 'fin', 'châssis', 'bastidor', 'telaio'],
  imei: ['imei', 'imeis'],
  birth_date: [
    ...['born', 'dob', 'd o b', 'birth', 'birthday', 'birthdate', 'geboren', 'geb', 'geburtsdatum', 'geburtstag'],
    ...['né le', 'née le', 'naissance', 'nacimiento', 'nacido', 'nacida', 'cumpleaños', 'nato', 'nata', 'nascita'],
    ...['geboortedatum', 'nascimento', 'nascido', 'urodzony', 'urodzenia', 'ddn', 'bday'],
  ],
  postcode: [
    ...['postcode', 'postcodes', 'post code', 'postal', 'postal code', 'plz', 'postleitzahl', 'code postal'],
    ...['código postal', 'codigo postal', 'codice postale', 'cep'],
  ],
  /** Words for the codes of five digits of the United States. */
  zip: ['zip', 'zipcode', 'zip code', 'zip codes'],
  card: [
    ...['card', 'cards', 'credit', 'debit', 'visa', 'maestro', 'mastercard', 'amex', 'pan', 'karte', 'kreditkarte'],
    ...['carte', 'tarjeta', 'carta', 'creditcard', 'kaart', 'cartão', 'ccnum', 'cc'],
  ],
  address: [
    ...['ip', 'ipv4', 'ipv6', 'address', 'addr', 'host', 'hosts', 'server', 'dns', 'gateway', 'ping', 'client'],
    ...['nameserver', 'ssh', 'connect', 'remote', 'router', 'subnet', 'adresse', 'login', 'proxy'],
  ],
  /** Kinds of streets that come before their names. */
  street: [
    ...['calle', 'c', 'avenida', 'avda', 'av', 'plaza', 'paseo', 'camino', 'via', 'viale', 'piazza', 'corso', 'largo'],
    ...['vicolo', 'rua', 'travessa', 'praça'],
  ],
  version: ['version', 'versions', 'release', 'v', 'ver', 'section', 'chapter', 'build', 'oid', 'upgrade', 'kernel'],
} as const

/** A kind of announcing words. */
export type Context = keyof typeof PHRASES

const KINDS = Object.keys(PHRASES) as Context[]

interface Phrase {
  readonly rest: readonly string[]
  /** Index of the kind. */
  readonly kind: number
}

const BY_FIRST_WORD = new Map<string, Phrase[]>()
/** Flags by the first three characters of a word: whether any phrase begins so. */
const BEGINNINGS = new Uint8Array(32 * 32 * 32)
for (const [kind, name] of KINDS.entries()) {
  for (const phrase of PHRASES[name]) {
    const [first = '', ...rest] = phrase.split(' ')
    const known = BY_FIRST_WORD.get(first) ?? []
    known.push({ rest, kind })
    BY_FIRST_WORD.set(first, known)
    BEGINNINGS[beginning(first, 0, first.length)] = 1
  }
}

/** Five bits of each of the first three characters: equal for small letters and capitals. */
function beginning(text: string, start: number, end: number): number {
  const second = start + 1 < end ? text.charCodeAt(start + 1) & 31 : 0
  const third = start + 2 < end ? text.charCodeAt(start + 2) & 31 : 0
  return ((text.charCodeAt(start) & 31) << 10) | (second << 5) | third
}

/** Code units before a candidate in which an announcing word counts. */
const CONTEXT_UNITS = 48
/** The same for a word that must be directly before. */
const LABEL_UNITS = 20
const LONGEST_WORD = 32

/** The number of a kind in a reader. */
export function contextIndex(kind: Context): number {
  return KINDS.indexOf(kind)
}

/**
 * Reads the words before candidates, each at most once, as the candidates come in the order of the text. It keeps where
 * the last announcing word of each kind begins.
 */
export class ContextReader {
  private readonly text: string
  private readonly lastSeen = new Int32Array(KINDS.length).fill(-LONGEST_WORD * 4)
  private latest = Number.NEGATIVE_INFINITY
  private position = 0

  constructor(text: string) {
    this.text = text
  }

  /** Whether a word of any kind is shortly before an offset. */
  isAnnouncedAtAll(at: number): boolean {
    if (this.position < at) this.readTo(at)
    return this.latest >= at - CONTEXT_UNITS
  }

  /** Whether a word of a kind is shortly before an offset. */
  isAnnounced(kind: number, at: number): boolean {
    if (this.position < at) this.readTo(at)
    return (this.lastSeen[kind] ?? 0) >= at - CONTEXT_UNITS
  }

  /** Whether it is directly before, with little between. */
  isLabelled(kind: number, at: number): boolean {
    return this.isAnnounced(kind, at) && (this.lastSeen[kind] ?? 0) >= at - LABEL_UNITS
  }

  private readTo(at: number): void {
    const { text } = this
    let position = this.position
    if (position < at - CONTEXT_UNITS) {
      position = at - CONTEXT_UNITS
      // A word that the range cuts does not count.
      if (isWordUnit(text.charCodeAt(position - 1)))
        while (position < at && isWordUnit(text.charCodeAt(position))) position++
    }
    while (position < at) {
      if (isWordUnit(text.charCodeAt(position))) position = this.readWord(position, at)
      else if (text.charCodeAt(position++) === HASH) this.note('#', position - 1, at)
    }
    this.position = position
  }

  /** Reads a word. A capital after a small letter begins another one, as in `phoneNumber`. @returns its end */
  private readWord(start: number, limit: number): number {
    const { text } = this
    const end = wordEnd(text, start, limit)
    if (BEGINNINGS[beginning(text, start, end)] === 1 && end - start <= LONGEST_WORD) {
      this.note(text.slice(start, end).toLowerCase(), start, limit)
    }
    return end
  }

  private note(word: string, start: number, limit: number): void {
    for (const { rest, kind } of BY_FIRST_WORD.get(word) ?? NONE) {
      if (rest.length === 0 || this.goesOn(start + word.length, rest, limit)) {
        this.lastSeen[kind] = start
        this.latest = start
      }
    }
  }

  /** Whether the other words of a phrase follow. */
  private goesOn(from: number, rest: readonly string[], limit: number): boolean {
    const { text } = this
    let position = from
    for (const word of rest) {
      while (position < limit && !isWordUnit(text.charCodeAt(position)) && text.charCodeAt(position) !== HASH)
        position++
      const end = text.charCodeAt(position) === HASH ? position + 1 : wordEnd(text, position, limit)
      if (end - position !== word.length || text.slice(position, end).toLowerCase() !== word) return false
      position = end
    }
    return true
  }
}

const HASH = 0x23
const NONE: readonly Phrase[] = []

function wordEnd(text: string, start: number, limit: number): number {
  let position = start + 1
  let wasSmall = isSmall(text.charCodeAt(start))
  while (position < limit) {
    const unit = text.charCodeAt(position)
    if (!isWordUnit(unit) || (wasSmall && unit >= 0x41 && unit <= 0x5a)) break
    wasSmall = isSmall(unit)
    position++
  }
  return position
}

/** 1 for the digits and capitals of ASCII, 2 for its small letters. */
const WORD_UNITS = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (!isAlphanumeric(unit)) return 0
  return unit >= 0x61 ? 2 : 1
})

function isWordUnit(unit: number): boolean {
  return unit < 128 ? WORD_UNITS[unit] !== 0 : isBeyondAscii(unit)
}

function isSmall(unit: number): boolean {
  return unit < 128 && WORD_UNITS[unit] === 2
}
