import { describe, expect, it } from 'vitest'
import { GoTemplateExecError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('regular expressions', () => {
  it.each([
    ['{{regexMatch "^[a-z]+$" "abc"}} {{regexMatch "(" "x"}}', 'true false'],
    ['{{regexFind "[a-zA-Z][1-9]" "abcd1234"}} {{regexFind "z" "a"}}|', 'd1 |'],
    ['{{regexFindAll "a*" "baaac" -1 | toJson}} {{regexFindAll "é?" "aéb" -1 | toJson}}', '["","aaa",""] ["","é",""]'],
    [
      '{{regexFindAll "[2468]" "123456789" 2}} {{regexFindAll "x" "a" -1 | toJson}} {{regexFindAll "a" "aa" 0 | toJson}}',
      '[2 4] null null',
    ],
    [
      '{{regexFind "(?i)hello" "say HELLO"}} {{regexFind "(?s)a.b" "a\\nb" | quote}} {{regexFind "(?m)^b" "a\\nb"}} {{regexMatch "\\\\bé" "é"}}',
      'HELLO "a\\nb" b false',
    ],
    [
      '{{regexFind "\\\\pL+\\\\d" "日本1"}} {{regexFind "[[:upper:]]+" "abCD"}} {{regexFind "😀." "x😀é"}}',
      '日本1 CD 😀é',
    ],
    ['{{regexFind "(a|ab)(c|bcd)" "abcd"}}', 'abcd'],
  ])('matching: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    '{{mustRegexMatch "(" "x"}}',
    '{{regexFind "(" "x"}}',
    '{{mustRegexFind "(a)\\\\1" "aa"}}',
    '{{mustRegexFind "a(?=b)" "ab"}}',
    '{{mustRegexFind "(?<=a)b" "ab"}}',
    '{{mustRegexFind "a{1001}" "a"}}',
  ])('matching, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    [
      '{{regexReplaceAll "a(x*)b" "-ab-axxb-" "\x24{1}W"}} {{regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W"}}',
      '-W-xxW- ---',
    ],
    ['{{regexReplaceAll "(a)(b)?" "a ab" "[$1|$2|$0|$3]"}}', '[a||a|] [a|b|ab|]'],
    [
      '{{regexReplaceAll "a" "banana" "$$"}} {{regexReplaceAll "a" "banana" "$"}} {{regexReplaceAll "a" "banana" "\x24{"}} {{regexReplaceAll "(a)" "banana" "$01"}}',
      'b$n$n$ b$n$n$ b\x24{n\x24{n\x24{ bnn',
    ],
    [
      '{{regexReplaceAll "(?P<k>\\\\w+)=(?P<v>\\\\w+)" "a=1 b=2" "\x24{v}:$k"}} {{regexReplaceAll "(?P<k>a)" "a" "$k_x|\x24{k}_x"}}',
      '1:a 2:b |a_x',
    ],
    [
      '{{regexReplaceAll "" "aé" "-"}} {{regexReplaceAll "x*" "axb" "-"}} {{regexReplaceAll "$" "a" "!"}}',
      '-a-é- -a-b- a!',
    ],
    [
      '{{regexReplaceAllLiteral "a(x*)b" "-ab-" "\x24{1}"}} {{mustRegexReplaceAllLiteral "é" "été" "e"}}',
      '-\x24{1}- ete',
    ],
    ['{{regexReplaceAll "(?s)<think>.*?</think>\\\\s*" "<think>a\\nb</think>\\n\\nc" ""}}', 'c'],
  ])('replacing: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{mustRegexReplaceAll "(" "a" "b"}}', '{{regexReplaceAll "(" "a" "b"}}'])(
    'replacing, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    [
      '{{regexSplit "z+" "pizza" -1 | toJson}} {{regexSplit "," "a,b,c" 2 | toJson}} {{regexSplit "," "a,b" 0 | toJson}} {{regexSplit "," "" -1 | toJson}} {{regexSplit "" "aé" -1 | toJson}} {{regexSplit "a" "aba" -1 | toJson}} {{mustRegexSplit "a*" "baac" -1 | toJson}}',
      '["pi","a"] ["a","b,c"] null [""] ["a","é"] ["","b",""] ["b","c"]',
    ],
  ])('splitting: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{regexSplit "(" "a" 1}}'])('splitting, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })
})
