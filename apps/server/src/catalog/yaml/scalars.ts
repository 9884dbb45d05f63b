import { isNull, type YamlNode } from './node.ts'

/** Maximum length of a number; keeps the expressions below away from long texts. */
const MAX_NUMBER_LENGTH = 64
const DECIMAL = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const RADIX = /^([-+]?)(0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)$/
// Octal as YAML 1.1 writes it; existing files were read this way.
const OLD_OCTAL = /^([-+]?)0([0-7]+)$/
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/

/** The YAML 1.1 spellings of true. */
export const TRUE_WORDS: ReadonlySet<string> = new Set([
  'true',
  'True',
  'TRUE',
  'y',
  'Y',
  'yes',
  'Yes',
  'YES',
  'on',
  'On',
  'ON',
])
/** The YAML 1.1 spellings of false. */
export const FALSE_WORDS: ReadonlySet<string> = new Set([
  'false',
  'False',
  'FALSE',
  'n',
  'N',
  'no',
  'No',
  'NO',
  'off',
  'Off',
  'OFF',
])

/** Converts a scalar under a boolean key: the YAML 1.1 spellings, also quoted. */
export function toBoolean(node: YamlNode): boolean | undefined {
  if (node.kind !== 'scalar') return undefined
  if (TRUE_WORDS.has(node.text)) return true
  return FALSE_WORDS.has(node.text) ? false : undefined
}

/** Converts a plain scalar to a number, including infinite ones; undefined for text. */
export function toNumber(node: YamlNode): number | undefined {
  if (node.kind !== 'scalar' || !node.plain || node.text === '' || node.text.length > MAX_NUMBER_LENGTH)
    return undefined
  const text = node.text.replaceAll('_', '')
  const radix = RADIX.exec(text)
  if (radix !== null) return radix[1] === '-' ? -Number(radix[2]) : Number(radix[2])
  const octal = OLD_OCTAL.exec(text)
  if (octal !== null) return Number.parseInt(octal[2] ?? '', 8) * (octal[1] === '-' ? -1 : 1)
  if (DECIMAL.test(text)) return Number(text)
  const infinite = INFINITE.exec(text)
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity
  return NOT_A_NUMBER.test(text) ? Number.NaN : undefined
}

/** Converts a value to plain data, for keys without a type: 1.2 booleans, numbers and null; everything else is text. */
export function toPlainValue(node: YamlNode): unknown {
  if (node.kind === 'list') return node.items.map(toPlainValue)
  if (node.kind === 'map') {
    return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toPlainValue(value)]))
  }
  if (isNull(node)) return null
  if (node.plain && /^(?:true|True|TRUE)$/.test(node.text)) return true
  if (node.plain && /^(?:false|False|FALSE)$/.test(node.text)) return false
  return toNumber(node) ?? node.text
}
