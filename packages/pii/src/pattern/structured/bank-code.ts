import type { StructuredKind } from './kind.ts'

const FORM = /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/
/** The countries and territories of ISO 3166-1, and Kosovo. */
const COUNTRIES =
  'AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
const KNOWN = new Set(COUNTRIES.split(' '))

const LOW_LINE = 0x5f

/** The code of a bank (ISO 9362), after a word that announces it. */
export const BIC: StructuredKind = {
  name: 'bic',
  group: 'BIC',
  mixed: [8, 11],
  capitals: [8, 11],
  announcedBy: 'bic',
  findUnchecked({ word, start, end }) {
    return /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/i.test(word) ? { start, end } : undefined
  },
  find({ word, start, end, after, isPart }) {
    return !isPart && after !== LOW_LINE && FORM.test(word) && KNOWN.has(word.slice(4, 6)) ? { start, end } : undefined
  },
}
