import { CompiledPattern } from '../../pattern/compiled-pattern.ts'
import { PatternMatcher } from '../../pattern/matcher.ts'
import { findSecret } from '../../secrets/check-secret.ts'
import type { SecretKind } from '../../secrets/secret-kind.ts'
import { SECRET_KINDS } from '../../secrets/secret-kinds.ts'

/** A sample text for each built-in, with the expected finding. */
export const SECRETS: Readonly<Record<string, { readonly text: string; readonly secret: string }>> = {
  ...Object.fromEntries(SECRET_KINDS.map((kind) => [kind.name, exampleSecret(kind)])),
  provider_a_api_key: alone('sk-proj-Zq9Zq9Zq9Zq9Zq9Zq9Zq'),
  provider_b_api_key: alone('sk-ant-api03-Zq9Zq9Zq9Zq9Zq9'),
  codehost_token: alone(`ghp_${'A1b2'.repeat(9)}`),
  cloud_access_key: alone('AKIAQ7Q7Q7Q7Q7Q7Q7Q7'),
  private_key_block: alone(
    '-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKx\nq83sDf+/2w==\n-----END RSA PRIVATE KEY-----',
  ),
  google_api_key: alone(`AIza${'Sy-_0'.repeat(7)}`),
  slack_token: alone('xoxb-1234567890-abc'),
  stripe_key: alone('rk_live_0123456789abcdef'),
  jwt: alone('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN'),
  email: alone('jane.doe+x@example.co.uk'),
  credit_card: alone('4111 1111 1111 1111'),
  iban: alone('DE89 3704 0044 0532 0130 00'),
  ip_address: alone('2001:db8:85a3::8a2e:370:7334'),
  phone: alone('+49 30 123456-78'),
  es_dni: alone('12345678-Z'),
  ch_social_security: alone('756.9217.0769.85'),
  fr_social_security: alone('1 85 05 78 006 084 91'),
  us_ssn: after('SSN: ', '123-45-6789'),
  uk_nhs_number: after('NHS number ', '943 476 5919'),
  de_tax_id: after('Steuer-ID: ', '86 095 742 719'),
  nl_citizen_service_number: after('BSN ', '111222333'),
  pl_pesel: after('PESEL ', '44051401359'),
  br_cpf: after('CPF ', '529.982.247-25'),
  in_aadhaar: after('Aadhaar ', '2345 6789 0124'),
  se_personal_number: after('personnummer ', '811228-9874'),
  mac_address: alone('00:1B:44:11:3A:B7'),
  us_itin: after('ITIN: ', '912-70-1234'),
  uk_nino: alone('AB 12 34 56 C'),
  it_fiscal_code: alone('RSSMRA85T10A562S'),
  crypto_wallet: alone('0x52908400098527886E0F7030069857D2E4169EE7'),
  vin: alone('1M8GDM9AXKP042788'),
  imei: after('IMEI ', '490154203237518'),
  bic: after('BIC ', 'DEUTDEFF500'),
  passport: after('passport no. ', 'C01X00T47'),
  driver_licence: after('driving licence ', 'MORGA657054SM9IJ'),
  birth_date: after('born on ', '1984-03-12'),
  street_address: alone('221 Baker Street'),
  postcode: alone('SW1A 1AA'),
  cn_resident_id: alone('11010519491231002X'),
  mx_curp: alone('HEGG560427MVZRRL04'),
  mm_registration_card: alone('12/OUKAMA(N)123456'),
  kr_resident_number: alone('900101-1234567'),
  pk_identity_card: alone('35202-1234567-1'),
  ru_snils: alone('112-233-445 95'),
  ru_tax_number: after('INN ', '7707083893'),
  th_citizen_id: alone('1-1037-02071-81-1'),
  ar_tax_id: alone('20-12345678-6'),
  id_citizen_number: after('NIK ', '3171011708450001'),
  ng_identity_number: after('NIN ', '12345678901'),
  bd_identity_number: after('NID ', '1234567890'),
  jp_individual_number: after('my number ', '123456789018'),
  ph_identity_number: after('PSN ', '1234-5678-9012'),
  eg_identity_number: after('national id ', '29001010112345'),
  vn_citizen_id: after('CCCD ', '001099012345'),
  ir_national_code: after('code melli ', '0499370899'),
  tr_identity_number: after('TC kimlik ', '10000000146'),
  tz_identity_number: after('NIDA ', '19900101123450000123'),
  za_identity_number: after('SA ID ', '8001015009087'),
  ke_identity_number: after('Huduma ', '12345678'),
  co_citizen_card: after('cedula ', '1.020.304.050'),
  ua_tax_number: after('RNOKPP ', '1759013776'),
  ca_social_insurance: after('social insurance ', '130 692 544'),
  au_tax_file_number: after('TFN ', '123 456 782'),
  sa_identity_number: after('iqama ', '2000000006'),
}

function exampleSecret(kind: SecretKind) {
  const labels = new PatternMatcher([new CompiledPattern(kind.pattern)]).match(kind.example)
  const found = labels.map((label) => findSecret(kind, kind.example, label)).find((secret) => secret !== undefined)
  const { start = 0, end = 0 } = found ?? {}
  return { text: kind.example, secret: kind.example.slice(start, end) }
}

function alone(secret: string) {
  return { text: secret, secret }
}

/** A number that needs a context word before it. */
function after(context: string, secret: string) {
  return { text: context + secret, secret }
}
