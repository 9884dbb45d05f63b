import { Dice } from './pii-corpus.ts'

/** How the words of a script become sentences. */
interface Script {
  readonly name: string
  readonly words: string
  /** Between two words; most writing of East and South-East Asia has nothing there. */
  readonly gap: string
  readonly comma: string
  readonly stop: string
}

/** Words of our own, as they stand in ordinary sentences: with marks and capitals where the writing has them. */
const SCRIPTS: readonly Script[] = [
  {
    name: 'Latin',
    words:
      'the of and to in is that was for on are with as his they at be this have from or one had by word but not what all were we when your can said there use an each which she do how their if will up other about out many then them these so some her would make like him into time has look two more write go see number no way could people my than first water been call who oil its now find long down day did get come made may part',
    gap: ' ',
    comma: ', ',
    stop: '. ',
  },
  {
    name: 'Cyrillic',
    words:
      'и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой так же от такой год для когда человек о вы если до сказать мочь наш только или ещё бы себя один как другой первый время рука стать самый дело город раз два место слово жизнь день ребёнок дом работа там голова вопрос лицо друг вода сила Москва Россия Анна Волга',
    gap: ' ',
    comma: ', ',
    stop: '. ',
  },
  {
    name: 'Arabic',
    words:
      'في من على أن إلى هذا التي كان مع عن ذلك هو لا ما بعد كل قد بين لم يوم هذه عند غير أو إذا حتى كما فيها ثم وقال أكثر قبل خلال مدينة العمل الناس وقت بيت كتاب مدرسة طريق ماء شمس صديق حياة سؤال عام شهر أول جديد كبير صغير القاهرة بغداد دولة لغة تاريخ',
    gap: ' ',
    comma: '، ',
    stop: '. ',
  },
  {
    name: 'Devanagari',
    words:
      'के में है की और से को का यह पर भी हैं कि एक ने नहीं तो लिए हो इस था कर जो गया वह अपने साथ कुछ बाद तक होता समय लोग घर काम दिन पानी किताब शहर दोस्त जीवन प्रश्न साल महीना पहला नया बड़ा छोटा दिल्ली भारत भाषा इतिहास सड़क स्कूल बच्चे सूरज हाथ नाम',
    gap: ' ',
    comma: ', ',
    stop: '। ',
  },
  {
    name: 'CJK',
    words:
      '今日 は 天気 が とても 良い ので 友達 と 公園 へ 行き ました そして 本 を 読み ながら コーヒー 飲ん だ 東京 の 電車 いつも 混ん で いる 仕事 終わっ たら 家 帰り 料理 作る 我们 昨天 在 学校 学习 新 的 语言 时间 很 重要 因为 明天 会 下雨 所以 请 带 雨伞 テレビ ニュース 見る',
    gap: '',
    comma: '、',
    stop: '。',
  },
  {
    name: 'Thai',
    words:
      'ที่ และ ใน ของ การ เป็น ได้ มี ให้ ว่า จะ ไม่ กับ มา ไป แต่ หรือ อยู่ คน วัน นี้ เมือง บ้าน น้ำ เวลา ทำ งาน หนังสือ เพื่อน โรงเรียน ชีวิต คำ ถาม ปี เดือน แรก ใหม่ ใหญ่ เล็ก กรุงเทพ ประเทศ ไทย ภาษา ถนน เด็ก มือ ชื่อ อาหาร ร้าน ฝน',
    gap: '',
    comma: ' ',
    stop: ' ',
  },
]

/** Words of a sentence, a comma in each, and a number in every fifth one. */
const FEWEST_WORDS = 8
const MORE_WORDS = 10
const SENTENCES_A_NUMBER = 5
const SENTENCES_A_LINE = 4

function sentence({ gap, comma, stop }: Script, words: readonly string[], dice: Dice, number: number): string {
  const count = FEWEST_WORDS + dice.roll(MORE_WORDS)
  const half = count >> 1
  let text = ''
  for (let index = 0; index < count; index++) {
    const word = words[dice.roll(words.length)] ?? ''
    const shown = index === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word
    const isNumbered = index === half && number % SENTENCES_A_NUMBER === 0
    text += isNumbered ? `${shown}${gap}${1 + dice.roll(2100)}` : shown
    if (index < count - 1) text += index === half ? comma : gap
  }
  return text + stop
}

/** As the server holds the decoded text of a request. */
function fromBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}

/** Prose of six scripts, a text of about `length` characters for each. The same in every run. */
export function scriptTexts(length: number): ReadonlyMap<string, string> {
  return new Map(
    SCRIPTS.map((script) => {
      const dice = new Dice(11)
      const words = script.words.split(' ')
      const sentences: string[] = []
      for (let size = 0, number = 1; size < length; number++) {
        const next = sentence(script, words, dice, number) + (number % SENTENCES_A_LINE === 0 ? '\n' : '')
        sentences.push(next)
        size += next.length
      }
      return [script.name, fromBytes(sentences.join(''))]
    }),
  )
}

/** Lines of numbers alone, as in exported tables. */
export function digitsText(length: number): string {
  const dice = new Dice(13)
  const lines: string[] = []
  for (let size = 0; size < length; ) {
    const cells = Array.from({ length: 8 }, () => String(dice.roll(10 ** (1 + dice.roll(6)))))
    const line = `${cells.join(',')}\n`
    lines.push(line)
    size += line.length
  }
  return fromBytes(lines.join(''))
}
