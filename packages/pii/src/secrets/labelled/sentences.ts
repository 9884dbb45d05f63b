import type { Span } from '../../span.ts'
import { isPassword } from './judge-password.ts'
import { take } from './names.ts'
import { hasDigitAhead, hasDigitBefore, lookBehind, mayLead } from './quick-look.ts'
import { readValue, type Value } from './value.ts'

/** Words that say what a password is, in the languages of the labels. */
const COPULAS = [
  ...[
    'is',
    'was',
    'are',
    "'s",
    '’s',
    'has been set to',
    'has been changed to',
    'will be',
    'set to',
    'changed to',
    'reset to',
    'now',
  ],
  ...[
    'ist',
    'lautet',
    'lautete',
    'war',
    'wäre',
    'heißt',
    'heisst',
    'est',
    'était',
    'c’est',
    "c'est",
    'es',
    'era',
    'será',
    'è',
    "e'",
    'é',
  ],
  ...['luidt', 'to jest', 'jest', 'brzmi', 'är', 'er', 'это', 'такой', 'теперь', 'olarak'],
]
const COPULA = `(?:${COPULAS.toSorted((one, other) => other.length - one.length).join('|')})`
/** Words between a password and what it is: `for the router`. */
const WORDS = "(?:[ \\t]+[\\p{L}\\p{N}'’@._/-]{1,24}){0,7}?"
const EXTRA =
  '(?:[ \\t]+(?:now|still|just|actually|currently|simply|jetzt|(?:immer )?noch|toujours|todavía|ancora|ainda|maintenant|ahora|adesso|agora|nu|теперь))?'
