import { describe, expect, it } from 'vitest'
import { compileKeyword, foldText } from './keyword.ts'

const finds = (keyword: string, text: string): boolean => compileKeyword(keyword)(foldText(text))

describe('a keyword', () => {
  it.each([
    ['program', 'My PROGRAM crashes.'],
    ['program', 'program'],
    ['straße', 'In der STRASSE steht ein Baum'],
    ['École', 'une école primaire'],
    ['cafe\u0301', 'ein Café am Markt'],
    ['pull request', 'Open a pull\n  request, please'],
    ['c++', 'write C++ code'],
    ['.net', 'how does .NET work'],
    ["don't", "I don't know"],
    ['programm*', 'Die Programmierung ist fertig'],
    ['naïve', 'a naïve guess'],
    ['ошибка', 'Это ОШИБКА в коде'],
    ['λάθος', 'ένα ΛΆΘΟΣ εδώ'],
    ['خطأ', 'هناك خطأ هنا'],
    ['程序', '请修复我的程序错误'],
    ['エラー', 'このエラーを直して'],
    ['번역', '이 글을 번역해 주세요'],
    ['แปล', 'ช่วยแปลข้อความนี้'],
    ['𝔸', 'the set 𝔸 is open'],
    ['ﬁx', 'please fix it'],
  ])('%s is in %j', (keyword, text) => {
    expect(finds(keyword, text)).toBe(true)
  })

  it.each([
    ['program', 'programs and programming'],
    ['art', 'start of the party'],
    ['pull request', 'pull the request'],
    ['pull request', 'pull requests'],
    ['c++', 'c+ and c'],
    ['.net', 'the internet'],
    ['ошибка', 'ошибками'],
    ['программ*', 'Die Programme'],
    ['bc', 'a𝔸bc𝔸'],
    ['word', ''],
    ['5', 'version 15'],
    ['foo', 'foo_bar'],
  ])('%s is not in %j', (keyword, text) => {
    expect(finds(keyword, text)).toBe(false)
  })
})
