import { describe, expect, it } from 'vitest'
import { GoTemplateExecError } from '../src/go/index.ts'
import { render } from './go-render.ts'

// Expected texts are what Go 1.26 with sprig 3.3 wrote.
describe('string functions', () => {
  it.each([
    ['{{trim "  a b \\n"}}|', 'a b|'],
    ['{{trim "\\u00a0x\\u2003"}}|', 'x|'],
    ['{{trimAll "$-" "-$5.00$-"}}', '5.00'],
    ['{{trimAll "" " a "}}|', ' a |'],
    ['{{trimAll "é" "éaé"}}', 'a'],
    ['{{trimPrefix "-" "--a"}}', '-a'],
    ['{{trimSuffix "-" "a--"}}', 'a-'],
    ['{{trimSuffix "" "a"}}', 'a'],
    ['{{trimPrefix "xyz" "x"}}', 'x'],
    ['{{nospace " a b\\tc\\n"}}', 'abc'],
    ['{{nospace "é b"}}', 'Ã©b'],
    ['{{nospace "é"}}', 'é'],
    ['{{trimall "x" "xax"}}', 'a'],
  ])('trimming: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{trim 5}}', '{{trim .nul}}', '{{trim .nope}}'])('trimming, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{upper "straße ǆ ᾳ"}}', 'STRAßE Ǆ ᾼ'],
    ['{{lower "ÀÉİΣ"}}', 'àéiσ'],
    ['{{title "hello wORLD foo-bar o\'neil ǆ 1a"}}', "Hello WORLD Foo-Bar O'Neil ǅ 1a"],
    ['{{title "a_b c.d é x\\u2003y"}}', 'A_b C.D É X\u2003Y'],
    ['{{untitle "Hello World"}}', 'hello world'],
    ['{{swapcase "aBc dEF ǅ"}}', 'AbC Def ǆ'],
    ['{{snakecase "FirstName HTTPServer"}}', 'first_name_http_server'],
    ['{{snakecase "HTTP20xOK Bld4Floor3rd"}}', 'http_20x_ok_bld4_floor_3rd'],
    ['{{snakecase "no_https GO-PATH a.b"}}', 'no_https_go_path_a.b'],
    ['{{kebabcase "Duration2m3s"}}', 'duration-2m3s'],
    ['{{kebabcase "中文Mixed中文"}}', '中文-mixed-中文'],
    ['{{camelcase "http_server"}}', 'HttpServer'],
    ['{{camelcase "_complex__case_"}}', '_Complex_Case_'],
    ['{{camelcase "GOLANG_IS_GREAT"}}', 'GolangIsGreat'],
    ['{{camelcase "__"}}', '___'],
    ['{{initials "First Try"}}', 'FT'],
    ['{{initials "élan vital"}}', 'Ãv'],
  ])('case: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{substr 0 5 "hello world"}}', 'hello'],
    ['{{substr 3 -1 "hello"}}', 'lo'],
    ['{{substr -1 3 "hello"}}', 'hel'],
    ['{{substr 2 99 "hello"}}', 'llo'],
    ['{{substr 0 3 "abéd" | printf "%q"}}', '"ab\\xc3"'],
    ['{{trunc 5 "hello world"}}', 'hello'],
    ['{{trunc -5 "hello world"}}', 'world'],
    ['{{trunc 0 "hi"}}|', '|'],
    ['{{trunc -9 "hi"}}', 'hi'],
    ['{{trunc 2 "éé" | printf "%q"}}', '"é"'],
    ['{{abbrev 8 "hello wonderful"}}', 'hello...'],
    ['{{abbrev 3 "hello"}}', 'hello'],
    ['{{abbrevboth 5 10 "1234 5678 9123"}}', '...5678...'],
    ['{{abbrevboth 1 6 "1234 5678"}}', '1234 5678'],
    ['{{abbrevboth 9 10 "1234 5678 9123"}}', '...78 9123'],
    ['{{wrap 10 "the quick brown fox jumps"}}', 'the quick\nbrown fox\njumps'],
    ['{{wrap 3 "abcdef gh"}}', 'abcdef\ngh'],
    ['{{wrap 0 "a b c"}}', 'a\nb\nc'],
    ['{{wrapWith 5 "|" "Hello World abcdefghij"}}', 'Hello|World|abcde|fghij'],
    ['{{wrapWith 2 "" "abc"}}', 'ab\nc'],
  ])('cutting: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{substr 3 2 "hello"}}', '{{substr -1 99 "hello"}}', '{{trunc (add 1 1) "x"}}'])(
    'cutting, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    ['{{join "-" .list}}', 'a-b-c'],
    ['{{join "," .mixed}}', '1,two,3.5,true,map[k:1],[1 2]'],
    ['{{join "," "str"}}', 'str'],
    ['{{join "," nil}}|', '|'],
    ['{{splitList "$" "foo$bar$"}}', '[foo bar ]'],
    ['{{splitList "," "" | len}}', '1'],
    ['{{splitList "" "aé日" | toJson}}', '["a","é","日"]'],
    ['{{(split "$" "a$b")._1}}', 'b'],
    ['{{splitn "$" 2 "a$b$c"}}', 'map[_0:a _1:b$c]'],
    ['{{splitn "$" 0 "a"}}', 'map[]'],
    ['{{splitn "" 2 "abc"}}', 'map[_0:a _1:bc]'],
    ['{{cat "a" 1 nil true "b"}}', 'a 1 true b'],
    ['{{cat}}|', '|'],
    ['{{quote "a\\"b" 1 nil .5}}', '"a\\"b" "1" "0.5"'],
    ['{{squote "it\'s" 1}}', "'it's' '1'"],
    ['{{quote}}|', '|'],
    ['{{toStrings .mixed | toJson}}', '["1","two","3.5","true","map[k:1]","[1 2]"]'],
    ['{{toStrings 5}}', '[5]'],
    ['{{sortAlpha .nums}} {{sortAlpha "x"}} {{sortAlpha (list "b" "B" "é" "a")}}', '[1 2 3] [x] [B a b é]'],
    ['{{plural "one" "many" 1}} {{plural "one" "many" 0}}', 'one many'],
  ])('joining and splitting: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{join 1 .list}}'])('joining and splitting, failing when run: %s', (template) => {
    expect(() => render(template)).toThrow(GoTemplateExecError)
  })

  it.each([
    ['{{replace "a" "-" "banana"}}', 'b-n-n-'],
    ['{{replace "" "-" "aé"}}', '-a-é-'],
    ['{{replace "a" "" "aaa"}}|', '|'],
    ['{{repeat 3 "ab"}}', 'ababab'],
    ['{{repeat 0 "ab"}}|', '|'],
    ['{{repeat 2.0 "ab"}}', 'abab'],
    ['{{indent 2 "a\\nb\\n"}}|', '  a\n  b\n  |'],
    ['{{nindent 2 "a\\n\\nb"}}', '\n  a\n  \n  b'],
    [
      '{{contains "cat" "concat"}} {{contains "" ""}} {{hasPrefix "ca" "cat"}} {{hasSuffix "" "x"}}',
      'true true true true',
    ],
    ['{{regexQuoteMeta "1.2$[a]{b}|^*+?()\\\\"}}', '1\\.2\\$\\[a\\]\\{b\\}\\|\\^\\*\\+\\?\\(\\)\\\\'],
    ['{{hello}}', 'Hello!'],
  ])('replacing and repeating: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each(['{{repeat -1 "ab"}}', '{{repeat 2.5 "ab"}}', '{{indent -1 "a"}}'])(
    'replacing and repeating, failing when run: %s',
    (template) => {
      expect(() => render(template)).toThrow(GoTemplateExecError)
    },
  )

  it.each([
    ['{{html "<a href=\'x\'>&\\"\\x00"}}', '&lt;a href=&#39;x&#39;&gt;&amp;&#34;\ufffd'],
    ['{{html 1 nil .list}}', '1&lt;no value&gt;[a b c]'],
    [
      '{{js "a\'b\\"c\\\\d<e>&=\\n\\u2028é\\u00a0"}}',
      'a\\\'b\\"c\\\\d\\u003Ce\\u003E\\u0026\\u003D\\u000A\\u2028é\\u00A0',
    ],
    ['{{js .nope 5 6}}', '\\u003Cno value\\u003E5 6'],
    ['{{urlquery "a b&c=d/é?~*"}}', 'a+b%26c%3Dd%2F%C3%A9%3F~%2A'],
    ['{{urlquery 1 2 "x" nil}}', '1+2x%3Cno+value%3E'],
  ])('escaping: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })

  it.each([
    ['{{b64enc "héllo?>"}} {{b64dec "aMOpbGxv"}}', 'aMOpbGxvPz4= héllo'],
    ['{{b64dec "!!"}}', 'illegal base64 data at input byte 0'],
    ['{{b64dec "YQ"}}', 'illegal base64 data at input byte 0'],
    ['{{b64dec "YQ="}}', 'illegal base64 data at input byte 3'],
    ['{{b64dec "YQ==x"}}', 'illegal base64 data at input byte 4'],
    ['{{b64dec "YW\\nJj"}}', 'abc'],
    ['{{b64dec "A==="}}', 'illegal base64 data at input byte 1'],
    ['{{b32enc "hi"}} {{b32dec "NBUQ===="}}', 'NBUQ==== hi'],
    ['{{b32dec "nbuq===="}}', 'illegal base32 data at input byte 0'],
    ['{{b32dec "NBUQ"}}', 'illegal base32 data at input byte 0'],
    ['{{b32dec "NBU====="}}', 'illegal base32 data at input byte 3'],
    ['{{b32dec "ME=====A"}}', 'illegal base32 data at input byte 6'],
    ['{{sha1sum "abc"}}', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['{{sha256sum ""}}', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [
      '{{sha512sum "héllo"}}',
      'a67e831011aa41ebb2a218c8ff727f1c60d62f06e1681678d176a81cd72ee69e7250c4c943cacbab28e42768615a5c41b6b0d42591d2c26a65670b38e97306dc',
    ],
    ['{{adler32sum "Wikipedia"}}', '300286872'],
  ])('encoding and check sums: %s', (template, output) => {
    expect(render(template)).toBe(output)
  })
})
