import { unparsable } from '../../../inference/documents/unparsable.ts'

/** The languages of the common recognisers, whose English names clients may send. */
const NAMED = `af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu
  hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd
  si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo yue zh`

/** Codes that the common recognisers have under another one. */
const OWN_CODES: Readonly<Record<string, string>> = { jv: 'jw', jav: 'jw', fil: 'tl', iw: 'he', in: 'id', ji: 'yi' }

/** Names beside those of the language tables of this runtime. */
const FURTHER_NAMES: Readonly<Record<string, string>> = {
  burmese: 'my',
  castilian: 'es',
  filipino: 'tl',
  flemish: 'nl',
  haitian: 'ht',
  letzeburgesch: 'lb',
  mandarin: 'zh',
  moldavian: 'ro',
  moldovan: 'ro',
  myanmar: 'my',
  nynorsk: 'nn',
  panjabi: 'pa',
  pushto: 'ps',
  sinhalese: 'si',
  tagalog: 'tl',
  valencian: 'ca',
}

const CODE = /^[a-z]{2,3}$/
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
let codes: ReadonlyMap<string, string> | undefined

/**
 * Reads a language that a client names: a code of ISO 639-1 or 639-3, with or without a region, or an English name.
 *
 * @returns the shortest code; undefined for `auto` and none
 * @throws {SvcError} `invalid_request` for anything else
 */
export function readLanguage(given: string | null | undefined, param = 'language'): string | undefined {
  const word = (given ?? '').trim().toLowerCase()
  if (word === '' || word === 'auto') return undefined
  const code = findCode(word) ?? listNames().get(plain(word))
  if (code !== undefined) return code
  throw unparsable(`${param}: must be a code of ISO 639, such as en, an English name, or auto`, param)
}

function findCode(word: string): string | undefined {
  const [code = ''] = word.split(/[-_]/, 1)
  if (!CODE.test(code) || !/^[a-z0-9]+(?:[-_][a-z0-9]{1,8})*$/.test(word)) return undefined
  const own = OWN_CODES[code]
  if (own !== undefined) return own
  if (code.length === 2) return code === 'jw' || names.of(code) !== undefined ? code : undefined
  const [shortest = code] = Intl.getCanonicalLocales(code)
  return names.of(shortest) === undefined ? undefined : (OWN_CODES[shortest] ?? shortest)
}

function listNames(): ReadonlyMap<string, string> {
  codes ??= new Map([
    ...NAMED.split(/\s+/).map((code): [string, string] => [plain(names.of(code) ?? code), code]),
    ...Object.entries(FURTHER_NAMES),
    ['javanese', 'jw'],
  ])
  return codes
}

/** Drops accents and case. */
function plain(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
