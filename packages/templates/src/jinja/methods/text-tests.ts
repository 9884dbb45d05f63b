import {
  isAlphanumeric,
  isDecimal,
  isDigit,
  isIdentifierPart,
  isIdentifierStart,
  isLetter,
  isNumeric,
  isPrintable,
  isSpace,
} from '../text/characters.ts'
import { isAllLower, isAllUpper, isTitleCase } from '../text/letter-case.ts'
import type { MethodTable } from './method.ts'

/** Adds the methods that say something about all characters of a text. */
export function addTextTests(table: MethodTable<string>): void {
  const add = (name: string, test: (text: string) => boolean): void => {
    table.add(name, '', (run, text) => {
      run.walk(text.length * 8)
      return test(text)
    })
  }
  add('isalpha', (text) => isEach(text, isLetter))
  add('isalnum', (text) => isEach(text, isAlphanumeric))
  add('isdecimal', (text) => isEach(text, isDecimal))
  add('isdigit', (text) => isEach(text, isDigit))
  add('isnumeric', (text) => isEach(text, isNumeric))
  add('isspace', (text) => isEach(text, (character) => isSpace(character.charCodeAt(0))))
  add('isprintable', (text) => text === '' || isEach(text, isPrintable))
  add('isascii', (text) => text === '' || isEach(text, (character) => character < '\x80'))
  add('isupper', isAllUpper)
  add('islower', isAllLower)
  add('istitle', isTitleCase)
  add('isidentifier', isIdentifier)
}

function isEach(text: string, test: (character: string) => boolean): boolean {
  for (const character of text) if (!test(character)) return false
  return text !== ''
}

function isIdentifier(text: string): boolean {
  const [first] = text
  return first !== undefined && isIdentifierStart(first) && isEach(text, isIdentifierPart)
}
