/** The names of structured texts: numbers and addresses that are found by their shape and checked. */
export const STRUCTURED_NAMES = [
  'iban',
  'credit_card',
  'email',
  'ip_address',
  'mac_address',
  'us_ssn',
  'us_itin',
  'uk_nhs_number',
  'de_tax_id',
  'fr_social_security',
  'nl_citizen_service_number',
  'pl_pesel',
  'ch_social_security',
  'br_cpf',
  'in_aadhaar',
  'se_personal_number',
  'es_dni',
  'uk_nino',
  'it_fiscal_code',
  'crypto_wallet',
  'vin',
  'imei',
  'bic',
  'passport',
  'driver_licence',
  'birth_date',
  'street_address',
  'postcode',
  'phone',
] as const

/** A name of a structured text. */
export type StructuredName = (typeof STRUCTURED_NAMES)[number]

/** The group that findings of a structured text are reported under. */
export function toStructuredGroup(name: StructuredName): string {
  return name === 'credit_card' ? 'CREDITCARD' : name.toUpperCase()
}