/** Up to the value: a word that says what it is, or a colon, behind some words at most. */
const TOLD = new RegExp(
  `(?:s|s'|\\))?${WORDS}(?:[ \\t]+${COPULA}${EXTRA}[ \\t]*[:：]?|[ \\t]*[:：=]|[ \\t]+[—–-](?:[ \\t]+это)?)[ \\t\\u00a0]+`,
  'uyi',
)
const DIRECT = new RegExp(
  `${EXTRA}(?:[ \\t]+${COPULA}${EXTRA}[ \\t]*[:：]?|[ \\t]*[:：=]|[ \\t]+[—–-](?:[ \\t]+это)?)[ \\t\\u00a0]+`,
  'uyi',
)
/** In scripts without blanks: Chinese, Japanese, Korean. */
const EAST =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{0,8}?(?:是|为|為|就是|改为|设为|设置为|は|が)|[는은이가]|[ \t]{0,2}[:：=]|(?=[“「『"«])|[ \t]{1,2}(?=[\x21-\x7e]*[A-Za-z][\x21-\x7e]*)|(?=\d{6}(?!\d)))[ \t]{0,2}[:：]?[ \t]{0,2}(?=[^\s])/uy
/** A value directly behind the name, in brackets, quoted or bare. */
const APPOSITION = /[ \u00a0](?:to )?\(?|[ \t]?\((?:it is |is |ist |es |est )?/y
const POLISH = /[ \t]+to[ \t]+/y
const IS_EAST = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$/
/** A value before its name: `hunter2 is my password`. */
const REVERSED =
  /(?:^|[\s"'`“„«(])([^\s"'`“”„«»()]{4,64})["'`”“»]?[ \t]+(?:is|as|for|ist|als|est|comme|es|como|è|come|é|jest|это)[ \t]+(?:(?:my|our|his|her|their|the|your|a|mein|unser|das|dein|mon|notre|le|un|mi|su|nuestra|la|il|mia|minha|a|mijn|het|moje|мой)[ \t]+){0,2}(?:\p{L}{2,12}[ \t]+)?$/iu
const BEFORE_UNITS = 128
const LEAD_UNITS = 240

/** Finds a password that a sentence tells: `my password is …`, `das Passwort lautet …`, `密码是…`. */
export function findToldValue(text: string, label: Span): Value | undefined {
  if (IS_EAST.test(text.slice(label.start, label.end))) {
    const value = findAt(text, label.end, EAST, 'told')
    return value && withoutEastEnd(value)
  }
  // A longer word is another one.
  if (
    /^[\p{L}\p{N}_-]/u.test(text.slice(label.end, label.end + 1)) &&
    !/^s?(?:[ \t]|['’]s)/u.test(text.slice(label.end, label.end + 4))
  )
    return undefined
  const following = lookBehind(text, label.end)
  if (following === 'end' || !(mayLead(text.charCodeAt(label.end)) || /[s()]/.test(text.charAt(label.end))))
    return findBefore(text, label)
  if (following === 'word' && !hasDigitAhead(text, label.end)) return findAt(text, label.end, DIRECT, 'told')
  return (
    findAt(text, label.end, DIRECT, 'told') ??
    (/^(?:asło|haslo|HASŁO)$/.test(text.slice(label.start, label.end))
      ? findAt(text, label.end, POLISH, 'told')
      : undefined) ??
    findAt(text, label.end, TOLD, 'mentioned') ??
    findAt(text, label.end, APPOSITION, 'mentioned') ??
    findBefore(text, label)
  )
}

/** Reads the value that a sentence gives to a name: `the token is …`. */
export function readToldValue(text: string, end: number): Value | undefined {
  const lead = mayLead(text.charCodeAt(end)) ? take(DIRECT, text.slice(end, end + LEAD_UNITS), 0) : undefined
  return lead === undefined ? undefined : readValue(text, end + lead.length)
}

function findAt(text: string, end: number, lead: RegExp, confidence: 'told' | 'mentioned'): Value | undefined {
  const taken = take(lead, text.slice(end, end + LEAD_UNITS), 0)
  if (taken === undefined) return undefined
  const value = readValue(text, end + taken.length)
  // Without a word that tells, it may be code.
  const told = confidence === 'told' && !/\p{L}/u.test(taken) ? 'named' : confidence
  if (value === undefined) return undefined
  if (confidence === 'mentioned' && isForeignWord(taken, value) && isLast(text, value.end))
    return isPassword(value, 'told') ? value : undefined
  if (!isPassword(value, value.isQuoted ? 'told' : told)) return undefined
  if (confidence === 'mentioned' && value.isQuoted && /^\p{L}+$/u.test(value.text)) return undefined
  return /^[\p{L}’']+$/u.test(value.text) && !value.isQuoted && !isLast(text, value.end) ? undefined : value
}

/** A word of telling that English does not have, at the end of some words. */
const FOREIGN_COPULA = /[ \t](?:ist|lautet|est|es|é|è|c['’]est)(?:[ \t]+\p{L}+){0,2}[ \t\u00a0]+$/iu
/** Ends of adjectives and participles, which sentences say of a password. */
const ADJECTIVE_END =
  /(?:[ée]e?s|é|[iau]d[oa]s?|[aiu]t[oa]|iert|elt|ert|tzt|sst|gt|en|lich|ig|isch|bar|able|ible|oire|ivo|iva|ivel|ável|al|eux|euse|uro|ura)$/iu

/** Whether a single word that is told in such a language may be a password. */
function isForeignWord(taken: string, { text, isQuoted }: Value): boolean {
  return !isQuoted && /^\p{L}{6,24}$/u.test(text) && FOREIGN_COPULA.test(taken) && !ADJECTIVE_END.test(text)
}

/** Whether a part of a sentence ends. */
function isLast(text: string, end: number): boolean {
  return /^(?:[.,;!?)。，；！]|\s*$|[ \t]*[\r\n]|[ \t]+(?:and|und|et|y|e|en|och|i|и|but|aber)[ \t])/u.test(
    text.slice(end, end + 12),
  )
}

/** Words that end a sentence directly behind a value. */
const EAST_END =
  /[,;](?=\p{Script=Han})|(?<=[\x21-\x7e])(?:です|でした|だ|になります|입니다|이다|이에요|예요|吧|哦|呢|啊|的)$/u

function withoutEastEnd(value: Value): Value | undefined {
  if (value.isQuoted) return value
  if (/^\p{Script=Han}/u.test(value.text)) return undefined
  const length = value.text.search(EAST_END)
  return length < 0 ? value : { ...value, end: value.start + length, text: value.text.slice(0, length) }
}

function findBefore(text: string, label: Span): Value | undefined {
  const before = text.charCodeAt(label.start - 1)
  if ((before !== 0x20 && before !== 0x09) || !hasDigitBefore(text, label.start)) return undefined
  const from = Math.max(0, label.start - BEFORE_UNITS)
  const found = REVERSED.exec(text.slice(from, label.start))
  const [whole = '', value = ''] = found ?? []
  if (found === null) return undefined
  const start = from + found.index + whole.indexOf(value)
  const told = { start, end: start + value.length, text: value, isQuoted: false }
  return isPassword(told, 'mentioned') ? told : undefined
}
