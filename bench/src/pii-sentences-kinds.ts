import { STRUCTURED_NAMES } from '@svc/pii/names'

/** Values with a form of their own, or secrets, which are private whatever their form. */
export type Family = 'structured' | 'secrets'

interface Kind {
  readonly family: Family
  /** Groups of detectors that mean this kind. */
  readonly groups?: RegExp
  /** Groups of another kind that are right too: an address holds its postcode, and some licences carry the id number. */
  readonly also?: readonly string[]
}

/**
 * The kinds of labels, and the groups of detectors that mean them. Every other structured group is an identity number of
 * a country, and every group that is not structured is a secret of any kind.
 */
export const KINDS: Readonly<Record<string, Kind>> = {
  EMAIL: { family: 'structured', groups: /^EMAIL/ },
  PHONE: { family: 'structured', groups: /^PHONE/ },
  CREDIT_CARD: { family: 'structured', groups: /^CREDIT_?CARD/ },
  IBAN: { family: 'structured', groups: /^IBAN/ },
  BIC: { family: 'structured', groups: /^BIC$/ },
  BANK_ACCOUNT: { family: 'structured', groups: /ACCOUNT|ROUTING|SORT_CODE|CLABE/ },
  NATIONAL_ID: { family: 'structured' },
  PASSPORT: { family: 'structured', groups: /^PASSPORT/ },
  DRIVER_LICENCE: { family: 'structured', groups: /DRIV.*LICEN[CS]E/, also: ['NATIONAL_ID'] },
  BIRTH_DATE: { family: 'structured', groups: /^BIRTH/ },
  STREET_ADDRESS: { family: 'structured', groups: /^STREET/ },
  POSTCODE: { family: 'structured', groups: /POSTCODE|POSTAL|ZIP/, also: ['STREET_ADDRESS'] },
  IP_ADDRESS: { family: 'structured', groups: /^IP_/ },
  MAC_ADDRESS: { family: 'structured', groups: /^MAC_/ },
  IMEI: { family: 'structured', groups: /^IMEI/ },
  VIN: { family: 'structured', groups: /^VIN$/ },
  PLATE: { family: 'structured', groups: /PLATE/ },
  CRYPTO_WALLET: { family: 'structured', groups: /^CRYPTO/ },
  PASSWORD: { family: 'secrets' },
  CODE: { family: 'secrets' },
  TOKEN: { family: 'secrets' },
  PRIVATE_KEY: { family: 'secrets' },
}

const STRUCTURED_GROUPS = STRUCTURED_NAMES.map((name) => name.toUpperCase())

/** The kind that a group of a structured detector means; undefined for secrets, whose groups say less than the label. */
export function kindOfGroup(group: string): string | undefined {
  const named = Object.entries(KINDS).find(([, { groups }]) => groups?.test(group))
  if (named !== undefined && isStructured(group)) return named[0]
  return isStructured(group) ? 'NATIONAL_ID' : undefined
}

function isStructured(group: string): boolean {
  return group === 'CREDITCARD' || STRUCTURED_GROUPS.includes(group)
}

/** The family of a group. */
export function familyOfGroup(group: string): Family {
  return isStructured(group) ? 'structured' : 'secrets'
}

/** Whether a finding of a group names a label of a kind rightly. A secret may be found as any secret. */
export function isOfKind(group: string, kind: string): boolean {
  const found = kindOfGroup(group)
  if (found === undefined) return KINDS[kind]?.family === 'secrets'
  return found === kind || KINDS[kind]?.also?.includes(found) === true
}

/** Whether any detector can find a kind. */
export function hasDetector(kind: string): boolean {
  return KINDS[kind]?.family === 'secrets' || STRUCTURED_GROUPS.some((group) => isOfKind(group, kind))
}
