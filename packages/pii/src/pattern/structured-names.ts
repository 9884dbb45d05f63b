/** The names of structured texts: numbers and addresses that are found by their shape and checked. */
export const STRUCTURED_NAMES = [
  'iban',
  'cn_resident_id',
  'mx_curp',
  'mm_registration_card',
  'kr_resident_number',
  'pk_identity_card',
  'ru_snils',
  'ru_tax_number',
  'th_citizen_id',
  'ar_tax_id',
  'id_citizen_number',
  'ng_identity_number',
  'bd_identity_number',
  'jp_individual_number',
  'ph_identity_number',
  'eg_identity_number',
  'vn_citizen_id',
  'ir_national_code',
  'tr_identity_number',
  'tz_identity_number',
  'za_identity_number',
  'ke_identity_number',
  'co_citizen_card',
  'ua_tax_number',
  'ca_social_insurance',
  'au_tax_file_number',
  'sa_identity_number',
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

const REGIONS =
  'AE AR AT AU BD BE BR CA CD CH CN CO CZ DE DK DZ EG ES ET FI FR GB ' +
  'GR HK HU ID IE IL IN IQ IR IT JP KE KR MA MM MX MY NG NL NO NZ PE ' +
  'PH PK PL PT RO RU SA SD SE SG TH TR TW TZ UA UG US UZ VN ZA'

/** The regions whose national telephone numbers are known (ISO 3166-1). */
export const PHONE_REGIONS: readonly string[] = REGIONS.split(' ')
