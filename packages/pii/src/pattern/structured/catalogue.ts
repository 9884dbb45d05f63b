import { BANK_ACCOUNT } from './bank-account.ts'
import { BIC } from './bank-code.ts'
import { BIRTH_DATE } from './birth-date.ts'
import { CODE_ID_KINDS } from './code-ids.ts'
import { IMEI, MAC_ADDRESS, VIN } from './devices.ts'
import { EMAIL } from './email.ts'
import { IBAN } from './iban.ts'
import { IP_ADDRESS } from './ip-address.ts'
import type { StructuredKind } from './kind.ts'
import { LABELLED_ID_KINDS } from './labelled-ids.ts'
import { MORE_ID_KINDS } from './more-ids.ts'
import { NATIONAL_ID_KINDS } from './national-ids.ts'
import { DRIVER_LICENCE, PASSPORT } from './papers.ts'
import { PAYMENT_CARD } from './payment-card.ts'
import { PHONE } from './phone.ts'
import { PLATE } from './plate.ts'
import { POSTCODE } from './postcode.ts'
import { STREET_ADDRESS } from './street.ts'
import { CRYPTO_WALLET } from './wallets.ts'
import { WORLD_ID_KINDS } from './world-ids.ts'

/** The built-ins that are found by shape and check, the more specific before the more general. */
export const STRUCTURED_KINDS: readonly StructuredKind[] = [
  IBAN,
  ...WORLD_ID_KINDS,
  PAYMENT_CARD,
  EMAIL,
  IP_ADDRESS,
  MAC_ADDRESS,
  ...NATIONAL_ID_KINDS,
  ...CODE_ID_KINDS,
  ...MORE_ID_KINDS,
  CRYPTO_WALLET,
  VIN,
  IMEI,
  BIC,
  PASSPORT,
  DRIVER_LICENCE,
  ...LABELLED_ID_KINDS,
  BANK_ACCOUNT,
  PLATE,
  BIRTH_DATE,
  STREET_ADDRESS,
  POSTCODE,
  PHONE,
]
