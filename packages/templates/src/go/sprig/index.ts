import type { FunctionTable } from '../function.ts'
import { DATE_FUNCTIONS } from './dates.ts'
import { DEFAULT_FUNCTIONS } from './defaults.ts'
import { DICT_FUNCTIONS } from './dicts.ts'
import { ENCODING_FUNCTIONS } from './encoding.ts'
import { HASH_FUNCTIONS } from './hashes.ts'
import { LIST_FUNCTIONS } from './lists.ts'
import { NUMBER_FUNCTIONS } from './numbers.ts'
import { PATH_FUNCTIONS } from './paths.ts'
import { REGEX_FUNCTIONS } from './regex.ts'
import { SEMVER_FUNCTIONS } from './semver.ts'
import { SHORTEN_FUNCTIONS } from './shorten.ts'
import { STRING_FUNCTIONS } from './strings.ts'
import { URL_FUNCTIONS } from './urls.ts'
import { WORD_FUNCTIONS } from './words.ts'

/**
 * The functions of sprig v3.3, without functions that depend on the machine, time or chance: environment, host names,
 * the clock, random text, keys, certificates and password hashes. Templates that name one of these fail to compile.
 */
export const SPRIG: FunctionTable = {
  ...DATE_FUNCTIONS,
  ...DEFAULT_FUNCTIONS,
  ...DICT_FUNCTIONS,
  ...ENCODING_FUNCTIONS,
  ...HASH_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...PATH_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...SEMVER_FUNCTIONS,
  ...SHORTEN_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...URL_FUNCTIONS,
  ...WORD_FUNCTIONS,
}
