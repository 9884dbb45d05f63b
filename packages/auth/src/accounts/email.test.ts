import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEmail, normalizeEmail } from './email.ts'

describe('an address', () => {
  it.each([
    ['ada@site.example', ['Ada@Site.Example', ' ada@site.example\n', 'ＡＤＡ@site.example', 'ada＠site.example']],
    ['ada@site.example', ['𝐚𝐝𝐚@site.example', 'ⓐⓓⓐ@site.example', 'ada@ｓｉｔｅ.example', 'ada@site。example']],
    ['ada@site.example', ['ada@si\u00adte.example', 'ada@SITE\uff0eexample', 'ad\u00aa@site.example']],
    ['office@site.example', ['o\ufb03ce@site.example']],
    ['ada@bücher.example', ['ada@xn--bcher-kva.example', 'ADA@BÜCHER.example', 'ada@bu\u0308cher.example']],
    ['ada@straße.example', ['ada@xn--strae-oqa.example', 'Ada@STRAßE.example']],
    ['jürgen@site.example', ['JÜRGEN@site.example', 'ju\u0308rgen@site.example']],
    ['김@예시.example', ['\u1100\u1175\u11b7@예시.example']],
    ['karl@site.example', ['\u212aarl@site.example']],
  ])('is kept as %s in each of its spellings', (kept, spellings) => {
    for (const spelling of spellings) expect(normalizeEmail(spelling)).toBe(kept)
    expect(isEmail(kept)).toBe(true)
  })

  it.each([
    ...['a.b+c_d-e%f@site.example', "o'brien@site.example", '1@site.example', 'a@localhost', 'a@127.0.0.1'],
    ...[
      '用户@例子.中国',
      'ユーザー@例え.jp',
      'コーヒーshop@例え.jp',
      'ノートb@site.example',
      '一@site.example',
      '张一a@site.example',
      'ㄅㄆㄇ@site.example',
      'ɓaŋgɛ@site.example',
      'user用户@例子.cn',
      '사용자@예시.한국',
      'पता@उदाहरण.भारत',
      'อีเมล@ตัวอย่าง.ไทย',
    ],
    ...['почта@пример.рф', 'привет@site.example', 'δοκιμή@παράδειγμα.gr', 'בדיקה@site.example', 'بريد@مثال.مصر'],
    ...[
      'renée@site.example',
      'łukasz@site.example',
      'đặng@site.example',
      'ivan.иванов@site.example',
      'փոստ@site.example',
    ],
  ])('may be %s', (email) => {
    expect(isEmail(normalizeEmail(email))).toBe(true)
  })

  it.each([
    ['a letter that is not seen', 'ad\u200ba@site.example'],
    ['a joiner', 'ad\u200da@site.example'],
    ['a mark of order', '\ufeffada\u2060@site.example'],
    ['a mark of direction', 'ada\u202emoc@site.example'],
    ['an isolate', '\u2066ada\u2069@site.example'],
    ['a soft hyphen', 'a\u00adda@site.example'],
    ['a filler', 'ada\u3164@site.example'],
    ['a variation selector', 'ada\ufe0f@site.example'],
    ['a tag', 'ada\u{e0041}@site.example'],
    ['a blank pattern', 'ada\u2800@site.example'],
    ['a joiner of graphemes', 'a\u034fda@site.example'],
    ['a stroke over a letter', 'ad\u0336a@site.example'],
    ['a mark at its start', '\u0301ada@site.example'],
    ['a Cyrillic letter', '\u0430da@site.example'],
    ['a Cyrillic letter in the domain', 'ada@sit\u0435.example'],
    ['a Cyrillic letter in the domain, coded', 'ada@xn--sit-7cd.example'],
    ['Cyrillic letters alone', '\u0441\u043e\u0440\u0435@site.example'],
    ['Greek letters alone', '\u03bf\u03bd\u03c5@site.example'],
    ['Greek among Latin letters', 'ad\u03b1m@site.example'],
    ['Armenian letters alone', '\u0578\u0585@site.example'],
    ['Cyrillic beside a Latin letter that differs', 'adжa@site.example'],
    ['Greek beside Cyrillic letters', 'δжд@site.example'],
    ['a letter without its dot', 'adm\u0131n@site.example'],
    ['a Latin letter of phonetics', '\u0251da@site.example'],
    ['a small capital', 'ad\u1d00@site.example'],
    ['a Hebrew letter like an o', 'f\u05e1\u05e1@site.example'],
    ['a Burmese letter like an o', '\u101d\u101d@site.example'],
    ['letters of a script of the past', '\u{10330}\u{10331}@site.example'],
    ['Cherokee letters', '\u13aa\u13a1@site.example'],
    ['Lisu letters', '\ua4d0\ua4e1@site.example'],
    ['a sign like a hyphen', 'ada\u2010b@site.example'],
    ['a sign like a dot', 'ada\u0701b@site.example'],
    ['a digit of another script', 'ada\u0967@site.example'],
    ['a picture', '😀@site.example'],
    ['a letter like an apostrophe', 'o\u02bcbrien@site.example'],
    ['another letter like an apostrophe', 'o\ua78cbrien@site.example'],
    ['a letter like an exclamation mark', 'ad\u01c3a@site.example'],
    ['a letter like a low line', 'ad\u02cda@site.example'],
    ['a letter like a colon', 'ad\ua789a\u02d0@site.example'],
    ['a letter like a dot', 'ad\ua78fa@site.example'],
    ['a mark that lengthens Arabic words', 'ada@si\u0640te.example'],
    ['a letter of old handwriting', '\ua781ada@site.example'],
    ['a letter of dialects', '\uab32da@site.example'],
    ['a small capital of later blocks', '\ua730da@site.example'],
    ['a part of a Korean letter like an o', 'sc\u3147pe@site.example'],
    ['a part of a Korean letter like an l', 'adm\u3163n@site.example'],
    ['a part of a Korean letter in the domain', 'ada@si\u1175te.example'],
    ['a Bopomofo letter like a T', 'ad\u3112a@site.example'],
    ['a Chinese stroke like an l', 'adm\u4e28n@site.example'],
    ['a Chinese stroke like a hyphen', 'ada\u4e00b@site.example'],
    ['a Chinese letter like a Z', 'ad\u4e59a@site.example'],
    ['a Japanese mark like a hyphen', 'ada\u30fcb@site.example'],
    ['a Japanese letter like a slash', 'ada\u30ceb@site.example'],
    ['a dot at its end in other letters', 'ada@site.example。'],
    ['two signs', 'ada＠b@site.example'],
  ])('has never %s', (_what, email) => {
    expect(isEmail(normalizeEmail(email))).toBe(false)
  })

  it('stays as it is when it is kept again', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.emailAddress())
    fc.assert(
      fc.property(text, text, (local, domain) => {
        const kept = normalizeEmail(`${local}@${domain}`)
        if (isEmail(kept)) expect(normalizeEmail(kept)).toBe(kept)
      }),
      { numRuns: 300 },
    )
  })
})
