/** Plans of telephone numbers by region: calling code, trunk prefix, and a pattern of the number behind it. */
export interface PhonePlan {
  readonly code: string
  /** What is dialled before a national number; empty where nothing is. */
  readonly trunk: string
  readonly national: RegExp
}

/**
 * The regions, one a line: ISO 3166-1, calling code, trunk prefix (`-` for none), national numbers. They follow the
 * published plans (ITU-T E.164 and its national annexes) by first digits and lengths.
 */
const TABLE = `
AE 971 0 5\\d{8}|[2-4679]\\d{7}|800\\d{2,9}
AR 54 0 9?(?:11|[2368]\\d{1,3})\\d{6,8}
AT 43 0 6\\d{6,12}|[1-57-9]\\d{5,12}
AU 61 0 [2-578]\\d{8}|1[38]00\\d{6}|13\\d{4}
BD 880 0 1[3-9]\\d{8}|[2-9]\\d{5,9}
BE 32 0 4\\d{8}|[1-9]\\d{7}
BR 55 0 [1-9]\\d9\\d{8}|[1-9]\\d[2-7]\\d{7}|[3589]00\\d{6,7}
CA 1 1 [2-9]\\d\\d[2-9]\\d{6}
CD 243 0 [89]\\d{8}|[1-6]\\d{6}
CH 41 0 [2-9]\\d{8}
CN 86 0 1[3-9]\\d{9}|10\\d{8}|2\\d{9}|[3-9]\\d{9,10}|[48]00\\d{7}
CO 57 0 3\\d{9}|60\\d{8}|1800\\d{7}
CZ 420 - [2-9]\\d{8}
DE 49 0 1[5-7]\\d{8,9}|[2-9]\\d{5,12}
DK 45 - [2-9]\\d{7}
DZ 213 0 [5-7]\\d{8}|[1-4]\\d{7}
EG 20 0 1[0-25]\\d{8}|2\\d{8}|[3-9]\\d{7,8}
ES 34 - [5-9]\\d{8}
ET 251 0 [1-57-9]\\d{8}
FI 358 0 [1-9]\\d{4,10}
FR 33 0 [1-9]\\d{8}
GB 44 0 7\\d{9}|[1-3]\\d{8,9}|[589]\\d{8,9}
GR 30 - [26-9]\\d{9}
HK 852 - [2-9]\\d{7}
HU 36 06 [237]0\\d{7}|[1-9]\\d{7}
ID 62 0 8\\d{8,11}|[2-9]\\d{7,10}
IE 353 0 8\\d{8}|[1-9]\\d{6,8}
IL 972 0 5\\d{8}|7\\d{8}|[2-489]\\d{7}|1[78]00\\d{6}
IN 91 0 [1-9]\\d{9}
IQ 964 0 7\\d{9}|[1-6]\\d{6,8}
IR 98 0 [1-9]\\d{9}
IT 39 - 3\\d{8,9}|0\\d{5,10}|8\\d{5,9}
JP 81 0 [5-9]0\\d{8}|[1-9]\\d{8}
KE 254 0 [17]\\d{8}|[2-6]\\d{6,8}
KR 82 0 1\\d{8,9}|2\\d{7,8}|[3-6]\\d{8,9}|[57]0\\d{8,9}|80\\d{7}
MA 212 0 [5-8]\\d{8}
MM 95 0 9\\d{7,9}|[1-8]\\d{5,8}
MX 52 - 1?[2-9]\\d{9}
MY 60 0 1\\d{8,9}|[3-9]\\d{7,8}
NG 234 0 [2789]\\d{9}|[1-9]\\d{6,8}
NL 31 0 [1-9]\\d{8}|800\\d{4,7}
NO 47 - [2-9]\\d{7}
NZ 64 0 2\\d{7,9}|[3-9]\\d{7}|[58]0\\d{6,8}
PE 51 0 9\\d{8}|[1-8]\\d{7}
PH 63 0 9\\d{9}|2\\d{7,8}|[3-8]\\d{7,8}|180[0-3]\\d{7,8}
PK 92 0 3\\d{9}|[2-9]\\d{8,9}|1\\d{8}|800\\d{5}
PL 48 - [1-9]\\d{8}
PT 351 - [23789]\\d{8}
RO 40 0 [237]\\d{8}|[89]0\\d{7}
RU 7 8 [3489]\\d{9}
SA 966 0 5\\d{8}|1\\d{8}|[89]00?\\d{6,8}
SD 249 0 [19]\\d{8}
SE 46 0 7\\d{8}|[1-9]\\d{6,8}
SG 65 - [3689]\\d{7}|1?800\\d{7}
TH 66 0 [689]\\d{8}|[2-7]\\d{7}|1800\\d{6}
TR 90 0 [2-58]\\d{9}
TW 886 0 9\\d{8}|[2-8]\\d{7,8}
TZ 255 0 [267]\\d{8}|[48]\\d{8}
UA 380 0 [3-9]\\d{8}
UG 256 0 [2347]\\d{8}
US 1 1 [2-9]\\d\\d[2-9]\\d{6}
UZ 998 - [2-9]\\d{8}
VN 84 0 [35789]\\d{8}|2\\d{9}|1[89]00\\d{4,6}
ZA 27 0 [1-8]\\d{8}
`

/** The plans by region. */
export const PHONE_PLANS: ReadonlyMap<string, PhonePlan> = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => {
      const [region = '', code = '', trunk = '', national = ''] = line.split(' ')
      return [region, { code, trunk: trunk === '-' ? '' : trunk, national: new RegExp(`^(?:${national})$`) }]
    }),
)

/** Whether digits, with the trunk prefix or without, are a number of one of the plans. */
export function isNationalNumber(digits: string, plans: readonly PhonePlan[]): boolean {
  return plans.some(({ trunk, national }) => {
    if (national.test(digits)) return true
    return trunk !== '' && digits.startsWith(trunk) && national.test(digits.slice(trunk.length))
  })
}
