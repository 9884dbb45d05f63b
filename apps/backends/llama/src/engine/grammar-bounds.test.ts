import { describe, expect, it } from 'vitest'
import { checkGrammarBounds } from './grammar-bounds.ts'

const JSON_GRAMMAR = String.raw`
# JSON as many write it
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws
object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws
array  ::= "[" ws ( value ("," ws value)* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) )* "\"" ws
number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws
ws ::= | " " | "\n" [ \t]{0,20}
`

describe('grammars that go to the engine', () => {
  it.each([
    ['JSON', JSON_GRAMMAR],
    ['one text', 'root ::= "yes" | "no"'],
    ['alternatives on lines of their own', 'root ::= "a"\n  | "b"\n\n  | c\nc ::= "c"'],
    [
      'every kind of item',
      String.raw`root ::= . [a-z]+ ("x" | y)? z{2} z{1,} z{,3} "\"]" [\]"]
y ::= "y"
z ::= "z"`,
    ],
    ['many optional parts', `root ::= ${'"a"? '.repeat(200)}`],
  ])('%s', (_name, text) => {
    expect(() => checkGrammarBounds(text)).not.toThrow()
  })
})

describe('grammars that are refused', () => {
  it.each([
    [
      'parts that can be empty in many ways',
      'root ::= a?a?a?a?a?\na ::= b?b?b?b?b?\nb ::= c?c?c?c?c?\nc ::= d?d?d?d?d?\nd ::= "e"?',
      /empty in too many ways/,
    ],
    ['repeats of an item that may be empty', 'root ::= ("a"?)*', /repeats an item that may be empty/],
    ['items that pile up after a recursive rule', 'root ::= "x" root ("a"? | "b"?) | "y"', /within themselves/],
    ['groups in groups', `root ::= ${'('.repeat(5000)}"a"${')'.repeat(5000)}`, /nests deeper/],
    ['rules in rules', Array.from({ length: 20_000 }, (_, n) => `r${n} ::= r${n + 1}`).join('\n'), /refers too deep/],
    ['too many repeats', 'root ::= "a"{1,999999}', /repeats too often/],
    ['a set that is not closed', '['.repeat(400_000), /cannot be read/],
    ['a text that is not closed', `root ::= ${String.raw`"\"`.repeat(100_000)}`, /cannot be read/],
    ['nothing of a grammar', '{"type": "object"}', /cannot be read/],
    ['too much text', 'x'.repeat(600_000), /longer than/],
  ])('%s', (_name, text, reason) => {
    expect(() => checkGrammarBounds(text)).toThrow(reason)
  })
})
